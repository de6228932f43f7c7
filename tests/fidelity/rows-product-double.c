/* SHOC's matrix products of doubles, as those of rows-product.c: a work-group
 * of 16 x 4 has 64 rows and 16 columns of C, a row a work-item; sixteen k of B
 * (N) or four (T) go through local memory. A product takes two groups, since
 * FMA_64 has all four vector slots: a READ2 with the value of the one before,
 * and FMA_64. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum { M = 512, N = 1024, COLUMNS = 16, TILE = 64 };

struct shape {
	const char *name;
	double published;
	bool transposed;
	unsigned depth; /* k of a round */
	unsigned row;   /* doubles between two k in local memory */
};

/* R2, x: byte in A, y: in B, w: rounds. R3, x: row of C, w: byte in local
 * memory. A register has two doubles, but the one of B that is multiplied. */
enum { SUM = 4, A = 12, B = 20, FETCHED = 21, REGISTERS = 23 };

static const char channel[] = "xyzw";

static void fetch(struct text *text, unsigned to, unsigned i, char from,
		  uint32_t offset)
{
	text_add(text,
		 "VFETCH R%u.%s, R2.%c, fc1 MEGA(9) FORMAT(32_32) "
		 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET) OFFSET(%u)\n",
		 to + i / 2, i % 2 ? "__xy" : "xy__", from, offset);
}

static void prologue(struct text *text, const struct shape *shape,
		     unsigned rounds)
{
	bool t = shape->transposed;
	char across = t ? 'x' : 'y', down = t ? 'y' : 'x';

	text_add(text,
		 ".kernel product\n.registers %u\n.stack 1\n"
		 ".argument global \"double*\" a\n"
		 ".argument global \"double*\" b\n"
		 ".argument global \"double*\" c\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R3.x, R1.x, 6\n"
		 "  y: LSHL R3.y, R1.y, 4\n"
		 "  z: LSHL R3.z, R0.y, 4\n"
		 "  t: MULLO_INT R2.w, R0.%c, %u\n"
		 "1 x: ADD_INT R3.x, PV.x, PV.z\n"
		 "  y: ADD_INT R2.y, PV.y, R0.%c\n"
		 "  w: ADD_INT R3.w, PS, R0.%c\n",
		 REGISTERS, down, shape->row, across, across);
	text_add(text,
		 "2 x: ADD_INT R3.x, PV.x, R0.x\n"
		 "  w: LSHL R3.w, PV.w, 3\n"
		 "  t: MULLO_INT R2.z, %s, %u\n"
		 "3 x: LSHL R2.x, PV.x, 3\n"
		 "  y: ADD_INT R2.y, PS, %s\n"
		 "4 x: ADD_INT R2.x, PV.x, KC0[2].y\n"
		 "  y: LSHL R2.y, PV.y, 3\n"
		 "5 y: ADD_INT R2.y, PV.y, KC0[2].z\n"
		 "  w: MOV R2.w, %u\n",
		 t ? "R0.y" : "PV.y", t ? N : rounds * shape->depth,
		 t ? "R2.y" : "R0.x", rounds);
	for (unsigned r = SUM; r < A; r++)
		text_add(text,
			 "0 x: MOV R%u.x, 0\n  y: MOV R%u.y, 0\n"
			 "  z: MOV R%u.z, 0\n  w: MOV R%u.w, 0\n",
			 r, r, r, r);
}

/* Fetches a round's operands and writes those of B to local memory. */
static void operands(struct text *text, const struct shape *shape,
		     unsigned rounds)
{
	unsigned depth = shape->depth, own = shape->transposed ? 1 : 4;

	text_add(text, "TEX:\n");
	for (unsigned i = 0; i < own; i++)
		fetch(text, FETCHED, i, 'y', i * 4 * rounds * depth * 8);
	text_add(text, "TEX:\n");
	for (unsigned k = 0; k < depth; k++)
		fetch(text, A, k, 'x', k * M * 8);
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < own; i++)
		text_add(text,
			 "0 y: ADD_INT R3.y, R3.w, %u\n"
			 "  z: ADD_INT R3.z, R3.w, %u\n"
			 "1 x: LDS_WRITE R3.y, R%u.%c\n"
			 "2 x: LDS_WRITE R3.z, R%u.%c\n",
			 32 * i, 32 * i + 4, FETCHED + i / 2,
			 channel[i % 2 * 2], FETCHED + i / 2,
			 channel[i % 2 * 2 + 1]);
	text_add(text,
		 "0 x: GROUP_BARRIER\n"
		 "1 x: ADD_INT R2.x, R2.x, %u\n"
		 "  y: ADD_INT R2.y, R2.y, %u\n",
		 depth * M * 8, shape->transposed ? depth * N * 8 : depth * 8);
}

/* The value that a READ2 gave; beside another READ2 the slot of the low word is
 * taken. */
static void take(struct text *text, bool beside)
{
	text_add(text, "%s: MOV R%u.x, QA.pop\n  y: MOV R%u.y, QB.pop\n",
		 beside ? "  t" : "0 x", B, B);
}

