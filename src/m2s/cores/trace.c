/* What a timeline has of cores: whose thread each of them executes, and when it is
 * in the kernel. */
#include "m2s/cores/internal.h"

static void name_track(char *name, size_t size, uint32_t track)
{
	snprintf(name, size, "core %u", track);
}

static void name_thread(char *name, size_t size, uint32_t track)
{
	snprintf(name, size, "hardware thread %u", track);
}

void x86_machine_trace(struct x86_machine *machine, struct timeline *timeline)
{
	if (!timeline_window(timeline)->kind[TIMELINE_CORES])
		return;
	machine->timeline = timeline;
	machine->trace = timeline_buffer_create(timeline, TIMELINE_CPU,
						"x86 cores",
						machine->threads > 1
							? name_thread
							: name_track);
}

static const char *activity_of(const struct machine_core *core)
{
	if (!core->thread || linux_has_ended(core->thread))
		return NULL;
	switch (core->state) {
	case CORE_RUNS:
		return core->machine->phase.kind == SAMPLING_DETAIL
			       ? "user" : "fast-forward";
	case CORE_KERNEL:
		return "kernel";
	case CORE_DEVICE:
		return "waits for the GPU";
	case CORE_IDLE:
		break;
	}
	return NULL;
}

static void end_activity(struct machine_core *core, uint64_t cycle)
{
	const struct x86_machine *machine = core->machine;
	const struct machine_activity *activity = &core->activity;
	const struct timeline_range *cycles =
		&timeline_window(machine->timeline)->cycles;
	struct timeline_event event = {
		.start = clock_cycle_start(activity->since, machine->frequency),
		.end = clock_cycle_start(cycle, machine->frequency),
		.name = activity->name,
		.track = core->id,
		.argument = { "process", "thread" },
		.value = { activity->process, activity->thread },
	};

	if (!activity->name || activity->since >= cycle ||
	    cycle <= cycles->from || activity->since >= cycles->to)
		return;
	timeline_add(machine->trace, &event);
	timeline_write(machine->trace, 0);
}

void machine_trace(struct machine_core *core)
{
	struct machine_activity *activity = &core->activity;
	uint64_t cycle;
	const char *name;
	uint64_t thread;

	if (!core->machine->trace)
		return;
	name = activity_of(core);
	thread = name ? (uint64_t)linux_thread_id(core->thread) : 0;
	if (name == activity->name && thread == activity->thread)
		return;
	cycle = x86_core_cycle(core->core);
	end_activity(core, cycle);
	*activity = (struct machine_activity){
		.name = name, .since = cycle, .thread = thread,
		.process = name ? (uint64_t)linux_process_id(core->thread) : 0,
	};
}

void machine_trace_end(struct x86_machine *machine)
{
	for (unsigned i = 0; machine->trace && i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		end_activity(core, x86_core_cycle(core->core));
		core->activity.name = NULL;
	}
}
