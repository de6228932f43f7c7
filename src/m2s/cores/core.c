/* One core of the machine: its thread executes, stops, is in the kernel. */
#include <inttypes.h>

#include "m2s/cores/internal.h"

static uint64_t cycle_of(const struct machine_core *core)
{
	return x86_core_cycle(core->core);
}

/* The guest's clock goes with the core that acts. */
static void tell_time(const struct machine_core *core)
{
	if (cycle_of(core) > core->machine->now)
		core->machine->now = cycle_of(core);
}

void machine_core_committed(void *owner, uint64_t address, uint64_t size)
{
	const struct machine_core *core = owner;
	struct x86_machine *machine = core->machine;

	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *other = &machine->core[i];

		if (other != core && other->state == CORE_RUNS &&
		    other->fetch.cpu->space == core->fetch.cpu->space)
			x86_core_line_lost(other->core, address, size);
	}
}

/* ---- Threads ---- */

/* A core without a thread, or whose thread waits for the device, leaves its share
 * to the core's other threads. */
static void set_state(struct machine_core *core, enum machine_core_state state)
{
	core->state = state;
	x86_core_busy(core->core, state == CORE_RUNS || state == CORE_KERNEL);
}

void machine_core_charge(struct machine_core *core, struct context *thread)
{
	struct x86_profile *profile;

	if (!core->machine->profile)
		return;
	profile = machine_profile_of(core->machine->profile, thread);
	profile->last = NULL;
	core->fetch.profile = profile;
	x86_core_charge(core->core, profile);
}

/* The kernel sees all that threads have stored, and may unmap what they have
 * stored to. Stores may always come early. */
static void publish_all(struct x86_machine *machine)
{
	for (unsigned i = 0; i < machine->count; i++)
		if (machine->core[i].state == CORE_RUNS)
			x86_stores_publish(linux_cpu(machine->core[i].thread),
					   UINT64_MAX);
}

static void differs(struct machine_core *core)
{
	struct x86_machine *machine = core->machine;

	if (!machine->failed)
		*machine->error = *x86_check_error(core->fetch.check);
	machine->failed = true;
}

/* The kernel is about to work for the core's thread, which has drained, or is
 * about to start. */
static void before_kernel(struct machine_core *core, bool starts)
{
	struct x86_check *check = core->fetch.check;
	struct x86_cpu *cpu;

	publish_all(core->machine);
	if (!check)
		return;
	cpu = linux_cpu(core->thread);
	if (starts ? x86_check_enter(check, cpu) != 0
		   : !x86_check_drained(check, cpu))
		differs(core);
}

/* It has worked: tells the threads that run on the same memory. */
static void after_kernel(struct machine_core *core, enum linux_fate fate)
{
	struct x86_machine *machine = core->machine;
	struct x86_check *check = core->fetch.check;

	for (unsigned i = 0; check && i < machine->count; i++) {
		const struct machine_core *other = &machine->core[i];

		if (other == core || !other->thread ||
		    linux_has_ended(other->thread) ||
		    !x86_check_is_in(other->fetch.check,
				     x86_check_memory(check)))
			continue;
		x86_check_tell(check);
		break;
	}
	if (check && fate > LINUX_CALLS)
		x86_check_leave(check);
}

/* Another thread has ended the core's: its processor state is no more. What has
 * retired counts. What was executed ahead of that, `dropped`, never happened, and
 * others may execute as much in its place. */
static void lose_thread(struct machine_core *core, uint64_t dropped)
{
	struct x86_machine *machine = core->machine;

	if (core->fetch.check)
		x86_check_leave(core->fetch.check);
	linux_lose(machine->system, core->thread,
		   machine_core_executed(core) - core->counted);
	if (machine->phase.cut)
		machine->phase.cut += dropped;
	else
		machine->left += dropped;
	core->thread = NULL;
	core->pause = PAUSE_NONE;
	core->parked = false;
	machine_core_charge(core, NULL);
	set_state(core, CORE_IDLE);
	machine_trace(core);
	machine->look = 0;
}

