/* Plans of ALU clauses: where sources come from. */
#include "evergreen/emu/memory/indexed.h"
#include "evergreen/emu/memory/local-direct.h"
#include "evergreen/emu/plan/alu.h"

uint32_t clause_temp_row(struct clause_builder *clause)
{
	if (clause->temp_count == EVG_TEMP_ROWS) {
		clause_trap(clause, "too many relative operands in a group");
		return 0;
	}
	return plan_row(clause->shared,
			&clause->shared->temp_row[clause->temp_count++]);
}

static struct evg_operand literal(struct clause_builder *clause,
				  unsigned channel)
{
	const struct evg_kernel *kernel = clause->shared->kernel;
	const struct evg_program *program = kernel->program;
	uint32_t place = kernel->code_offset + 8 * clause->code->address +
			 8 * clause->group->inst_count + 4 * channel;
	uint32_t low = 0, high = program ? program->relocation_count : 0;

	if (channel >= clause->group->literal_count)
		clause_trap(clause, "a literal that the group does not have");
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (program->relocations[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return plan_constant(clause->shared,
			     program && low < program->relocation_count &&
				     program->relocations[low] == place
				 ? EVG_CONSTANT_TEXT
				 : EVG_CONSTANT_VALUE,
			     clause->group->literal[channel]);
}

/* A per-lane index by AR: into the registers or a constant window. */
static struct evg_operand relative_source(struct clause_builder *clause,
					  const struct evg_alu_inst *inst,
					  uint32_t index, uint32_t limit,
					  unsigned channel, bool constant,
					  unsigned bank)
{
	struct plan_builder *shared = clause->shared;
	struct evg_relative *relative =
	    plan_allocate(shared->plan, sizeof *relative);
	uint32_t row = clause_temp_row(clause);
	struct evg_uop *uop = clause_uop(clause, inst);

	relative->index = index;
	relative->limit = limit;
	relative->channel = (uint8_t)channel;
	relative->constant = constant;
	relative->bank = (uint8_t)bank;
	relative->address_row = plan_row(shared, &shared->address_row);
	uop_set_body(uop, shared->plan->simd->gather,
		     shared->plan->simd->gather);
	uop->dest = row;
	uop->extra = relative;
	return plan_state(row);
}

/* What depends on more than AR. */
static struct evg_operand indexed_source(struct clause_builder *clause,
					 const struct evg_alu_inst *inst,
					 struct evg_indexed wanted)
{
	struct plan_builder *shared = clause->shared;
	struct evg_indexed *indexed =
	    plan_allocate(shared->plan, sizeof *indexed);
	uint32_t row = clause_temp_row(clause);
	struct evg_uop *uop = clause_uop(clause, inst);

	*indexed = wanted;
	indexed->address_row = plan_row(shared, &shared->address_row);
	uop_set_body(uop, evg_indexed_load, evg_indexed_load);
	uop->dest = row;
	uop->extra = indexed;
	return plan_state(row);
}

struct evg_indexed clause_indexed_register(struct clause_builder *clause,
					   unsigned mode, unsigned gpr,
					   unsigned channel)
{
	struct evg_plan *plan = clause->shared->plan;
	bool shared = mode == EVG_INDEX_GLOBAL || mode == EVG_INDEX_GLOBAL_AR;

	plan->shares_registers |= shared;
	return (struct evg_indexed){
	    .relative = true,
	    .mode = (enum evg_index_mode)mode,
	    .index = gpr,
	    .limit = shared ? EVG_SHARED_REGISTERS : plan->register_count,
	    .channel = (uint8_t)channel,
	};
}

/* A constant whose buffer or window is indexed, or that aL indexes. */
static struct evg_operand indexed_constant(struct clause_builder *clause,
					   const struct evg_alu_inst *inst,
					   const struct evg_source *source,
					   const struct evg_kcache *window,
					   unsigned index)
{
	struct evg_indexed wanted = {
	    .relative = source->relative,
	    .mode = (enum evg_index_mode)inst->index_mode,
	    .index = index,
	    .limit = window->mode == 1 ? 16 : 32,
	    .channel = source->channel,
	    .constant = true,
	    .first = 16u * window->address,
	    .loop_window = window->mode == 3,
	    .bank = window->bank,
	    .bank_index_mode = window->bank_index_mode,
	};

	if (!window->mode)
		clause_trap(clause,
			    "a constant outside its locked cache window");
	if (source->relative && inst->index_mode > EVG_INDEX_LOOP)
		clause_trap(clause, "a constant indexed as if it were a "
				    "shared register");
	clause->plan->uses_bank_index |= window->bank_index_mode != 0;
	return indexed_source(clause, inst, wanted);
}

/* KCACHE window `cache`, constant `index` of it. */
static struct evg_operand cached_constant(struct clause_builder *clause,
					  const struct evg_alu_inst *inst,
					  const struct evg_source *source,
					  unsigned cache, unsigned index)
{
	const struct evg_kcache *window = &clause->cf->inst.kcache[cache];
	const struct evg_kernel *kernel = clause->shared->kernel;
	unsigned size = window->mode == 1 ? 16 : window->mode == 2 ? 32 : 0;
	uint32_t dword = 4 * (16u * window->address + index) + source->channel;

	if (window->mode == 3 || window->bank_index_mode ||
	    (source->relative && inst->index_mode))
		return indexed_constant(clause, inst, source, window, index);
	if (!size || index >= size) {
		clause_trap(clause,
			    "a constant outside its locked cache window");
		return plan_state(0);
	}
	if (!evg_constants_size(kernel, window->bank)) {
		clause_trap(clause, plan_text(clause->shared->plan,
					      "constant buffer %u, which has "
					      "nothing bound to it",
					      window->bank));
		return plan_state(0);
	}
	if (4 * dword + 4 > evg_constants_size(kernel, window->bank)) {
		clause_trap(clause, "a constant beyond the kernel's arguments");
		return plan_state(0);
	}
	if (source->relative)
		return relative_source(
		    clause, inst, 16u * window->address + index,
		    16u * window->address + size, source->channel, true,
		    window->bank);
	return plan_buffer_constant(clause->shared, window->bank, dword);
}

/* A read of LDS output queue `queue`, which takes its head or only looks. */
static struct evg_operand queue_source(struct clause_builder *clause,
				       const struct evg_alu_inst *inst,
				       unsigned queue, bool take)
{
	struct plan_builder *shared = clause->shared;
	struct evg_queue *lanes;
	struct evg_uop *uop;
	uint32_t row;

	if (!clause->lanes_apart) {
		if (clause->popped[queue] == clause->pushed[queue]) {
			clause_trap(clause,
				    "a read of an empty LDS output queue");
			return plan_state(0);
		}
		row = plan_row(shared,
			       &shared->queue_row[queue][clause->popped[queue] %
							 clause->ring[queue]]);
		clause->popped[queue] += take;
		return plan_state(row);
	}
	if (!take) {
		clause_trap(clause, "a read of an LDS queue's head under a "
				    "predicate");
		return plan_state(0);
	}
	row = clause_temp_row(clause);
	uop = clause_uop(clause, inst);
	lanes = plan_allocate(shared->plan, sizeof *lanes);
	lanes->head_row = plan_row(shared, &shared->head_row[queue]);
	lanes->tail_row = plan_row(shared, &shared->tail_row[queue]);
	lanes->first_row = shared->lane_queue_row[queue];
	uop_set_body(uop, shared->plan->simd->queue_pop,
		     shared->plan->simd->queue_pop);
	uop->dest = row;
	uop->extra = lanes;
	return plan_state(row);
}

/* LDS_DIRECT_A, B: literal `which` says where in local memory. */
static struct evg_operand direct_source(struct clause_builder *clause,
					const struct evg_alu_inst *inst,
					unsigned which)
{
	struct evg_direct *direct =
		plan_allocate(clause->shared->plan, sizeof *direct);
	uint32_t row = clause_temp_row(clause);
	struct evg_uop *uop = clause_uop(clause, inst);

	*direct = evg_direct_decode(clause->group->literal[which]);
	uop_set_body(uop, evg_run_local_direct, evg_run_local_direct);
	uop->dest = row;
	uop->extra = direct;
	return plan_state(row);
}

static struct evg_operand mask_source(struct clause_builder *clause,
				      const struct evg_alu_inst *inst,
				      evg_body *body)
{
	uint32_t row = clause_temp_row(clause);
	struct evg_uop *uop = clause_uop(clause, inst);

	uop_set_body(uop, body, body);
	uop->dest = row;
	return plan_state(row);
}

static struct evg_operand machine_source(struct clause_builder *clause,
					 const struct evg_alu_inst *inst,
					 unsigned select)
{
	struct evg_special *special =
	    plan_allocate(clause->shared->plan, sizeof *special);
	uint32_t row = clause_temp_row(clause);
	struct evg_uop *uop = clause_uop(clause, inst);

	special->which = (uint8_t)select;
	special->clause_groups = clause->cf->count;
	uop_set_body(uop, evg_machine_value, evg_machine_value);
	uop->dest = row;
	uop->extra = special;
	return plan_state(row);
}

static struct evg_operand previous_result(struct clause_builder *clause,
					  unsigned slot)
{
	if (clause->previous[slot] == EVG_NO_ROW) {
		clause_trap(clause,
			    "PV or PS of a slot that the previous group "
			    "did not issue");
		return plan_state(0);
	}
	return plan_state(clause->previous[slot]);
}

struct evg_operand clause_source(struct clause_builder *clause,
				 const struct evg_alu_inst *inst,
				 const struct evg_source *source)
{
	static const uint32_t inline_constant[] = {
	    [EVG_SELECT_1_DOUBLE_LOW - 244] = 0,
	    [EVG_SELECT_1_DOUBLE_HIGH - 244] = 0x3ff00000,
	    [EVG_SELECT_HALF_DOUBLE_LOW - 244] = 0,
	    [EVG_SELECT_HALF_DOUBLE_HIGH - 244] = 0x3fe00000,
	    [EVG_SELECT_0 - 244] = 0,
	    [EVG_SELECT_1 - 244] = 0x3f800000,
	    [EVG_SELECT_1_INT - 244] = 1,
	    [EVG_SELECT_M1_INT - 244] = 0xffffffff,
	    [EVG_SELECT_HALF - 244] = 0x3f000000,
	};
	struct plan_builder *shared = clause->shared;
	unsigned select = source->select, channel = source->channel;
	uint32_t row;

	if (select < 128 && source->relative && inst->index_mode)
		return indexed_source(
		    clause, inst,
		    clause_indexed_register(clause, inst->index_mode, select,
					    channel));
	if (select < 128) {
		row = plan_register(shared, select, channel);
		if (row == EVG_NO_ROW)
			clause_trap(clause, "a source beyond the kernel's "
					    "registers");
		if (source->relative)
			return relative_source(clause, inst, select,
					       shared->plan->register_count,
					       channel, false, 0);
		return plan_state(row == EVG_NO_ROW ? 0 : row);
	}
	if (select < EVG_SELECT_KCACHE0 + 64)
		return cached_constant(clause, inst, source,
				       (select - EVG_SELECT_KCACHE0) / 32,
				       select % 32);
	if (select >= EVG_SELECT_KCACHE2 && select < EVG_SELECT_KCACHE3 + 32)
		return cached_constant(clause, inst, source,
				       2 + (select - EVG_SELECT_KCACHE2) / 32,
				       select % 32);
	if (source->relative)
		clause_trap(clause, "a relative operand that is neither a "
				    "register nor a constant");
	if (select >= 244 && select <= EVG_SELECT_HALF)
		return plan_constant(shared, EVG_CONSTANT_VALUE,
				     inline_constant[select - 244]);
	switch (select) {
	case EVG_SELECT_LITERAL:
		return literal(clause, channel);
	case EVG_SELECT_PV:
		return previous_result(clause, channel);
	case EVG_SELECT_PS:
		return previous_result(clause, EVG_T);
	case EVG_SELECT_LDS_OQ_A:
	case EVG_SELECT_LDS_OQ_B:
		return queue_source(clause, inst, select - EVG_SELECT_LDS_OQ_A,
				    false);
	case EVG_SELECT_LDS_OQ_A_POP:
	case EVG_SELECT_LDS_OQ_B_POP:
		return queue_source(clause, inst,
				    select - EVG_SELECT_LDS_OQ_A_POP, true);
	case EVG_SELECT_LDS_DIRECT_A:
	case EVG_SELECT_LDS_DIRECT_B:
		return direct_source(clause, inst,
				     select - EVG_SELECT_LDS_DIRECT_A);
	case EVG_SELECT_MASK_LO:
		return mask_source(clause, inst, shared->plan->simd->mask_low);
	case EVG_SELECT_MASK_HI:
		return mask_source(clause, inst, shared->plan->simd->mask_high);
	case EVG_SELECT_TIME_HI:
	case EVG_SELECT_TIME_LO:
	case EVG_SELECT_HW_WAVE_ID:
	case EVG_SELECT_SIMD_ID:
	case EVG_SELECT_SE_ID:
	case EVG_SELECT_HW_THREADGRP_ID:
	case EVG_SELECT_WAVE_ID_IN_GRP:
	case EVG_SELECT_NUM_THREADGRP_WAVES:
	case EVG_SELECT_HW_ALU_ODD:
	case EVG_SELECT_LOOP_INDEX:
		return machine_source(clause, inst, select);
	default:
		clause_trap(clause,
			    plan_text(shared->plan,
				      "source selector %u is not supported by "
				      "the emulator",
				      select));
		return plan_state(0);
	}
}
