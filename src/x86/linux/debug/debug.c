/* Stops of the debugged process: see debug.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/debug/debugger.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/run.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/trace.h"

enum { INTERRUPT_PERIOD = 4096 }; /* instructions */

/* ---- Stopping ---- */

bool debug_is_debugged(const struct context *context)
{
	const struct linux_debug *debug = context->process->system->debug;

	return debug && debug->process == context->process;
}

static void report_stop(struct linux_debug *debug, struct linux_stop *stop)
{
	struct process *process = debug->process;
	struct linux_system *system = process->system;

	stop->process = process->pid;
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->process == process)
			context->debug.resume = LINUX_RESUME_RUN;
	debug->inside = true;
	debug->debugger->stopped(debug->debugger->owner, system, stop);
	debug->inside = false;
}

static void stop_in(struct context *context, enum linux_stop_kind kind)
{
	struct linux_stop stop = { .kind = kind, .thread = context->tid };

	report_stop(context->process->system->debug, &stop);
}

struct context *debug_first_thread(const struct linux_debug *debug)
{
	struct context *context = debug->process->system->contexts;

	while (context &&
	       (context->process != debug->process || context->ended))
		context = context->next;
	return context;
}

void debug_start(struct linux_system *system)
{
	const struct linux_debugger *debugger = system->options->debugger;
	struct process *program = system->processes;

	while (program && !program->loaded)
		program = program->next;
	if (!debugger || system->debug || !program || program->ended)
		return;
	system->debug = xcalloc(1, sizeof *system->debug);
	system->debug->debugger = debugger;
	system->debug->process = program;
	stop_in(debug_first_thread(system->debug), LINUX_STOP_START);
}

void debug_free(struct linux_system *system)
{
	free(system->debug);
	system->debug = NULL;
}

void debug_poll(struct linux_system *system, struct context *current)
{
	struct linux_debug *debug = system->debug;

	if (!debug || !debug->process ||
	    !debug->debugger->interrupted(debug->debugger->owner))
		return;
	if (!current || !debug_is_debugged(current) || current->ended)
		current = debug_first_thread(debug);
	if (current)
		stop_in(current, LINUX_STOP_INTERRUPT);
}

bool debug_deadlock(struct linux_system *system, const char *text)
{
	struct linux_debug *debug = system->debug;
	struct linux_stop stop = { .kind = LINUX_STOP_DEADLOCK,
				   .text = text };

	if (!debug || !debug->process || !debug_first_thread(debug))
		return false;
	stop.thread = debug_first_thread(debug)->tid;
	report_stop(debug, &stop);
	return true;
}

bool debug_holds(const struct linux_system *system)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended &&
		    context->debug.resume == LINUX_RESUME_HOLD)
			return true;
	return false;
}

void debug_signal_entered(struct context *context)
{
	context->debug.stepped = true;
}

/* An interrupted call becomes what the signal will make of it. */
static void settle_call(struct context *context, int number)
{
	const struct signal_action *action =
		context->process->signals.action + number;

	if (action->handler > 1)
		restart_before_handler(context, action->flags);
	else
		restart_without_handler(context);
}

bool debug_signal(struct context *context,
		  struct signal_information *information)
{
	struct linux_debug *debug = context->process->system->debug;
	struct linux_stop stop = {
		.kind = LINUX_STOP_SIGNAL, .thread = context->tid,
		.signal = information->number,
		.address = information->address,
	};

	if (!debug_is_debugged(context) || debug->inside)
		return true;
	if (context->debug.signal == information->number) {
		context->debug.signal = 0;
		return true;
	}
	if (debug->ignored >> (information->number - 1) & 1)
		return true;
	/* The debugger sees registers that the program may see, too. */
	settle_call(context, information->number);
	debug->signal = information;
	report_stop(debug, &stop);
	debug->signal = NULL;
	return information->number && !context->ended;
}

void debug_exec(struct context *context)
{
	struct linux_debug *debug = context->process->system->debug;

	if (!debug_is_debugged(context) || debug->inside)
		return;
	/* The breakpoints were addresses of the old program. */
	debug->breakpoint_count = debug->watch_count = 0;
	debug->exec = true; /* reported when the call is over */
}