static void product(struct text *text, unsigned k, unsigned j)
{
	for (unsigned slot = 0; slot < 4; slot++) {
		unsigned high = slot < 3, half = j % 2;

		text_add(text, "%s%c: FMA_64 ", slot ? "  " : "0 ",
			 channel[slot]);
		if (slot / 2 == half)
			text_add(text, "R%u.%c", SUM + j / 2, channel[slot]);
		else /* there is no write mask */
			text_add(text, "R127.%c", channel[slot]);
		text_add(text, ", R%u.%c, R%u.%c, R%u.%c\n", A + k / 2,
			 channel[k % 2 * 2 + high], B, channel[high],
			 SUM + j / 2, channel[half * 2 + high]);
	}
}

static void products(struct text *text, const struct shape *shape)
{
	enum { OF_CLAUSE = 8 };

	for (unsigned i = 0; i < shape->depth * COLUMNS; i++) {
		unsigned k = i / COLUMNS, j = i % COLUMNS;
		unsigned at = (k * shape->row + j) * 8;

		text_add(text, "%s0 x: LDS_READ2_RET QAB, %u, %u\n",
			 i % OF_CLAUSE ? "" : "ALU:\n", at, at + 4);
		if (i % OF_CLAUSE) {
			take(text, true);
			product(text, (i - 1) / COLUMNS, (i - 1) % COLUMNS);
		}
		if (i % OF_CLAUSE == OF_CLAUSE - 1) {
			take(text, false);
			product(text, k, j);
		}
	}
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
		 "0 x: LSHL R3.x, R3.x, 1\n"
		 "  y: LSHR R3.y, KC0[2].w, 2\n"
		 "  t: MULLO_INT R2.y, R1.y, %u\n"
		 "1 x: ADD_INT R2.x, PV.x, PS\n"
		 "2 x: ADD_INT R2.x, PV.x, R3.y\n",
		 COLUMNS * M * 2);
	for (unsigned j = 0; j < COLUMNS; j++)
		text_add(&text,
			 "ALU:\n0 x: MOV R%u.x, R%u.%c\n"
			 "  y: MOV R%u.y, R%u.%c\n"
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R2].xy__, "
			 "R%u, ARRAY_SIZE(0)\n"
			 "ALU:\n0 x: ADD_INT R2.x, R2.x, %u\n",
			 B, SUM + j / 2, channel[j % 2 * 2], B, SUM + j / 2,
			 channel[j % 2 * 2 + 1], B, 2 * M);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* Small integers: sums are exact. */
static double element(uint32_t row, uint32_t column)
{
	return (double)((row * 7 + column * 3) % 11) - 5;
}

static void verify(const double *c, uint32_t depth)
{
	for (uint32_t row = 0; row < M; row++)
		for (uint32_t j = row % 13; j < N; j += 97) {
			double sum = 0;

			for (uint32_t k = 0; k < depth; k++)
				sum += element(row, k) * element(k, j + 1);
			if (sum == c[j * M + row])
				continue;
			fprintf(stderr,
				"fidelity: product: C[%u][%u] is %g, not %g\n",
				row, j, c[j * M + row], sum);
			exit(1);
		}
}

static double cycles_of_rounds(struct table *table, const struct shape *shape,
			       unsigned rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code(shape, rounds);
	uint32_t depth = rounds * shape->depth;
	struct launch launch = {
	    .program = program,
	    .global = {M / TILE * 16, N / COLUMNS * 4},
	    .local = {16, 4},
	    .local_memory = shape->depth * shape->row * 8,
	    .arguments = {device_allocate(device, M * depth * 8),
			  device_allocate(device, N * depth * 8),
			  device_allocate(device, M * N * 8)},
	};
	double *a = device_bytes(device, launch.arguments[0], M * depth * 8);
	double *b = device_bytes(device, launch.arguments[1], N * depth * 8);
	double cycles;

	for (uint32_t k = 0; k < depth; k++) {
		for (uint32_t row = 0; row < M; row++)
			a[k * M + row] = element(row, k);
		for (uint32_t j = 0; j < N; j++)
			b[shape->transposed ? k * N + j : j * depth + k] =
			    element(k, j + 1);
	}
	cycles = (double)device_run(device, &launch);
	verify(device_bytes(device, launch.arguments[2], M * N * 8), depth);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

void rows_product_double(struct table *table)
{
	/* k; their difference is without beginning and end. */
	enum { FEW = 64, MANY = 192 };
	static const struct shape shapes[] = {
	    {"SHOC's GEMM double N", 140.6, false, 16, 17},
	    {"SHOC's GEMM double T", 35.8, true, 4, 16},
	};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *shape = &shapes[i];
		double cycles;

		if (!table_wants_row(table, shape->name))
			continue;
		cycles = cycles_of_rounds(table, shape, MANY / shape->depth) -
			 cycles_of_rounds(table, shape, FEW / shape->depth);
		table_row(table, KIND_HAND, shape->name, shape->published,
			  "GFLOPS", "SHOC 2.6", NULL,
			  2.0 * M * N * (MANY - FEW) / cycles *
			      table_options(table)->config.frequency / 1000);
	}
}