void machine_look_at_threads(struct x86_machine *machine)
{
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		if (core->state != CORE_RUNS ||
		    !linux_wants(machine->system, core->thread))
			continue;
		if (!linux_has_ended(core->thread)) {
			core->wanted = true;
			continue;
		}
		lose_thread(core, fetch_clear(&core->fetch, false));
	}
}

static void wait_until(struct machine_core *core, enum machine_core_state state,
		       uint64_t until)
{
	set_state(core, state);
	core->until = until;
}

static void go_on(struct machine_core *core)
{
	set_state(core, CORE_RUNS);
	/* What the memory has had to do meanwhile comes first. */
	if (!core->machine->windows && core->caches)
		event_queue_run(core->machine->events,
				clock_cycle_start(cycle_of(core),
						  core->machine->frequency));
	core->wanted = false;
	core->retired_at = cycle_of(core);
	machine_core_charge(core, core->thread);
	if (core->caches)
		x86_caches_enter(core->caches,
				 x86_frames_table(core->machine->frames,
						  linux_cpu(core->thread)->space),
				 core->machine->config->fault_cycles);
	fetch_enter(&core->fetch, linux_cpu(core->thread));
	if (core->fetch.differs)
		differs(core);
	machine_trace(core);
}

/* What becomes of the core's thread; the kernel has worked for it until cycle
 * `until`. */
static void settle(struct machine_core *core, enum linux_fate fate,
		   enum machine_core_state state, uint64_t until)
{
	core->calls = fate == LINUX_CALLS;
	if (fate > LINUX_CALLS) {
		core->thread = NULL;
		machine_core_charge(core, NULL);
		set_state(core, CORE_IDLE);
	} else if (until > cycle_of(core)) {
		wait_until(core, state, until);
	} else {
		go_on(core);
	}
	machine_trace(core);
	machine_look_at_threads(core->machine);
	core->machine->look = 0;
}

/* The device's time is not behind a cycle's. Returns it. */
static picoseconds reach_device(struct x86_machine *machine, uint64_t cycle)
{
	const struct x86_machine_device *device = &machine->device;

	if (!device->now)
		return 0;
	device->reach(device->owner, clock_cycle_start(cycle,
						       machine->frequency));
	return device->now(device->owner);
}

/* The cycle to which the device's time has come since it was `before`; 0: it has
 * not worked. */
static uint64_t device_cycle(struct x86_machine *machine, picoseconds before)
{
	const struct x86_machine_device *device = &machine->device;
	picoseconds now = device->now ? device->now(device->owner) : 0;

	return now == before ? 0 : clock_cycle_at(now, machine->frequency);
}

void machine_core_start(struct machine_core *core, struct context *thread)
{
	struct x86_machine *machine = core->machine;
	const struct x86_config *config = machine->config;
	uint64_t switching = machine_is_detailed(machine)
				     ? config->switch_cycles : 0, until;
	picoseconds before;
	enum linux_fate fate;

	machine_core_pass(core, machine->now, X86_CORE_IDLE);
	core->n.starts += machine_is_detailed(machine);
	core->thread = thread;
	core->counted = machine_core_executed(core);
	core->quantum = core->counted + config->context_quantum;
	machine_core_charge(core, thread);
	before_kernel(core, true);
	machine_kernel_begins(machine);
	before = reach_device(machine, cycle_of(core));
	fate = linux_start(machine->system, thread);
	machine_kernel_ends(core, fate == LINUX_GOES_ON);
	after_kernel(core, fate);
	until = device_cycle(machine, before);
	if (until <= cycle_of(core) + switching) {
		settle(core, fate, CORE_KERNEL, cycle_of(core) + switching);
		return;
	}
	core->n.device_cycles += machine_is_detailed(machine)
					 ? until - cycle_of(core) : 0;
	settle(core, fate, CORE_DEVICE, until);
}

/* ---- Stops ---- */