void debug_ended(struct process *process)
{
	struct linux_debug *debug = process->system->debug;
	struct linux_stop stop = {
		.kind = process->exit_signal ? LINUX_STOP_KILLED
					     : LINUX_STOP_EXITED,
		.signal = process->exit_signal,
		.status = process->exit_status,
	};

	if (!debug || debug->process != process)
		return;
	if (!debug->inside)
		report_stop(debug, &stop);
	debug->process = NULL;
}

/* ---- Running ---- */

static const struct watchpoint *watch_hit(const struct linux_debug *debug,
					  const struct x86_cpu *cpu)
{
	for (size_t i = 0; i < debug->watch_count; i++)
		if (watch_hits(debug->watch + i, cpu))
			return debug->watch + i;
	return NULL;
}

enum x86_stop debug_run(struct context *context, uint64_t instructions)
{
	struct linux_debug *debug = context->process->system->debug;
	const struct watchpoint *watch = NULL;
	uint64_t before;
	enum x86_stop stop;

	context->debug.stopped_at_breakpoint = false;
	if (!debug_is_debugged(context))
		return context_run(context, instructions);
	/* Instruction traces run one instruction at a time, which no breakpoint
	 * stops. */
	if (context->debug.resume == LINUX_RESUME_STEP ||
	    trace_is_on(context->process->system))
		instructions = 1;
	if (debug->until_poll <= instructions) {
		debug->until_poll = INTERRUPT_PERIOD;
		debug_poll(context->process->system, context);
		if (context->ended || !debug_is_debugged(context) ||
		    context->debug.resume == LINUX_RESUME_HOLD)
			return X86_STOP_QUANTUM;
		if (context->debug.resume == LINUX_RESUME_STEP)
			instructions = 1;
	}
	debug->until_poll -= instructions < debug->until_poll
				     ? (unsigned)instructions
				     : debug->until_poll;
	if (x86_breakpoint_at(context->process->memory->emulator,
			      context->cpu->rip)) {
		context->debug.stopped_at_breakpoint = true;
		return X86_STOP_QUANTUM;
	}
	if (debug->watch_count && x86_near_watch(context->cpu)) {
		instructions = 1;
		watch = watch_hit(debug, context->cpu);
	}
	before = x86_instructions(context->cpu);
	stop = context_run(context, instructions);
	context->debug.stepped = x86_instructions(context->cpu) != before;
	if (stop == X86_STOP_BREAKPOINT)
		context->debug.stopped_at_breakpoint = true;
	/* Before what is watched: the next round looks closely. */
	if (stop == X86_STOP_BREAKPOINT || stop == X86_STOP_WATCH)
		stop = X86_STOP_QUANTUM;
	context->debug.watch_hit = watch && context->debug.stepped;
	if (watch) {
		context->debug.watch_kind = watch->kind;
		context->debug.watch_address = watch->address;
	}
	return stop;
}

void debug_after(struct context *context)
{
	struct linux_debug *debug = context->process->system->debug;
	struct linux_stop stop = { .thread = context->tid };

	if (context->ended || !debug_is_debugged(context) ||
	    context->call.active)
		return;
	if (debug->exec) {
		debug->exec = false;
		stop.kind = LINUX_STOP_EXEC;
		stop.path = confine_name(context->process,
					 context->process->memory->executable);
		report_stop(debug, &stop);
		return;
	}
	if (context->debug.watch_hit) {
		context->debug.watch_hit = context->debug.stepped = false;
		stop.kind = LINUX_STOP_WATCH;
		stop.address = context->debug.watch_address;
		stop.watch = (enum linux_watch)context->debug.watch_kind;
		report_stop(debug, &stop);
		return;
	}
	if (context->debug.stopped_at_breakpoint) {
		context->debug.stopped_at_breakpoint = context->debug.stepped =
			false;
		stop_in(context, LINUX_STOP_BREAKPOINT);
		return;
	}
	if (context->debug.resume == LINUX_RESUME_STEP &&
	    context->debug.stepped &&
	    context->cpu->rip - context->debug.step_start >=
		    context->debug.step_end - context->debug.step_start) {
		context->debug.stepped = false;
		stop_in(context, LINUX_STOP_STEP);
	}
}
