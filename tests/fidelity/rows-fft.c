/* SHOC's FFT of 512 complex numbers as assembly of ours: a work-group of 64, of
 * which each work-item has eight numbers; three FFTs of eight points, with
 * twiddle factors and a transposition through local memory between them. The
 * factors come from the hardware's sine and cosine, as with SHOC's USE_NATIVE,
 * where its OpenCL C calls the exact functions. */
#include <math.h>
#include <stdlib.h>

#include "fidelity/rows.h"

enum { POINTS = 512, ITEMS = 64, LOCAL_BYTES = 8 * 8 * 9 * 4 };

/* Registers: the numbers, two in each; addresses; phases, factors and products;
 * at the end indices of stores and what they store. */
enum {
	D = 2,
	ADDRESS = 6, /* x: byte of the first number, y: its dword, z: item, w: hi */
	LOCAL = 7,   /* x: writes, y: first reads, z: second reads */
	PHASE = 8,
	FACTOR = 10,
	PRODUCT = 12,
	WRITE = 13,
	READ = 14,
	INDEX = 8,
	STORED = 16,
	REGISTERS = 20
};

static const char channel[] = "xyzw";
static const unsigned reversed[] = {0, 4, 2, 6, 1, 5, 3, 7};

/* Sum and difference of two pairs of numbers, in place: b = (a + b) - 2 b. */
static void pairs(struct text *text, unsigned a, unsigned b)
{
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: ADD R%u.%c, R%u.%c, R%u.%c\n",
			 c ? "  " : "0 ", channel[c], a, channel[c], a,
			 channel[c], b, channel[c]);
	for (unsigned c = 0; c < 4; c++)
		text_add(text, "%s%c: MULADD R%u.%c, R%u.%c, 0x%x, R%u.%c\n",
			 c ? "  " : "0 ", channel[c], b, channel[c], b,
			 channel[c], 0xc0000000u, a, channel[c]);
}

/* The same of the two numbers of a register. */
static void halves(struct text *text, unsigned r)
{
	text_add(text,
		 "0 x: ADD R%u.x, R%u.x, R%u.z\n"
		 "  y: ADD R%u.y, R%u.y, R%u.w\n"
		 "  z: ADD R%u.z, R%u.x, -R%u.z\n"
		 "  w: ADD R%u.w, R%u.y, -R%u.w\n",
		 r, r, r, r, r, r, r, r, r, r, r, r);
}

/* Eight points, whose results come in reversed order. */
static void points(struct text *text)
{
	enum { HALF_ROOT = 0x3f3504f3 };
	unsigned d1 = D + 1, d2 = D + 2, d3 = D + 3;

	text_add(text, "ALU:\n");
	pairs(text, D, d2);
	pairs(text, d1, d3);
	/* number 5 by (1, -1) and 7 by (-1, -1), over a root; 6 by -i */
	text_add(text,
		 "0 x: MOV R%u.x, R%u.y\n"
		 "  y: MOV R%u.y, -R%u.x\n"
		 "  z: ADD R%u.z, R%u.z, R%u.w\n"
		 "  w: ADD R%u.w, R%u.w, -R%u.z\n"
		 "1 z: ADD R%u.z, R%u.w, -R%u.z\n"
		 "  w: ADD R%u.w, -R%u.z, -R%u.w\n",
		 d3, d3, d3, d3, d2, d2, d2, d2, d2, d2, d3, d3, d3, d3, d3,
		 d3);
	for (unsigned r = d2; r <= d3; r++)
		text_add(text,
			 "2 z: MUL R%u.z, R%u.z, 0x%x\n"
			 "  w: MUL R%u.w, R%u.w, 0x%x\n",
			 r, r, HALF_ROOT, r, r, HALF_ROOT);
	pairs(text, D, d1);
	pairs(text, d2, d3);
	for (unsigned r = d1; r <= d3; r += 2)
		text_add(text,
			 "0 z: MOV R%u.z, R%u.w\n"
			 "  w: MOV R%u.w, -R%u.z\n",
			 r, r, r, r);
	for (unsigned r = D; r <= d3; r++)
		halves(text, r);
}

static void phase(struct text *text, unsigned j, char from, unsigned n)
{
	union {
		float value;
		uint32_t bits;
	} turn = {-(float)reversed[j] / (float)n};

	text_add(text, "%s%c: MUL R%u.%c, R%u.%c, 0x%x\n",
		 j % 4 == 1 ? "0 " : "  ", channel[(j - 1) % 4],
		 PHASE + (j - 1) / 4, channel[(j - 1) % 4], ADDRESS, from,
		 turn.bits);
}

