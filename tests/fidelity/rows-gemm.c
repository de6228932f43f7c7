/* Register-blocked matrix multiplication as Nakasato wrote it for the HD 5870:
 * operands through the texture cache, no local memory, and results of a block
 * of 8 x 8 singles or 4 x 4 doubles in registers. A wavefront computes 8 x 8
 * such blocks. A is stored by columns, B by rows: C = A' B. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fidelity/rows.h"

enum { UNROLLED = 4 };

struct matrix {
	uint32_t m, n, k;
};

/* VFETCH of four dwords at a register plus an offset. */
static void fetch(struct text *text, unsigned to, char from, unsigned address,
		  uint32_t offset)
{
	text_add(text, "VFETCH R%u.xyzw, R%u.%c, fc1 MEGA(17) "
		       "FORMAT(32_32_32_32) NUM_FORMAT(INT) "
		       "FETCH_TYPE(NO_INDEX_OFFSET) OFFSET(%u)\n", to, address,
		 from, offset);
}

/* Addresses of a work-item's operands, one loop body too low, into
 * R[at].x and .y, the index of its first result into .z, and the number of
 * loop bodies into .w. `bytes` of an element, `block` x `block` of them a
 * work-item. A wavefront is 8 x 8 work-items. */
static void prologue(struct text *text, const struct matrix *size, unsigned at,
		     unsigned bytes, unsigned block, unsigned unrolled)
{
	unsigned tile = 8 * block, tiles = size->n / tile;
	uint32_t back_a = unrolled * size->m * bytes;
	uint32_t back_b = unrolled * size->n * bytes;

	/* tile row and column by reciprocal multiplication: exact for fewer
	 * than 65536 tiles. */
	text_add(text, "ALU: KCACHE0(CB0:0-31)\n"
		       "0 t: MULLO_INT R2.x, R1.x, KC0[1].z\n"
		       "1 x: ADD_INT R0.x, PS, R0.x\n"
		       "2 x: LSHR R1.x, PV.x, 6\n"
		       "3 t: MULLO_INT R2.x, PV.x, %u\n"
		       "4 x: LSHR R2.x, PS, 20\n"
		       "5 t: MULLO_INT R2.y, PV.x, %u\n"
		       "6 y: SUB_INT R2.y, R1.x, PS\n"
		       "  z: BFE_UINT R2.z, R0.x, 3, 3\n"
		       "  w: AND_INT R2.w, R0.x, 7\n",
		 (1 << 20) / tiles + 1, tiles);
	/* first row (R3.x) and column (R3.y) of the block */
	text_add(text, "4 x: LSHL R3.x, R2.x, 3\n"
		       "  y: LSHL R3.y, R2.y, 3\n"
		       "5 x: ADD_INT R3.x, PV.x, R2.z\n"
		       "  y: ADD_INT R3.y, PV.y, R2.w\n"
		       "6 t: MULLO_INT R3.x, R3.x, %u\n"
		       "7 t: MULLO_INT R3.y, R3.y, %u\n", block, block);
	text_add(text, "8 t: MULLO_INT R2.x, R3.x, %u\n"
		       "9 t: MULLO_INT R2.y, R3.y, %u\n"
		       "10 t: MULLO_INT R2.z, R3.x, %u\n", bytes, bytes,
		 size->n);
	text_add(text, "11 x: ADD_INT R%u.x, R2.x, KC0[2].y\n"
		       "  y: ADD_INT R%u.y, R2.y, KC0[2].z\n"
		       "  z: ADD_INT R%u.z, R2.z, R3.y\n"
		       "  w: LSHR R2.w, KC0[2].w, 2\n", at, at, at);
	text_add(text, "12 x: SUB_INT R%u.x, R%u.x, %u\n"
		       "  y: SUB_INT R%u.y, R%u.y, %u\n"
		       "  z: LSHL R%u.z, R%u.z, %u\n"
		       "  w: MOV R%u.w, %u\n", at, at, back_a, at, at, back_b,
		 at, at, bytes == 8 ? 1 : 0, at, size->k / unrolled);
	text_add(text, "13 z: ADD_INT R%u.z, R%u.z, R2.w\n", at, at);
}