/* The system call takes effect. A device that worked for it may be ahead. */
static void complete_call(struct machine_core *core)
{
	struct x86_machine *machine = core->machine;
	enum machine_core_state state = CORE_DEVICE;
	uint64_t until = cycle_of(core);
	picoseconds before;
	enum linux_fate fate;

	machine->shot = false;
	before = reach_device(machine, until);
	publish_all(machine);
	machine_kernel_begins(machine);
	fate = linux_complete(machine->system, core->thread);
	machine_kernel_ends(core, fate == LINUX_GOES_ON);
	after_kernel(core, fate);
	if (device_cycle(machine, before) > until)
		until = device_cycle(machine, before);
	if (until > cycle_of(core) && machine_is_detailed(machine))
		core->n.device_cycles += until - cycle_of(core);
	if (machine->shot && until == cycle_of(core) &&
	    machine_is_detailed(machine)) {
		core->n.shootdowns++;
		until += machine->config->shootdown_cycles;
		state = CORE_KERNEL;
	}
	settle(core, fate, state, until);
}

/* Handles a stop of a core's thread; nothing is in flight. */
static void end_turn(struct machine_core *core, enum x86_stop stop)
{
	struct x86_machine *machine = core->machine;
	bool detailed = machine_is_detailed(machine);
	uint64_t until = cycle_of(core);
	enum linux_fate fate;

	tell_time(core);
	before_kernel(core, false);
	if (stop == X86_STOP_MARKER)
		machine_marker(core);
	machine_kernel_begins(machine);
	fate = linux_stop(machine->system, core->thread, stop);
	core->counted = machine_core_executed(core);
	machine_kernel_ends(core, fate == LINUX_GOES_ON);
	if (fate != LINUX_CALLS)
		after_kernel(core, fate);
	if (!detailed || stop == X86_STOP_MARKER) {
		/* takes no time */
		core->forwarded_calls += fate == LINUX_CALLS;
	} else if (stop == X86_STOP_QUANTUM) {
		core->n.preemptions++;
	} else {
		until += machine->config->call_cycles;
		if (fate == LINUX_CALLS)
			core->n.calls++;
		else
			core->n.faults++;
	}
	if (fate == LINUX_CALLS && until == cycle_of(core)) {
		core->calls = true;
		complete_call(core);
		return;
	}
	settle(core, fate, CORE_KERNEL, until);
}

/* The core has drained: the thread's stop is handled. */
static void handle_stop(struct machine_core *core)
{
	struct fetch *fetch = &core->fetch;
	enum x86_stop stop = fetch->stopped ? fetch->stop : X86_STOP_QUANTUM;

	/* Another core may have taken what was left meanwhile. */
	if (stop == X86_STOP_ASKED && core->machine->left) {
		tell_time(core);
		fetch_step(fetch);
		return;
	}
	fetch->stopped = false;
	if (stop == X86_STOP_QUANTUM || stop == X86_STOP_ASKED) {
		stop = X86_STOP_QUANTUM;
		if (machine_phase_is_over(core->machine) && !core->wanted) {
			core->parked = true;
			return;
		}
	}
	end_turn(core, stop);
}

void machine_core_look_at_quantum(struct machine_core *core)
{
	struct x86_machine *machine = core->machine;

	if (core->state != CORE_RUNS || core->wanted ||
	    machine_core_executed(core) < core->quantum)
		return;
	core->quantum = machine_core_executed(core) +
			machine->config->context_quantum;
	tell_time(core);
	core->wanted = linux_next(machine->system, NULL) != NULL;
}

/* ---- Cycles ---- */

/* Whether the core has to stop before this, as others are simulated beside it. */
static bool must_pause(struct machine_core *core, enum machine_pause pause)
{
	if (core->machine->apart)
		core->pause = pause;
	return core->machine->apart;
}

