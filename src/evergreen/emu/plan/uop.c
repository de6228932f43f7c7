/* Plans of ALU clauses: single uops, and groups that cannot be executed. */
#include "evergreen/emu/plan/alu.h"

#include <string.h>

#include "base/memory.h"

void clause_trap(struct clause_builder *clause, const char *text)
{
	if (!clause->trap)
		clause->trap = text;
}

uint8_t clause_predicate_mask(const struct evg_alu_inst *inst)
{
	return inst->predicate_select == 2   ? EVG_MASK_PREDICATE_0
	       : inst->predicate_select == 3 ? EVG_MASK_PREDICATE_1
					     : EVG_MASK_ACTIVE;
}

struct evg_uop *clause_uop(struct clause_builder *clause,
			   const struct evg_alu_inst *inst)
{
	struct evg_uop *uop;
	struct evg_operand zero = {0, EVG_BASE_POOL, 0};

	ARRAY_GROW(clause->uops, clause->uop_count, clause->uop_capacity);
	uop = &clause->uops[clause->uop_count++];
	memset(uop, 0, sizeof *uop);
	for (int k = 0; k < 3; k++)
		uop->source[k] = zero;
	uop->dest = EVG_NO_ROW;
	uop->mask = clause_predicate_mask(inst);
	uop->group = (uint16_t)clause->index;
	return uop;
}

void uop_set_body(struct evg_uop *uop, evg_body *masked, evg_body *full)
{
	uop->body[0] = masked;
	uop->body[1] = full;
}

/* A group that cannot be executed is replaced by this. */
static void run_trap(struct evg_wavefront *wavefront, const struct evg_uop *uop)
{
	uint64_t lanes =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & wavefront->masks.valid;
	struct evg_fault *fault = &wavefront->fault;

	if (fault->kind || !lanes)
		return;
	fault->kind = EVG_FAULT_TRAP;
	fault->lane = (uint8_t)__builtin_ctzll(lanes);
	fault->group = uop->group;
	fault->text = uop->extra;
}

const char *uop_trap(const struct evg_uop *uop)
{
	return uop->body[0] == run_trap ? uop->extra : NULL;
}

void clause_add_trap(struct clause_builder *clause)
{
	struct evg_uop *uop = clause_uop(clause, &clause->group->inst[0]);

	uop->mask = EVG_MASK_ACTIVE;
	uop->extra = clause->trap;
	uop_set_body(uop, run_trap, run_trap);
}
