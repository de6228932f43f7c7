#include "codegen/optimum/meaning.h"

#include <string.h>

enum { QUEUE = 64 };

struct run {
	struct meaning *meaning;
	uint64_t last[EVG_SLOT_COUNT]; /* PV and PS */
	uint64_t queue[2][QUEUE];
	unsigned put[2], taken[2];
	uint64_t predicate;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) +
	    UINT64_C(0x7f4a7c159e3779b9);
	a ^= a >> 29;
	a *= UINT64_C(0xbf58476d1ce4e5b9);
	return a ^ a >> 32;
}

static uint64_t source_of(const struct run *run,
			  const struct evg_alu_group *group,
			  const struct evg_source *source)
{
	if (source->select < EVG_REGISTERS)
		return run->meaning->registers[source->select][source->channel];
	if (source->select == EVG_SELECT_LITERAL)
		return mix(1, group->literal[source->channel]);
	if (source->select == EVG_SELECT_PV)
		return run->last[source->channel];
	if (source->select == EVG_SELECT_PS)
		return run->last[EVG_T];
	if (source->select == EVG_SELECT_LDS_OQ_A_POP ||
	    source->select == EVG_SELECT_LDS_OQ_B_POP) {
		unsigned queue = source->select - EVG_SELECT_LDS_OQ_A_POP;

		return run->queue[queue][run->taken[queue] % QUEUE];
	}
	return mix(source->select, source->channel + 2u);
}

static uint64_t result_of(const struct run *run,
			  const struct evg_alu_group *group, unsigned slot)
{
	const struct evg_alu_inst *inst = &group->inst[slot];
	uint64_t result = inst->op;

	if (inst->op == EVG_ALU_MOV)
		return source_of(run, group, &inst->source[0]);
	/* The sum of all four slots. */
	if (inst->op == EVG_ALU_DOT4_IEEE) {
		for (unsigned s = EVG_X; s <= EVG_W; s++)
			for (unsigned k = 0; k < 2; k++)
				result =
				    mix(result,
					source_of(run, group,
						  &group->inst[s].source[k]));
		return result;
	}
	for (unsigned k = 0; k < inst->source_count; k++)
		result = mix(result, source_of(run, group, &inst->source[k]));
	return result;
}

static void access_memory(struct run *run, const struct evg_alu_inst *inst,
			  const uint64_t sources[3])
{
	uint64_t *memory = &run->meaning->memory;

	if (inst->lds_op == EVG_LDS_WRITE) {
		*memory = mix(mix(*memory, sources[0]), sources[1]);
		return;
	}
	for (unsigned queue = 0; queue < inst->source_count; queue++)
		run->queue[queue][run->put[queue]++ % QUEUE] =
		    mix(mix(*memory, 3), sources[queue]);
}

/* All of a group read before any of it writes. */
static void run_group(struct run *run, const struct evg_alu_group *group)
{
	uint64_t results[EVG_SLOT_COUNT] = {0}, address[3] = {0};
	uint64_t predicate = run->predicate;
	unsigned takes[2] = {0};

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (!(group->slot_mask >> slot & 1))
			continue;
		results[slot] = result_of(run, group, slot);
		for (unsigned k = 0; k < inst->source_count; k++) {
			unsigned select = inst->source[k].select;

			takes[0] += select == EVG_SELECT_LDS_OQ_A_POP;
			takes[1] += select == EVG_SELECT_LDS_OQ_B_POP;
			if (inst->op == EVG_ALU_LDS_IDX_OP)
				address[k] =
				    source_of(run, group, &inst->source[k]);
		}
	}
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];
		uint64_t *to =
		    &run->meaning
			 ->registers[inst->dest_gpr][inst->dest_channel];

		if (!(group->slot_mask >> slot & 1))
			continue;
		if (inst->op == EVG_ALU_LDS_IDX_OP) {
			access_memory(run, inst, address);
			continue;
		}
		if (inst->update_predicate)
			run->predicate = results[slot];
		if (inst->update_execute_mask)
			run->meaning->lanes = results[slot];
		if (inst->write_mask || evg_alu_info[inst->op].op3)
			*to = inst->predicate_select
				  ? mix(mix(*to, results[slot]),
					mix(predicate, inst->predicate_select))
				  : results[slot];
	}
	memcpy(run->last, results, sizeof run->last);
	run->taken[0] += takes[0];
	run->taken[1] += takes[1];
}

void meaning_of(struct meaning *meaning, const struct evg_alu_group *groups,
		unsigned count)
{
	struct run run = {.meaning = meaning};

	for (unsigned r = 0; r < EVG_REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			meaning->registers[r][c] = mix(r + 5, c);
	meaning->memory = meaning->lanes = 0;
	for (unsigned i = 0; i < count; i++)
		run_group(&run, &groups[i]);
}
