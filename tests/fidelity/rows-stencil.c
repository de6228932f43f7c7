/* SHOC's stencil of nine points as assembly of ours, in that program's shape: a
 * work-group of 256 has as many columns of eight rows. They come into local
 * memory with a border of one; of the neighbours a work-item reads the west and
 * the east one of each row, once, and has its own column in registers. One
 * launch from beginning to end. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum {
	SIZE = 1024,
	ROWS = 8,
	COLUMNS = 256,
	TALL = ROWS + 2, /* with the border */
	PITCH = 1040,    /* of the arrays: a multiple of 16 */
	LOCAL_PITCH = 4 * (COLUMNS + 2),
	BYTES = 4 * PITCH * (SIZE + 2),
	OPERATIONS = 11 /* as SHOC counts for a point */
};

/* Registers. R2, x: byte of the column, y: of its place in local memory, z:
 * dword of the result, w: 1 or -1 times 4 in the columns beside the border. R7:
 * places in local memory. Batches of four results overwrite what was the
 * border. */
enum {
	AT = 2,
	OWN = 4,
	PLACE = 7,
	BORDER = 8,
	CARDINAL = 8,
	DIAGONAL = 9,
	RESULT = 10,
	SIDES = 11, /* west and east together */
	STORED = 14,
	INDEX = 18,
	REGISTERS = 20
};

static const unsigned index_of[] = {3, PLACE, INDEX, INDEX + 1};
static const char channel[] = "xyzw";

/* The bits of a number as a literal. */
enum { QUARTER = 0x3e800000, EIGHTH = 0x3e000000, HALF = 0x3f000000 };

/* Reads a column with its border and puts it to local memory. */
static void column(struct text *text, unsigned to, bool uncached)
{
	static const char *const select[] = {"x___", "_x__", "__x_", "___x"};

	text_add(text, "TEX:\n");
	for (unsigned i = 0; i < TALL; i++)
		text_add(text,
			 "VFETCH R%u.%s, R%u.x, fc%u MEGA(5) FORMAT(32) "
			 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET) "
			 "OFFSET(%u)\n",
			 to + i / 4, select[i % 4], to == OWN ? AT : 3,
			 uncached ? 173 : 1, 4 * PITCH * i);
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < TALL; i++)
		text_add(text,
			 "0 y: ADD_INT R%u.y, R%u.y, %u\n"
			 "1 x: LDS_WRITE R%u.y, R%u.%c\n",
			 PLACE, to == OWN ? AT : 3, LOCAL_PITCH * i, PLACE,
			 to + i / 4, channel[i % 4]);
}

static void sides(struct text *text)
{
	text_add(text, "ALU:\n0 x: GROUP_BARRIER\n");
	for (unsigned i = 0; i < TALL; i++)
		text_add(text,
			 "0 z: ADD_INT R%u.z, R%u.y, %u\n"
			 "  w: ADD_INT R%u.w, R%u.y, %u\n"
			 "1 x: LDS_READ2_RET QAB, R%u.z, R%u.w\n"
			 "2 %c: MOV R%u.%c, QA.pop\n"
			 "3 %c: ADD R%u.%c, R%u.%c, QB.pop\n",
			 PLACE, AT, LOCAL_PITCH * i, PLACE, AT,
			 LOCAL_PITCH * i + 8, PLACE, PLACE, channel[i % 4],
			 SIDES + i / 4, channel[i % 4], channel[i % 4],
			 SIDES + i / 4, channel[i % 4], SIDES + i / 4,
			 channel[i % 4]);
}

/* A group of four slots, one for each row of a batch: the operation of rows
 * above and below, or of the row itself. */
static void batch_add(struct text *text, unsigned to, unsigned of,
		      unsigned first)
{
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: ADD R%u.%c, R%u.%c, R%u.%c\n",
			 c ? "  " : "0 ", channel[c], to, channel[c],
			 of + (first + c - 1) / 4, channel[(first + c - 1) % 4],
			 of + (first + c + 1) / 4,
			 channel[(first + c + 1) % 4]);
}

static void batch(struct text *text, unsigned first)
{
	text_add(text, "ALU:\n");
	batch_add(text, CARDINAL, OWN, first);
	batch_add(text, DIAGONAL, SIDES, first);
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: ADD R%u.%c, R%u.%c, R%u.%c\n",
			 c ? "  " : "0 ", channel[c], CARDINAL, channel[c],
			 CARDINAL, channel[c], SIDES + (first + c) / 4,
			 channel[(first + c) % 4]);
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: MUL R%u.%c, R%u.%c, 0x%x\n",
			 c ? "  " : "0 ", channel[c], RESULT, channel[c],
			 OWN + (first + c) / 4, channel[(first + c) % 4], HALF);
	for (unsigned part = 0; part < 2; part++)
		for (unsigned c = 0; c < 4; c++)
			text_add(
			    text, "%s%c: MULADD R%u.%c, R%u.%c, 0x%x, R%u.%c\n",
			    c ? "  " : "0 ", channel[c], RESULT, channel[c],
			    part ? DIAGONAL : CARDINAL, channel[c],
			    part ? EIGHTH : QUARTER, RESULT, channel[c]);
	for (unsigned c = 0; c < 4; c++)
		text_add(text,
			 "0 x: MOV R%u.x, R%u.%c\n"
			 "1 x: ADD_INT R%u.x, R%u.z, %u\n",
			 STORED + c, RESULT, channel[c], index_of[c], AT,
			 (first + c) * PITCH);
	for (unsigned c = 0; c < 4; c++)
		text_add(text,
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u].x___, R%u, "
			 "ARRAY_SIZE(0)\n",
			 index_of[c], STORED + c);
}

