/* An ALU clause taken apart: operations, the values that go from one to
 * another, and what must come before what. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_UNIT_H
#define M2S_OPENCL_RT_CODEGEN_UNIT_H

#include "opencl-rt/codegen/clause.h"

enum {
	UNIT_OPS = 128,            /* a clause has 128 units of 64 bits */
	UNIT_VALUES = 4 * UNIT_OPS, /* a definition and three sources each */
	UNIT_NONE = -1,
	UNIT_NO_REGISTER = 255,
};

/* What an instruction gives, or a register had before the clause. */
struct unit_value {
	int16_t op;          /* UNIT_NONE: from before */
	uint8_t part;
	uint8_t gpr, channel; /* where it was; UNIT_NO_REGISTER: PV or PS only */
	bool fixed;          /* it must be there */
	uint16_t uses;       /* sources that read it */
};

/* A source: a value, a literal with the place of its relocation, or what the
 * instruction itself says. */
struct unit_source {
	int16_t value;       /* UNIT_NONE: none */
	uint32_t literal, relocation;
};

/* An instruction, or the parts of one that are issued together. */
struct unit_op {
	uint8_t parts;       /* 0: it has become a part of another */
	uint8_t slots;       /* one part: those that it may have; more: each
	                      * part's own, as a set */
	uint8_t slot[EVG_SLOT_COUNT]; /* of each of several parts */
	struct evg_alu_inst inst[EVG_SLOT_COUNT];
	struct unit_source source[EVG_SLOT_COUNT][3];
	int16_t value[EVG_SLOT_COUNT];
	bool alone;          /* in its group */
	uint32_t origin;     /* address of its group */
	uint8_t group;       /* the number of that in the clause */
	unsigned height;     /* groups from here to the clause's end */
};

struct unit {
	struct unit_op op[UNIT_OPS];
	unsigned op_count;
	struct unit_value value[UNIT_VALUES];
	unsigned value_count;
	/* How many groups the second must come behind the first, plus 1; 0:
	 * they do not matter to each other. */
	uint8_t apart[UNIT_OPS][UNIT_OPS];
	/* The operations, each behind those that must come before it. */
	uint8_t sorted[UNIT_OPS];
	bool indexed;        /* some register operand is relative */
};

/* NULL, or why the clause cannot be taken apart. */
const char *unit_lift(struct unit *unit, const struct codegen_clause *clause);

/* Finds what must come before what, an order that does so, and heights. NULL, or
 * why there is none. */
const char *unit_order(struct unit *unit);

/* Makes one operation of two reads of local memory where nothing forbids it:
 * the first value comes through queue A, the second through B. The unit has been
 * ordered, and is again. NULL, or as unit_order(). */
const char *unit_pair_reads(struct unit *unit);

#endif
