/* SHOC's matrix products, without transposition (N) and with B transposed (T),
 * as assembly of ours: a work-group of 16 x 4 has 64 rows and 16 columns of C, a
 * row a work-item; sixteen k of B (N) or four (T) go through local memory, those
 * of A are in registers. All that the machine allows is in the reads of local
 * memory: a dword for each product of a work-item, one or two an instruction. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum { M = 640, N = 1024, COLUMNS = 16, TILE = 64 };

struct shape {
	const char *name;
	double published;
	bool transposed;
	unsigned each; /* dwords of a read */
};

/* k of a round, and dwords between two k in local memory. */
static unsigned depth_of(const struct shape *shape)
{
	return shape->transposed ? 4 : 16;
}

static unsigned row_of(const struct shape *shape)
{
	return shape->transposed ? 16 : 17;
}

/* Registers: addresses, sums, sixteen of A, four of B. */
enum { ADDRESS = 2, SUM = 4, A = 8, B = 12, REGISTERS = 13 };

static const char channel[] = "xyzw";

static void fetch(struct text *text, unsigned to, char slot, char from,
		  uint32_t offset)
{
	static const char order[] = "xyzw";
	char select[5] = "____";

	for (unsigned i = 0; i < 4; i++)
		if (order[i] == slot)
			select[i] = 'x';
	text_add(text,
		 "VFETCH R%u.%s, R%u.%c, fc1 MEGA(5) FORMAT(32) "
		 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET) "
		 "OFFSET(%u)\n",
		 to, select, ADDRESS, from, offset);
}

/* The product of sum `j` with the value that queue `queue` has. */
static void product(struct text *text, unsigned k, unsigned j, char queue)
{
	/* The read has the slot of the first channel. */
	text_add(text, "%c: MULADD R%u.%c, R%u.%c, Q%c.pop, R%u.%c\n",
		 j % 4 ? channel[j % 4] : 't', SUM + j / 4, channel[j % 4],
		 A + k / 4, channel[k % 4], queue, SUM + j / 4, channel[j % 4]);
}

/* Reads of a k, `each` of them a group, with the products of those before. */
static void products(struct text *text, const struct shape *shape)
{
	enum { KS = 2 }; /* of a clause */
	unsigned each = shape->each;

	for (unsigned k = 0; k < depth_of(shape); k++) {
		if (k % KS == 0)
			text_add(text, "ALU:\n");
		for (unsigned j = 0; j < COLUMNS; j += each) {
			unsigned at = (k * row_of(shape) + j) * 4;
			bool first = k % KS == 0 && !j;
			unsigned before = k * COLUMNS + j - each;

			text_add(text,
				 each == 2 ? "0 x: LDS_READ2_RET QAB, %u, %u\n"
					   : "0 x: LDS_READ_RET QA, %u\n",
				 at, at + 4);
			for (unsigned i = 0; i < each && !first; i++)
				product(text, (before + i) / COLUMNS,
					(before + i) % COLUMNS, i ? 'B' : 'A');
		}
		if (k % KS == KS - 1) {
			text_add(text, "0 ");
			for (unsigned i = 0; i < each; i++)
				product(text, k, COLUMNS - each + i,
					i ? 'B' : 'A');
		}
	}
}

/* R3.x: row; R2.x: address in A, R2.y in B, R3.w of B's local memory. Of B a
 * work-item (x, y) fetches k = x of the columns y, y + 4, y + 8 and y + 12, or
 * with T k = y of column x. */
static void prologue(struct text *text, const struct shape *shape,
		     unsigned rounds)
{
	bool t = shape->transposed;
	char across = t ? 'x' : 'y', down = t ? 'y' : 'x';

	text_add(text,
		 ".kernel product\n.registers %u\n.stack 1\n"
		 ".argument global \"float*\" a\n"
		 ".argument global \"float*\" b\n"
		 ".argument global \"float*\" c\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R3.x, R1.x, 6\n"
		 "  y: LSHL R3.y, R1.y, 4\n"
		 "  z: LSHL R3.z, R0.y, 4\n"
		 "  t: MULLO_INT R2.w, R0.%c, %u\n"
		 "1 x: ADD_INT R3.x, PV.x, PV.z\n"
		 "  y: ADD_INT R2.y, PV.y, R0.%c\n"
		 "  w: ADD_INT R3.w, PS, R0.%c\n",
		 REGISTERS, down, row_of(shape), across, across);
	text_add(text,
		 "2 x: ADD_INT R3.x, PV.x, R0.x\n"
		 "  w: LSHL R3.w, PV.w, 2\n"
		 "  t: MULLO_INT R2.z, %s, %u\n"
		 "3 x: LSHL R2.x, PV.x, 2\n"
		 "  y: ADD_INT R2.y, PS, %s\n"
		 "4 x: ADD_INT R2.x, PV.x, KC0[2].y\n"
		 "  y: LSHL R2.y, PV.y, 2\n"
		 "5 y: ADD_INT R2.y, PV.y, KC0[2].z\n"
		 "  w: MOV R2.w, %u\n",
		 t ? "R0.y" : "PV.y", t ? N : rounds * depth_of(shape),
		 t ? "R2.y" : "R0.x", rounds);
	for (unsigned i = 0; i < 4; i++)
		text_add(text,
			 "0 x: MOV R%u.x, 0\n  y: MOV R%u.y, 0\n"
			 "  z: MOV R%u.z, 0\n  w: MOV R%u.w, 0\n",
			 SUM + i, SUM + i, SUM + i, SUM + i);
}

