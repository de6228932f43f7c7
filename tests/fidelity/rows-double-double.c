/* A product of matrices of double-double numbers, as assembly of ours: Nakasato
 * published 31 GFLOPS with FMA_64 and blocks of 2 x 2 a work-item, two
 * operations counted for a product that is added. A number is two doubles whose
 * sum it is, 16 bytes. A product is MUL_64 and three FMA_64; it is brought into
 * form and added to the sum in 14 additions (Dekker, Knuth), of which a group
 * does two, those of the two columns of a block. That is eleven groups a
 * product. */
#include <math.h>
#include <stdlib.h>

#include "fidelity/rows.h"

enum { M = 480, N = 512, BLOCK = 2, GROUP = 16, NUMBER = 16 };

/* Registers. Sums: high and low doubles of row i, of the two columns in .xy and
 * .zw. Then two numbers of A, two of B, products and errors by column. */
enum {
	ADDRESS = 2,
	HIGH = 3,
	LOW = 5,
	A = 7,
	B = 9,
	PRODUCT = 11,
	ERROR = 13,
	TEMPORARY = 15,
	REGISTERS = 20,
};

/* Four slots of one double each: column 0 or 1 has the result in .xy. */
static void four(struct text *text, const char *name, unsigned to, unsigned a,
		 unsigned a_at, unsigned b, unsigned b_at, int c, bool negate)
{
	static const char channel[] = "xyzw";

	for (unsigned slot = 0; slot < 4; slot++) {
		unsigned high = slot < 3;

		text_add(text, "%s%c: %s ", slot ? "  " : "0 ", channel[slot],
			 name);
		if (slot < 2)
			text_add(text, "R%u.%c", to, channel[slot]);
		else if (c < 0)
			text_add(text, "____");
		else /* there is no write mask */
			text_add(text, "R127.%c", channel[slot]);
		text_add(text, ", R%u.%c, R%u.%c", a, channel[a_at + high], b,
			 channel[b_at + high]);
		if (c >= 0)
			text_add(text, ", %sR%d.%c", negate && high ? "-" : "",
				 c, channel[high]);
		text_add(text, "\n");
	}
}

/* Where the doubles of both columns are: in one register, or column 0 in the
 * register's .xy and column 1 in the next one's. */
struct pair {
	unsigned reg;
	bool apart, negative;
};

static void add_operand(struct text *text, struct pair pair, unsigned column,
			bool high)
{
	static const char channel[] = "xyzw";

	text_add(text, ", %sR%u.%c", pair.negative && high ? "-" : "",
		 pair.reg + (pair.apart ? column : 0),
		 channel[(pair.apart ? 0 : 2 * column) + high]);
}

static void add(struct text *text, unsigned to, struct pair a, struct pair b)
{
	static const char channel[] = "xyzw";

	for (unsigned slot = 0; slot < 4; slot++) {
		text_add(text, "%s%c: ADD_64 R%u.%c", slot ? "  " : "0 ",
			 channel[slot], to, channel[slot]);
		add_operand(text, a, slot / 2, slot % 2 == 0);
		add_operand(text, b, slot / 2, slot % 2 == 0);
		text_add(text, "\n");
	}
}

/* The products of row i with both columns, added to its sums. */
static void row(struct text *text, unsigned i)
{
	enum { S = TEMPORARY, T, U, V };
	struct pair product = {PRODUCT, true, false};
	struct pair error = {ERROR, true, false};
	struct pair high = {HIGH + i, false, false};
	struct pair low = {LOW + i, false, false};
	struct pair s = {S, false, false}, t = {T, false, false};
	struct pair u = {U, false, false}, v = {V, false, false};
	struct pair minus_product = {PRODUCT, true, true};
	struct pair minus_high = {HIGH + i, false, true};
	struct pair minus_t = {T, false, true}, minus_u = {U, false, true};

	text_add(text, "ALU:\n");
	for (unsigned j = 0; j < BLOCK; j++)
		four(text, "MUL_64", PRODUCT + j, A + i, 0, B + j, 0, -1,
		     false);
	for (unsigned j = 0; j < BLOCK; j++)
		four(text, "FMA_64", ERROR + j, A + i, 0, B + j, 0,
		     (int)(PRODUCT + j), true);
	for (unsigned j = 0; j < BLOCK; j++)
		four(text, "FMA_64", ERROR + j, A + i, 0, B + j, 2,
		     (int)(ERROR + j), false);
	for (unsigned j = 0; j < BLOCK; j++)
		four(text, "FMA_64", ERROR + j, A + i, 2, B + j, 0,
		     (int)(ERROR + j), false);
	text_add(text, "ALU:\n");
	/* s + t: the product. */
	add(text, S, product, error);
	add(text, T, s, minus_product);
	add(text, T, error, minus_t);
	/* u: high + s, t: what is lost, with the low parts. */
	add(text, U, high, s);
	add(text, V, u, minus_high);
	add(text, T, t, low);
	add(text, S, s, (struct pair){V, false, true});
	add(text, V, u, (struct pair){V, false, true});
	add(text, V, high, (struct pair){V, false, true});
	add(text, V, v, s);
	add(text, T, t, v);
	add(text, HIGH + i, u, t);
	add(text, U, high, minus_u);
	add(text, LOW + i, t, minus_u);
}

static void fetch(struct text *text, unsigned to, char from, unsigned offset)
{
	text_add(text,
		 "VFETCH R%u.xyzw, R%u.%c, fc1 MEGA(17) "
		 "FORMAT(32_32_32_32) NUM_FORMAT(INT) "
		 "FETCH_TYPE(NO_INDEX_OFFSET) OFFSET(%u)\n",
		 to, ADDRESS, from, offset);
}

