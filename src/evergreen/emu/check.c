#include "evergreen/emu/check.h"

#include "evergreen/emu/plan/alu.h"

static const char *group_trap(const struct evg_clause_plan *clause,
			      const struct evg_group_plan *group)
{
	for (uint32_t i = 0; i < group->uop_count; i++) {
		const char *trap =
			uop_trap(&clause->uops[group->first_uop + i]);

		if (trap)
			return trap;
	}
	return NULL;
}

static int check_cf(const struct evg_cf_plan *cf, struct error *error)
{
	if (cf->trap)
		return error_set(error, "instruction at %u: %s",
				 cf->cf->address, cf->trap);
	for (uint32_t i = 0; cf->alu && i < cf->alu->group_count; i++) {
		const struct evg_group_plan *group = &cf->alu->groups[i];
		const char *trap = group_trap(cf->alu, group);

		if (trap)
			return error_set(error, "group at %u: %s",
					 group->code->address, trap);
	}
	for (uint32_t i = 0; i < cf->fetch_count; i++)
		if (cf->fetches[i].trap)
			return error_set(error, "fetch at %u: %s",
					 cf->fetches[i].fetch->address,
					 cf->fetches[i].trap);
	return 0;
}

int evg_kernel_check(const struct evg_kernel *kernel, struct error *error)
{
	struct evg_plan *plan = evg_plan_create(kernel, evg_simd_best());
	int status = 0;

	for (uint32_t i = 0; i < plan->cf_count && !status; i++)
		if (kernel->code->cf[i].size)
			status = check_cf(&plan->cf[i], error);
	evg_plan_free(plan);
	return status;
}
