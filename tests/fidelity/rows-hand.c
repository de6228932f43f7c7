/* Kernels that others measured on the HD 5870 in a language, here as assembly
 * of our own: what the machine allows, whatever a compiler made of them. The
 * error is that of the machine only if the published code was as good. The
 * kernels of SHOC's DeviceMemory have that program's shape: 25,600 work-items
 * on the chip's 20 compute units (five groups of 256 each). */
#include <stdlib.h>

#include "fidelity/rows.h"

enum { SHOC_ITEMS = 25600, UNROLLED = 16, GROUP = 256 };

static void loop_begin(struct text *text, unsigned rounds)
{
	text_add(text,
		 "ALU:\n0 w: MOV R2.w, %u\n"
		 "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
		 "ALU_BREAK:\n"
		 "0 x: PREDNE_INT ____, R2.w, 0 UPDATE_EXEC_MASK\n"
		 "  w: ADD_INT R2.w, R2.w, -1\n",
		 rounds);
}

static struct evg_program *loop_end(struct text *text)
{
	text_add(text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
		       "NOP\nEND_OF_PROGRAM\n");
	return text_end(text);
}

/* Cycles of so many rounds of a kernel without its beginning and end. */
static double round_cycles(struct table *table,
			   struct evg_program *(*code)(unsigned rounds),
			   struct launch *launch, uint32_t bytes, unsigned few,
			   unsigned many)
{
	const unsigned rounds[] = {few, many};
	double cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		struct device *device =
		    device_create(table_options(table), NULL);
		struct evg_program *program = code(rounds[i]);

		launch->program = program;
		if (bytes)
			launch->arguments[0] = device_allocate(device, bytes);
		cycles[i] = (double)device_run(device, launch);
		evg_program_free(program);
		device_free(device);
	}
	return cycles[1] - cycles[0];
}

/* --- SHOC's local read ---------------------------------------------------- */

enum { LOCAL_BYTES = 16384 };

/* A round reads sixteen dwords that follow each other and adds them up in their
 * order. Each READ2 stands a pair of groups before its values are taken; the
 * next addresses take the slots beside the additions. */
static struct evg_program *local_read_code(unsigned rounds)
{
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel local_read\n.registers 7\n.stack 1\n"
			"ALU:\n"
			"0 x: LSHL R2.x, R0.x, 2\n  y: MOV R3.y, 0\n"
			"1 z: MOV R4.z, R2.x\n"
			"  w: ADD_INT R4.w, R2.x, 4\n");
	loop_begin(&text, rounds);
	text_add(&text, "ALU:\n");
	for (unsigned pair = 0; pair <= UNROLLED / 2; pair++) {
		bool reads = pair < UNROLLED / 2;
		unsigned next = reads ? 8 * pair + 8 : 4 * UNROLLED;

		text_add(&text, "0 ");
		if (reads)
			text_add(&text, "x: LDS_READ2_RET QAB, R4.z, R4.w\n");
		if (pair)
			text_add(&text, "y: %s, QA.pop\n",
				 pair == 1 ? "MOV R5.y" : "ADD R5.y, R5.y");
		text_add(&text,
			 "z: ADD_INT R6.z, R2.x, %u\n"
			 "w: ADD_INT R6.w, R2.x, %u\n0 ",
			 next, next + 4);
		if (pair)
			text_add(&text, "y: ADD R5.y, R5.y, QB.pop\n");
		text_add(&text,
			 "z: AND_INT R4.z, R6.z, %u\n"
			 "w: AND_INT R4.w, R6.w, %u\n",
			 LOCAL_BYTES - 1, LOCAL_BYTES - 1);
	}
	text_add(&text, "0 x: MOV R2.x, R4.z\n  y: ADD R3.y, R3.y, R5.y\n");
	return loop_end(&text);
}

static double local_read_rate(struct table *table)
{
	enum { FEW = 8, MANY = 24 };
	struct launch launch = {
	    .global = {SHOC_ITEMS},
	    .local = {GROUP},
	    .local_memory = LOCAL_BYTES,
	};

	return gigabytes(
	    table, 4.0 * UNROLLED * SHOC_ITEMS * (MANY - FEW),
	    round_cycles(table, local_read_code, &launch, 0, FEW, MANY));
}

/* --- SHOC's strided write ------------------------------------------------- */

enum { WORDS = 1 << 24 };

/* A round stores sixteen dwords that follow each other, 4 KB from the next
 * work-item's, an instruction each. All their addresses are there before the
 * first one. */
