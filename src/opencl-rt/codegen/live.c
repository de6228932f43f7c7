#include "opencl-rt/codegen/live.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/isa/action.h"

struct liveness {
	const struct evg_code *code;
	/* Before each CF instruction; one more for the end. */
	struct codegen_registers *before;
	struct codegen_registers *behind;
	bool changed;
};

/* Each returns whether the registers are known: no index is added to them. */

static bool use_register(struct codegen_registers *live, unsigned number)
{
	for (unsigned c = 0; c < CODEGEN_CHANNELS; c++)
		codegen_add(live, number % CODEGEN_REGISTERS, c);
	return true;
}

static bool cross_group(struct codegen_registers *live,
			const struct evg_alu_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (group->slot_mask >> slot & 1 && !inst->predicate_select &&
		    !inst->dest_relative && inst->op != EVG_ALU_LDS_IDX_OP &&
		    (inst->write_mask || evg_alu_info[inst->op].op3))
			codegen_drop(live, inst->dest_gpr, inst->dest_channel);
	}
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (!(group->slot_mask >> slot & 1))
			continue;
		for (unsigned k = 0; k < inst->source_count; k++) {
			const struct evg_source *source = &inst->source[k];

			if (source->relative)
				return false;
			if (source->select < CODEGEN_REGISTERS)
				codegen_add(live, source->select,
					    source->channel);
		}
	}
	return true;
}

static bool cross_fetch(struct codegen_registers *live,
			const struct evg_fetch_inst *inst)
{
	if (inst->source_relative)
		return false;
	if (!inst->dest_relative)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++)
			if (inst->dest_select[c] < 6)
				codegen_drop(live, inst->dest_gpr, c);
	return use_register(live, inst->source_gpr) &&
	       use_register(live, inst->source_gpr2);
}

static bool cross_export(struct codegen_registers *live,
			 const struct evg_cf_inst *inst)
{
	if (inst->rw_relative)
		return false;
	for (unsigned i = 0; i <= inst->burst_count; i++)
		use_register(live, inst->rw_gpr + i);
	return use_register(live, inst->index_gpr);
}

/* From behind an instruction and its clause to before it. */
static bool cross(const struct evg_code *code, const struct evg_code_cf *cf,
		  struct codegen_registers *live)
{
	bool known = true;

	if (cf->clause == EVG_CLAUSE_ALU)
		for (uint32_t i = cf->count; i-- && known;)
			known = cross_group(
				live, &code->groups[cf->first + i].group);
	else if (cf->clause != EVG_CLAUSE_NONE)
		for (uint32_t i = cf->count; i-- && known;)
			known = cross_fetch(
				live, &code->fetches[cf->first + i].inst);
	else if (cf->inst.format >= EVG_CF_EXPORT_BUF)
		known = cross_export(live, &cf->inst);
	return known && cf->clause != EVG_CLAUSE_GDS;
}

static void join(struct codegen_registers *live,
		 const struct codegen_registers *other)
{
	for (unsigned i = 0; i < CODEGEN_REGISTER_WORDS; i++)
		live->words[i] |= other->words[i];
}

static void everything(struct codegen_registers *live)
{
	memset(live, 0xff, sizeof *live);
}

/* What is needed where an effect lets control or lanes go; false: that is not
 * known. */
static bool join_effect(const struct liveness *liveness,
			const struct evg_code_cf *cf, enum evg_effect effect,
			struct codegen_registers *live)
{
	const struct codegen_registers *before = liveness->before;
	uint32_t last = liveness->code->cf_count;
	uint32_t target = cf->inst.address < last ? cf->inst.address : last;
	bool clause = cf->clause != EVG_CLAUSE_NONE;

