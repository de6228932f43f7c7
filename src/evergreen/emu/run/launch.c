/* Whether a launch fits the machine. */
#include <inttypes.h>

#include "evergreen/emu/machine.h"

static int check_sizes(const struct evg_launch *launch, struct error *error)
{
	const char *name = launch->kernel->name;
	uint64_t items = 1, groups = 1;

	if (launch->work_dim < 1 || launch->work_dim > 3)
		return error_set(error, "kernel '%s': %u work dimensions: "
					"must be 1, 2 or 3",
				 name, launch->work_dim);
	for (int d = 0; d < 3; d++) {
		uint32_t global = launch->global_size[d];
		uint32_t local = launch->local_size[d];

		if (!global || !local)
			return error_set(error, "kernel '%s': the size of "
						"dimension %d is 0",
					 name, d);
		if (global % local)
			return error_set(error,
					 "kernel '%s': global size %" PRIu32
					 " of dimension %d is not a multiple "
					 "of the local size %" PRIu32,
					 name, global, d, local);
		items *= local;
		groups *= global / local;
		if (items > EVG_MAX_GROUP_ITEMS)
			return error_set(error,
					 "kernel '%s': a work-group of "
					 "%" PRIu32 " x %" PRIu32 " x %" PRIu32
					 " work-items: the machine has at most "
					 "%d",
					 name, launch->local_size[0],
					 launch->local_size[1],
					 launch->local_size[2],
					 EVG_MAX_GROUP_ITEMS);
		if (groups > UINT64_C(1) << 48)
			return error_set(error, "kernel '%s': too many "
						"work-groups",
					 name);
	}
	return 0;
}

static int check_kernel(const struct evg_launch *launch, struct error *error)
{
	const struct evg_kernel *kernel = launch->kernel;

	if (kernel->registers > EVG_MAX_REGISTERS)
		return error_set(error,
				 "kernel '%s' needs %" PRIu32
				 " registers per work-item: the machine has %d",
				 kernel->name, kernel->registers,
				 EVG_MAX_REGISTERS);
	if (launch->local_memory > EVG_MAX_LOCAL_MEMORY)
		return error_set(error,
				 "kernel '%s' needs %" PRIu32
				 " bytes of local memory per work-group: the "
				 "machine has %d",
				 kernel->name, launch->local_memory,
				 EVG_MAX_LOCAL_MEMORY);
	for (int d = 0; d < 3; d++)
		if (kernel->reqd_work_group_size[d] &&
		    kernel->reqd_work_group_size[d] != launch->local_size[d])
			return error_set(
				error,
				"kernel '%s' requires a work-group size of "
				"%" PRIu32 " in dimension %d, not %" PRIu32,
				kernel->name, kernel->reqd_work_group_size[d],
				d, launch->local_size[d]);
	return 0;
}

int evg_launch_check(const struct evg_launch *launch, struct error *error)
{
	return check_sizes(launch, error) || check_kernel(launch, error) ? -1
									 : 0;
}