static void loop_head(struct text *text, const struct matrix *size,
		      unsigned at, unsigned bytes, unsigned unrolled)
{
	text_add(text, "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
		       "ALU_BREAK:\n"
		       "0 x: PREDNE_INT ____, R%u.w, 0 UPDATE_EXEC_MASK\n"
		       "  w: ADD_INT R%u.w, R%u.w, -1\n"
		       "1 x: ADD_INT R%u.x, R%u.x, %u\n"
		       "  y: ADD_INT R%u.y, R%u.y, %u\n", at, at, at, at, at,
		 unrolled * size->m * bytes, at, at,
		 unrolled * size->n * bytes);
}

/* --- Single precision ----------------------------------------------------- */

/* R0 to R15: results, row i in R[2i] and R[2i + 1]; R16 to R23: two k of A's
 * and B's eight; R24: addresses. 25 registers. */
enum { SINGLE_DATA = 16, SINGLE_ADDRESS = 24 };

/* The second k begins with another quad than the first, so that what goes to
 * the t slots of a group is never the quad that its vector slots write. */
enum { TURN = 10 };

static void single_mad(struct text *text, char slot, unsigned number)
{
	static const char channel[] = "xyzw";
	unsigned k = number / 64, turned = number + (k ? 4 * TURN : 0);
	unsigned i = turned / 8 % 8, j = turned % 8;
	unsigned to = 2 * i + j / 4, data = SINGLE_DATA + 4 * k;

	text_add(text, "%c: MULADD R%u.%c, R%u.%c, R%u.%c, R%u.%c\n", slot, to,
		 channel[j % 4], data + i / 4, channel[i % 4],
		 data + 2 + j / 4, channel[j % 4], to, channel[j % 4]);
}

/* 128 MADs as 25 full groups and one of three: a quad takes the vector slots,
 * and each fourth group's quad is spread over four t slots. */
static void single_clause(struct text *text)
{
	static const char slots[] = "xyzw";
	enum { QUADS = 32 };
	unsigned quad = 0, spare = QUADS, spare_used = 4;

	text_add(text, "ALU:\n");
	while (quad < spare) {
		text_add(text, "0 ");
		for (unsigned j = 0; j < 4; j++)
			single_mad(text, slots[j], quad * 4 + j);
		quad++;
		if (spare_used == 4 && quad < spare) {
			spare--;
			spare_used = 0;
		}
		if (spare_used < 4)
			single_mad(text, 't', spare * 4 + spare_used++);
	}
	text_add(text, spare_used < 4 ? "0 " : "");
	while (spare_used < 4) {
		single_mad(text, slots[spare_used], spare * 4 + spare_used);
		spare_used++;
	}
}

