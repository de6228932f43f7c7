#include "x86/linux/cores.h"

#include "x86/emu/step.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/outcome.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/stop.h"
#include "x86/linux/time/clock.h"

/* ---- A run ---- */

int linux_open(struct linux_system *system, struct error *error)
{
	const struct linux_options *options = system->options;

	if (options->clock != LINUX_CLOCK_MODEL || !options->now) {
		error_set(error, "a timing model needs a clock of its own");
		return -1;
	}
	if (options->debugger) {
		error_set(error, "a debugger cannot control programs that a "
				 "timing model runs");
		return -1;
	}
	schedule_open(system, error);
	return 0;
}

int64_t linux_loaded_time(const struct linux_system *system)
{
	return system->loaded ? system->loaded->time : 0;
}

uint64_t linux_loaded_steps(const struct linux_system *system)
{
	const struct linux_counts *counts = &system->counts;

	return system->loaded ? counts->instructions + counts->calls +
					counts->faults
			      : 0;
}

int linux_close(struct linux_system *system, struct linux_result *result)
{
	return schedule_close(system, result);
}

bool linux_is_over(const struct linux_system *system)
{
	if (system->failed)
		return true;
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended)
			return false;
	return true;
}

/* ---- What is offered ---- */

struct context *linux_next(struct linux_system *system,
			   struct context *after)
{
	struct context *context = after ? after->next : NULL;
	int64_t now;

	if (!after) {
		system_sweep(system);
		if (schedule_stop_if_asked(system) ||
		    !schedule_until_limit(system, UINT64_MAX))
			return NULL;
		schedule_look(system);
		context = system->contexts;
	}
	now = clock_monotonic(system);
	while (context && (context->core.state != CORE_NONE ||
			   !schedule_can_run(context, now)))
		context = context->next;
	return context;
}

/* From the monotonic clock to options.now. */
static int64_t model_time(struct linux_system *system, int64_t time)
{
	return time == INT64_MAX
		       ? time
		       : time - clock_monotonic(system) +
				 system->options->now(
					 system->options->now_owner);
}

int64_t linux_next_time(struct linux_system *system)
{
	bool files;

	return model_time(system, schedule_next_time(system, &files));
}

int64_t linux_idle(struct linux_system *system)
{
	int64_t now = clock_monotonic(system), until;
	bool files;

	until = schedule_next_time(system, &files);
	if (schedule_is_deadlock(system, until, files))
		schedule_report_deadlock(system);
	else if (until == INT64_MAX)
		schedule_sleep(system, -1);
	return model_time(system, until == INT64_MAX || until < now ? now
								    : until);
}

/* ---- Threads on cores ---- */

static enum linux_fate lose_core(struct context *context, enum linux_fate fate)
{
	context->core.state = CORE_NONE;
	return fate;
}

/* Whether it waits, is stopped, or can execute after its signals. */
static enum linux_fate settle(struct context *context)
{
	struct linux_system *system = context->process->system;
	enum linux_fate fate = LINUX_GOES_ON;

	while (!context->ended && !system->failed &&
	       !context->call.active && !context_stopped(context) &&
	       (signal_deliverable(context) || restart_pending(context)))
		signal_deliver(context);
	if (context->ended)
		fate = lose_core(context, LINUX_GONE);
	else if (context->call.active || context_stopped(context))
		fate = lose_core(context, LINUX_WAITS);
	else if (system->failed || context->yield)
		fate = lose_core(context, LINUX_READY);
	system->current = NULL;
	if (fate != LINUX_GOES_ON)
		return fate;
	if (context->tracee) {
		error_set(system->error,
			  "a timing model cannot run threads that ptrace() "
			  "traces (thread %d)", context->tid);
		system_fail(system, LINUX_END_REQUEST);
		return lose_core(context, LINUX_READY);
	}
	context->core.state = CORE_RUNS;
	context->core.instructions = x86_instructions(context->cpu);
	context->call.original_rax = -1;
	context->cpu->time_base = (uint64_t)clock_monotonic(system) -
				  context->core.instructions;
	return LINUX_GOES_ON;
}

enum linux_fate linux_start(struct linux_system *system,
			    struct context *thread)
{
	thread->core.state = CORE_RUNS;
	schedule_begin_turn(thread);
	system->schedule.turn_begun = false; /* linux_run()'s own */
	return settle(thread);
}

struct x86_cpu *linux_cpu(struct context *thread)
{
	return thread->cpu;
}

uint64_t linux_instructions_left(struct linux_system *system)
{
	return schedule_until_limit(system, UINT64_MAX);
}

static enum linux_fate handle(struct linux_system *system,
			      struct context *thread, enum x86_stop stop)
{
	system->current = thread;
	context_handle_stop(thread, stop);
	return settle(thread);
}

enum linux_fate linux_stop(struct linux_system *system,
			   struct context *thread, enum x86_stop stop)
{
	uint64_t executed;

	if (thread->ended)
		return lose_core(thread, LINUX_GONE);
	x86_stores_publish(thread->cpu, UINT64_MAX);
	executed = x86_instructions(thread->cpu);
	system->counts.instructions += executed - thread->core.instructions;
	thread->core.instructions = executed;
	switch (stop) {
	case X86_STOP_QUANTUM:
	case X86_STOP_ASKED:
	case X86_STOP_ALONE:
		return lose_core(thread, context_stopped(thread) ? LINUX_WAITS
								 : LINUX_READY);
	case X86_STOP_SYSCALL:
	case X86_STOP_INT80:
		thread->core.state = CORE_CALLS;
		thread->core.stop = stop;
		return LINUX_CALLS;
	default:
		return handle(system, thread, stop);
	}
}

enum linux_fate linux_complete(struct linux_system *system,
			       struct context *thread)
{
	if (thread->ended)
		return lose_core(thread, LINUX_GONE);
	thread->core.state = CORE_RUNS;
	return handle(system, thread, (enum x86_stop)thread->core.stop);
}

void linux_lose(struct linux_system *system, struct context *thread,
		uint64_t executed)
{
	system->counts.instructions += executed;
	lose_core(thread, LINUX_GONE);
}

bool linux_wants(const struct linux_system *system,
		 const struct context *thread)
{
	return system->failed || thread->ended || context_stopped(thread) ||
	       (!thread->call.active && signal_deliverable(thread));
}

bool linux_has_ended(const struct context *thread)
{
	return thread->ended;
}

int linux_process_id(const struct context *thread)
{
	return thread->process->pid;
}

int linux_thread_id(const struct context *thread)
{
	return thread->tid;
}

uint64_t linux_memory_serial(const struct context *thread)
{
	return thread->process->memory->serial;
}

const char *linux_program(const struct context *thread)
{
	return thread->process->memory->executable;
}
