/* Whole kernels that others measured on the HD 5870, as assembly of our own, so
 * that no compiler is judged: arithmetic without a fold (SHOC's MaxFlops), and
 * matrix times vector with a row for each work-item. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fidelity/rows.h"

/* --- MaxFlops ------------------------------------------------------------- */

enum { WAVEFRONTS = 20 * 32 * 2, CLAUSES = 100, CLAUSE_GROUPS = 24 };

/* GFLOPS of a whole kernel whose groups all have the same text: SHOC's kernels
 * are long chains of multiply-adds with a store at the end. */
static double max_flops(struct table *table, const char *group,
			double operations)
{
	struct device *device = device_create(table_options(table), NULL);
	struct launch launch = {
		.global = {64 * WAVEFRONTS},
		.local = {256},
		.arguments = {device_allocate(device, 4 * 64 * WAVEFRONTS)},
	};
	struct evg_program *program;
	struct text text;
	double cycles;

	text_begin(&text);
	text_add(&text, ".kernel flops\n.registers 8\n"
			".argument global \"float*\" output\n"
			"ALU: KCACHE0(CB0:0-31)\n"
			"0 t: MULLO_INT R6.x, R1.x, 256\n"
			"1 x: ADD_INT R6.x, PS, R0.x\n"
			"  y: LSHR R6.y, KC0[2].y, 2\n"
			"2 x: ADD_INT R6.x, PV.x, PV.y\n");
	for (unsigned i = 0; i < CLAUSES; i++) {
		text_add(&text, "ALU:\n");
		for (unsigned k = 0; k < CLAUSE_GROUPS; k++)
			text_add(&text, "0 %s\n", group);
	}
	text_add(&text, "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R6].x___, R2, "
			"ARRAY_SIZE(0)\nNOP\nEND_OF_PROGRAM\n");
	launch.program = program = text_end(&text);
	cycles = (double)device_run(device, &launch);
	evg_program_free(program);
	device_free(device);
	return operations * 64 * WAVEFRONTS * CLAUSES * CLAUSE_GROUPS /
	       cycles * table_options(table)->config.frequency / 1000;
}

static void rows_flops(struct table *table)
{
	static const char *const names[] = {
		"MaxFlops, single, whole kernel",
		"MaxFlops, double, whole kernel",
	};

	if (table_wants_row(table, names[0]))
		table_row(table, KIND_APPLICATION, names[0], 2544.9, "GFLOPS",
			  "SHOC 2.6", NULL,
			  max_flops(table,
				    "x: MULADD R2.x, R2.x, R3.x, R4.x\n"
				    "y: MULADD R2.y, R2.y, R3.y, R4.y\n"
				    "z: MULADD R2.z, R2.z, R3.z, R4.z\n"
				    "w: MULADD R2.w, R2.w, R3.w, R4.w\n"
				    "t: MULADD R5.x, R5.x, R3.x, R4.x", 10));
	if (table_wants_row(table, names[1]))
		table_row(table, KIND_APPLICATION, names[1], 517.6, "GFLOPS",
			  "SHOC 2.6", NULL,
			  max_flops(table,
				    "x: FMA_64 R2.x, R3.y, R4.y, R2.y\n"
				    "y: FMA_64 R2.y, R3.y, R4.y, R2.y\n"
				    "z: FMA_64 R127.z, R3.y, R4.y, R2.y\n"
				    "w: FMA_64 R127.w, R3.x, R4.x, R2.x", 2));
}

/* --- Matrix times vector -------------------------------------------------- */

/* 4096 rows as published, and so few of the 4096 columns as show the rate. */
enum { ROWS = 4096, FEW = 16, MANY = 48 };

static const char multiply_single[] =
	"0 x: MULADD R4.x, R5.x, R6.x, R4.x\n";
static const char multiply_double[] =
	"0 x: FMA_64 R4.x, R5.y, R6.y, R4.y\n"
	"  y: FMA_64 R4.y, R5.y, R6.y, R4.y\n"
	"  z: FMA_64 R127.z, R5.y, R6.y, R4.y\n"
	"  w: FMA_64 R127.w, R5.x, R6.x, R4.x\n";

/* One element of the row and one of the vector in each round, which is what a
 * compiler without unrolling makes of the loop. Neither buffer is `const
 * restrict`: they are read past the caches. */