static struct evg_program *single_code(const struct matrix *size)
{
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel sgemm\n"
			".argument global \"float*\" a\n"
			".argument global \"float*\" b\n"
			".argument global \"float*\" c\n");
	prologue(&text, size, SINGLE_ADDRESS, 4, 8, 2 * UNROLLED);
	text_add(&text, "ALU:\n");
	for (unsigned i = 0; i < 16; i++)
		text_add(&text, "0 x: MOV R%u.x, 0\n  y: MOV R%u.y, 0\n"
				"  z: MOV R%u.z, 0\n  w: MOV R%u.w, 0\n", i, i,
			 i, i);
	loop_head(&text, size, SINGLE_ADDRESS, 4, 2 * UNROLLED);
	for (unsigned u = 0; u < UNROLLED; u++) {
		text_add(&text, "TEX:\n");
		for (unsigned k = 0; k < 2; k++)
			for (unsigned i = 0; i < 4; i++)
				fetch(&text, SINGLE_DATA + 4 * k + i,
				      i < 2 ? 'x' : 'y', SINGLE_ADDRESS,
				      (2 * u + k) *
						      (i < 2 ? size->m
							     : size->n) *
						      4 +
					      i % 2 * 16);
		single_clause(&text);
	}
	text_add(&text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n");
	for (unsigned i = 0; i < 16; i++)
		text_add(&text, "ALU:\n0 x: ADD_INT R%u.x, R%u.z, %u\n"
				"MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u], "
				"R%u, ARRAY_SIZE(0)\n", SINGLE_ADDRESS,
			 SINGLE_ADDRESS, i / 2 * size->n + i % 2 * 4,
			 SINGLE_ADDRESS, i);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* --- Double precision ----------------------------------------------------- */

/* R0 to R7: results, element (i, j) in xy or zw of R[2i + j / 2]; R8 to R15: two
 * k of A's and B's four; R16: addresses. FMA_64 delivers in xy and in zw, so that
 * a register holds two results. The kernel claims the published 19 registers,
 * which decide how many wavefronts a unit holds. */
enum { DOUBLE_DATA = 8, DOUBLE_ADDRESS = 16, DOUBLE_REGISTERS = 19 };

/* An element's product with the operands of k in R[data] to R[data + 3]. */
static void double_group(struct text *text, unsigned data, unsigned i,
			 unsigned j)
{
	static const char channel[] = "xyzw";
	unsigned to = 2 * i + j / 2, a = data + i / 2, b = data + 2 + j / 2;
	unsigned la = i % 2 * 2, lb = j % 2 * 2;

	for (unsigned slot = 0; slot < 4; slot++) {
		unsigned high = slot < 3;

		text_add(text, "%s%c: FMA_64 ", slot ? "  " : "0 ",
			 channel[slot]);
		if (slot / 2 == lb / 2)
			text_add(text, "R%u.%c", to, channel[slot]);
		else /* there is no write mask */
			text_add(text, "R127.%c", channel[slot]);
		text_add(text, ", R%u.%c, R%u.%c, R%u.%c\n", a,
			 channel[la + high], b, channel[lb + high], to,
			 channel[lb + high]);
	}
}

/* Fetches two k of the operands, and their products. */
static void double_body(struct text *text, const struct matrix *size,
			unsigned first)
{
	text_add(text, "TEX:\n");
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < 4; i++)
			fetch(text, DOUBLE_DATA + 4 * k + i,
			      i < 2 ? 'x' : 'y', DOUBLE_ADDRESS,
			      (first + k) * (i < 2 ? size->m : size->n) * 8 +
				      i % 2 * 16);
	text_add(text, "ALU:\n");
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < 16; i++)
			double_group(text, DOUBLE_DATA + 4 * k, i / 4, i % 4);
}

static struct evg_program *double_code(const struct matrix *size)
{
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel dgemm\n.registers %u\n.stack 1\n"
		 ".argument global \"double*\" a\n"
		 ".argument global \"double*\" b\n"
		 ".argument global \"double*\" c\n",
		 DOUBLE_REGISTERS);
	prologue(&text, size, DOUBLE_ADDRESS, 8, 4, UNROLLED);
	text_add(&text, "ALU:\n");
	for (unsigned i = 0; i < 8; i++)
		text_add(&text,
			 "0 x: MOV R%u.x, 0\n  y: MOV R%u.y, 0\n"
			 "  z: MOV R%u.z, 0\n  w: MOV R%u.w, 0\n",
			 i, i, i, i);
	loop_head(&text, size, DOUBLE_ADDRESS, 8, UNROLLED);
	for (unsigned u = 0; u < UNROLLED; u += 2)
		double_body(&text, size, u);
	text_add(&text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n");
	for (unsigned i = 0; i < 8; i++)
		text_add(&text,
			 "ALU:\n0 x: ADD_INT R%u.x, R%u.z, %u\n"
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u], "
			 "R%u, ARRAY_SIZE(0)\n",
			 DOUBLE_ADDRESS, DOUBLE_ADDRESS,
			 (i / 2 * size->n + i % 2 * 2) * 2, DOUBLE_ADDRESS, i);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* --- Running -------------------------------------------------------------- */