static struct evg_program *strided_write_code(unsigned rounds)
{
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel strided_write\n.registers 20\n.stack 1\n"
		 ".argument global \"int*\" output\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 t: MULLO_INT R2.x, R1.x, %u\n"
		 "1 x: ADD_INT R3.x, PS, R0.x\n"
		 "2 x: LSHL R2.x, PV.x, 10\n"
		 "  y: LSHR R2.y, KC0[2].y, 2\n",
		 GROUP);
	loop_begin(&text, rounds);
	text_add(&text, "ALU:\n");
	for (unsigned u = 0; u < UNROLLED; u++)
		text_add(&text,
			 "0 x: ADD_INT R%u.x, R2.x, %u\n"
			 "1 x: AND_INT R%u.x, PV.x, %u\n"
			 "2 x: ADD_INT R%u.x, PV.x, R2.y\n",
			 4 + u, u, 4 + u, WORDS - 1, 4 + u);
	text_add(&text, "0 x: ADD_INT R2.x, R2.x, %u\n", UNROLLED);
	for (unsigned u = 0; u < UNROLLED; u++)
		text_add(&text,
			 "MEM_RAT_CACHELESS_STORE_RAW: "
			 "RAT(0)[R%u].x___, R3, ARRAY_SIZE(0)\n",
			 4 + u);
	return loop_end(&text);
}

static double strided_write_rate(struct table *table)
{
	const unsigned few = 2, many = table_is_short(table) ? 4 : 10;
	struct launch launch = {
	    .global = {SHOC_ITEMS},
	    .local = {GROUP},
	};

	return gigabytes(table, 4.0 * UNROLLED * SHOC_ITEMS * (many - few),
			 round_cycles(table, strided_write_code, &launch,
				      4 * WORDS, few, many));
}

/* --- SHOC's strided read -------------------------------------------------- */

/* Work-groups of 32, the best of 32, 64 and 256 here: lines of fewer work-items
 * share the L1. */
enum { SMALL_SHIFT = 5 };

/* A round reads sixteen dwords that follow each other, 4 KB from the next
 * work-item's, in one clause, and adds them up. */
static struct evg_program *strided_read(unsigned rounds, unsigned constants)
{
	static const char *const select[] = {"x___", "_x__", "__x_", "___x"};
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel strided_read\n.registers 9\n.stack 1\n"
		 ".argument global \"int*\" input\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R2.x, R1.x, %u\n"
		 "1 x: ADD_INT R2.x, PV.x, R0.x\n"
		 "2 x: LSHL R2.x, PV.x, 12\n"
		 "  y: MOV R2.y, KC0[2].y\n"
		 "  z: MOV R8.z, 0\n",
		 SMALL_SHIFT);
	loop_begin(&text, rounds);
	text_add(&text,
		 "ALU:\n0 x: AND_INT R3.x, R2.x, 0x%x\n"
		 "1 x: ADD_INT R3.x, PV.x, R2.y\n"
		 "  t: ADD_INT R2.x, R2.x, %u\nTEX:\n",
		 4 * WORDS - 1, 4 * UNROLLED);
	for (unsigned u = 0; u < UNROLLED; u++)
		text_add(&text,
			 "VFETCH R%u.%s, R3.x, fc%u MEGA(5) FORMAT(32) "
			 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET) "
			 "OFFSET(%u)\n",
			 4 + u / 4, select[u % 4], constants, 4 * u);
	text_add(&text, "ALU:\n");
	for (unsigned u = 0; u < UNROLLED; u++)
		text_add(&text, "0 z: ADD R8.z, R8.z, R%u.%c\n", 4 + u / 4,
			 "xyzw"[u % 4]);
	return loop_end(&text);
}

static struct evg_program *strided_read_cached(unsigned rounds)
{
	return strided_read(rounds, 1);
}

static struct evg_program *strided_read_uncached(unsigned rounds)
{
	return strided_read(rounds, 173);
}

static double strided_read_rate(struct table *table, bool uncached)
{
	const unsigned few = 2, many = table_is_short(table) ? 4 : 10;
	struct launch launch = {
	    .global = {SHOC_ITEMS},
	    .local = {1 << SMALL_SHIFT},
	};

	return gigabytes(
	    table, 4.0 * UNROLLED * SHOC_ITEMS * (many - few),
	    round_cycles(table,
			 uncached ? strided_read_uncached : strided_read_cached,
			 &launch, 4 * WORDS, few, many));
}

void rows_hand(struct table *table)
{
	static const char *const names[] = {
	    "local read, 256 work-items, READ2",
	    "write, strided, 256 work-items",
	    "read, strided, 32 work-items, cached",
	    "read, strided, 32 work-items, uncached",
	};

	if (table_wants_row(table, names[0]))
		table_row(table, KIND_HAND, names[0], 638, "GB/s", "SHOC 2.6",
			  NULL, local_read_rate(table));
	if (table_wants_row(table, names[1]))
		table_row(table, KIND_HAND, names[1], 5.9, "GB/s", "SHOC 2.6",
			  NULL, strided_write_rate(table));
	for (unsigned uncached = 0; uncached < 2; uncached++)
		if (table_wants_row(table, names[2 + uncached]))
			table_row(table, KIND_HAND, names[2 + uncached], 31,
				  "GB/s", "SHOC 2.6", NULL,
				  strided_read_rate(table, uncached));
}
