/* Plans: control flow, and the clauses in it. */
#include "evergreen/emu/plan/plan.h"
#include "evergreen/emu/native/native.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What COND tests, which is the same in the whole launch. */
static void plan_condition(struct plan_builder *builder,
			   struct evg_cf_plan *plan)
{
	enum { ACTIVE, FALSE, BOOL, NOT_BOOL };
	const struct evg_flow_constants *flow = &builder->kernel->flow;
	const struct evg_cf_inst *cf = &plan->cf->inst;
	uint32_t bit = UINT32_C(1) << cf->cf_const;
	bool passes;

	switch (cf->condition) {
	case BOOL:
		passes = flow->bools & bit;
		break;
	case NOT_BOOL:
		passes = !(flow->bools & bit);
		break;
	default:
		passes = cf->condition == ACTIVE;
	}
	plan->condition = passes ? UINT64_MAX : 0;
	if (cf->condition >= BOOL && !(flow->bools_given & bit))
		plan->trap = plan_text(builder->plan,
				       "boolean constant b%u, which the kernel "
				       "does not give (.bool %u)",
				       cf->cf_const, cf->cf_const);
}

/* The constant of a counted loop or a jump table. */
static void plan_constant_of(struct plan_builder *builder,
			     struct evg_cf_plan *plan)
{
	const struct evg_flow_constants *flow = &builder->kernel->flow;
	const struct evg_cf_inst *cf = &plan->cf->inst;

	if (plan->loop == EVG_LOOP_ENDLESS &&
	    (!evg_cf_does(cf->op, EVG_EFFECT_TABLE) || cf->jumptable_select > 3))
		return;
	plan->constant = flow->loops[cf->cf_const];
	if (!(flow->loops_given >> cf->cf_const & 1))
		plan->trap = plan_text(builder->plan,
				       "loop constant i%u, which the kernel "
				       "does not give (.loop %u)",
				       cf->cf_const, cf->cf_const);
}

static void plan_action(struct plan_builder *builder, struct evg_cf_plan *plan)
{
	const struct evg_cf_inst *cf = &plan->cf->inst;
	const struct evg_control *control = &evg_control[cf->op];

	plan->action = (uint8_t)control->action;
	plan->loop = (uint8_t)control->loop;
	plan->pops = control->is_clause ? control->pops : cf->pop_count;
	builder->plan->synchronizes |= evg_cf_does(cf->op, EVG_EFFECT_SYNC);
	if (!plan->action)
		plan->trap = plan_text(builder->plan,
				       "%s is not supported by the emulator",
				       evg_cf_info[cf->op].name);
}

static void plan_cf(struct plan_builder *builder, uint32_t address)
{
	struct evg_plan *plan = builder->plan;
	const struct evg_code_cf *code = &builder->code->cf[address];
	struct evg_cf_plan *cf = &plan->cf[address];

	cf->cf = code;
	cf->next = address + code->size;
	plan_action(builder, cf);
	plan_condition(builder, cf);
	plan_constant_of(builder, cf);
	cf->counter = plan->counter_count++;
	cf->instruction_count = 1 + code->count;
	cf->ends = code->inst.end_of_program;
	if (cf->trap)
		return;
	if (code->clause == EVG_CLAUSE_ALU) {
		cf->alu = plan_alu_clause(builder, code);
	} else if (code->clause == EVG_CLAUSE_FETCH) {
		cf->fetch_count = code->count;
		cf->fetches = plan_allocate(plan, code->count *
							  sizeof *cf->fetches);
		for (uint32_t i = 0; i < code->count; i++)
			plan_fetch(builder, &cf->fetches[i],
				   &builder->code->fetches[code->first + i]);
	} else if (code->clause == EVG_CLAUSE_GDS) {
		cf->fetch_count = code->count;
		cf->fetches = plan_allocate(plan, code->count *
							  sizeof *cf->fetches);
		for (uint32_t i = 0; i < code->count; i++)
			plan_gds(builder, &cf->fetches[i],
				 &builder->code->fetches[code->first + i]);
	} else if (code->inst.format == EVG_CF_EXPORT_RAT ||
		   code->inst.format == EVG_CF_EXPORT_BUF) {
		cf->store = plan_store(builder, &code->inst, &cf->trap);
	}
	if (cf->fetch_count && cf->condition)
		cf->fetches[0].counter = cf->counter;
}

/* AR, the clause temporaries, and relative operands: a predicate may keep their
 * lanes from being read, and the result still be seen in PV. */
static void note_zero_row(struct evg_plan *plan, uint32_t row)
{
	if (row != EVG_NO_ROW)
		plan->zero_row[plan->zero_row_count++] = row;
}

struct evg_plan *evg_plan_create(const struct evg_kernel *kernel,
				 const struct evg_simd *simd)
{
	struct evg_plan *plan = xcalloc(1, sizeof *plan);
	struct plan_builder *builder = xmalloc(sizeof *builder);

	/* All row numbers begin as EVG_NO_ROW. */
	memset(builder, 0xff, sizeof *builder);
	builder->plan = plan;
	builder->code = kernel->code;
	builder->kernel = kernel;
	builder->constant_capacity = 0;
	memset(builder->lane_queue_depth, 0,
	       sizeof builder->lane_queue_depth);
	plan->code = kernel->code;
	plan->simd = simd;
	plan->float_mode = kernel->float_mode;
	plan->convention = kernel->program ? kernel->program->convention
					   : EVG_CONVENTION_LLVM;
	plan->register_count = kernel->registers < 2 ? 2 : kernel->registers;
	plan->row_count = 4 * plan->register_count;
	plan->stack_elements = kernel->stack_size *
		evg_chip_info[kernel->program ? kernel->program->chip
					      : EVG_CHIP_CYPRESS].entry;
	plan->cf_count = kernel->code->cf_count;
	plan->cf = plan_allocate(plan, plan->cf_count * sizeof *plan->cf);
	/* Unused sources read this one: entry 0 of the pool. */
	plan_constant(builder, EVG_CONSTANT_VALUE, 0);
	for (uint32_t i = 0; i < plan->cf_count; i++)
		if (kernel->code->cf[i].size)
			plan_cf(builder, i);
	note_zero_row(plan, builder->address_row);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned channel = 0; channel < 4; channel++)
			note_zero_row(plan,
				      builder->temporary_row[i][channel]);
	for (unsigned i = 0; i < EVG_TEMP_ROWS; i++)
		note_zero_row(plan, builder->temp_row[i]);
	memcpy(plan->result_row, builder->result_row,
	       sizeof plan->result_row);
	free(builder);
	return plan;
}

bool evg_plan_is_ordered(const struct evg_plan *plan)
{
	return plan->shares_registers || plan->synchronizes || plan->uses_gds ||
	       plan->has_ordered_atomics ||
	       (plan->has_atomics && plan->reads_atomics);
}

void evg_plan_free(struct evg_plan *plan)
{
	if (!plan)
		return;
	plan_memory_free(plan);
	evg_native_free(plan);
	free(plan);
}
