/* Turns: which context runs, for how long, and what its stops mean.
 *
 * Contexts take turns in order of age, `quantum` instructions each. Waits on
 * host descriptors are polled once a round. When no context can run, the host
 * sleeps until a descriptor is ready or time has passed. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "x86/linux/async/async.h"
#include "x86/linux/call.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/outcome.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/host-pid.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/run.h"
#include "x86/linux/signals/outside.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/stop.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/time/timers.h"
#include "x86/linux/unwind/fault-report.h"
#include "x86/linux/wait.h"

/* The longest time, in ns, that the host sleeps between two looks at
 * options->stop. */
enum { IDLE_MAX = 50000000 };

/* ---- Waiting ---- */

/* Marks contexts whose descriptors are ready. `timeout` in ns, negative: as
 * long as it takes. Returns false when a host signal came first. */
static bool poll_files(struct linux_system *system, int64_t timeout)
{
	struct pollfd *list = NULL;
	size_t count = 0, capacity = 0, at = 0;
	struct timespec limit = { timeout / 1000000000, timeout % 1000000000 };
	int ready;

	for (struct context *context = system->contexts; context;
	     context = context->next) {
		const struct wait *wait = &context->wait;

		if (context->ended || wait->kind != WAIT_FILES)
			continue;
		for (size_t i = 0; i < wait->file_count; i++) {
			ARRAY_GROW(list, count, capacity);
			list[count++] = (struct pollfd){
				.fd = wait->files[i].host,
				.events = wait->files[i].events,
			};
		}
	}
	if (host_pids_descriptor(system) >= 0) {
		ARRAY_GROW(list, count, capacity);
		list[count++] = (struct pollfd){
			.fd = host_pids_descriptor(system), .events = POLLIN,
		};
	}
	if (async_descriptor(system) >= 0) {
		ARRAY_GROW(list, count, capacity);
		list[count++] = (struct pollfd){
			.fd = async_descriptor(system), .events = POLLIN,
		};
	}
	if (!count && timeout == 0) {
		free(list);
		return true;
	}
	ready = ppoll(list, count, timeout < 0 ? NULL : &limit, NULL);
	for (struct context *context = system->contexts; context && ready > 0;
	     context = context->next) {
		struct wait *wait = &context->wait;

		if (context->ended || wait->kind != WAIT_FILES)
			continue;
		for (size_t i = 0; i < wait->file_count; i++)
			if (list[at++].revents)
				wait->woken = true;
	}
	free(list);
	return ready >= 0;
}

bool schedule_can_run(struct context *context, int64_t now)
{
	const struct process *process = context->process;
	const struct process *child;

	if (context->ended || context_stopped(context) ||
	    context->debug.resume == LINUX_RESUME_HOLD)
		return false;
	if (!context->call.active)
		return true;
	if (context->wait.kind == WAIT_VFORK) {
		child = process_find(process->system,
				     context->wait.vfork_child);
		return !child || child->vfork_done || child->ended;
	}
	if (context->wait.kind == WAIT_REQUEST)
		return context->wait.woken;
	return context->wait.woken || context->wait.deadline <= now ||
	       signal_deliverable(context);
}

void schedule_report_deadlock(struct linux_system *system)
{
	size_t used;

	error_set(system->error,
		  "deadlock: every thread of the program waits, and nothing "
		  "can wake any of them:");
	for (const struct context *context = system->contexts; context;
	     context = context->next) {
		char place[256];

		used = strlen(system->error->text);
		if (context->ended || used + 2 >= sizeof system->error->text)
			continue;
		thread_place(context, place, sizeof place);
		snprintf(system->error->text + used,
			 sizeof system->error->text - used,
			 "\n  context %d (%s) waits for %s at %s",
			 context->tid, context->name,
			 !context_stopped(context) ? context->wait.what
			 : context->tracee ? "its tracer (ptrace)"
					   : "SIGCONT (it is stopped)",
			 place);
	}
	if (!debug_deadlock(system, system->error->text))
		system_fail(system, LINUX_END_DEADLOCK);
}

int64_t schedule_next_time(struct linux_system *system, bool *files)
{
	int64_t until = timers_next(system);

	*files = false;
	for (const struct context *context = system->contexts; context;
	     context = context->next) {
		if (context->ended || context_stopped(context))
			continue;
		if (context->wait.kind == WAIT_FILES)
			*files = true;
		if (context->wait.deadline < until)
			until = context->wait.deadline;
	}
	/* Simulated clocks do not get further. */
	return system->options->clock != LINUX_CLOCK_HOST && until >= TIME_END
		       ? INT64_MAX
		       : until;
}

