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

/* What is read at the places where control, or a lane that waits, goes on. */
static void leave(const struct liveness *liveness,
		  const struct evg_code_cf *cf, struct codegen_registers *live)
{
	const struct codegen_registers *before = liveness->before;
	uint32_t last = liveness->code->cf_count;
	uint32_t target = cf->inst.address < last ? cf->inst.address : last;
	uint32_t next = cf->address + cf->size;

	if (cf->inst.end_of_program)
		return;
	join(live, &before[next < last ? next : last]);
	switch (evg_control[cf->inst.op].action) {
	case EVG_ACTION_STAY:
	case EVG_ACTION_POP:
	case EVG_ACTION_SYNC:
		return;
	case EVG_ACTION_PUSH:
		if (cf->clause == EVG_CLAUSE_NONE)
			join(live, &before[target]);
		return;
	case EVG_ACTION_BREAK: /* lanes wait behind the loop's end */
		if (cf->clause == EVG_CLAUSE_NONE) {
			join(live, &before[target]);
			join(live, &before[target < last ? target + 1 : last]);
			return;
		}
		break;
	case EVG_ACTION_CONTINUE:
	case EVG_ACTION_INVERT:
		if (cf->clause == EVG_CLAUSE_NONE) {
			join(live, &before[target]);
			return;
		}
		break;
	case EVG_ACTION_TEST:
	case EVG_ACTION_LOOP:
	case EVG_ACTION_REPEAT:
		join(live, &before[target]);
		return;
	default:
		break;
	}
	everything(live);
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
	uint32_t next = cf->address + cf->size;

	if (!takes_lanes_out(code, cf))
		return true;
	if (next >= code->cf_count || !code->cf[next].size ||
	    code->cf[next].clause != EVG_CLAUSE_NONE)
		return false;
	switch (evg_control[code->cf[next].inst.op].action) {
	case EVG_ACTION_TEST:
	case EVG_ACTION_BREAK:
	case EVG_ACTION_CONTINUE:
		return true;
	default:
		return false;
	}
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
