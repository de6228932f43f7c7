/* Gravity of all bodies on each other, as assembly of ours. Nakasato measured
 * about 2.2 TFLOPS on an HD 5870, 38 operations counted for an interaction; the
 * code is not published. Here a work-item has four bodies, one in each channel,
 * and goes through the others four at a time: three differences, three products
 * for the square of the distance, three products for mass over its cube and
 * three sums, each a full group of vector slots, with the four reciprocal roots
 * beside them in the t slot. That is three groups an interaction. */
#include <math.h>
#include <stdlib.h>

#include "fidelity/rows.h"

enum { BODIES = 4, SOFTENING = 1 };

/* Registers. Two others are on their way at a time. */
enum {
	ADDRESS = 2,
	POSITION = 3,
	SUM = 6,
	OTHER = 9,
	DIFFERENCE = 13,
	SQUARE = 19,
	ROOT = 21,
	PRODUCT = 23,
	REGISTERS = 25,
};

static const char channel[] = "xyzw";

/* The roots that the t slots of groups have still to compute: of the distances
 * to one other body. */
struct root {
	unsigned of, count; /* that body; the next of the work-item's own */
};

static void operand(struct text *text, const char *form, unsigned slot)
{
	for (; *form; form++)
		text_add(text, "%c", *form == '$' ? channel[slot] : *form);
}

/* A group of four vector slots, "$" in `form` is the slot's channel, and the
 * next root in the t slot, if there is one. */
static void group(struct text *text, struct root *root, const char *form)
{
	for (unsigned slot = 0; slot < 4; slot++) {
		text_add(text, slot ? "  %c: " : "0 %c: ", channel[slot]);
		operand(text, form, slot);
		text_add(text, "\n");
	}
	if (root && root->count < BODIES) {
		text_add(text, "  t: REQ_e R%u.%c, R%u.%c\n",
			 ROOT + root->of % 2, channel[root->count],
			 SQUARE + root->of % 2, channel[root->count]);
		root->count++;
	}
}

static void group_of(struct text *text, struct root *root, const char *format,
		     unsigned a, unsigned b, unsigned c)
{
	char form[80];

	snprintf(form, sizeof form, format, a, b, c);
	group(text, root, form);
}

/* Differences and the square of the distance to other body `j`. */
static void distance(struct text *text, unsigned j, struct root *root)
{
	unsigned difference = DIFFERENCE + j % 2 * 3, square = SQUARE + j % 2;
	static const char *const form[] = {
	    "ADD R%u.$, R%u.x, -R%u.$",
	    "ADD R%u.$, R%u.y, -R%u.$",
	    "ADD R%u.$, R%u.z, -R%u.$",
	};

	for (unsigned d = 0; d < 3; d++)
		group_of(text, root, form[d], difference + d, OTHER + j,
			 POSITION + d);
	group_of(text, root, "MULADD R%u.$, R%u.$, R%u.$, 1.0f", square,
		 difference, difference);
	for (unsigned d = 1; d < 3; d++)
		group_of(text, root, "MULADD R%u.$, R%u.$, R%u.$, PV.$", square,
			 difference + d, difference + d);
}

static void force(struct text *text, unsigned j, struct root *root)
{
	unsigned difference = DIFFERENCE + j % 2 * 3, inverse = ROOT + j % 2;

	group_of(text, root, "MUL R%u.$, R%u.$, R%u.$", PRODUCT, inverse,
		 inverse);
	group_of(text, root, "MUL R%u.$, R%u.$, R%u.w", PRODUCT + 1, inverse,
		 OTHER + j);
	group_of(text, root, "MUL R%u.$, R%u.$, PV.$", PRODUCT, PRODUCT, 0);
	group_of(text, root, "MULADD R%u.$, PV.$, R%u.$, R%u.$", SUM,
		 difference, SUM);
	for (unsigned d = 1; d < 3; d++) {
		char form[80];

		snprintf(form, sizeof form, "MULADD R%u.$, R%u.$, R%u.$, R%u.$",
			 SUM + d, PRODUCT, difference + d, SUM + d);
		group(text, root, form);
	}
}

