/* The longest kernel of SHOC's radix sort, bottom_scan, as assembly of ours. It
 * moves numbers to their places by one of their eight digits of four bits: for
 * each window of 1024 a work-group of 256 scans the counts of every digit in
 * local memory, in eight steps with two barriers each. Seven eighths of the
 * program's time are this kernel's, so that the row is what the sort could
 * reach at most. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fidelity/rows.h"

enum {
	GROUPS = 64,
	GROUP = 256,
	WINDOW = 4 * GROUP,
	DIGITS = 16,
	PASSES = 8,
	STEPS = 8,
	SHIFT = 4,
	/* bytes of local memory */
	SEEDS = 8 * GROUP,
	COUNTS = SEEDS + 4 * DIGITS,
	LOCAL_BYTES = COUNTS + 4 * DIGITS
};

/* Registers. R0.x is the work-item, R1.x its group. */
enum {
	AT = 2, /* x: byte of the numbers, y: windows left, z: output */
	KEY,    /* the four digits */
	VALUE,
	IS, /* -1 where the digit is the one that is scanned */
	PLACE,
	SCAN,   /* y: sum so far, z: of those before; x: of the work-item */
	BEFORE, /* y, z, w: digits of the first numbers that are that one */
	CELL,   /* x: to be zero, y: own, z: 0 */
	NEAR,   /* cells 1, 2, 4 and 8 before the own one */
	FAR,    /* 16 to 128 */
	TOTAL,  /* of the digits, in four registers */
	ADDRESS = TOTAL + DIGITS / 4,
	INDEX = ADDRESS + 2,
	STORED = INDEX + 4,
	REGISTERS = STORED + 4
};

static const char channel[] = "xyzw";

static void barrier(struct text *text)
{
	text_add(text, "0 x: GROUP_BARRIER\n");
}

/* How many numbers of each work-item have a digit, scanned over the work-group;
 * the places of those numbers, and of all so far. */
static void scan_digit(struct text *text, unsigned digit)
{
	text_add(text, "ALU:\n");
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: SETE_INT R%u.%c, R%u.%c, %u\n",
			 c ? "  " : "0 ", channel[c], IS, channel[c], KEY,
			 channel[c], digit);
	text_add(text,
		 "1 x: LDS_WRITE R%u.x, R%u.z\n"
		 "  y: ADD_INT R%u.y, R%u.x, R%u.y\n"
		 "  z: ADD_INT R%u.z, R%u.z, R%u.w\n"
		 "2 z: ADD_INT R%u.z, R%u.y, R%u.z\n"
		 "  w: ADD_INT R%u.w, R%u.y, R%u.z\n"
		 "3 y: SUB_INT R%u.y, 0, R%u.w\n"
		 "4 x: LDS_WRITE R%u.y, R%u.y\n",
		 CELL, CELL, BEFORE, IS, IS, BEFORE, IS, IS, BEFORE, BEFORE, IS,
		 BEFORE, BEFORE, BEFORE, SCAN, BEFORE, CELL, SCAN);
	barrier(text);
	for (unsigned step = 0; step < STEPS; step++) {
		text_add(text,
			 "0 x: LDS_READ_RET QA, R%u.%c\n"
			 "1 y: ADD_INT R%u.y, R%u.y, QA.pop\n",
			 NEAR + step / 4, channel[step % 4], SCAN, SCAN);
		barrier(text);
		text_add(text, "0 x: LDS_WRITE R%u.y, R%u.y\n", CELL, SCAN);
		barrier(text);
	}
	text_add(text,
		 "ALU:\n0 x: LDS_READ_RET QA, R%u.x\n"
		 "1 z: MOV R%u.z, QA.pop\n"
		 "2 x: MOV R%u.x, R%u.z\n"
		 "  y: SUB_INT R%u.y, R%u.z, R%u.x\n"
		 "  z: SUB_INT R%u.z, R%u.z, R%u.y\n"
		 "  w: SUB_INT R%u.w, R%u.z, R%u.z\n",
		 NEAR, SCAN, ADDRESS, SCAN, ADDRESS, SCAN, IS, ADDRESS, SCAN,
		 BEFORE, ADDRESS, SCAN, BEFORE);
	for (unsigned c = 0; c < 4; c++)
		text_add(text,
			 "%s%c: CNDE_INT R%u.%c, R%u.%c, R%u.%c, R%u.%c\n",
			 c ? "  " : "3 ", channel[c], PLACE, channel[c], IS,
			 channel[c], PLACE, channel[c], ADDRESS, channel[c]);
	text_add(text, "4 %c: SUB_INT R%u.%c, R%u.z, R%u.w\n",
		 channel[digit % 4], TOTAL + digit / 4, channel[digit % 4],
		 SCAN, BEFORE);
	barrier(text);
}