static struct evg_program *gemv_code(bool wide, unsigned columns)
{
	unsigned shift = wide ? 3 : 2;
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel gemv\n.registers 8\n.stack 1\n"
			".argument global \"float*\" a\n"
			".argument global \"float*\" x\n"
			".argument global \"float*\" y\n"
			"ALU: KCACHE0(CB0:0-31)\n"
			"0 t: MULLO_INT R2.x, R1.x, 64\n"
			"1 x: ADD_INT R0.x, PS, R0.x\n"
			"2 x: LSHL R2.x, PV.x, %u\n"
			"3 x: ADD_INT R3.x, KC0[2].y, PV.x\n"
			"  y: MOV R3.y, KC0[2].z\n"
			"  z: ADD_INT R3.z, KC0[2].w, PV.x\n"
			"  w: MOV R3.w, %u\n"
			"4 x: LSHR R7.x, R3.z, 2\n"
			"  y: MOV R4.y, 0\n"
			"5 x: MOV R4.x, 0\n", shift, columns);
	text_add(&text, "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
			"ALU_BREAK:\n"
			"0 x: PREDNE_INT ____, R3.w, 0 UPDATE_EXEC_MASK\n"
			"  w: ADD_INT R3.w, R3.w, -1\n"
			"TEX:\n");
	for (unsigned i = 0; i < 2; i++) {
		text_add(&text, "VFETCH R%u.", 5 + i);
		text_add(&text, wide ? "xy__, R3.%c, fc173 MEGA(9) "
				       "FORMAT(32_32)"
				     : "x___, R3.%c, fc173 MEGA(5) FORMAT(32)",
			 "xy"[i]);
		text_add(&text, " NUM_FORMAT(INT) "
				"FETCH_TYPE(NO_INDEX_OFFSET)\n");
	}
	text_add(&text, "ALU:\n%s"
			"1 x: ADD_INT R3.x, R3.x, %u\n"
			"  y: ADD_INT R3.y, R3.y, %u\n"
			"ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
			"MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R7].%s, R4, "
			"ARRAY_SIZE(0)\nNOP\nEND_OF_PROGRAM\n",
		 wide ? multiply_double : multiply_single,
		 ROWS << shift, 1 << shift, wide ? "xy__" : "x___");
	return text_end(&text);
}

static void put(void *bytes, bool wide, uint32_t index, double value)
{
	if (wide)
		((double *)bytes)[index] = value;
	else
		((float *)bytes)[index] = (float)value;
}

static double element(uint32_t row, uint32_t column)
{
	return (double)((row * 7 + column * 3) % 11) - 5;
}

static void verify(const void *y, bool wide, unsigned columns)
{
	for (uint32_t row = 0; row < ROWS; row++) {
		double got = wide ? ((const double *)y)[row]
				  : (double)((const float *)y)[row];
		double sum = 0;

		for (uint32_t k = 0; k < columns; k++)
			sum += element(row, k) * element(k, 2);
		if (sum != got) {
			fprintf(stderr, "fidelity: gemv: y[%u] is %g, not "
				"%g\n", row, got, sum);
			exit(1);
		}
	}
}

static double gemv_cycles(struct table *table, bool wide, unsigned columns)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = gemv_code(wide, columns);
	struct launch launch = {
		.program = program,
		.global = {ROWS},
		.local = {64},
	};
	uint32_t size = wide ? 8 : 4;
	const uint32_t bytes[] = {ROWS * columns * size, columns * size,
				  ROWS * size};
	void *data[3];
	double cycles;

	for (int i = 0; i < 3; i++) {
		launch.arguments[i] = device_allocate(device, bytes[i]);
		data[i] = device_bytes(device, launch.arguments[i], bytes[i]);
	}
	for (uint32_t k = 0; k < columns; k++) {
		for (uint32_t row = 0; row < ROWS; row++)
			put(data[0], wide, k * ROWS + row, element(row, k));
		put(data[1], wide, k, element(k, 2));
	}
	cycles = (double)device_run(device, &launch);
	verify(data[2], wide, columns);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

/* GB/s of the matrix: the columns between two lengths. */
static double gemv_rate(struct table *table, bool wide)
{
	return gigabytes(table,
			 (double)ROWS * (MANY - FEW) * (wide ? 8 : 4),
			 gemv_cycles(table, wide, MANY) -
				 gemv_cycles(table, wide, FEW));
}

void rows_application(struct table *table)
{
	static const char *const names[] = {
		"gemv, a row a work-item, float",
		"gemv, a row a work-item, double",
	};

	rows_flops(table);
	if (table_wants_row(table, names[0]))
		table_row(table, KIND_INPUT, names[0], 1.4, "GB/s", "bealto",
			  "rule of one-address reads",
			  gemv_rate(table, false));
	if (table_wants_row(table, names[1]))
		table_row(table, KIND_APPLICATION, names[1], 1.5, "GB/s",
			  "bealto", NULL, gemv_rate(table, true));
}
