/* Carriers found in machine code. The operands of a carrier are laid out as
 * carrier.h says. */
#include "opencl-rt/clc/double/carrier-read.h"

#include <string.h>

const struct carrier_info carrier_operations[CARRIER_COUNT] = {
#define CARRIER(id, operation, sources, results)                               \
	{ EVG_ALU_##operation, sources, results },
#include "opencl-rt/clc/double/carrier.def"
};

static int digit_of(const struct evg_source *source)
{
	if (source->relative || source->negate || source->absolute)
		return -1;
	switch (source->select) {
	case EVG_SELECT_0: return 0;
	case EVG_SELECT_HALF: return 1;
	case EVG_SELECT_1: return 2;
	default: return -1;
	}
}

bool carrier_is(const struct evg_alu_group *group)
{
	return group->slot_mask & 1 && group->inst[EVG_X].op == EVG_ALU_DOT4;
}

static int operation_of(const struct evg_alu_group *group)
{
	int which = digit_of(&group->inst[EVG_Z].source[1]);
	int low = digit_of(&group->inst[EVG_Z].source[0]);
	int high = digit_of(&group->inst[EVG_W].source[1]), number;

	if (!which)
		return CARRIER_FMA;
	if (which < 0 || low < 0 || high < 0)
		return -1;
	number = 1 + low + CARRIER_BASE * high +
		 CARRIER_BASE * CARRIER_BASE * (which - 1);
	return number < CARRIER_COUNT ? number : -1;
}

/* The slot whose result is written. */
static int written_slot(const struct evg_alu_group *group)
{
	int found = -1;

	for (int slot = EVG_X; slot <= EVG_W; slot++) {
		if (!group->inst[slot].write_mask)
			continue;
		if (found >= 0)
			return -1;
		found = slot;
	}
	return found;
}

int carrier_read(const struct edit_group *place, struct carrier *carrier,
		 struct error *error)
{
	const struct evg_alu_group *group = &place->group;
	const struct evg_alu_inst *inst = group->inst;
	int operation = operation_of(group), slot = written_slot(group);
	int digit = digit_of(&inst[EVG_W].source[0]);
	struct carrier_result *result;

	if (group->slot_mask != 0xf || operation < 0 || slot < 0 ||
	    (digit != 0 && digit != 2) ||
	    inst[slot].dest_relative || inst[slot].output_modifier ||
	    inst[slot].clamp)
		return error_set(error, "an operation on doubles has not come "
				 "through LLVM's back end in one piece");
	memset(carrier, 0, sizeof *carrier);
	carrier->operation = (enum carrier_operation)operation;
	carrier->predicate_select = inst[slot].predicate_select;
	for (unsigned k = 0; k < 2; k++) {
		carrier->low[k] = inst[EVG_X].source[k];
		carrier->high[k] = inst[EVG_Y].source[1 - k];
	}
	carrier->low[2] = inst[EVG_Z].source[0];
	carrier->high[2] = inst[EVG_W].source[1];
	result = &carrier->result[digit / 2];
	result->wanted = true;
	result->gpr = inst[slot].dest_gpr;
	result->channel = inst[slot].dest_channel;
	result->id = place->id;
	return 0;
}

static bool same_source(const struct evg_source *a, const struct evg_source *b)
{
	return a->select == b->select && a->channel == b->channel &&
	       a->relative == b->relative && a->negate == b->negate &&
	       a->absolute == b->absolute;
}

const struct carrier_result *carrier_destination(const struct carrier *carrier)
{
	return &carrier->result[carrier->result[0].wanted ? 0 : 1];
}

static bool same_register(const struct carrier_result *a,
			  const struct carrier_result *b)
{
	return a->gpr == b->gpr && a->channel == b->channel;
}

bool carrier_are_twins(const struct carrier *a, const struct carrier *b)
{
	unsigned sources = carrier_info(a)->sources;

	if (a->operation != b->operation ||
	    a->predicate_select != b->predicate_select ||
	    a->result[0].wanted == b->result[0].wanted ||
	    same_register(carrier_destination(a), carrier_destination(b)))
		return false;
	for (unsigned k = 0; k < sources; k++)
		if (!same_source(&a->low[k], &b->low[k]) ||
		    !same_source(&a->high[k], &b->high[k]))
			return false;
	return true;
}
