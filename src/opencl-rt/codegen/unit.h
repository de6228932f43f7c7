/* An ALU clause taken apart: its operations, the values that pass between
 * operations, and the order that operations must keep. Internal to the code
 * generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_UNIT_H
#define M2S_OPENCL_RT_CODEGEN_UNIT_H

#include "opencl-rt/codegen/clause.h"

enum {
	UNIT_OPS = EVG_CLAUSE_UNITS,
	UNIT_VALUES = 4 * UNIT_OPS, /* a definition and three sources each */
	UNIT_NONE = -1,
	UNIT_NO_REGISTER = 255,
	UNIT_QUEUES = 2,
};

/* A value: the result of an instruction, or a register's content before the
 * clause. */
struct unit_value {
	int16_t op;          /* UNIT_NONE: from before the clause */
	uint8_t part;
	/* original register; UNIT_NO_REGISTER: PV or PS only */
	uint8_t gpr, channel;
	bool fixed;          /* must stay in that register */
	uint16_t uses;       /* number of sources that read the value */
};

/* A source: a value, a literal, or the instruction's own selector. */
struct unit_source {
	int16_t value;       /* UNIT_NONE: none */
	uint32_t literal;
};

/* An instruction, or the parts of one operation that are issued together. */
struct unit_op {
	uint8_t parts;       /* 0: merged into another operation */
	/* Set of slots. One part: it may have any of them; more parts: each has
	 * its own. */
	uint8_t slots;
	uint8_t slot[EVG_SLOT_COUNT]; /* slots of the parts */
	struct evg_alu_inst inst[EVG_SLOT_COUNT];
	struct unit_source source[EVG_SLOT_COUNT][3];
	int16_t value[EVG_SLOT_COUNT];
	bool alone;          /* in the original group */
	/* Of two parts, which may be in x and y or in z and w. */
	bool either_pair;
	bool joined;         /* from two reads of local memory */
	/* Takes a value from a queue that was copied for it. */
	bool takes_directly;
	const void *line;    /* of the source */
	uint8_t group;       /* number of the original group in the clause */
	unsigned height;     /* groups from here to the clause's end */
};

/* A value that goes through a queue of local memory. */
struct unit_queued {
	int16_t put, take;   /* operations */
	uint8_t part, source; /* of the second */
};

struct unit {
	struct unit_op op[UNIT_OPS];
	unsigned op_count;
	struct unit_value value[UNIT_VALUES];
	unsigned value_count;
	/* The least distance in groups from the first operation to the second,
	 * plus 1; 0: none. */
	uint8_t apart[UNIT_OPS][UNIT_OPS];
	/* The operations. Each stands behind all operations that must come
	 * before it. */
	uint8_t sorted[UNIT_OPS];
	bool indexed;        /* some register operand is relative */
	/* What goes through the queues, in that order. */
	struct unit_queued queued[UNIT_QUEUES][UNIT_OPS];
	unsigned queued_count[UNIT_QUEUES];
	bool queues_known;   /* every value is taken, and by all lanes */
};

/* NULL, or the reason why the clause cannot be taken apart. */
const char *unit_lift(struct unit *unit, const struct codegen_clause *clause);

/* Finds the dependences, an order that keeps them, and heights. NULL, or the
 * reason why there is none. */
const char *unit_order(struct unit *unit);

/* The same with only those dependences that there would also be if some joined
 * reads were two, and some values were copied before they are used. */
const char *unit_order_loosely(struct unit *unit);

/* Follows the queues of local memory. To be called before unit_order(). */
void unit_follow_queues(struct unit *unit);
/* The only user of a value of a queue takes it itself. With `joins`, pairs of reads
 * of local memory become one where nothing forbids it: the first value comes
 * through queue A, the second through B. The unit must have been ordered, and is
 * ordered again. Returns as unit_order(). */
const char *unit_improve_queues(struct unit *unit, bool joins);

#endif