static struct evg_program *code(bool uncached)
{
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel stencil\n.registers %u\n.stack 2\n"
		 ".argument global \"float*\" data\n"
		 ".argument global \"float*\" result\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 y: LSHL R1.y, R1.y, 8\n"
		 "  z: SETE_INT R3.z, R0.y, 0\n"
		 "  w: SETE_INT R3.w, R0.y, %u\n"
		 "  t: MULLO_INT R1.x, R1.x, %u\n"
		 "1 x: ADD_INT R1.x, PS, R0.y\n"
		 "  y: LSHL R2.y, R0.y, 2\n"
		 "  z: LSHR R2.z, KC0[2].z, 2\n"
		 "  w: SUB_INT R2.w, R3.z, R3.w\n"
		 "2 x: ADD_INT R1.x, R1.x, R1.y\n"
		 "3 x: ADD_INT R1.x, R1.x, 1\n"
		 "4 x: LSHL R2.x, R1.x, 2\n"
		 "  z: ADD_INT R2.z, R2.z, R1.x\n"
		 "  w: LSHL R2.w, R2.w, 2\n"
		 "5 x: ADD_INT R2.x, R2.x, KC0[2].y\n"
		 "  y: ADD_INT R2.y, R2.y, 4\n",
		 REGISTERS, COLUMNS - 1, ROWS * PITCH);
	column(&text, OWN, uncached);
	text_add(&text, "ALU_PUSH_BEFORE:\n"
			"0 x: ADD_INT R3.x, R2.x, R2.w\n"
			"  y: ADD_INT R3.y, R2.y, R2.w\n"
			"1 x: PREDNE_INT ____, R2.w, 0 UPDATE_EXEC_MASK\n"
			"JUMP POP_CNT(1) ADDR(@inside)\n");
	column(&text, BORDER, uncached);
	/* From here on the place is that of the west neighbour. */
	text_add(&text, "POP (1) ADDR(@inside)\n@inside:\n"
			"ALU:\n0 y: ADD_INT R2.y, R2.y, 0xfffffffc\n");
	sides(&text);
	batch(&text, 1);
	batch(&text, 5);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* Small integers: sums are exact. */
static void verify(const float *data, const float *result)
{
	for (uint32_t row = 1; row <= SIZE; row++)
		for (uint32_t at = row * PITCH + 1; at <= row * PITCH + SIZE;
		     at++) {
			const float *n = data + at - PITCH,
				    *s = data + at + PITCH;
			float is = data[at] / 2 +
				   (*n + *s + data[at - 1] + data[at + 1]) / 4 +
				   (n[-1] + n[1] + s[-1] + s[1]) / 8;

			if (is == result[at])
				continue;
			fprintf(stderr, "fidelity: stencil: %u is %g, not %g\n",
				at, (double)result[at], (double)is);
			exit(1);
		}
}

static double stencil_rate(struct table *table, bool uncached)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code(uncached);
	struct launch launch = {
	    .program = program,
	    .global = {SIZE / ROWS, SIZE},
	    .local = {1, COLUMNS},
	    .local_memory = TALL * LOCAL_PITCH,
	    .arguments = {device_allocate(device, BYTES),
			  device_allocate(device, BYTES)},
	};
	float *data = device_bytes(device, launch.arguments[0], BYTES);
	double cycles;

	for (uint32_t i = 0; i < BYTES / 4; i++)
		data[i] = (float)(i * 7 % 31);
	cycles = (double)device_run(device, &launch);
	verify(data, device_bytes(device, launch.arguments[1], BYTES));
	evg_program_free(program);
	device_free(device);
	return (double)OPERATIONS * SIZE * SIZE / cycles *
	       table_options(table)->config.frequency / 1000;
}

void rows_stencil(struct table *table)
{
	static const char *const names[] = {
	    "SHOC's stencil single, cached",
	    "SHOC's stencil single, uncached",
	};

	for (unsigned uncached = 0; uncached < 2; uncached++)
		if (table_wants_row(table, names[uncached]))
			table_row(table, KIND_HAND, names[uncached], 89.7,
				  "GFLOPS", "SHOC 2.6", NULL,
				  stencil_rate(table, uncached));
}
