/* SHOC's S3D as its reads, writes and operations alone: 27 kernels that go
 * through hundreds of arrays of single precision with one work-item for each
 * point of the grid. Each kernel here reads and writes as many different arrays
 * as SHOC's and has as many additions, products and functions, counted in the
 * program's text, but every array once, sixteen in a clause, and nothing for
 * aliases: what the machine allows. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum { GROUP = 128, BATCH = 16, SLOTS = 4, READS = 278, WRITES = 206 };

/* Operations that SHOC counts for a point. */
enum { OPERATIONS = 10000 };

/* Registers. R0 and R1 have the work-item and its group. */
enum {
	POINT = 2, /* x: byte of its element in the first array read, y: its
		      dword in the first one written, z: dwords of an array,
		      w: bytes */
	SUM,
	FUNCTION,
	ADDRESS, /* of four reads each */
	DATA = ADDRESS + BATCH / SLOTS,
	INDEX = DATA + BATCH / SLOTS,
	REGISTERS = INDEX + BATCH
};

static const struct kernel {
	unsigned reads, writes, operations, functions;
} kernels[] = {
    {23, 23, 53, 1},    /* gr_base */
    {0, 31, 1018, 63},  /* rdsmh */
    {0, 206, 394, 111}, /* ratt, ratt2, ... */
    {33, 25, 130, 26},  {41, 25, 130, 26},
    {43, 25, 126, 26},  {49, 25, 130, 26},
    {49, 25, 132, 26},  {50, 25, 130, 26},
    {49, 25, 132, 26},  {54, 31, 168, 32},
    {0, 21, 108, 22},   {45, 24, 460, 89}, /* ratx, ratxb, ratx2, ratx4 */
    {60, 34, 468, 73},  {212, 191, 287, 0},
    {213, 191, 320, 0}, {278, 52, 436, 0}, /* qssa, qssab, qssa2 */
    {46, 27, 286, 0},   {195, 166, 204, 0},
    {170, 1, 175, 0}, /* rdwdot, rdwdot2, ... */
    {48, 3, 67, 0},     {206, 7, 244, 0},
    {84, 2, 106, 0},    {104, 2, 146, 0},
    {84, 2, 107, 0},    {116, 1, 124, 0},
    {232, 4, 272, 0},
};

static const char channel[] = "xyzw";

/* The part of a count that falls to a batch of so many. */
static unsigned share(unsigned count, unsigned batch, unsigned batches)
{
	return count * (batch + 1) / batches - count * batch / batches;
}

static void read_batch(struct text *text, unsigned first, unsigned count,
		       bool uncached)
{
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < count; i++)
		text_add(text, "%s%c: MULADD_UINT24 R%u.%c, R%u.w, %u, R%u.x\n",
			 i % SLOTS ? "  " : "0 ", channel[i % SLOTS],
			 ADDRESS + i / SLOTS, channel[i % SLOTS], POINT,
			 first + i, POINT);
	text_add(text, "TEX:\n");
	for (unsigned i = 0; i < count; i++) {
		static const char *const to[] = {"x___", "_x__", "__x_",
						 "___x"};

		text_add(text,
			 "VFETCH R%u.%s, R%u.%c, fc%u MEGA(5) FORMAT(32) "
			 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)\n",
			 DATA + i / SLOTS, to[i % SLOTS], ADDRESS + i / SLOTS,
			 channel[i % SLOTS], uncached ? 173 : 1);
	}
}

/* Groups of four additions, of what was read or of 1, with functions in the t
 * slots. */
static void compute(struct text *text, unsigned groups, unsigned functions,
		    unsigned reads)
{
	enum { CLAUSE_GROUPS = 20 };

	for (unsigned i = 0; i < groups; i++) {
		text_add(text, i % CLAUSE_GROUPS ? "" : "ALU:\n");
		for (unsigned c = 0; c < SLOTS; c++) {
			text_add(text, "%s%c: ADD R%u.%c, R%u.%c, ",
				 c ? "  " : "0 ", channel[c], SUM, channel[c],
				 SUM, channel[c]);
			if (reads < SLOTS)
				text_add(text, "1.0f\n");
			else
				text_add(text, "R%u.%c\n",
					 DATA + i % (reads / SLOTS),
					 channel[c]);
		}
		if (i < functions)
			text_add(text, "  t: EXP_e R%u.x, R%u.x\n", FUNCTION,
				 SUM);
	}
}

