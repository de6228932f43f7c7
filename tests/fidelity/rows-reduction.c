/* SHOC's reduction as assembly of ours: 64 work-groups of 256 read all numbers,
 * two at a distance of 256 in each round of the loop. What follows the loop, the
 * sum of a work-group in local memory, hardly counts and is left out. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum {
	GROUPS = 64,
	GROUP = 256,
	ITEMS = GROUPS * GROUP,
	ADDRESS = 2,
	SUM,
	DATA, /* .xy and .zw */
	INDEX,
	REGISTERS
};

struct shape {
	const char *name;
	double published;
	bool wide;     /* doubles */
	bool uncached; /* the way of reads of buffers that are not const restrict */
};

static void fetch(struct text *text, const struct shape *shape,
		  const char *to, uint32_t offset)
{
	text_add(text,
		 "VFETCH R%u.%s, R%u.x, fc%u MEGA(%u) FORMAT(%s) "
		 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET) OFFSET(%u)\n",
		 DATA, to, ADDRESS, shape->uncached ? 173 : 1,
		 shape->wide ? 9 : 5, shape->wide ? "32_32" : "32", offset);
}

/* The sum of both numbers, added to the sum of the work-item. */
static void sums(struct text *text, const struct shape *shape)
{
	if (shape->wide)
		text_add(text,
			 "0 x: ADD_64 R%u.x, R%u.y, R%u.w\n"
			 "  y: ADD_64 R%u.y, R%u.x, R%u.z\n"
			 "1 x: ADD_64 R%u.x, PV.y, R%u.y\n"
			 "  y: ADD_64 R%u.y, PV.x, R%u.x\n",
			 DATA, DATA, DATA, DATA, DATA, DATA, SUM, SUM, SUM,
			 SUM);
	else
		text_add(text,
			 "0 x: ADD R%u.x, R%u.x, R%u.y\n"
			 "1 x: ADD R%u.x, R%u.x, PV.x\n",
			 DATA, DATA, DATA, SUM, SUM);
}

static struct evg_program *code(const struct shape *shape, uint32_t rounds)
{
	uint32_t bytes = shape->wide ? 8 : 4, shift = shape->wide ? 3 : 2;
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel reduce\n.registers %u\n.stack 1\n"
		 ".argument global \"float*\" input\n"
		 ".argument global \"float*\" output\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R2.x, R1.x, 9\n"
		 "  y: LSHL R2.y, R1.x, 8\n"
		 "1 x: ADD_INT R2.x, PV.x, R0.x\n"
		 "  y: ADD_INT R2.y, PV.y, R0.x\n"
		 "2 x: LSHL R2.x, PV.x, %u\n"
		 "  y: LSHL R2.y, PV.y, %u\n"
		 "3 x: ADD_INT R2.x, PV.x, KC0[2].y\n"
		 "  y: ADD_INT R2.y, PV.y, KC0[2].z\n"
		 "  w: MOV R2.w, %u\n"
		 "4 x: LSHR R%u.x, PV.y, 2\n"
		 "5 x: MOV R%u.x, 0\n"
		 "  y: MOV R%u.y, 0\n",
		 REGISTERS, shift, shift, rounds, INDEX, SUM, SUM);
	text_add(&text,
		 "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
		 "ALU_BREAK:\n"
		 "0 x: PREDNE_INT ____, R%u.w, 0 UPDATE_EXEC_MASK\n"
		 "  w: ADD_INT R%u.w, R%u.w, -1\nTEX:\n",
		 ADDRESS, ADDRESS, ADDRESS);
	fetch(&text, shape, shape->wide ? "xy__" : "x___", 0);
	fetch(&text, shape, shape->wide ? "__xy" : "_x__", GROUP * bytes);
	text_add(&text, "ALU:\n");
	sums(&text, shape);
	text_add(&text,
		 "2 x: ADD_INT R%u.x, R%u.x, %u\n"
		 "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
		 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R%u].%s, R%u, "
		 "ARRAY_SIZE(0)\nNOP\nEND_OF_PROGRAM\n",
		 ADDRESS, ADDRESS, 2 * ITEMS * bytes, INDEX,
		 shape->wide ? "xy__" : "x___", SUM);
	return text_end(&text);
}

/* Small integers, whose sums are exact in any order. */
static double element(uint32_t index)
{
	return (double)(index % 7) - 3;
}

static void verify(const void *sums, bool wide, double expected)
{
	double sum = 0;

	for (uint32_t i = 0; i < ITEMS; i++)
		sum += wide ? ((const double *)sums)[i]
			    : (double)((const float *)sums)[i];
	if (sum == expected)
		return;
	fprintf(stderr, "fidelity: reduction: the sum is %g, not %g\n", sum,
		expected);
	exit(1);
}

static double cycles_of_rounds(struct table *table, const struct shape *shape,
			       uint32_t rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = code(shape, rounds);
	uint32_t bytes = shape->wide ? 8 : 4, count = 2 * ITEMS * rounds;
	struct launch launch = {
	    .program = program,
	    .global = {ITEMS},
	    .local = {GROUP},
	    .arguments = {device_allocate(device, count * bytes),
			  device_allocate(device, ITEMS * bytes)},
	};
	void *input = device_bytes(device, launch.arguments[0], count * bytes);
	double cycles, expected = 0;

	for (uint32_t i = 0; i < count; i++) {
		expected += element(i);
		if (shape->wide)
			((double *)input)[i] = element(i);
		else
			((float *)input)[i] = (float)element(i);
	}
	cycles = (double)device_run(device, &launch);
	verify(device_bytes(device, launch.arguments[1], ITEMS * bytes),
	       shape->wide, expected);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

void rows_reduction(struct table *table)
{
	static const struct shape shapes[] = {
	    {"SHOC's reduction single, cached", 124.5, false, false},
	    {"SHOC's reduction single, uncached", 124.5, false, true},
	    {"SHOC's reduction double, cached", 124.1, true, false},
	    {"SHOC's reduction double, uncached", 124.1, true, true},
	};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *shape = &shapes[i];
		uint32_t few = shape->wide ? 16 : 32, many = 3 * few;

		if (!table_wants_row(table, shape->name))
			continue;
		table_row(table, KIND_HAND, shape->name, shape->published,
			  "GB/s", "SHOC 2.6", NULL,
			  gigabytes(table,
				    2.0 * ITEMS * (many - few) *
					(shape->wide ? 8 : 4),
				    cycles_of_rounds(table, shape, many) -
					cycles_of_rounds(table, shape, few)));
	}
}