	switch (effect) {
	case EVG_EFFECT_PUSH:
	case EVG_EFFECT_ENTER:
	case EVG_EFFECT_KEEP:
	case EVG_EFFECT_POP:
	case EVG_EFFECT_END:
	case EVG_EFFECT_SYNC:
		return true;
	case EVG_EFFECT_SWAP:
	case EVG_EFFECT_WAIT:
		return !clause;
	case EVG_EFFECT_JUMP:
	case EVG_EFFECT_SKIP:
	case EVG_EFFECT_TRIPS:
	case EVG_EFFECT_AGAIN:
		if (!clause)
			join(live, &before[target]);
		return true;
	case EVG_EFFECT_LEAVE: /* to behind the loop's end, unless they wait */
		if (clause)
			return false;
		join(live, &before[target]);
		if (!evg_cf_does(cf->inst.op, EVG_EFFECT_WAIT))
			join(live, &before[target < last ? target + 1 : last]);
		return true;
	default:
		return false;
	}
}

/* What is read at the places where control, or a lane that waits, goes on. */
static void leave(const struct liveness *liveness,
		  const struct evg_code_cf *cf, struct codegen_registers *live)
{
	const struct codegen_registers *before = liveness->before;
	uint32_t last = liveness->code->cf_count;
	uint32_t next = cf->address + cf->size;
	const uint8_t *effect =
		evg_action_info[evg_control[cf->inst.op].action].effects;

	if (cf->inst.end_of_program)
		return;
	join(live, &before[next < last ? next : last]);
	if (evg_control[cf->inst.op].action == EVG_ACTION_NONE)
		everything(live);
	for (; *effect; effect++)
		if (!join_effect(liveness, cf, (enum evg_effect)*effect, live)) {
			everything(live);
			return;
		}
}

static bool takes_lanes_out(const struct evg_code *code,
			    const struct evg_code_cf *cf)
{
	if (cf->clause != EVG_CLAUSE_ALU)
		return false;
	for (uint32_t i = 0; i < cf->count; i++) {
		const struct evg_alu_group *group =
			&code->groups[cf->first + i].group;

		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			if (group->slot_mask >> slot & 1 &&
			    group->inst[slot].update_execute_mask)
				return true;
	}
	return false;
}

/* The lanes that a clause takes out go where the JUMP, BREAK or CONTINUE behind
 * it says; without one they are not followed. */
static bool is_followed(const struct evg_code *code,
			const struct evg_code_cf *cf)
{
	const uint8_t *first;
	uint32_t next = cf->address + cf->size;

	if (!takes_lanes_out(code, cf))
		return true;
	if (next >= code->cf_count || !code->cf[next].size ||
	    code->cf[next].clause != EVG_CLAUSE_NONE)
		return false;
	first = evg_action_info[evg_control[code->cf[next].inst.op].action]
			.effects;
	return (first[0] == EVG_EFFECT_JUMP && !first[1]) ||
	       evg_cf_does(code->cf[next].inst.op, EVG_EFFECT_LEAVE);
}

static void visit(struct liveness *liveness, uint32_t address)
{
	const struct evg_code_cf *cf = &liveness->code->cf[address];
	struct codegen_registers live = { { 0 } };

	leave(liveness, cf, &live);
	if (!is_followed(liveness->code, cf))
		everything(&live);
	liveness->behind[address] = live;
	if (!cross(liveness->code, cf, &live))
		everything(&live);
	liveness->changed |= memcmp(&live, &liveness->before[address],
				    sizeof live) != 0;
	liveness->before[address] = live;
}

struct codegen_registers *codegen_live(const struct evg_code *code)
{
	struct liveness liveness = {
		.code = code,
		.before = xcalloc(code->cf_count + 1, sizeof *liveness.before),
		.behind = xcalloc(code->cf_count + 1, sizeof *liveness.behind),
	};

	do {
		liveness.changed = false;
		for (uint32_t i = code->cf_count; i--;)
			if (code->cf[i].size)
				visit(&liveness, i);
	} while (liveness.changed);
	free(liveness.before);
	return liveness.behind;
}
