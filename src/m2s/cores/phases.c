/* Parts of a program that are executed and not simulated: skipped, or warming. What
 * is executed takes a cycle an instruction, and system calls take no time. */
#include "m2s/cores/internal.h"
#include "m2s/sampling/phases.h"

/* The number of instructions that the phase has executed so far. */
static uint64_t executed(const struct x86_machine *machine)
{
	return machine->phase.length -
	       (machine->phase.cut ? machine->phase.cut : machine->left);
}

static void begin(struct x86_machine *machine)
{
	struct machine_phase *phase = &machine->phase;
	struct sampling_step step = sampling_step(
		&machine->plan, phase->done, phase->inside, phase->since);

	phase->kind = step.phase;
	phase->start = machine->now;
	phase->sampled = machine->plan.phases ||
			 (machine->plan.period &&
			  phase->done >= machine->plan.fast_forward &&
			  (phase->inside || !machine->plan.markers));
	phase->kernel = machine_kernel_cycles(machine);
	phase->length = step.instructions < phase->limit ? step.instructions
							 : phase->limit;
	phase->cut = 0;
	machine->left = phase->length;
	machine_units_begin(machine);
}

void machine_phases_begin(struct x86_machine *machine)
{
	machine->phase.limit = linux_instructions_left(machine->system);
	begin(machine);
}

bool machine_phase_is_over(const struct x86_machine *machine)
{
	return !machine->left &&
	       (machine->phase.cut ||
		machine->phase.length < machine->phase.limit);
}

void machine_core_pass(struct machine_core *core, uint64_t until,
		       enum x86_core_part part)
{
	if (machine_is_detailed(core->machine))
		x86_core_skip(core->core, until, part);
	else
		x86_core_move(core->core, until);
}

void machine_phase_end(struct x86_machine *machine)
{
	struct machine_phase *phase = &machine->phase;

	for (unsigned i = 0; i < machine->count; i++)
		if (x86_core_cycle(machine->core[i].core) > machine->now)
			machine->now = x86_core_cycle(machine->core[i].core);
	for (unsigned i = 0; i < machine->count; i++)
		machine_core_pass(&machine->core[i], machine->now,
				  X86_CORE_IDLE);
	if (phase->sampled) {
		machine->estimate.instructions += executed(machine);
		machine->estimate.kernel += machine_kernel_cycles(machine) -
					    phase->kernel;
	}
	if (machine->plan.phases) {
		machine->plan.phases->instructions =
			machine->estimate.instructions;
		machine->plan.phases->kernel = machine->estimate.kernel;
	}
	if (!machine_is_detailed(machine))
		machine->forwarded += machine->now - phase->start;
}

bool machine_phase_next(struct x86_machine *machine)
{
	struct machine_phase *phase = &machine->phase;
	uint64_t done = executed(machine);
	bool parked = false;

	for (unsigned i = 0; i < machine->count; i++)
		parked |= machine->core[i].parked;
	if (!parked)
		return false;
	machine_phase_end(machine);
	phase->done += done;
	phase->limit -= done;
	begin(machine);
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		machine_trace(core);
		if (!core->parked)
			continue;
		core->parked = false;
		core->retired_at = machine->now;
		fetch_clear(&core->fetch, true);
		fetch_enter(&core->fetch, linux_cpu(core->thread));
	}
	return true;
}

void machine_marker(struct machine_core *core)
{
	struct x86_machine *machine = core->machine;
	struct machine_phase *phase = &machine->phase;
	unsigned code = linux_cpu(core->thread)->marker;
	bool inside = code == X86_MARKER_BEGIN;

	if (!machine->plan.markers || phase->inside == inside ||
	    (code != X86_MARKER_BEGIN && code != X86_MARKER_END))
		return;
	phase->inside = inside;
	if (inside)
		phase->since = phase->done + executed(machine);
	/* Fast-forward by instructions goes on. A phase with nothing left ends
	 * anyway. */
	if (phase->done + executed(machine) < machine->plan.fast_forward ||
	    !machine->left)
		return;
	phase->cut = machine->left;
	machine->left = 0;
}

bool machine_core_forward(struct machine_core *core, uint64_t until,
			  enum x86_stop *why)
{
	struct x86_machine *machine = core->machine;
	struct x86_cpu *cpu = linux_cpu(core->thread);
	uint64_t cycle = x86_core_cycle(core->core), done;
	uint64_t wanted = until - cycle < machine->left ? until - cycle
							: machine->left;
	enum x86_stop stop = X86_STOP_QUANTUM;

	if (machine_phase_is_over(machine)) {
		core->parked = true;
		return false;
	}
	*why = stop;
	if (core->wanted || !wanted) {
		/* All that may be executed has been, and of this core it is
		 * counted. Cores that are ahead have their turns then. */
		if (!machine->left &&
		    machine_core_executed(core) == core->counted)
			x86_core_move(core->core, cycle + 1);
		return true;
	}
	done = x86_instructions(cpu);
	if (machine->phase.kind == SAMPLING_WARM)
		stop = machine_core_warm(core, wanted);
	else
		stop = x86_run(cpu, wanted);
	done = x86_instructions(cpu) - done;
	machine->left -= done < machine->left ? done : machine->left;
	core->forwarded += done;
	/* A fault takes a cycle, so that time passes. */
	x86_core_move(core->core, cycle + done + (stop != X86_STOP_QUANTUM));
	*why = stop;
	return stop != X86_STOP_QUANTUM;
}
