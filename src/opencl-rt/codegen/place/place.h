/* A clause's schedule in the making: where each operation and each value is. */
#ifndef M2S_OPENCL_RT_CODEGEN_PLACE_PLACE_H
#define M2S_OPENCL_RT_CODEGEN_PLACE_PLACE_H

#include "opencl-rt/codegen/pack.h"

enum { PLACE_NOT_YET = -1 };

/* What is in a register: a value, or one of these. */
enum { PLACE_FREE = -1, PLACE_TAKEN = -2 };

/* A way to choose. */
struct place_policy {
	/* Only clauses gain by it that have operations of several slots, or some
	 * that are alone in their group. */
	bool for_some;
	/* These come first. */
	bool some_first;
	/* What operations of several slots read stays in its channel, in which
	 * they can read it: else more may end in one channel than they have ports
	 * for. */
	bool keeps_channels;
	/* Ranks become larger by less than this, each by another number. */
	unsigned noise;
};

struct scheduling {
	struct unit unit;
	const struct codegen_clause *clause;
	int group_of[UNIT_OPS]; /* PLACE_NOT_YET */
	/* Operations that must come before each and have not been placed, and the
	 * first group that the others leave it. */
	unsigned waits_for[UNIT_OPS], earliest[UNIT_OPS];
	uint8_t slot_of[UNIT_OPS][EVG_SLOT_COUNT];
	/* Where values are; UNIT_NO_REGISTER until placed. */
	uint8_t gpr[UNIT_VALUES], channel[UNIT_VALUES];
	uint16_t unread[UNIT_VALUES];    /* sources not placed yet */
	bool from_register[UNIT_VALUES]; /* some source reads it there */
	bool wide[UNIT_VALUES]; /* an operation of several slots reads it */
	int16_t in_register[CODEGEN_REGISTERS][CODEGEN_CHANNELS];
	struct codegen_group *groups;
	unsigned count, capacity, done;
	struct pack pack;
	const struct place_policy *policy;
	unsigned rank[UNIT_OPS];
};

/* Registers that carry something through the clause, or to its end, are taken;
 * those that are read in it hold their value; the others are free. */
void place_open_registers(struct scheduling *scheduling);

/* Results that nobody reads leave their registers behind the group. */
void place_release_unread(struct scheduling *scheduling);

/* No operation is placed. */
void place_open_order(struct scheduling *scheduling);

/* Whether all that must come before an operation has come. */
bool place_is_ready(const struct scheduling *scheduling, unsigned op);

/* The slots that an operation can have at best. */
unsigned place_slots(const struct scheduling *scheduling,
		     const struct unit_op *op);

/* Puts an operation into the group in the making; false, without any change,
 * when there is no slot, port or register for it. */
bool place_operation(struct scheduling *scheduling, unsigned number);

#endif