/* The places: behind what the digit's seed and the counts of the windows before
 * say. */
static void store_numbers(struct text *text)
{
	text_add(text, "ALU:\n");
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: LSHL R%u.%c, R%u.%c, 2\n",
			 c ? "  " : "0 ", channel[c], ADDRESS, channel[c], KEY,
			 channel[c]);
	for (unsigned part = 0; part < 2; part++)
		for (unsigned c = 0; c < 4; c++)
			text_add(text, "%s%c: ADD_INT R%u.%c, R%u.%c, %u\n",
				 c ? "  " : "0 ", channel[c],
				 ADDRESS + 1 - part, channel[c], ADDRESS,
				 channel[c], part ? SEEDS : COUNTS);
	for (unsigned c = 0; c < 4; c++)
		text_add(text,
			 "0 x: LDS_READ2_RET QAB, R%u.%c, R%u.%c\n"
			 "  y: ADD_INT R%u.y, R%u.%c, R%u.z\n"
			 "  t: MOV R%u.x, R%u.%c\n"
			 "1 y: ADD_INT R%u.y, R%u.y, QA.pop\n"
			 "2 x: ADD_INT R%u.x, R%u.y, QB.pop\n",
			 ADDRESS, channel[c], ADDRESS + 1, channel[c],
			 INDEX + c, PLACE, channel[c], AT, STORED + c, VALUE,
			 channel[c], INDEX + c, INDEX + c, INDEX + c,
			 INDEX + c);
	for (unsigned c = 0; c < 4; c++)
		text_add(text,
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u].x___, R%u, "
			 "ARRAY_SIZE(0)\n",
			 INDEX + c, STORED + c);
}

/* The last work-item knows how many numbers of the window have each digit. */
static void add_counts(struct text *text)
{
	text_add(text, "ALU:\n");
	barrier(text);
	text_add(text,
		 "ALU_PUSH_BEFORE:\n"
		 "0 x: PREDE_INT ____, R0.x, %u UPDATE_EXEC_MASK\n"
		 "JUMP POP_CNT(1) ADDR(@counted)\nALU:\n",
		 GROUP - 1);
	for (unsigned digit = 0; digit < DIGITS; digit++)
		text_add(text, "0 x: LDS_ADD %u, R%u.%c\n", COUNTS + 4 * digit,
			 TOTAL + digit / 4, channel[digit % 4]);
	text_add(text, "POP (1) ADDR(@counted)\n@counted:\nALU:\n");
	barrier(text);
}

/* Addresses of cells, the group's seeds, and counts of 0. */
static void begin(struct text *text, uint32_t windows)
{
	text_add(text,
		 ".kernel bottom_scan\n.registers %u\n.stack 2\n"
		 ".argument global \"uint*\" input\n"
		 ".argument global \"uint*\" seeds\n"
		 ".argument global \"uint*\" output\n"
		 "ALU_PUSH_BEFORE: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R%u.x, R0.x, 2\n"
		 "  y: MOV R%u.y, %u\n"
		 "  z: MOV R%u.z, 0\n"
		 "  t: MULLO_INT R%u.x, R1.x, %u\n"
		 "1 x: ADD_INT R%u.x, PS, R0.x\n"
		 "  y: ADD_INT R%u.y, R%u.x, %u\n"
		 "  z: LSHR R%u.z, KC0[2].w, 2\n"
		 "2 x: LSHL R%u.x, PV.x, 4\n",
		 REGISTERS, CELL, AT, windows, CELL, AT, windows * GROUP, AT,
		 CELL, CELL, 4 * GROUP, AT, AT);
	for (unsigned step = 0; step < STEPS; step++)
		text_add(text, "%s%c: SUB_INT R%u.%c, R%u.y, %u\n",
			 step % 4 ? "  " : "3 ", channel[step % 4],
			 NEAR + step / 4, channel[step % 4], CELL, 4u << step);
	text_add(text,
		 "5 x: ADD_INT R%u.x, R%u.x, KC0[2].y\n"
		 "  y: LSHL R%u.y, R0.x, 6\n"
		 "6 y: ADD_INT R%u.y, PV.y, R1.x\n"
		 "7 y: LSHL R%u.y, PV.y, 2\n"
		 "  z: ADD_INT R%u.z, R%u.x, %u\n"
		 "8 y: ADD_INT R%u.y, PV.y, KC0[2].z\n"
		 "  w: ADD_INT R%u.w, R%u.x, %u\n"
		 "9 x: PRED_SETGT_UINT ____, %u, R0.x UPDATE_EXEC_MASK\n"
		 "JUMP POP_CNT(1) ADDR(@seeded)\nTEX:\n"
		 "VFETCH R%u.x___, R%u.y, fc1 MEGA(5) FORMAT(32) "
		 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)\n"
		 "ALU:\n"
		 "0 x: LDS_WRITE R%u.z, R%u.x\n"
		 "1 x: LDS_WRITE R%u.w, R%u.z\n"
		 "POP (1) ADDR(@seeded)\n@seeded:\nALU:\n",
		 AT, AT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, CELL, SEEDS,
		 ADDRESS, ADDRESS, CELL, COUNTS, DIGITS, VALUE, ADDRESS,
		 ADDRESS, VALUE, ADDRESS, CELL);
	barrier(text);
}