/* Fetches a round's operands and writes those of B to local memory. */
static void operands(struct text *text, const struct shape *shape,
		     unsigned rounds)
{
	unsigned depth = depth_of(shape), own = shape->transposed ? 1 : 4;

	text_add(text, "TEX:\n");
	for (unsigned i = 0; i < own; i++)
		fetch(text, B, channel[i], 'y', i * 4 * rounds * depth * 4);
	if (!shape->transposed)
		text_add(text, "TEX:\n");
	for (unsigned k = 0; k < depth; k++)
		fetch(text, A + k / 4, channel[k % 4], 'x', k * M * 4);
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < own; i++)
		text_add(text,
			 "0 y: ADD_INT R3.y, R3.w, %u\n"
			 "1 x: LDS_WRITE R3.y, R%u.%c\n",
			 16 * i, B, channel[i]);
	text_add(text,
		 "0 x: GROUP_BARRIER\n"
		 "1 x: ADD_INT R2.x, R2.x, %u\n"
		 "  y: ADD_INT R2.y, R2.y, %u\n",
		 depth * M * 4, shape->transposed ? depth * N * 4 : depth * 4);
}

static struct evg_program *code(const struct shape *shape, unsigned rounds)
{
	struct text text;

	text_begin(&text);
	prologue(&text, shape, rounds);
	text_add(&text, "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
			"ALU_BREAK:\n"
			"0 x: PREDNE_INT ____, R2.w, 0 UPDATE_EXEC_MASK\n"
			"  w: ADD_INT R2.w, R2.w, -1\n");
	operands(&text, shape, rounds);
	products(&text, shape);
	text_add(&text,
		 "ALU:\n0 x: GROUP_BARRIER\n"
		 "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHR R2.x, KC0[2].w, 2\n"
		 "  t: MULLO_INT R2.y, R1.y, %u\n"
		 "1 x: ADD_INT R2.x, PV.x, PS\n"
		 "2 x: ADD_INT R2.x, PV.x, R3.x\n",
		 COLUMNS * M);
	for (unsigned j = 0; j < COLUMNS; j++)
		text_add(&text,
			 "ALU:\n0 x: MOV R%u.x, R%u.%c\n"
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R2].x___, "
			 "R%u, ARRAY_SIZE(0)\n"
			 "ALU:\n0 x: ADD_INT R2.x, R2.x, %u\n",
			 A, SUM + j / 4, channel[j % 4], A, M);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* Small integers: sums are exact. */
static float element(uint32_t row, uint32_t column)
{
	return (float)((row * 7 + column * 3) % 11) - 5;
}

static void verify(const float *c, uint32_t depth)
{
	for (uint32_t row = 0; row < M; row++)
		for (uint32_t j = row % 13; j < N; j += 97) {
			float sum = 0;

			for (uint32_t k = 0; k < depth; k++)
				sum += element(row, k) * element(k, j + 1);
			if (sum != c[j * M + row]) {
				fprintf(stderr,
					"fidelity: product: C[%u][%u] "
					"is %g, not %g\n",
					row, j, (double)c[j * M + row],
					(double)sum);
				exit(1);
			}
		}
}

static double cycles_of_rounds(struct table *table, const struct shape *shape,
			       unsigned rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code(shape, rounds);
	uint32_t depth = rounds * depth_of(shape);
	struct launch launch = {
	    .program = program,
	    .global = {M / TILE * 16, N / COLUMNS * 4},
	    .local = {16, 4},
	    .local_memory = depth_of(shape) * row_of(shape) * 4,
	    .arguments = {device_allocate(device, M * depth * 4),
			  device_allocate(device, N * depth * 4),
			  device_allocate(device, M * N * 4)},
	};
	float *a = device_bytes(device, launch.arguments[0], M * depth * 4);
	float *b = device_bytes(device, launch.arguments[1], N * depth * 4);
	double cycles;

	for (uint32_t k = 0; k < depth; k++) {
		for (uint32_t row = 0; row < M; row++)
			a[k * M + row] = element(row, k);
		for (uint32_t j = 0; j < N; j++)
			b[shape->transposed ? k * N + j : j * depth + k] =
			    element(k, j + 1);
	}
	cycles = (double)device_run(device, &launch);
	verify(device_bytes(device, launch.arguments[2], M * N * 4), depth);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

/* GFLOPS of 128 k, without beginning and end. */
static double rate(struct table *table, const struct shape *shape)
{
	enum { FEW = 64, MANY = 192 };
	double cycles =
	    cycles_of_rounds(table, shape, MANY / depth_of(shape)) -
	    cycles_of_rounds(table, shape, FEW / depth_of(shape));

	return 2.0 * M * N * (MANY - FEW) / cycles *
	       table_options(table)->config.frequency / 1000;
}

void rows_product(struct table *table)
{
	static const struct shape shapes[] = {
	    {"SHOC's GEMM single N, one dword a read", 406.4, false, 1},
	    {"SHOC's GEMM single N, two dwords a read", 406.4, false, 2},
	    {"SHOC's GEMM single T, one dword a read", 111.6, true, 1},
	    {"SHOC's GEMM single T, two dwords a read", 111.6, true, 2},
	};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (table_wants_row(table, shapes[i].name))
			table_row(table, KIND_HAND, shapes[i].name,
				  shapes[i].published, "GFLOPS", "SHOC 2.6",
				  NULL, rate(table, &shapes[i]));
}