/* Small integers: sums are exact whatever their order. */
static double element(uint32_t row, uint32_t column)
{
	return (double)((row * 7 + column * 3) % 11) - 5;
}

static void put(void *bytes, bool wide, uint32_t index, double value)
{
	if (wide)
		((double *)bytes)[index] = value;
	else
		((float *)bytes)[index] = (float)value;
}

static double get(const void *bytes, bool wide, uint32_t index)
{
	return wide ? ((const double *)bytes)[index]
		    : (double)((const float *)bytes)[index];
}

/* Some elements of each row; the rest follow the same code. */
static void verify(const struct matrix *size, const void *c, bool wide)
{
	for (uint32_t i = 0; i < size->m; i++)
		for (uint32_t j = i % 13; j < size->n; j += 97) {
			double sum = 0, got = get(c, wide, i * size->n + j);

			for (uint32_t k = 0; k < size->k; k++)
				sum += element(k, i) * element(k + 5, j);
			if (sum != got) {
				fprintf(stderr, "fidelity: %s: C[%u][%u] is "
					"%g, not %g\n",
					wide ? "dgemm" : "sgemm", i, j, got,
					sum);
				exit(1);
			}
		}
}

/* Cycles with work-groups of `group` wavefronts. */
static double product_cycles(struct table *table, const struct matrix *size,
			     bool wide, uint32_t group)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = wide ? double_code(size)
					   : single_code(size);
	uint32_t tile = wide ? 32 : 64, bytes = wide ? 8 : 4;
	struct launch launch = {
		.program = program,
		.global = {size->m / tile * (size->n / tile) * 64},
		.local = {64 * group},
	};
	const uint32_t count[] = {size->k * size->m, size->k * size->n,
				  size->m * size->n};
	const uint32_t across[] = {size->m, size->n};
	double cycles;

	for (int i = 0; i < 3; i++) {
		void *data;

		launch.arguments[i] = device_allocate(device,
						      count[i] * bytes);
		data = device_bytes(device, launch.arguments[i],
				    count[i] * bytes);
		for (uint32_t e = 0; i < 2 && e < count[i]; e++)
			put(data, wide, e,
			    element(e / across[i] + (i ? 5 : 0),
				    e % across[i]));
	}
	cycles = (double)device_run(device, &launch);
	verify(size, device_bytes(device, launch.arguments[2],
				  count[2] * bytes), wide);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

static double gigaflops(const struct table *table, double operations,
			double cycles)
{
	return operations / cycles * table_options(table)->config.frequency /
	       1000;
}

/* GFLOPS of the inner loop alone: beginning and end are subtracted. The
 * published rate is of 7424 x 7424, where they hardly count and which would take
 * a quarter of an hour. The 160 wavefronts are those that the device holds, as a
 * unit takes eight groups. */
static double single_rate(struct table *table)
{
	static const struct matrix size = {1024, 640, 512};
	struct matrix half = size;

	half.k = size.k / 2;
	return gigaflops(table, 2.0 * size.m * size.n * (size.k - half.k),
			 product_cycles(table, &size, false, 1) -
				 product_cycles(table, &half, false, 1));
}

/* The published size, whole; in a short table a quarter of it each way. Groups
 * of two wavefronts: a unit takes six with 19 registers. */
static double double_rate(struct table *table)
{
	const uint32_t side = table_is_short(table) ? 512 : 2048;
	const struct matrix size = {side, side, side};

	return gigaflops(table, 2.0 * side * side * side,
			 product_cycles(table, &size, true, 2));
}

void rows_gemm(struct table *table)
{
	static const char *const names[] = {
		"SGEMM, 8 x 8 block, 25 registers, inner loop",
		"DGEMM, 4 x 4 block, 2048 x 2048",
	};

	if (table_wants_row(table, names[0]))
		table_row(table, KIND_INPUT, names[0], 2140, "GFLOPS",
			  "NG, 10", "AddressGroups", single_rate(table));
	if (table_wants_row(table, names[1]))
		table_row(table, KIND_OUTCOME, names[1], 475, "GFLOPS",
			  "NG, 10", NULL, double_rate(table));
}
