/* A core that makes no progress ends the run. */
#include <inttypes.h>

#include "m2s/cores/internal.h"

void machine_core_fail(struct machine_core *core)
{
	struct x86_machine *machine = core->machine;

	error_set(machine->error, "core %u makes no progress in cycle %" PRIu64
		  ": an error of the model", core->id, x86_core_cycle(core->core));
	x86_core_describe(core->core, stderr);
	machine->failed = true;
}

void machine_core_look_at_progress(struct machine_core *core)
{
	uint64_t limit = core->machine->config->watchdog;

	if (core->fetch.retired != core->retired) {
		core->retired = core->fetch.retired;
		core->retired_at = x86_core_cycle(core->core);
	} else if (limit && x86_core_cycle(core->core) - core->retired_at > limit) {
		machine_core_fail(core);
		error_prefix(core->machine->error,
			     "nothing has retired for %" PRIu64
			     " cycles ([ General ] Watchdog)", limit);
	}
}