bool schedule_is_deadlock(struct linux_system *system, int64_t until,
			  bool files)
{
	return until == INT64_MAX && !files && !debug_holds(system) &&
	       async_descriptor(system) < 0 && !outside_can_wake(system);
}

void schedule_sleep(struct linux_system *system, int64_t timeout)
{
	/* Whoever asked to be able to stop the run is heard now and then. */
	if (system->options->stop && (timeout < 0 || timeout > IDLE_MAX))
		timeout = IDLE_MAX;
	poll_files(system, timeout);
}

/* No context can run: lets time pass until one can. */
static void wait_idle(struct linux_system *system)
{
	int64_t now, duration, until;
	bool files;

	until = schedule_next_time(system, &files);
	if (schedule_is_deadlock(system, until, files)) {
		schedule_report_deadlock(system);
		return;
	}
	now = clock_monotonic(system);
	duration = until > now ? until - now : 0;
	if (system->options->clock == LINUX_CLOCK_SIMULATED &&
	    until != INT64_MAX) {
		/* poll_files() of this round found nothing: time jumps. */
		system->clock_skipped += duration;
		return;
	}
	schedule_sleep(system, until == INT64_MAX ? -1 : duration);
}

/* ---- Running ---- */

/* The first actions of a context when it gets the processor. */
void schedule_begin_turn(struct context *context)
{
	struct linux_system *system = context->process->system;

	system->current = context;
	system->schedule.turn_begun = true;
	system->schedule.turn_left = system->schedule.quantum;
	system->counts.turns++;
	context->yield = false;
	if (context_goes_on_ending(context))
		return;
	if (context->call.active) {
		context->call.interrupted = !context->wait.woken &&
					    context->wait.kind != WAIT_VFORK &&
					    signal_deliverable(context);
		context->wait.woken = false;
		call_attempt(context);
		if (system->debug)
			debug_after(context);
	}
}

/* How many of the next `most` instructions come before a limit of the run: 0
 * when the run ends or pauses here. */
uint64_t schedule_until_limit(struct linux_system *system, uint64_t most)
{
	const struct linux_options *options = system->options;

	if (options->pause_at == system->counts.instructions &&
	    !system->paused && options->pause_at) {
		system->paused = true;
		system_fail(system, LINUX_END_PAUSE);
		return 0;
	}
	if (options->pause_at > system->counts.instructions &&
	    most > options->pause_at - system->counts.instructions)
		most = options->pause_at - system->counts.instructions;
	if (!options->max_instructions)
		return most;
	if (system->counts.instructions >= options->max_instructions) {
		system_fail(system, LINUX_END_INSTRUCTIONS);
		return 0;
	}
	if (most > options->max_instructions - system->counts.instructions)
		most = options->max_instructions - system->counts.instructions;
	return most;
}

bool schedule_stop_if_asked(struct linux_system *system)
{
	const struct linux_options *options = system->options;

	if (!options->stop || system->failed ||
	    !options->stop(options->stop_owner))
		return false;
	system_fail(system, LINUX_END_STOPPED);
	return true;
}

/* The rest of a turn. When the run ends or pauses meanwhile, the turn can be
 * taken up again with system->schedule.turn_left. */
static void go_on_with_turn(struct context *context)
{
	struct linux_system *system = context->process->system;

	system->current = context;
	while (system->schedule.turn_left && !context->ended &&
	       !context->yield && !system->failed &&
	       !context_stopped(context)) {
		uint64_t budget, before, done;
		enum x86_stop stop;

		if (!context->call.active &&
		    (signal_deliverable(context) || restart_pending(context))) {
			signal_deliver(context);
			if (system->debug)
				debug_after(context);
			continue;
		}
		if (context->call.active || context_stopped(context) ||
		    context->debug.resume == LINUX_RESUME_HOLD)
			break;
		budget = schedule_until_limit(system,
					      system->schedule.turn_left);
		if (!budget)
			break;
		before = x86_instructions(context->cpu);
		context->call.original_rax = -1;
		/* The time-stamp counter shows the monotonic clock, in ns. */
		context->cpu->time_base =
			(uint64_t)clock_monotonic(system) - before;
		stop = context->tracee ? ptrace_run(context, budget)
		       : system->debug ? debug_run(context, budget)
				       : context_run(context, budget);
		if (context->ended) /* the debugger killed it */
			break;
		done = x86_instructions(context->cpu) - before;
		system->counts.instructions += done;
		system->schedule.turn_left -= done < budget ? done : budget;
		context_handle_stop(context, stop);
		if (system->debug)
			debug_after(context);
		/* One turn may have a hundred thousand calls, and each of
		 * them may take long. */
		if (stop != X86_STOP_QUANTUM && !context->ended)
			schedule_stop_if_asked(system);
	}
	system->current = NULL;
}