/* The products of number j with its factor, in two steps. */
static void turn(struct text *text, unsigned j, bool second)
{
	unsigned d = D + j / 2, f = FACTOR + j % 2;
	char re = channel[j % 2 * 2], im = channel[j % 2 * 2 + 1];

	if (!second)
		text_add(text,
			 "%c: MUL R%u.%c, R%u.%c, R%u.x\n"
			 "%c: MUL R%u.%c, R%u.%c, R%u.y\n",
			 re, PRODUCT, re, d, re, f, im, PRODUCT, im, d, re, f);
	else
		text_add(text,
			 "%c: MULADD R%u.%c, -R%u.%c, R%u.y, R%u.%c\n"
			 "%c: MULADD R%u.%c, R%u.%c, R%u.x, R%u.%c\n",
			 re, d, re, d, im, f, PRODUCT, re, im, d, im, d, im, f,
			 PRODUCT, im);
}

/* Numbers 1 to 7 by their factors: the angle of a whole turn is 1. */
static void twiddle(struct text *text, char from, unsigned n)
{
	text_add(text, "ALU:\n");
	for (unsigned j = 1; j < 8; j++)
		phase(text, j, from, n);
	for (unsigned j = 1; j < 9; j++)
		for (unsigned step = 0; step < 2; step++) {
			text_add(text, "0 ");
			if (j > 1)
				turn(text, j - 1, step);
			if (j < 8)
				text_add(text, "t: %s R%u.%c, R%u.%c\n",
					 step ? "SIN" : "COS", FACTOR + j % 2,
					 channel[step], PHASE + (j - 1) / 4,
					 channel[(j - 1) % 4]);
		}
}

/* The real or imaginary parts by way of local memory: item `i` of this work-item
 * goes `to` dwords from the one before, and the new ones are eight apart,
 * from LOCAL's channel `from` on. The next addresses stand beside each access. */
static void exchange(struct text *text, unsigned part, unsigned to, char from,
		     bool last)
{
	text_add(text, "ALU:\n0 y: MOV R%u.y, R%u.x\n", WRITE, LOCAL);
	for (unsigned i = 0; i < 8; i++) {
		unsigned j = reversed[i];
		char next = i % 2 ? 'y' : 'z';

		text_add(text,
			 "0 x: LDS_WRITE R%u.%c, R%u.%c\n"
			 "  %c: ADD_INT R%u.%c, R%u.x, %u\n",
			 WRITE, i % 2 ? 'z' : 'y', D + j / 2,
			 channel[j % 2 * 2 + part], next, WRITE, next, LOCAL,
			 (i + 1) * to * 4);
	}
	text_add(text,
		 "0 x: GROUP_BARRIER\n"
		 "0 y: MOV R%u.y, R%u.%c\n"
		 "  z: ADD_INT R%u.z, R%u.%c, 32\n",
		 READ, LOCAL, from, READ, LOCAL, from);
	for (unsigned i = 0; i < 4; i++)
		text_add(text,
			 "0 x: LDS_READ2_RET QAB, R%u.y, R%u.z\n"
			 "  y: ADD_INT R%u.y, R%u.%c, %u\n"
			 "  z: ADD_INT R%u.z, R%u.%c, %u\n",
			 READ + i % 2, READ + i % 2, READ + (i + 1) % 2, LOCAL,
			 from, 64 * (i + 1), READ + (i + 1) % 2, LOCAL, from,
			 64 * (i + 1) + 32);
	for (unsigned i = 0; i < 4; i++)
		text_add(text,
			 "0 %c: MOV R%u.%c, QA.pop\n"
			 "  %c: MOV R%u.%c, QB.pop\n",
			 channel[part], D + i, channel[part], channel[2 + part],
			 D + i, channel[2 + part]);
	if (!last)
		text_add(text, "0 x: GROUP_BARRIER\n");
}

static void transpose(struct text *text, unsigned to, char from, bool last)
{
	exchange(text, 0, to, from, false);
	exchange(text, 1, to, from, last);
}

