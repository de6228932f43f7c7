/* Units of sampling: instructions whose cycles are measured. They begin and end when
 * the core is seen behind the first and the last one. The few instructions by which
 * that is late are the unit's own. */
#include "m2s/cores/internal.h"
#include "m2s/sampling/phases.h"

static uint64_t retired(const struct x86_machine *machine)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < machine->count; i++)
		sum += machine->core[i].fetch.counts.instructions;
	return sum;
}

uint64_t machine_kernel_cycles(const struct x86_machine *machine)
{
	const struct x86_config *config = machine->config;
	uint64_t sum = 0;

	for (unsigned i = 0; i < machine->count; i++) {
		const struct machine_core *core = &machine->core[i];

		sum += (core->n.calls + core->forwarded_calls) *
		       config->call_cycles;
		if (core->caches)
			sum += x86_caches_counts(core->caches)->faults *
			       config->fault_cycles;
	}
	return sum;
}

/* The next interval of a phase of the program, if it begins in this part. */
static void find_interval(struct x86_machine *machine)
{
	const struct sampling_phases *phases = machine->plan.phases;
	const struct machine_phase *part = &machine->phase;
	struct machine_unit *unit = &machine->unit;
	uint64_t start;

	unit->begun = false;
	unit->next = UINT64_MAX;
	while (unit->phase < phases->count &&
	       phases->row[unit->phase].start < part->done)
		unit->phase++;
	if (unit->phase == phases->count)
		return;
	start = phases->row[unit->phase].start - part->done;
	if (start < part->length)
		unit->next = unit->base + start;
}

void machine_units_begin(struct x86_machine *machine)
{
	struct machine_unit *unit = &machine->unit;

	unit->next = UINT64_MAX;
	if (!machine->phase.sampled || !machine_is_detailed(machine))
		return;
	unit->base = retired(machine);
	unit->begun = false;
	if (machine->plan.phases)
		find_interval(machine);
	else
		unit->next = unit->base + machine->plan.lead;
}

/* The unit's cycles for each of its instructions. */
static double measure(const struct machine_core *core, uint64_t now)
{
	const struct machine_unit *unit = &core->machine->unit;
	uint64_t kernel = machine_kernel_cycles(core->machine) - unit->kernel;
	uint64_t cycles = x86_core_cycle(core->core) - unit->cycle;

	return (double)(cycles > kernel ? cycles - kernel : 0) /
	       (double)(now - unit->retired);
}

static void end_interval(const struct machine_core *core, uint64_t now)
{
	struct x86_machine *machine = core->machine;
	struct sampling_phase_row *row =
		&machine->plan.phases->row[machine->unit.phase++];

	row->cpi = measure(core, now);
	row->measured = 1;
	find_interval(machine);
}

void machine_unit_look(const struct machine_core *core)
{
	struct x86_machine *machine = core->machine;
	struct sampling_phases *phases = machine->plan.phases;
	struct machine_unit *unit = &machine->unit;
	uint64_t now = retired(machine);

	if (now >= unit->next && unit->begun) {
		if (phases) {
			end_interval(core, now);
		} else {
			sampling_add(&machine->estimate, measure(core, now));
			unit->next = UINT64_MAX;
		}
	}
	if (now < unit->next)
		return;
	/* The end of an interval is exact, as a program may end there. */
	unit->next = phases ? unit->next + phases->length
			    : now + machine->plan.unit;
	unit->retired = now;
	unit->cycle = x86_core_cycle(core->core);
	unit->kernel = machine_kernel_cycles(machine);
	unit->begun = true;
}