static bool waits_on_files(const struct linux_system *system)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->wait.kind == WAIT_FILES)
			return true;
	return false;
}

void schedule_look(struct linux_system *system)
{
	timers_poll(system);
	async_poll(system);
	host_pids_poll(system);
	if (waits_on_files(system))
		poll_files(system, 0);
}

static void begin_round(struct linux_system *system)
{
	schedule_look(system);
	system->schedule.round_time = clock_monotonic(system);
	system->schedule.round_ran = false;
	system->schedule.turn = system->contexts;
	system->schedule.turn_begun = false;
}

/* A round, or what is left of one: system->schedule says where it stands. */
static void round_of_turns(struct linux_system *system)
{
	if (!system->schedule.turn)
		begin_round(system);
	/* Contexts made during the round are at the end of the list and have
	 * their first turn in it; ended ones stay listed until the sweep. */
	for (; system->schedule.turn;
	     system->schedule.turn = system->schedule.turn->next) {
		struct context *context = system->schedule.turn;

		if (!system->schedule.turn_begun) {
			if (!schedule_can_run(context,
					      system->schedule.round_time))
				continue;
			if (schedule_stop_if_asked(system))
				return;
			schedule_begin_turn(context);
			system->schedule.round_ran = true;
		}
		go_on_with_turn(context);
		if (system->failed)
			return;
		system->schedule.turn_begun = false;
	}
	if (system->debug && !system->schedule.round_ran)
		debug_poll(system, NULL);
	system_sweep(system);
	if (!system->schedule.round_ran && system->contexts &&
	    !schedule_stop_if_asked(system))
		wait_idle(system);
}

/* The results of the loaded programs. */
static void outcome(const struct linux_system *system,
		    struct linux_result *result)
{
	const struct process *process = system->processes;

	result->ended = true;
	for (; process; process = process->next) {
		if (!process->loaded)
			continue;
		result->ended &= process->ended;
		if (result->exit_status || result->signal)
			continue;
		result->exit_status = process->exit_status;
		result->signal = process->exit_signal;
	}
}

/* State of the simulator itself that linux_run() changes and restores. */
struct session {
	struct sigaction pipe, size;
	struct error own; /* for who does not want to know */
};

void schedule_open(struct linux_system *system, struct error *error)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	system->session = xcalloc(1, sizeof *system->session);
	system->error = error ? error : &system->session->own;
	system->failed = false;
	system->end = LINUX_END_FINISHED;
	/* A guest's broken pipe and too large file are the guest's: they come
	 * as EPIPE and EFBIG. */
	sigaction(SIGPIPE, &ignore, &system->session->pipe);
	sigaction(SIGXFSZ, &ignore, &system->session->size);
}

int schedule_close(struct linux_system *system, struct linux_result *result)
{
	sigaction(SIGPIPE, &system->session->pipe, NULL);
	sigaction(SIGXFSZ, &system->session->size, NULL);
	identity_enter(system, &system->own_identity);
	*result = (struct linux_result){
		.end = system->end,
		.instructions = system->counts.instructions,
	};
	outcome(system, result);
	system->error = NULL;
	free(system->session);
	system->session = NULL;
	return system->end == LINUX_END_REQUEST ||
			       system->end == LINUX_END_DEADLOCK
		       ? -1
		       : 0;
}

int linux_run(struct linux_system *system, struct linux_result *result,
	      struct error *error)
{
	if (system->options->clock == LINUX_CLOCK_MODEL) {
		error_set(error, "the clock of a timing model stands still "
				 "without the model");
		return -1;
	}
	schedule_open(system, error);
	debug_start(system);
	while (system->contexts && !system->failed)
		round_of_turns(system);
	return schedule_close(system, result);
}
