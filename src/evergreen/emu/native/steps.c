/* Machine code for who steps wavefronts VLIW group by VLIW group: of groups
 * that follow each other in a segment and act on nothing but the wavefront's own
 * rows. It runs with the first of them. Nobody sees the rows before the others'
 * turn, so that it makes no difference when they change. */
#include "evergreen/emu/native/build.h"
#include "evergreen/emu/native/native.h"

enum {
	/* Of one uop the interpreter's function is as fast. */
	LEAST_UOPS = 2,
};

static bool is_own(const struct native *n, const struct evg_clause_plan *clause,
		   uint32_t group)
{
	const struct evg_group_plan *plan = &clause->groups[group];

	for (uint32_t i = 0; i < plan->uop_count; i++)
		if (!native_has(n, &clause->uops[plan->first_uop + i]))
			return false;
	return true;
}

static void compile_groups(struct native *n, struct evg_clause_plan *clause,
			   uint32_t first, uint32_t count)
{
	struct evg_group_plan *groups = clause->groups + first;
	uint32_t uops = 0;

	for (uint32_t i = 0; i < count; i++)
		uops += groups[i].uop_count;
	if (uops < LEAST_UOPS)
		return;
	for (unsigned all = 0; all < 2; all++)
		groups->native[all] =
			native_groups(n, clause, first, count, !all);
	if (!groups->native[0] || !groups->native[1])
		groups->native[0] = groups->native[1] = NULL;
	for (uint32_t i = 1; i < count; i++)
		groups[i].joins = groups->native[0];
}

static void compile_clause(struct native *n, struct evg_clause_plan *clause)
{
	for (uint32_t i = 0; i < clause->segment_count; i++) {
		const struct evg_segment *segment = &clause->segments[i];
		uint32_t at = segment->first_group;
		uint32_t end = at + segment->group_count;

		for (uint32_t k = at; k + 1 < end; k++)
			clause->groups[k].plain = is_own(n, clause, k);
		while (at < end) {
			uint32_t first = at;

			while (at < end && is_own(n, clause, at))
				at++;
			compile_groups(n, clause, first, at - first);
			at += at == first;
		}
	}
}

static void forget_clause(struct evg_clause_plan *clause)
{
	for (uint32_t i = 0; i < clause->group_count; i++) {
		struct evg_group_plan *group = &clause->groups[i];

		group->native[0] = group->native[1] = NULL;
		group->joins = group->plain = false;
	}
}

static size_t code_size(const struct evg_plan *plan)
{
	size_t size = NATIVE_CONSTANT_BYTES + NATIVE_SEGMENT_BYTES;

	for (uint32_t i = 0; i < plan->cf_count; i++) {
		const struct evg_clause_plan *clause = plan->cf[i].alu;

		for (uint32_t k = 0; clause && k < clause->group_count; k++)
			size += NATIVE_SEGMENT_BYTES +
				clause->groups[k].uop_count * NATIVE_UOP_BYTES;
	}
	return size;
}

void evg_native_compile_steps(struct evg_plan *plan)
{
	struct native n;

	/* Others may see the rows of shared registers. */
	if (plan->steps || plan->shares_registers)
		return;
	plan->steps = native_begin(&n, plan, code_size(plan));
	if (!plan->steps)
		return;
	for (uint32_t i = 0; i < plan->cf_count; i++)
		if (plan->cf[i].alu)
			compile_clause(&n, plan->cf[i].alu);
	if (native_end(plan->steps))
		return;
	for (uint32_t i = 0; i < plan->cf_count; i++)
		if (plan->cf[i].alu)
			forget_clause(plan->cf[i].alu);
}
