/* Plans of stores and atomics. */
#include "evergreen/emu/memory/atomic.h"
#include "evergreen/emu/plan/plan.h"

/* The registers that are stored, with those of a burst, and the index. */
static const char *choose_registers(struct plan_builder *builder,
				    struct evg_store_plan *plan,
				    const struct evg_cf_inst *cf)
{
	for (unsigned axis = 0; axis < 3; axis++) {
		plan->index[axis] = EVG_NO_ROW;
		if (!(cf->type & 1))
			continue;
		plan->index[axis] =
			plan_register(builder, cf->index_gpr, axis);
		if (plan->index[axis] == EVG_NO_ROW)
			return "an index register beyond the kernel's "
			       "registers";
	}
	for (unsigned channel = 0; channel < 4; channel++) {
		plan->value[channel] =
			plan_register(builder, cf->rw_gpr, channel);
		if (plan->value[channel] == EVG_NO_ROW)
			return "a stored register beyond the kernel's "
			       "registers";
	}
	if (cf->burst_count &&
	    cf->rw_gpr + cf->burst_count >= builder->plan->register_count)
		return "a burst that goes beyond the kernel's registers";
	return NULL;
}

/* Whether the function for the operation alone does: the RAT is global memory
 * unless the launch binds one, and there is nothing unusual. */
static bool is_plain(const struct plan_builder *builder,
		     const struct evg_cf_inst *cf)
{
	return !cf->rat_index_mode && !cf->burst_count &&
	       cf->element_size != 2 && cf->type & 1 &&
	       evg_rat_is_bound(builder->plan->convention, cf->rat_id);
}

/* MSKOR without a result is a store of bytes. */
static bool is_byte_store(enum evg_rat_op op)
{
	return op == EVG_RAT_MSKOR;
}

/* Atomics whose results nobody looks at mostly come in any order. */
static void note_atomic(struct evg_plan *plan, enum evg_rat_op op)
{
	enum evg_atomic atomic = evg_rat_atomic[op];

	if (atomic == EVG_ATOMIC_NONE || is_byte_store(op))
		return;
	if (!evg_atomic_commutes(atomic)) {
		plan->has_ordered_atomics = true;
		return;
	}
	plan->has_atomics = true;
	plan->combines |= !evg_rat_info[op].returns && evg_atomic_joins(atomic);
}

/* MEM_WR_SCRATCH and MEM_EXPORT. */
static void plan_export(struct plan_builder *builder,
			struct evg_store_plan *plan,
			const struct evg_cf_inst *cf, const char **trap)
{
	const struct evg_simd *simd = builder->plan->simd;

	plan->body = cf->op == EVG_CF_MEM_SCRATCH ? simd->scratch_store
						  : simd->export_store;
	*trap = choose_registers(builder, plan, cf);
	if (!*trap && !cf->component_mask)
		*trap = "a store without a component";
}

/* RAT operations. */
static void plan_rat(struct plan_builder *builder, struct evg_store_plan *plan,
		     const struct evg_cf_inst *cf, const char **trap)
{
	const struct evg_simd *simd = builder->plan->simd;

	plan->op = cf->rat_op;
	plan->body = is_byte_store(cf->rat_op) ? simd->store_mskor
					       : simd->rat[cf->rat_op];
	plan->returns = evg_rat_info[cf->rat_op].returns;
	note_atomic(builder->plan, cf->rat_op);
	if (!plan->body)
		*trap = plan_text(builder->plan,
				  "RAT operation %s does not exist in compute "
				  "kernels",
				  evg_rat_info[cf->rat_op].name);
	else if (cf->rat_op != EVG_RAT_NOP)
		*trap = choose_registers(builder, plan, cf);
	if (!*trap && !cf->component_mask &&
	    (cf->rat_op == EVG_RAT_STORE_RAW ||
	     cf->rat_op == EVG_RAT_STORE_TYPED))
		*trap = "a store without a component";
	if (!*trap && cf->rat_op != EVG_RAT_NOP && !is_plain(builder, cf))
		plan->body = simd->store_general;
}

struct evg_store_plan *plan_store(struct plan_builder *builder,
				  const struct evg_cf_inst *cf,
				  const char **trap)
{
	struct evg_store_plan *plan =
		plan_allocate(builder->plan, sizeof *plan);

	plan->cf = cf;
	plan->component_mask = cf->component_mask;
	plan->element_bytes = 4u * (cf->element_size + 1u);
	plan->window = builder->plan->window_count++;
	if (cf->format == EVG_CF_EXPORT_RAT)
		plan_rat(builder, plan, cf, trap);
	else
		plan_export(builder, plan, cf, trap);
	if (*trap)
		return NULL;
	if (cf->rw_relative &&
	    (cf->format != EVG_CF_EXPORT_RAT || cf->rat_op != EVG_RAT_NOP)) {
		plan->inner = plan->body;
		plan->body = evg_store_relative;
	}
	return plan;
}