static void prologue(struct text *text)
{
	text_add(text,
		 ".kernel fft\n.registers %u\n"
		 ".argument global \"float2*\" work\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R6.x, R1.x, 9\n"
		 "  y: AND_INT R7.y, R0.x, 7\n"
		 "  z: LSHR R7.z, R0.x, 3\n"
		 "  w: LSHL R7.w, R0.x, 2\n"
		 "  t: INT_TO_FLT R6.z, R0.x\n"
		 "1 x: ADD_INT R6.x, PV.x, R0.x\n"
		 "  t: INT_TO_FLT R6.w, R7.z\n"
		 "2 x: LSHL R6.x, PV.x, 3\n"
		 "  t: MULLO_INT R8.x, R7.y, 66\n"
		 "3 x: ADD_INT R6.x, PV.x, KC0[2].y\n"
		 "  z: ADD_INT R8.z, PS, R7.z\n"
		 "  t: MULLO_INT R8.x, R7.z, 72\n"
		 "4 x: MOV R7.x, R7.w\n"
		 "  y: LSHL R7.y, PV.z, 2\n"
		 "  z: ADD_INT R8.z, PS, R7.y\n"
		 "5 z: LSHL R7.z, PV.z, 2\n"
		 "  y: LSHR R6.y, R6.x, 2\nTEX:\n",
		 REGISTERS);
	for (unsigned j = 0; j < 8; j++)
		text_add(text,
			 "VFETCH R%u.%s, R%u.x, fc1 MEGA(9) FORMAT(32_32) "
			 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET) "
			 "OFFSET(%u)\n",
			 D + j / 2, j % 2 ? "__xy" : "xy__", ADDRESS,
			 j * ITEMS * 8);
}

static void stores(struct text *text)
{
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < 8; i++) {
		unsigned j = reversed[i];

		text_add(text, "0 x: ADD_INT R%u.x, R6.y, %u\n", INDEX + i,
			 i * ITEMS * 2);
		if (j % 2)
			text_add(text,
				 "1 x: MOV R%u.x, R%u.z\n"
				 "  y: MOV R%u.y, R%u.w\n",
				 STORED + j / 2, D + j / 2, STORED + j / 2,
				 D + j / 2);
	}
	for (unsigned i = 0; i < 8; i++) {
		unsigned j = reversed[i];

		text_add(text,
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u].xy__, R%u, "
			 "ARRAY_SIZE(0)\n",
			 INDEX + i, (j % 2 ? STORED : D) + j / 2);
	}
	text_add(text, "NOP\nEND_OF_PROGRAM\n");
}

static struct evg_program *code(void)
{
	struct text text;

	text_begin(&text);
	prologue(&text);
	points(&text);
	twiddle(&text, 'z', 512);
	transpose(&text, 66, 'y', false);
	points(&text);
	twiddle(&text, 'w', 64);
	transpose(&text, 72, 'z', true);
	points(&text);
	stores(&text);
	return text_end(&text);
}

/* --- Running -------------------------------------------------------------- */

static double element(uint32_t index)
{
	return (double)(index * 2654435761u % 1024) / 512 - 1;
}

/* Some numbers of a block, by their definition. */
static void verify(const float *result, uint32_t block)
{
	for (uint32_t k = block % 5; k < POINTS; k += 37) {
		double re = 0, im = 0;

		for (uint32_t n = 0; n < POINTS; n++) {
			double angle = -2 * M_PI * (n * k % POINTS) / POINTS;
			uint32_t at = 2 * (block * POINTS + n);
			double x = element(at), y = element(at + 1);

			re += x * cos(angle) - y * sin(angle);
			im += x * sin(angle) + y * cos(angle);
		}
		if (fabs(re - (double)result[2 * k]) < 0.01 &&
		    fabs(im - (double)result[2 * k + 1]) < 0.01)
			continue;
		fprintf(stderr,
			"fidelity: fft: number %u of block %u is %g, %g, not "
			"%g, %g\n",
			k, block, (double)result[2 * k],
			(double)result[2 * k + 1], re, im);
		exit(1);
	}
}

static double cycles_of_blocks(struct table *table, uint32_t blocks)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code();
	uint32_t bytes = blocks * POINTS * 8;
	struct launch launch = {
	    .program = program,
	    .global = {blocks * ITEMS},
	    .local = {ITEMS},
	    .local_memory = LOCAL_BYTES,
	    .arguments = {device_allocate(device, bytes)},
	};
	float *work = device_bytes(device, launch.arguments[0], bytes);
	double cycles;

	for (uint32_t i = 0; i < 2 * POINTS * blocks; i++)
		work[i] = (float)element(i);
	cycles = (double)device_run(device, &launch);
	work = device_bytes(device, launch.arguments[0], bytes);
	for (uint32_t block = 0; block < blocks; block += 101)
		verify(work + 2 * POINTS * block, block);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

void rows_fft(struct table *table)
{
	static const char name[] = "SHOC's FFT single, hardware's sine";
	enum { FEW = 1600, MANY = 4800, OPERATIONS = 5 * POINTS * 9 };
	double cycles;

	if (!table_wants_row(table, name))
		return;
	cycles = cycles_of_blocks(table, MANY) - cycles_of_blocks(table, FEW);
	table_row(table, KIND_HAND, name, 91.2, "GFLOPS", "SHOC 2.6", NULL,
		  (double)OPERATIONS * (MANY - FEW) / cycles *
		      table_options(table)->config.frequency / 1000);
}
