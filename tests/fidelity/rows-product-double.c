/* Products of doubles: sixteen k of B (N) or four (T) go through local memory. A
 * product takes two groups, since FMA_64 has all four vector slots: a READ2 with
 * the value of the one before, and FMA_64. */
#include "base/memory.h"
#include "fidelity/product.h"

enum { M = 512, N = PRODUCT_N, COLUMNS = PRODUCT_COLUMNS };

/* A register has two doubles, but the one of B that is multiplied. */
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

/* Fetches a round's operands and writes those of B to local memory. */
static void operands(struct text *text, const struct product *product,
		     unsigned rounds)
{
	unsigned depth = product_depth(product), own = product->transposed ? 1 : 4;

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
}

/* The value that a READ2 gave; beside another READ2 the slot of the low word is
 * taken. */
static void take(struct text *text, bool beside)
{
	text_add(text, "%s: MOV R%u.x, QA.pop\n  y: MOV R%u.y, QB.pop\n",
		 beside ? "  t" : "0 x", B, B);
}

static void multiply(struct text *text, unsigned k, unsigned j)
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

static void products(struct text *text, const struct product *product)
{
	enum { OF_CLAUSE = 8 };

	for (unsigned i = 0; i < product_depth(product) * COLUMNS; i++) {
		unsigned k = i / COLUMNS, j = i % COLUMNS;
		unsigned at = (k * product_row(product) + j) * 8;

		text_add(text, "%s0 x: LDS_READ2_RET QAB, %u, %u\n",
			 i % OF_CLAUSE ? "" : "ALU:\n", at, at + 4);
		if (i % OF_CLAUSE) {
			take(text, true);
			multiply(text, (i - 1) / COLUMNS, (i - 1) % COLUMNS);
		}
		if (i % OF_CLAUSE == OF_CLAUSE - 1) {
			take(text, false);
			multiply(text, k, j);
		}
	}
}

static void store(struct text *text)
{
	text_add(text,
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R3.x, R3.x, 1\n"
		 "  y: LSHR R3.y, KC0[2].w, 2\n"
		 "  t: MULLO_INT R2.y, R1.y, %u\n"
		 "1 x: ADD_INT R2.x, PV.x, PS\n"
		 "2 x: ADD_INT R2.x, PV.x, R3.y\n",
		 COLUMNS * M * 2);
	for (unsigned j = 0; j < COLUMNS; j++)
		text_add(text,
			 "ALU:\n0 x: MOV R%u.x, R%u.%c\n"
			 "  y: MOV R%u.y, R%u.%c\n"
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R2].xy__, "
			 "R%u, ARRAY_SIZE(0)\n"
			 "ALU:\n0 x: ADD_INT R2.x, R2.x, %u\n",
			 B, SUM + j / 2, channel[j % 2 * 2], B, SUM + j / 2,
			 channel[j % 2 * 2 + 1], B, 2 * M);
}

void rows_product_double(struct table *table)
{
	static const struct product_code code = {
	    .type = "double", .size = 8, .m = M, .registers = REGISTERS,
	    .sums = SUM, .behind_sums = A,
	    .operands = operands, .products = products, .store = store,
	};
	static const struct product rows[] = {
	    {"SHOC's GEMM double N", 140.6, false, 2},
	    {"SHOC's GEMM double T", 35.8, true, 2},
	};

	product_rows(table, &code, rows, ARRAY_SIZE(rows));
}