static struct evg_program *code(unsigned rounds)
{
	struct root root;
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel gravity\n.registers %u\n.stack 1\n"
		 ".argument global \"float4*\" bodies\n"
		 ".argument global \"float*\" forces\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 t: MULLO_INT R2.x, R1.x, 64\n"
		 "1 x: ADD_INT R0.x, PS, R0.x\n"
		 "2 x: LSHL R2.x, PV.x, 6\n"
		 "  z: LSHR R1.z, KC0[2].z, 2\n"
		 "  t: MULLO_INT R1.y, PV.x, 12\n"
		 "3 x: ADD_INT R2.x, PV.x, KC0[2].y\n"
		 "  t: ADD_INT R1.x, PS, PV.z\n"
		 "TEX:\n",
		 REGISTERS);
	for (unsigned i = 0; i < BODIES; i++)
		text_add(&text,
			 "VFETCH R%u.xyzw, R%u.x, fc1 MEGA(17) "
			 "FORMAT(32_32_32_32) NUM_FORMAT(INT) "
			 "FETCH_TYPE(NO_INDEX_OFFSET) OFFSET(%u)\n",
			 OTHER + i, ADDRESS, 16 * i);
	text_add(&text, "ALU: KCACHE0(CB0:0-31)\n");
	for (unsigned d = 0; d < 3; d++) {
		for (unsigned i = 0; i < BODIES; i++)
			text_add(&text, "0 %c: MOV R%u.%c, R%u.%c\n",
				 channel[i], POSITION + d, channel[i],
				 OTHER + i, channel[d]);
		for (unsigned i = 0; i < BODIES; i++)
			text_add(&text, "%s%c: MOV R%u.%c, 0\n",
				 i ? "  " : "0 ", channel[i], SUM + d,
				 channel[i]);
	}
	text_add(&text,
		 "0 x: SUB_INT R%u.x, KC0[2].y, %u\n"
		 "  w: MOV R%u.w, %u\n"
		 "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
		 "ALU_BREAK:\n"
		 "0 x: PREDNE_INT ____, R%u.w, 0 UPDATE_EXEC_MASK\n"
		 "  w: ADD_INT R%u.w, R%u.w, -1\n"
		 "1 x: ADD_INT R%u.x, R%u.x, %u\nTEX:\n",
		 ADDRESS, 16 * BODIES, ADDRESS, rounds, ADDRESS, ADDRESS,
		 ADDRESS, ADDRESS, ADDRESS, 16 * BODIES);
	for (unsigned j = 0; j < BODIES; j++)
		text_add(&text,
			 "VFETCH R%u.xyzw, R%u.x, fc1 MEGA(17) "
			 "FORMAT(32_32_32_32) NUM_FORMAT(INT) "
			 "FETCH_TYPE(NO_INDEX_OFFSET) OFFSET(%u)\n",
			 OTHER + j, ADDRESS, 16 * j);
	/* The roots of one are beside the distances to the next; those of the
	 * last beside the force of the one before. */
	text_add(&text, "ALU:\n");
	distance(&text, 0, NULL);
	root = (struct root){0, 0};
	distance(&text, 1, &root);
	force(&text, 0, NULL);
	root = (struct root){1, 0};
	distance(&text, 2, &root);
	text_add(&text, "ALU:\n");
	force(&text, 1, NULL);
	root = (struct root){2, 0};
	distance(&text, 3, &root);
	root = (struct root){3, 0};
	force(&text, 2, &root);
	force(&text, 3, NULL);
	text_add(&text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n");
	for (unsigned d = 0; d < 3; d++)
		text_add(&text,
			 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1], "
			 "R%u, ARRAY_SIZE(0)\n"
			 "ALU:\n0 x: ADD_INT R1.x, R1.x, 4\n",
			 SUM + d);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

static float coordinate(uint32_t body, unsigned d)
{
	return (float)((body * (7 + 4 * d) + d) % 97) / 32;
}

/* The forces on some bodies, whose products the host adds in doubles. */
static void verify(const float *forces, uint32_t others)
{
	enum { SOME = 9 };

	for (uint32_t body = 0; body < SOME; body++) {
		double sum[3] = {0};

		for (uint32_t j = 0; j < others; j++) {
			double d[3], square = SOFTENING, mass;

			for (unsigned c = 0; c < 3; c++) {
				d[c] = coordinate(j, c) - coordinate(body, c);
				square += d[c] * d[c];
			}
			mass = coordinate(j, 3) / (square * sqrt(square));
			for (unsigned c = 0; c < 3; c++)
				sum[c] += mass * d[c];
		}
		for (unsigned c = 0; c < 3; c++) {
			double got = (double)
			    forces[body / BODIES * 12 + c * 4 + body % BODIES];

			if (fabs(got - sum[c]) > 1e-3 * (1 + fabs(sum[c]))) {
				fprintf(stderr,
					"fidelity: gravity: body %u "
					"has %g, not %g\n",
					body, got, sum[c]);
				exit(1);
			}
		}
	}
}

/* Eight wavefronts for each compute unit: as many as its registers allow, less
 * one, which had no partner. */
static double cycles_of_rounds(struct table *table, unsigned rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	uint32_t items = 64 * 8 * device->config.compute_units;
	struct evg_program *program = code(rounds);
	struct launch launch = {
	    .program = program,
	    .global = {items},
	    .local = {64},
	    .arguments = {device_allocate(device, items * BODIES * 16),
			  device_allocate(device, items * BODIES * 12)},
	};
	float *bodies =
	    device_bytes(device, launch.arguments[0], items * BODIES * 16);
	double cycles;

	for (uint32_t i = 0; i < items * BODIES; i++)
		for (unsigned c = 0; c < 4; c++)
			bodies[4 * i + c] = coordinate(i, c);
	cycles = (double)device_run(device, &launch);
	verify(device_bytes(device, launch.arguments[1], items * BODIES * 12),
	       BODIES * rounds);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

void rows_gravity(struct table *table)
{
	static const char name[] = "gravity of N bodies, three groups each";
	enum { FEW = 16, MANY = 48, OPERATIONS = 38 };
	const struct evg_config *config = &table_options(table)->config;
	double interactions =
	    64.0 * 8 * config->compute_units * BODIES * BODIES * (MANY - FEW);

	if (!table_wants_row(table, name))
		return;
	table_row(
	    table, KIND_HAND, name, 2200, "GFLOPS", "N", NULL,
	    OPERATIONS * interactions /
		(cycles_of_rounds(table, MANY) - cycles_of_rounds(table, FEW)) *
		config->frequency / 1000);
}
