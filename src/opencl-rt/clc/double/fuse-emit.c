/* The FP64 group that carriers become.
 *
 * An FP64 operation joins slots (evergreen/isa/alu.def: PAIR is x and y or z
 * and w, FOUR all of x to w). Of a pair the first slot names the high words of
 * the sources and the second the low ones; of four x, y and z name the high
 * ones and w the low ones. The low word of the result appears in the first
 * slot and the high one in the second; a mask or a single in the first. Where
 * LLVM's registers for the results are in other channels, a group of MOVs
 * follows. */
#include "opencl-rt/clc/double/fuse.h"

#include <string.h>

#include "evergreen/isa/ports.h"

/* A clause temporary: for results that nobody wants of an operation that
 * cannot mask them. */
enum { UNWANTED_GPR = 127 };

static void without_modifiers(struct evg_source *source)
{
	source->negate = source->absolute = false;
}

static const struct evg_source zero = { .select = EVG_SELECT_0 };

/* The sources of the slot that names the high words, or the low ones. */
static void set_sources(const struct carrier *carrier, bool is_high,
			struct evg_alu_inst *inst)
{
	static const unsigned char order[][3] = { { 0, 1, 2 }, { 1, 2, 0 } };
	bool is_fma = carrier->operation == CARRIER_FMA;

	inst->source_count = evg_alu_info[inst->op].source_count;
	for (unsigned k = 0; k < inst->source_count; k++) {
		unsigned from = order[is_fma][k];

		inst->source[k] = is_high ? carrier->high[from]
					  : carrier->low[from];
		if (!is_high)
			without_modifiers(&inst->source[k]);
	}
	/* Numbers that are no doubles are in the low words, and wanted in the
	 * first slot. */
	if (carrier->operation == CARRIER_TO_DOUBLE)
		inst->source[0] = is_high ? carrier->low[0] : zero;
	if (carrier->operation == CARRIER_LDEXP)
		inst->source[1] = is_high ? carrier->low[1] : zero;
}

/* The first slot of those that an operation joins. */
static unsigned first_slot(const struct carrier *carrier)
{
	const struct carrier_info *operation = carrier_info(carrier);
	const struct carrier_result *result = carrier->result;
	bool wants_z = (!result[0].wanted || result[0].channel == EVG_Z) &&
		       (!result[1].wanted || result[1].channel == EVG_W);

	return evg_alu_info[operation->op].slots == EVG_SLOTS_PAIR && wants_z
		       ? EVG_Z
		       : EVG_X;
}

/* Whether the results' registers are where the operation can write them. */
static bool is_direct(const struct carrier *carrier, unsigned first)
{
	for (unsigned word = 0; word < 2; word++)
		if (carrier->result[word].wanted &&
		    carrier->result[word].channel != first + word)
			return false;
	return true;
}

static void put_operation(const struct carrier *carrier, unsigned first,
			  bool direct, struct evg_alu_group *group)
{
	const struct carrier_info *operation = carrier_info(carrier);
	bool is_four = evg_alu_info[operation->op].slots == EVG_SLOTS_FOUR;
	unsigned count = is_four ? 4 : 2;

	for (unsigned i = 0; i < count; i++) {
		const struct carrier_result *result =
			i < 2 ? &carrier->result[i] : NULL;
		struct evg_alu_inst inst = {
			.op = operation->op,
			.predicate_select = carrier->predicate_select,
			.dest_gpr = UNWANTED_GPR,
			.dest_channel = (uint8_t)(first + i),
		};

		set_sources(carrier, i < count - 1, &inst);
		if (result && result->wanted && direct) {
			inst.dest_gpr = result->gpr;
			inst.write_mask = true;
		}
		if (!inst.write_mask && !evg_alu_info[inst.op].op3)
			inst.dest_gpr = 0;
		edit_put(group, first + i, &inst);
	}
}

/* The slot where the MOV of a result goes. */
static unsigned move_slot(const struct evg_alu_group *group,
			  const struct carrier_result *result)
{
	return group->slot_mask >> result->channel & 1 ? EVG_T
						       : result->channel;
}

static void put_moves(const struct carrier *carrier, unsigned first,
		      struct evg_alu_group *group)
{
	for (unsigned word = 0; word < 2; word++) {
		const struct carrier_result *result = &carrier->result[word];
		struct evg_alu_inst inst = {
			.op = EVG_ALU_MOV,
			.source_count = 1,
			.source[0] = { .select = EVG_SELECT_PV,
				       .channel = (uint8_t)(first + word) },
			.predicate_select = carrier->predicate_select,
			.dest_gpr = result->gpr,
			.dest_channel = result->channel,
			.write_mask = true,
		};

		if (result->wanted)
			edit_put(group, move_slot(group, result), &inst);
	}
}

void fuse_relink(struct edit_cf *cf, const struct carrier_result *from,
		 uint32_t id, unsigned slot)
{
	for (size_t i = 0; i < cf->count; i++)
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
			for (unsigned k = 0; k < 3; k++) {
				struct edit_link *link =
					&cf->groups[i].link[s][k];

				if (link->group != from->id)
					continue;
				link->group = id;
				link->slot = (uint8_t)slot;
				link->gpr = from->gpr;
				link->channel = from->channel;
			}
}

/* Where a result is in a group of MOVs. */
static unsigned moved_slot(const struct carrier *carrier, unsigned word)
{
	const struct carrier_result *result = carrier->result;

	return word == 1 && result[0].wanted &&
			       result[0].channel == result[1].channel
		       ? EVG_T
		       : result[word].channel;
}

int fuse_emit(struct edit *edit, struct edit_cf *cf, size_t index,
	      const struct carrier *carrier, struct error *error)
{
	unsigned first = first_slot(carrier);
	bool direct = is_direct(carrier, first);
	struct edit_group *group = &cf->groups[index];
	uint32_t origin = group->origin;

	memset(group, 0, sizeof *group);
	group->origin = origin;
	group->id = edit->next_id++;
	put_operation(carrier, first, direct, &group->group);
	if (!evg_ports_assign(&group->group))
		return error_set(error, "the operands of an operation on "
				 "doubles cannot be read at once");
	if (!direct) {
		group = edit_insert(edit, cf, ++index);
		group->origin = origin;
		put_moves(carrier, first, &group->group);
	}
	for (unsigned word = 0; word < 2; word++)
		if (carrier->result[word].wanted)
			fuse_relink(cf, &carrier->result[word],
				    cf->groups[index].id,
				    direct ? first + word
					   : moved_slot(carrier, word));
	return (int)index;
}