static void write_batch(struct text *text, unsigned first, unsigned count)
{
	text_add(text, "ALU:\n");
	for (unsigned i = 0; i < count; i++)
		text_add(text, "0 x: MULADD_UINT24 R%u.x, R%u.z, %u, R%u.y\n",
			 INDEX + i, POINT, first + i, POINT);
	for (unsigned i = 0; i < count; i++)
		text_add(text,
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u].x___, R%u, "
			 "ARRAY_SIZE(0)\n",
			 INDEX + i, SUM);
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* `sum`: what the first sum is at the end. */
static struct evg_program *code(const struct kernel *kernel, uint32_t points,
				bool uncached, double *sum)
{
	unsigned batches =
	    (most(kernel->reads, kernel->writes) + BATCH - 1) / BATCH;
	unsigned read = 0, written = 0;
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel chain\n.registers %u\n.stack 1\n"
		 ".argument global \"float*\" input\n"
		 ".argument global \"float*\" output\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R1.x, R1.x, 7\n"
		 "  y: LSHR R1.y, KC0[2].z, 2\n"
		 "1 x: ADD_INT R1.x, PV.x, R0.x\n"
		 "2 x: LSHL R%u.x, PV.x, 2\n"
		 "  y: ADD_INT R%u.y, PV.x, R1.y\n"
		 "  z: MOV R%u.z, %u\n"
		 "  w: MOV R%u.w, %u\n"
		 "3 x: ADD_INT R%u.x, PV.x, KC0[2].y\n",
		 REGISTERS, POINT, POINT, POINT, points, POINT, 4 * points,
		 POINT);
	for (unsigned c = 0; c < SLOTS; c++)
		text_add(&text, "%s%c: MOV R%u.%c, 0\n", c ? "  " : "4 ",
			 channel[c], SUM, channel[c]);
	*sum = 0;
	for (unsigned b = 0; b < batches; b++) {
		unsigned reads = share(kernel->reads, b, batches);
		unsigned writes = share(kernel->writes, b, batches);
		unsigned functions = share(kernel->functions, b, batches);
		unsigned groups = share(kernel->operations, b, batches);

		groups = most((groups + SLOTS - 1) / SLOTS, functions);
		*sum += groups;
		if (reads)
			read_batch(&text, read, reads, uncached);
		compute(&text, groups, functions, reads);
		if (writes)
			write_batch(&text, written, writes);
		read += reads;
		written += writes;
	}
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

static void verify_sum(const float *output, uint32_t points, unsigned arrays,
		       double sum)
{
	for (uint32_t i = (arrays - 1) * points; i < arrays * points; i++) {
		if (output[i] == (float)sum)
			continue;
		fprintf(stderr, "fidelity: chain: a sum is %g, not %g\n",
			(double)output[i], sum);
		exit(1);
	}
}

static double chain_rate(struct table *table, bool uncached)
{
	const uint32_t points =
	    table_is_short(table) ? 24 * 24 * 24 : 32 * 32 * 32;
	struct device *device = device_create(table_options(table), NULL);
	struct launch launch = {
	    .global = {points},
	    .local = {GROUP},
	    .arguments = {device_allocate(device, 4 * READS * points),
			  device_allocate(device, 4 * WRITES * points)},
	};
	float *input =
	    device_bytes(device, launch.arguments[0], 4 * READS * points);
	const float *output =
	    device_bytes(device, launch.arguments[1], 4 * WRITES * points);
	double cycles = 0, sum;

	for (uint32_t i = 0; i < READS * points; i++)
		input[i] = 1;
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
		struct evg_program *program =
		    code(&kernels[k], points, uncached, &sum);

		launch.program = program;
		cycles += (double)device_run(device, &launch);
		verify_sum(output, points, kernels[k].writes, sum);
		evg_program_free(program);
	}
	device_free(device);
	return (double)OPERATIONS * points / cycles *
	       table_options(table)->config.frequency / 1000;
}

void rows_chain(struct table *table)
{
	static const char *const names[] = {
	    "SHOC's S3D single, its accesses, cached",
	    "SHOC's S3D single, its accesses, uncached",
	};

	for (unsigned uncached = 0; uncached < 2; uncached++)
		if (table_wants_row(table, names[uncached]))
			table_row(table, KIND_HAND, names[uncached], 23.9,
				  "GFLOPS", "SHOC 2.6", NULL,
				  chain_rate(table, uncached));
}