static struct evg_program *code(uint32_t windows)
{
	struct text text;

	text_begin(&text);
	begin(&text, windows);
	text_add(&text,
		 "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
		 "ALU_BREAK:\n"
		 "0 x: PREDNE_INT ____, R%u.y, 0 UPDATE_EXEC_MASK\n"
		 "  y: ADD_INT R%u.y, R%u.y, -1\n"
		 "TEX:\nVFETCH R%u.xyzw, R%u.x, fc1 MEGA(17) "
		 "FORMAT(32_32_32_32) NUM_FORMAT(INT) "
		 "FETCH_TYPE(NO_INDEX_OFFSET)\n"
		 "ALU:\n0 x: ADD_INT R%u.x, R%u.x, %u\n",
		 AT, AT, AT, VALUE, AT, AT, AT, 4 * WINDOW);
	for (unsigned c = 0; c < 4; c++)
		text_add(&text, "%s%c: LSHR R%u.%c, R%u.%c, %u\n",
			 c ? "  " : "1 ", channel[c], KEY, channel[c], VALUE,
			 channel[c], SHIFT);
	for (unsigned c = 0; c < 4; c++)
		text_add(&text, "%s%c: AND_INT R%u.%c, R%u.%c, %u\n",
			 c ? "  " : "2 ", channel[c], KEY, channel[c], KEY,
			 channel[c], DIGITS - 1);
	for (unsigned digit = 0; digit < DIGITS; digit++)
		scan_digit(&text, digit);
	store_numbers(&text);
	add_counts(&text);
	text_add(&text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
			"NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

static uint32_t digit_of(uint32_t number)
{
	return number >> SHIFT & (DIGITS - 1);
}

/* What `reduce` and `top_scan` make: where the numbers of each digit in each
 * group's part begin. Then what the kernel must give. */
static void prepare(const uint32_t *input, uint32_t count, uint32_t *seeds,
		    uint32_t *expected)
{
	uint32_t at = 0;

	for (uint32_t digit = 0; digit < DIGITS; digit++)
		for (uint32_t i = 0; i < count; i++) {
			if (i % (count / GROUPS) == 0)
				seeds[digit * GROUPS + i / (count / GROUPS)] =
				    at;
			if (digit_of(input[i]) == digit)
				expected[at++] = input[i];
		}
}

static double cycles_of_windows(struct table *table, uint32_t windows)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code(windows);
	uint32_t count = GROUPS * WINDOW * windows, number = 1;
	uint32_t *expected = xmalloc(4 * (size_t)count);
	struct launch launch = {
	    .program = program,
	    .global = {GROUPS * GROUP},
	    .local = {GROUP},
	    .local_memory = LOCAL_BYTES,
	    .arguments = {device_allocate(device, 4 * count),
			  device_allocate(device, 4 * DIGITS * GROUPS),
			  device_allocate(device, 4 * count)},
	};
	const uint32_t *at = launch.arguments;
	uint32_t *input = device_bytes(device, at[0], 4 * count);
	double cycles;

	for (uint32_t i = 0; i < count; i++) {
		number = number * 1664525 + 1013904223;
		input[i] = number >> 8;
	}
	prepare(input, count, device_bytes(device, at[1], 4 * DIGITS * GROUPS),
		expected);
	cycles = (double)device_run(device, &launch);
	if (memcmp(device_bytes(device, at[2], 4 * count), expected,
		   4 * (size_t)count)) {
		fprintf(stderr, "fidelity: sort: numbers are not in order\n");
		exit(1);
	}
	free(expected);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

void rows_sort(struct table *table)
{
	enum { FEW = 2, MANY = 6 };
	static const char name[] = "SHOC's sort, bottom_scan alone";
	double cycles;

	if (!table_wants_row(table, name))
		return;
	cycles = cycles_of_windows(table, MANY) - cycles_of_windows(table, FEW);
	table_row(table, KIND_HAND, name, 0.104, "GB/s", "SHOC 2.6", NULL,
		  gigabytes(table, 4.0 * GROUPS * WINDOW * (MANY - FEW),
			    PASSES * cycles));
}
