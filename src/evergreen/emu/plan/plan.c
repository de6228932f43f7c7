/* Plans: control flow, rows and constants. */
#include "evergreen/emu/plan/plan.h"
#include "evergreen/emu/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct evg_arena {
	struct evg_arena *next;
	size_t used, size;
	alignas(64) uint8_t bytes[];
};

void *plan_allocate(struct evg_plan *plan, size_t size)
{
	struct evg_arena *arena = plan->arena;
	void *place;

	size = (size + 63) & ~(size_t)63;
	if (!arena || arena->used + size > arena->size) {
		size_t room = size > 32768 ? size : 32768;

		arena = aligned_alloc(64, sizeof *arena + room);
		if (!arena)
			arena = xmalloc(SIZE_MAX); /* reports and ends */
		arena->next = plan->arena;
		arena->used = 0;
		arena->size = room;
		plan->arena = arena;
	}
	place = arena->bytes + arena->used;
	arena->used += size;
	memset(place, 0, size);
	return place;
}

const char *plan_text(struct evg_plan *plan, const char *format, ...)
{
	char text[256], *copy;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	copy = plan_allocate(plan, strlen(text) + 1);
	strcpy(copy, text);
	return copy;
}

uint32_t plan_rows(struct plan_builder *builder, uint32_t count)
{
	uint32_t row = builder->plan->row_count * EVG_ROW_BYTES;

	builder->plan->row_count += count;
	return row;
}

uint32_t plan_row(struct plan_builder *builder, uint32_t *row)
{
	if (*row == EVG_NO_ROW)
		*row = plan_rows(builder, 1);
	return *row;
}

uint32_t plan_register(struct plan_builder *builder, unsigned gpr,
		       unsigned channel)
{
	if (gpr < builder->plan->register_count)
		return (4 * gpr + channel) * EVG_ROW_BYTES;
	if (gpr < EVG_FIRST_TEMPORARY || gpr > EVG_FIRST_TEMPORARY + 3)
		return EVG_NO_ROW;
	return plan_row(
	    builder,
	    &builder->temporary_row[gpr - EVG_FIRST_TEMPORARY][channel]);
}

struct evg_operand plan_state(uint32_t row)
{
	return (struct evg_operand){row, EVG_BASE_STATE, 0xff};
}

static struct evg_operand pool_entry(struct plan_builder *builder,
				     struct evg_constant wanted)
{
	struct evg_plan *plan = builder->plan;
	uint32_t i;

	for (i = 0; i < plan->constant_count; i++)
		if (plan->constants[i].kind == wanted.kind &&
		    plan->constants[i].value == wanted.value &&
		    plan->constants[i].bank == wanted.bank)
			break;
	if (i == plan->constant_count) {
		ARRAY_GROW(plan->constants, plan->constant_count,
			   builder->constant_capacity);
		plan->constants[plan->constant_count++] = wanted;
	}
	return (struct evg_operand){i * EVG_CONSTANT_BYTES, EVG_BASE_POOL, 0};
}

struct evg_operand plan_constant(struct plan_builder *builder,
				 enum evg_constant_kind kind, uint32_t value)
{
	return pool_entry(builder, (struct evg_constant){kind, value, 0});
}

struct evg_operand plan_buffer_constant(struct plan_builder *builder,
					unsigned bank, uint32_t dword)
{
	return pool_entry(builder,
			  (struct evg_constant){EVG_CONSTANT_BUFFER, dword,
						(uint8_t)bank});
}

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
	plan->stack_elements = EVG_STACK_ENTRY * kernel->stack_size;
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
	for (struct evg_arena *arena = plan->arena, *next; arena;
	     arena = next) {
		next = arena->next;
		free(arena);
	}
	evg_native_free(plan);
	free(plan->constants);
	free(plan);
}