static void execute(struct machine_core *core, uint64_t until)
{
	struct fetch *fetch = &core->fetch;
	enum x86_core_state state;
	bool last;

	fetch_hold(fetch, core->machine->several);
	fetch_supply(fetch, !core->wanted);
	if (fetch_is_alone(fetch) && !core->wanted &&
	    must_pause(core, PAUSE_FETCH))
		return;
	if (fetch->locks && !core->wanted && machine_core_may_lock(core)) {
		if (must_pause(core, PAUSE_LOCK))
			return;
		fetch_lock(fetch, core->accessed);
		fetch_supply(fetch, true);
	}
	last = fetch_is_blocked(fetch);
	state = x86_core_advance(core->core, until, last);
	if (state == X86_CORE_STUCK) {
		if (!must_pause(core, PAUSE_STUCK))
			machine_core_fail(core);
		return;
	}
	fetch_retire(fetch);
	if (!core->machine->apart)
		machine_core_meet(core);
	if (fetch->differs) {
		differs(core);
		return;
	}
	if (state == X86_CORE_RESOLVED) {
		fetch_resolved(fetch);
		return;
	}
	/* What has been executed is still to be pushed. */
	if (state != X86_CORE_HUNGRY || !last ||
	    (!fetch->stopped && !core->wanted) ||
	    fetch->next_record != fetch->ring->head)
		return;
	if (!fetch->locks || core->wanted || !*fetch->left) {
		if (!must_pause(core, PAUSE_STOP))
			handle_stop(core);
	} else if (!x86_core_wait(core->core, until, X86_CORE_SERIAL)) {
		core->accessed = false;
		if (!must_pause(core, PAUSE_LOCK))
			fetch_lock(fetch, false);
	}
}

void machine_core_meet(struct machine_core *core)
{
	if (core->state != CORE_RUNS)
		return;
	if (core->machine->unit.next != UINT64_MAX)
		machine_unit_look(core);
	fetch_publish(&core->fetch);
	machine_core_look_at_progress(core);
}

/* The time for which the core waits has passed. */
static void end_wait(struct machine_core *core)
{
	tell_time(core);
	if (core->state == CORE_KERNEL && core->calls)
		complete_call(core);
	else if (linux_has_ended(core->thread))
		lose_thread(core, 0);
	else
		go_on(core);
}

/* Time passes outside the thread. */
static void pass(struct machine_core *core, uint64_t until)
{
	bool kernel = core->state == CORE_KERNEL;
	uint64_t end = until < core->until ? until : core->until;

	machine_core_pass(core, end,
			  kernel ? X86_CORE_KERNEL : X86_CORE_IDLE);
	if (end == core->until && !must_pause(core, PAUSE_PASSED))
		end_wait(core);
}

void machine_core_serve(struct machine_core *core)
{
	enum machine_pause pause = core->pause;

	core->pause = PAUSE_NONE;
	switch (pause) {
	case PAUSE_NONE:
		break;
	case PAUSE_FETCH:
		if (!core->wanted)
			fetch_alone(&core->fetch);
		break;
	case PAUSE_LOCK:
		if (!core->wanted)
			fetch_lock(&core->fetch, core->accessed);
		break;
	case PAUSE_STOP:
		handle_stop(core);
		break;
	case PAUSE_PASSED:
		end_wait(core);
		break;
	case PAUSE_STUCK:
		machine_core_fail(core);
		break;
	}
}

void machine_core_run(struct machine_core *core, uint64_t until)
{
	struct x86_machine *machine = core->machine;
	enum x86_stop why;

	/* look is 0 when the kernel has worked. */
	while (cycle_of(core) < until && core->state != CORE_IDLE &&
	       (machine->look || machine->apart) && !core->parked &&
	       !core->pause && !machine->failed) {
		if (core->state != CORE_RUNS) {
			pass(core, until);
			continue;
		}
		if (machine_is_detailed(machine))
			execute(core, until);
		else if (machine_core_forward(core, until, &why))
			end_turn(core, why);
		if (!machine->apart)
			machine_core_look_at_quantum(core);
	}
}
