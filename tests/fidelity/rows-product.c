/* Products of singles: sixteen k of B (N) or four (T) go through local memory. All
 * that the machine allows is in the reads of local memory: a dword for each
 * product of a work-item, one or two an instruction. */
#include "base/memory.h"
#include "fidelity/product.h"

enum { M = 640, N = PRODUCT_N, COLUMNS = PRODUCT_COLUMNS };

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
static void multiply(struct text *text, unsigned k, unsigned j, char queue)
{
	/* The read has the slot of the first channel. */
	text_add(text, "%c: MULADD R%u.%c, R%u.%c, Q%c.pop, R%u.%c\n",
		 j % 4 ? channel[j % 4] : 't', SUM + j / 4, channel[j % 4],
		 A + k / 4, channel[k % 4], queue, SUM + j / 4, channel[j % 4]);
}

/* Reads of a k, `each` of them a group, with the products of those before. */
static void products(struct text *text, const struct product *product)
{
	enum { KS = 2 }; /* of a clause */
	unsigned each = product->each;

	for (unsigned k = 0; k < product_depth(product); k++) {
		if (k % KS == 0)
			text_add(text, "ALU:\n");
		for (unsigned j = 0; j < COLUMNS; j += each) {
			unsigned at = (k * product_row(product) + j) * 4;
			bool first = k % KS == 0 && !j;
			unsigned before = k * COLUMNS + j - each;

			text_add(text,
				 each == 2 ? "0 x: LDS_READ2_RET QAB, %u, %u\n"
					   : "0 x: LDS_READ_RET QA, %u\n",
				 at, at + 4);
			for (unsigned i = 0; i < each && !first; i++)
				multiply(text, (before + i) / COLUMNS,
					(before + i) % COLUMNS, i ? 'B' : 'A');
		}
		if (k % KS == KS - 1) {
			text_add(text, "0 ");
			for (unsigned i = 0; i < each; i++)
				multiply(text, k, COLUMNS - each + i,
					i ? 'B' : 'A');
		}
	}
}

/* Fetches a round's operands and writes those of B to local memory. */
static void operands(struct text *text, const struct product *product,
		     unsigned rounds)
{
	unsigned depth = product_depth(product), own = product->transposed ? 1 : 4;

	text_add(text, "TEX:\n");
	for (unsigned i = 0; i < own; i++)
		fetch(text, B, channel[i], 'y', i * 4 * rounds * depth * 4);
	if (!product->transposed)
		text_add(text, "TEX:\n");
	for (unsigned k = 0; k < depth; k++)
		fetch(text, A + k / 4, channel[k % 4], 'x', k * M * 4);
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < own; i++)
		text_add(text,
			 "0 y: ADD_INT R3.y, R3.w, %u\n"
			 "1 x: LDS_WRITE R3.y, R%u.%c\n",
			 16 * i, B, channel[i]);
}

static void store(struct text *text)
{
	text_add(text,
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHR R2.x, KC0[2].w, 2\n"
		 "  t: MULLO_INT R2.y, R1.y, %u\n"
		 "1 x: ADD_INT R2.x, PV.x, PS\n"
		 "2 x: ADD_INT R2.x, PV.x, R3.x\n",
		 COLUMNS * M);
	for (unsigned j = 0; j < COLUMNS; j++)
		text_add(text,
			 "ALU:\n0 x: MOV R%u.x, R%u.%c\n"
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R2].x___, "
			 "R%u, ARRAY_SIZE(0)\n"
			 "ALU:\n0 x: ADD_INT R2.x, R2.x, %u\n",
			 A, SUM + j / 4, channel[j % 4], A, M);
}

void rows_product(struct table *table)
{
	static const struct product_code code = {
	    .type = "float", .size = 4, .m = M, .registers = REGISTERS,
	    .sums = SUM, .behind_sums = A,
	    .operands = operands, .products = products, .store = store,
	};
	static const struct product rows[] = {
	    {"SHOC's GEMM single N, one dword a read", 406.4, false, 1},
	    {"SHOC's GEMM single N, two dwords a read", 406.4, false, 2},
	    {"SHOC's GEMM single T, one dword a read", 111.6, true, 1},
	    {"SHOC's GEMM single T, two dwords a read", 111.6, true, 2},
	};

	product_rows(table, &code, rows, ARRAY_SIZE(rows));
}
