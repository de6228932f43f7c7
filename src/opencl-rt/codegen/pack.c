#include "opencl-rt/codegen/pack.h"

#include "evergreen/isa/ports.h"

enum { LITERALS = 4 };

/* Its place among the group's literals, or -1. */
static int place_literal(struct pack *pack, const struct unit_source *source)
{
	struct codegen_group *made = &pack->made;

	for (unsigned i = 0; i < pack->literals; i++)
		if (made->group.literal[i] == source->literal)
			return (int)i;
	if (pack->literals == LITERALS)
		return -1;
	made->group.literal[pack->literals] = source->literal;
	return (int)pack->literals++;
}

bool pack_put(struct pack *pack, unsigned slot, const struct evg_alu_inst *inst,
	      const struct unit_source *sources)
{
	struct pack trial = *pack;
	struct evg_alu_inst *put = &trial.made.group.inst[slot];

	if (trial.made.group.slot_mask >> slot & 1)
		return false;
	*put = *inst;
	put->last = false;
	for (unsigned k = 0; k < inst->source_count; k++) {
		int place;

		if (inst->source[k].select != EVG_SELECT_LITERAL)
			continue;
		place = place_literal(&trial, &sources[k]);
		if (place < 0)
			return false;
		put->source[k].channel = (uint8_t)place;
	}
	trial.made.group.order[trial.made.group.inst_count++] = (uint8_t)slot;
	trial.made.group.slot_mask |= (uint8_t)(1u << slot);
	if (!evg_ports_assign(&trial.made.group))
		return false;
	*pack = trial;
	return true;
}

void pack_close(struct pack *pack)
{
	struct evg_alu_group *group = &pack->made.group;
	unsigned last = 0;

	group->inst_count = 0;
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		if (group->slot_mask >> slot & 1) {
			group->order[group->inst_count++] = (uint8_t)slot;
			last = slot;
		}
	group->inst[last].last = true;
	group->literal_count = (uint8_t)((pack->literals + 1) / 2 * 2);
	group->size = (uint8_t)(group->inst_count + group->literal_count / 2);
}