static struct evg_program *code(unsigned depth)
{
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel product\n.registers %u\n.stack 1\n"
		 ".argument global \"double2*\" a\n"
		 ".argument global \"double2*\" b\n"
		 ".argument global \"double2*\" high\n"
		 ".argument global \"double2*\" low\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R2.x, R1.y, 4\n  y: LSHL R2.y, R1.x, 4\n"
		 "1 x: ADD_INT R2.x, PV.x, R0.y\n"
		 "  y: ADD_INT R2.y, PV.y, R0.x\n"
		 "  w: MOV R2.w, %u\n"
		 "2 t: MULLO_INT R2.z, PV.x, %u\n"
		 "3 z: ADD_INT R2.z, PS, R2.y\n"
		 "  x: LSHL R2.x, R2.x, 5\n  y: LSHL R2.y, R2.y, 5\n"
		 "4 z: LSHL R2.z, PV.z, 2\n"
		 "  x: ADD_INT R2.x, PV.x, KC0[2].y\n"
		 "  y: ADD_INT R2.y, PV.y, KC0[2].z\n",
		 REGISTERS, depth, N);
	for (unsigned i = HIGH; i < LOW + BLOCK; i++)
		text_add(&text,
			 "0 x: MOV R%u.x, 0\n  y: MOV R%u.y, 0\n"
			 "  z: MOV R%u.z, 0\n  w: MOV R%u.w, 0\n",
			 i, i, i, i);
	text_add(&text, "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
			"ALU_BREAK:\n"
			"0 x: PREDNE_INT ____, R2.w, 0 UPDATE_EXEC_MASK\n"
			"  w: ADD_INT R2.w, R2.w, -1\nTEX:\n");
	for (unsigned i = 0; i < BLOCK; i++) {
		fetch(&text, A + i, 'x', NUMBER * i);
		fetch(&text, B + i, 'y', NUMBER * i);
	}
	for (unsigned i = 0; i < BLOCK; i++)
		row(&text, i);
	text_add(&text,
		 "0 x: ADD_INT R2.x, R2.x, %u\n"
		 "  y: ADD_INT R2.y, R2.y, %u\n"
		 "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n",
		 NUMBER * M, NUMBER * N);
	for (unsigned i = 0; i < 2 * BLOCK; i++)
		text_add(&text,
			 "ALU: KCACHE0(CB0:0-31)\n"
			 "0 x: LSHR R2.x, KC0[%s, 2\n"
			 "1 x: ADD_INT R2.x, PV.x, R2.z\n"
			 "2 x: ADD_INT R2.x, PV.x, %u\n"
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R2], "
			 "R%u, ARRAY_SIZE(0)\n",
			 i < BLOCK ? "2].w" : "3].x", i % BLOCK * N * 2,
			 i < BLOCK ? HIGH + i : LOW + i - BLOCK);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* A small integer, and one times 2^-90: what belongs to high and low parts is
 * exact and stays apart. */
static double part(uint32_t row, uint32_t column, bool low)
{
	return low ? ldexp((double)((row * 3 + column * 5) % 7) - 3, -90)
		   : (double)((row * 7 + column * 3) % 11) - 5;
}

static void verify(const double *high, const double *low, uint32_t depth)
{
	for (uint32_t i = 0; i < M; i += 7)
		for (uint32_t j = i % 13; j < N; j += 31) {
			double h = 0, l = 0;
			double got = high[i * N + j], less = low[i * N + j];

			for (uint32_t k = 0; k < depth; k++) {
				double a = part(k, i, false);
				double b = part(k + 5, j, false);

				h += a * b;
				l += a * part(k + 5, j, true) +
				     b * part(k, i, true);
			}
			if ((got == h && less == l) ||
			    (h == 0 && got == l && less == 0))
				continue;
			fprintf(stderr,
				"fidelity: double-double: C[%u][%u] is "
				"%g + %g, not %g + %g\n",
				i, j, got, less, h, l);
			exit(1);
		}
}

static double cycles_of_depth(struct table *table, uint32_t depth)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code(depth);
	struct launch launch = {
	    .program = program,
	    .global = {N / BLOCK, M / BLOCK},
	    .local = {GROUP, GROUP},
	    .arguments = {device_allocate(device, M * depth * NUMBER),
			  device_allocate(device, N * depth * NUMBER),
			  device_allocate(device, M * N * 8),
			  device_allocate(device, M * N * 8)},
	};
	const uint32_t across[] = {M, N};
	double cycles;

	for (uint32_t i = 0; i < 2; i++) {
		double *data = device_bytes(device, launch.arguments[i],
					    across[i] * depth * NUMBER);

		for (uint32_t e = 0; e < 2 * across[i] * depth; e++)
			data[e] = part(e / 2 / across[i] + (i ? 5 : 0),
				       e / 2 % across[i], e % 2);
	}
	cycles = (double)device_run(device, &launch);
	verify(device_bytes(device, launch.arguments[2], M * N * 8),
	       device_bytes(device, launch.arguments[3], M * N * 8), depth);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

void rows_double_double(struct table *table)
{
	static const char name[] = "double-double GEMM, FMA_64, 2 x 2 block";
	enum { FEW = 8, MANY = 24 };

	if (!table_wants_row(table, name))
		return;
	table_row(
	    table, KIND_HAND, name, 31, "GFLOPS", "NG, 10", NULL,
	    2.0 * M * N * (MANY - FEW) /
		(cycles_of_depth(table, MANY) - cycles_of_depth(table, FEW)) *
		table_options(table)->config.frequency / 1000);
}
