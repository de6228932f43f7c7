/* Signals: queues, default actions, delivery, timers. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/core/core.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/frame.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/trace/call.h"
#include "x86/linux/trace/trace.h"
#include "x86/linux/unwind/fault-report.h"

#define BIT(number) (UINT64_C(1) << ((number) - 1))

enum { HANDLER_DEFAULT, HANDLER_IGNORE };

static const uint64_t default_ignored =
	BIT(SIGCHLD) | BIT(SIGCONT) | BIT(SIGURG) | BIT(SIGWINCH);
static const uint64_t default_stop =
	BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU);
static const uint64_t fault_signals = BIT(SIGSEGV) | BIT(SIGBUS) |
				      BIT(SIGILL) | BIT(SIGFPE) |
				      BIT(SIGTRAP);
static const uint64_t core_signals =
	BIT(SIGQUIT) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGABRT) | BIT(SIGBUS) |
	BIT(SIGFPE) | BIT(SIGSEGV) | BIT(SIGXCPU) | BIT(SIGXFSZ) | BIT(SIGSYS);

const char *signal_name(int number)
{
	static const char *const names[] = {
		"0", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP",
		"SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
		"SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM",
		"SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP",
		"SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ",
		"SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR",
		"SIGSYS"
	};

	if (number >= 0 && number < (int)ARRAY_SIZE(names))
		return names[number];
	return number <= SIGNALS ? "SIGRT" : "?";
}

/* ---- Queues ---- */

void signal_queue_free(struct signal_queue *queue)
{
	free(queue->list);
	*queue = (struct signal_queue){ 0 };
}

static uint64_t queue_set(const struct signal_queue *queue)
{
	uint64_t set = 0;

	for (size_t i = 0; i < queue->count; i++)
		set |= BIT(queue->list[i].number);
	return set;
}

static void queue_add(struct signal_queue *queue,
		      const struct signal_information *information)
{
	/* Standard signals are not counted, only noted. */
	if (information->number < 32 &&
	    (queue_set(queue) & BIT(information->number)))
		return;
	ARRAY_GROW(queue->list, queue->count, queue->capacity);
	queue->list[queue->count++] = *information;
}

static void queue_drop(struct signal_queue *queue, uint64_t set)
{
	size_t kept = 0;

	for (size_t i = 0; i < queue->count; i++)
		if (!(set & BIT(queue->list[i].number)))
			queue->list[kept++] = queue->list[i];
	queue->count = kept;
}

/* The lowest-numbered signal of a set, oldest first. */
static bool queue_take(struct signal_queue *queue, uint64_t set,
		       struct signal_information *information)
{
	size_t best = queue->count;

	for (size_t i = 0; i < queue->count; i++)
		if ((set & BIT(queue->list[i].number)) &&
		    (best == queue->count ||
		     queue->list[i].number < queue->list[best].number))
			best = i;
	if (best == queue->count)
		return false;
	*information = queue->list[best];
	memmove(queue->list + best, queue->list + best + 1,
		(queue->count - best - 1) * sizeof *queue->list);
	queue->count--;
	return true;
}

uint64_t signal_pending_set(const struct context *context)
{
	return queue_set(&context->signals.pending) |
	       queue_set(&context->process->signals.pending);
}

bool signal_take(struct context *context, uint64_t set,
		 struct signal_information *information)
{
	bool taken = queue_take(&context->signals.pending, set, information) ||
		     queue_take(&context->process->signals.pending, set,
				information);

	if (taken)
		signal_update_descriptors(context->process);
	return taken;
}

/* ---- Sending ---- */

bool signal_ignored(const struct process *process, int number)
{
	uint64_t handler = process->signals.action[number].handler;

	return handler == HANDLER_IGNORE ||
	       (handler == HANDLER_DEFAULT &&
		(default_ignored & BIT(number)));
}

/* Whoever waits in wait4() looks again. */
static void wake_wait(struct process *process)
{
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process && !context->ended &&
		    context->wait.kind == WAIT_CHILD)
			context->wait.woken = true;
}

static void tell(struct process *to, int code, int pid,
		 const struct process *about, int status)
{
	wake_wait(to);
	signal_send_process(
		to, &(struct signal_information){
			    .number = SIGCHLD, .code = code, .pid = pid,
			    .uid = (int)about->credentials.user[0],
			    .status = status,
		    });
}

static void tell_stop(struct process *to, int code, int pid,
		      const struct process *about, int status)
{
	if (to->signals.action[SIGCHLD].flags & SA_NOCLDSTOP)
		wake_wait(to);
	else
		tell(to, code, pid, about, status);
}

void signal_tell_stop(struct process *tracer, const struct context *context,
		      int code, int status)
{
	tell_stop(tracer, code, context->tid, context->process, status);
}

int signal_end_code(int status)
{
	if (!(status & 0x7f))
		return CLD_EXITED;
	return status & WCOREFLAG ? CLD_DUMPED : CLD_KILLED;
}

void signal_tell_end(struct process *tracer, int thread,
		     const struct process *process, int status)
{
	bool killed = status & 0x7f;

	tell(tracer, signal_end_code(status), thread, process,
	     killed ? status & 0x7f : status >> 8);
}

static void notify_parent(struct process *process, int code, int status)
{
	struct process *parent = process->parent;

	if (parent && !parent->ended)
		tell_stop(parent, code, process->pid, process, status);
}

static void stop_process(struct process *process, int number)
{
	bool again = process->stopped;

	if (again && !ptrace_traces(NULL, process))
		return;
	process->stopped = true;
	process->stop_reported = false;
	process->continued = false;
	process->stop_signal = number;
	process_log(process, "stopped by %s", signal_name(number));
	ptrace_group_stops(process);
	/* A parent who traces it is told by each of its threads. */
	if (!again && !(process->parent &&
			ptrace_traces(process->parent, process)))
		notify_parent(process, CLD_STOPPED, number);
}

/* Takes signals out of all queues of a process. */
static void drop_pending(struct process *process, uint64_t set)
{
	queue_drop(&process->signals.pending, set);
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process)
			queue_drop(&context->signals.pending, set);
}

static void continue_process(struct process *process)
{
	drop_pending(process, default_stop);
	ptrace_group_continues(process);
	if (!process->stopped)
		return;
	process->stopped = false;
	process->continued = true;
	process_log(process, "continues");
	notify_parent(process, CLD_CONTINUED, SIGCONT);
}

/* A stop that is sent. One who is traced stops before its delivery. */
static bool stops_at_once(const struct process *process, int number)
{
	return number == SIGSTOP && !ptrace_traces(NULL, process);
}

/* True when the signal is to be queued. */
static bool generate(struct process *process,
		     const struct signal_information *information)
{
	int number = information->number;

	if (process->ended || number < 1 || number > SIGNALS)
		return false;
	if (number == SIGKILL) {
		process_exit(process, 0, SIGKILL);
		return false;
	}
	if (number == SIGCONT)
		continue_process(process);
	else if (default_stop & BIT(number))
		drop_pending(process, BIT(SIGCONT));
	if (stops_at_once(process, number)) {
		stop_process(process, number);
		return false;
	}
	if (!signal_ignored(process, number) || ptrace_traces(NULL, process))
		return true;
	/* Ignored signals vanish, unless somebody has them blocked: then
	 * sigwait() may ask for them. */
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && !context->ended &&
		    (context->signals.mask & BIT(number)))
			return true;
	return false;
}

static void wake_waiters(struct process *process)
{
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process && !context->ended &&
		    context->wait.kind == WAIT_SIGNAL)
			context->wait.woken = true;
	signal_update_descriptors(process);
}

/* Real-time signals are counted: those of all threads. */
bool signal_queue_full(const struct process *process,
		       const struct signal_information *information)
{
	uint64_t count = process->signals.pending.count;

	if (information->number < 32 || information->code == SI_USER)
		return false;
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process)
			count += context->signals.pending.count;
	return count >= process->limit[RLIMIT_SIGPENDING][0];
}

void signal_send_process(struct process *process,
			 const struct signal_information *information)
{
	process_log(process, "%s is sent to it, code %d",
		    signal_name(information->number), information->code);
	if (!generate(process, information))
		return;
	queue_add(&process->signals.pending, information);
	wake_waiters(process);
}

void signal_send_context(struct context *context,
			 const struct signal_information *information)
{
	struct process *process = context->process;

	if (context->ended)
		return;
	context_log(context, "%s is sent to it, code %d",
		    signal_name(information->number), information->code);
	if (!generate(process, information))
		return;
	queue_add(&context->signals.pending, information);
	wake_waiters(process);
}

void signal_update_descriptors(struct process *process)
{
	if (!process->files)
		return;
	for (int i = 0; i < process->files->count; i++) {
		struct file *file = process->files->list[i].file;
		uint64_t set, value = 1;
		bool ready;

		if (!file || file->kind != FILE_SIGNAL)
			continue;
		set = queue_set(&process->signals.pending);
		for (const struct context *context =
			     process->system->contexts;
		     context; context = context->next)
			if (context->process == process && !context->ended)
				set |= queue_set(&context->signals.pending);
		ready = set & file->mask;
		if (ready == file->armed_signal)
			continue;
		file->armed_signal = ready;
		if ((ready ? write(file->host, &value, sizeof value)
			   : read(file->host, &value, sizeof value)) < 0)
			continue; /* never full, never empty here */
	}
}

/* ---- Delivery ---- */

bool signal_deliverable(const struct context *context)
{
	const struct signal_queue *queues[] = {
		&context->signals.pending, &context->process->signals.pending};

	if (context->tracee && ptrace_pending(context))
		return true;
	for (int q = 0; q < 2; q++)
		for (size_t i = 0; i < queues[q]->count; i++) {
			int number = queues[q]->list[i].number;

			if (!(context->signals.mask & BIT(number)) &&
			    (context->tracee ||
			     !signal_ignored(context->process, number)))
				return true;
		}
	return false;
}

bool signal_on_stack(const struct context *context, uint64_t sp)
{
	return context->signals.stack_size &&
	       !(context->signals.stack_flags & STACK_AUTODISARM) &&
	       sp - context->signals.stack_base < context->signals.stack_size;
}

static void end_by_signal(struct context *context,
			  const struct signal_information *information)
{
	struct process *process = context->process;

	if ((core_signals & BIT(information->number)) && !process->ending)
		process->core_dumped = core_dump(context, information);
	process_exit(process, 0, information->number);
}

static void run_handler(struct context *context,
			const struct signal_information *information)
{
	struct process *process = context->process;
	struct signal_action *stored =
		process->signals.action + information->number;
	struct signal_action action = *stored;
	uint64_t sp = context->cpu->reg[X86_RSP];
	uint64_t mask = context->signals.restore_mask
				? context->signals.saved_mask
				: context->signals.mask;

	if ((action.flags & SA_ONSTACK) && context->signals.stack_size &&
	    !signal_on_stack(context, sp))
		sp = context->signals.stack_base + context->signals.stack_size;
	else if (!process->memory->abi32)
		sp -= 128; /* the red zone of the x86-64 ABI */
	restart_before_handler(context, action.flags);
	if (frame_push(context, information, &action, mask, sp)) {
		/* No room for the frame. */
		struct signal_information overflow = {
			.number = SIGSEGV, .code = SI_KERNEL,
			.address = sp, .vector = 14, .error_code = 6,
		};

		/* A handler of SIGSEGV may run on another stack. */
		if (information->number != SIGSEGV) {
			signal_force(context, &overflow);
			return;
		}
		fault_report(context, &overflow);
		end_by_signal(context, &overflow);
		return;
	}
	if (context->signals.stack_flags & STACK_AUTODISARM) {
		/* sigreturn brings it back from the frame. */
		context->signals.stack_base = context->signals.stack_size = 0;
		context->signals.stack_flags = SS_DISABLE;
	}
	context->signals.restore_mask = false;
	context->signals.mask |= action.mask & ~(BIT(SIGKILL) | BIT(SIGSTOP));
	if (!(action.flags & SA_NODEFER))
		context->signals.mask |= BIT(information->number);
	if (action.flags & SA_RESETHAND)
		stored->handler = HANDLER_DEFAULT;
	process->system->counts.signals++;
	debug_signal_entered(context);
	ptrace_signal_entered(context);
}

void signal_act(struct context *context, struct signal_information *information)
{
	struct process *process = context->process;
	int number;

	if (process->system->debug && !debug_signal(context, information))
		return;
	number = information->number;
	context_log(context, "%s at 0x%" PRIx64 ", %s", signal_name(number),
		    context->cpu->rip,
		    signal_ignored(process, number) ? "ignored"
		    : process->signals.action[number].handler > HANDLER_IGNORE
			    ? "handled"
		    : default_stop & BIT(number) ? "stops the process"
						 : "ends the process");
	call_trace_signal(context, information);
	if (signal_ignored(process, number))
		return;
	if (process->signals.action[number].handler > HANDLER_IGNORE) {
		context_log(context, "handler at 0x%" PRIx64,
			    process->signals.action[number].handler);
		run_handler(context, information);
		return;
	}
	if (default_stop & BIT(number)) {
		stop_process(process, number);
		return;
	}
	if ((fault_signals & BIT(number)) && information->code > 0)
		fault_report(context, information);
	end_by_signal(context, information);
}

/* One signal: the tracer, if there is one, decides. */
static void deliver(struct context *context,
		    struct signal_information *information)
{
	if (context->tracee)
		ptrace_signal(context, information);
	else
		signal_act(context, information);
}

void signal_deliver(struct context *context)
{
	struct signal_information information;

	while (!context->ended && !context_stopped(context)) {
		if (context->tracee && ptrace_pending(context))
			ptrace_attend(context);
		else if (signal_take(context, ~context->signals.mask,
				     &information))
			deliver(context, &information);
		else
			break;
	}
	/* In a stop of ptrace a call that was interrupted stays so. */
	if (context->ended || (context->tracee && context_stopped(context)))
		return;
	restart_without_handler(context);
	if (context->signals.restore_mask) {
		context->signals.mask = context->signals.saved_mask;
		context->signals.restore_mask = false;
	}
}

void signal_force(struct context *context,
		  const struct signal_information *information)
{
	struct process *process = context->process;
	struct signal_information own = *information;
	struct signal_action *action =
		process->signals.action + information->number;

	if (action->handler == HANDLER_IGNORE ||
	    (context->signals.mask & BIT(information->number))) {
		action->handler = HANDLER_DEFAULT;
		context->signals.mask &= ~BIT(information->number);
	}
	deliver(context, &own);
}

/* ---- siginfo ---- */

static void put32(uint8_t *bytes, size_t at, uint64_t value)
{
	uint32_t word = (uint32_t)value;

	memcpy(bytes + at, &word, sizeof word);
}

static void put_word(uint8_t *bytes, size_t at, bool abi32, uint64_t value)
{
	memcpy(bytes + at, &value, abi32 ? 4 : 8);
}

/* SIGTRAP has other codes, too: of breakpoints (SI_KERNEL) and ptrace. What
 * a guest passes need not be the number of a signal. */
static bool has_address(int number, int code)
{
	return code > 0 && number > 0 && number <= SIGNALS &&
	       (fault_signals & BIT(number)) &&
	       (number != SIGTRAP || code <= TRAP_HWBKPT);
}

void signal_pack(const struct signal_information *information, bool abi32,
		 uint8_t *bytes)
{
	int number = information->number, code = information->code;
	size_t at = abi32 ? 12 : 16;

	memset(bytes, 0, 128);
	put32(bytes, 0, (uint64_t)number);
	put32(bytes, 4, (uint64_t)information->error);
	put32(bytes, 8, (uint64_t)code);
	if (!number)
		return;
	if (has_address(number, code)) {
		put_word(bytes, at, abi32, information->address);
		return;
	}
	if (number == SIGSYS && code > 0) {
		put_word(bytes, at, abi32, information->address);
		at += abi32 ? 4 : 8;
		put32(bytes, at, (uint64_t)information->status);
		put32(bytes, at + 4, information->value);
		return;
	}
	if (code == SI_TIMER) {
		put32(bytes, at, (uint64_t)information->timer);
		put32(bytes, at + 4, (uint64_t)information->overrun);
		put_word(bytes, at + 8, abi32, information->value);
		return;
	}
	if (information->poll) {
		put_word(bytes, at, abi32, information->value);
		put32(bytes, at + (abi32 ? 4 : 8),
		      (uint64_t)information->status);
		return;
	}
	put32(bytes, at, (uint64_t)information->pid);
	put32(bytes, at + 4, (uint64_t)information->uid);
	if (number == SIGCHLD && code > 0)
		put32(bytes, at + 8, (uint64_t)information->status);
	else
		put_word(bytes, at + 8, abi32, information->value);
}

void signal_unpack(struct signal_information *information, bool abi32,
		   const uint8_t *bytes)
{
	size_t at = abi32 ? 12 : 16;

	*information = (struct signal_information){ 0 };
	memcpy(&information->number, bytes, 4);
	memcpy(&information->error, bytes + 4, 4);
	memcpy(&information->code, bytes + 8, 4);
	memcpy(&information->pid, bytes + at, 4);
	memcpy(&information->uid, bytes + at + 4, 4);
	memcpy(&information->value, bytes + at + 8, abi32 ? 4 : 8);
	memcpy(&information->status, bytes + at + 8, 4);
	if (has_address(information->number, information->code))
		memcpy(&information->address, bytes + at, abi32 ? 4 : 8);
	if (information->number == SIGSYS && information->code > 0) {
		memcpy(&information->address, bytes + at, abi32 ? 4 : 8);
		at += abi32 ? 4 : 8;
		information->value = 0;
		memcpy(&information->status, bytes + at, 4);
		memcpy(&information->value, bytes + at + 4, 4);
	}
}

/* ---- Timers ---- */

/* Time on the clock of a timer of a process. */
static int64_t timer_now(const struct process *process, int clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_ALARM:
		return clock_realtime(process->system);
	case CLOCK_TAI:
		return clock_realtime(process->system) + TAI_OFFSET;
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID:
		return clock_process(process);
	default:
		return clock_monotonic(process->system);
	}
}

/* Moves a timer past `now`: the number of expirations, 0 if none yet. */
static uint64_t expire(int64_t *expires, int64_t interval, int64_t now)
{
	uint64_t count;

	if (!*expires || *expires > now)
		return 0;
	if (interval <= 0) {
		*expires = 0;
		return 1;
	}
	count = (uint64_t)(now - *expires) / (uint64_t)interval + 1;
	*expires += (int64_t)count * interval;
	return count;
}

static void poll_posix_timer(struct process *process,
			     struct interval_timer *timer)
{
	uint64_t count;
	struct context *thread;
	struct signal_information information = {
		.number = timer->signal, .code = SI_TIMER,
		.timer = timer->id, .value = timer->value,
	};

	if (!timer->used || !timer->expires)
		return;
	count = expire(&timer->expires, timer->interval,
		       timer_now(process, timer->clock));
	if (!count)
		return;
	timer->overrun = count > INT_MAX ? INT_MAX : (int)(count - 1);
	information.overrun = timer->overrun;
	if (timer->notify == SIGEV_NONE)
		return;
	thread = timer->notify == SIGEV_THREAD_ID
			 ? context_find(process->system, timer->thread)
			 : NULL;
	if (thread)
		signal_send_context(thread, &information);
	else
		signal_send_process(process, &information);
}

/* RLIMIT_CPU: a signal for each second beyond the soft limit, which thus
 * moves, and the end at the hard one. */
static void check_processor_time(struct process *process)
{
	uint64_t *limit = process->limit[RLIMIT_CPU];
	const uint64_t used = (uint64_t)clock_process(process) / 1000000000;

	if (used < limit[0])
		return;
	if (used >= limit[1]) {
		signal_send_process(process, &(struct signal_information){
						     .number = SIGKILL,
						     .code = SI_KERNEL,
					     });
		return;
	}
	signal_send_process(process, &(struct signal_information){
					     .number = SIGXCPU,
					     .code = SI_KERNEL,
				     });
	limit[0]++;
}

void signal_poll_timers(struct linux_system *system)
{
	for (struct process *process = system->processes; process;
	     process = process->next) {
		struct interval_timer *real = &process->timers.real;
		struct interval_timer *virtual = &process->timers.virtual;

		if (process->ended)
			continue;
		if (real->expires &&
		    expire(&real->expires, real->interval,
			   clock_monotonic(system)))
			signal_send_process(process,
					    &(struct signal_information){
						    .number = SIGALRM,
						    .code = SI_KERNEL,
					    });
		if (virtual->expires &&
		    expire(&virtual->expires, virtual->interval,
			   clock_process(process)))
			signal_send_process(process,
					    &(struct signal_information){
						    .number = virtual->signal,
						    .code = SI_KERNEL,
					    });
		for (size_t i = 0; i < process->timers.count; i++)
			poll_posix_timer(process, process->timers.list + i);
		if (process->limit[RLIMIT_CPU][0] != UINT64_MAX)
			check_processor_time(process);
	}
	for (size_t i = 0; i < system->timer_files.count; i++) {
		struct file *file = system->timer_files.list[i];
		int64_t now = file->clock == CLOCK_REALTIME
				      ? clock_realtime(system)
				      : clock_monotonic(system);
		uint64_t count = expire(&file->expires, file->interval, now);

		if (count && write(file->host, &count, sizeof count) < 0)
			continue; /* the counter is full: nothing to add */
	}
}

/* Expiration as a time on the monotonic clock. */
static int64_t on_monotonic(struct linux_system *system, int clock,
			    int64_t expires)
{
	if (clock == CLOCK_TAI)
		expires -= TAI_OFFSET;
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM ||
	    clock == CLOCK_TAI)
		return expires - clock_realtime(system) +
		       clock_monotonic(system);
	return expires;
}

int64_t signal_next_timer(struct linux_system *system)
{
	int64_t first = INT64_MAX, at;

	for (const struct process *process = system->processes; process;
	     process = process->next) {
		if (process->ended)
			continue;
		at = process->timers.real.expires;
		if (at && at < first)
			first = at;
		for (size_t i = 0; i < process->timers.count; i++) {
			const struct interval_timer *timer =
				process->timers.list + i;

			/* Processor time stands still while all wait. */
			if (!timer->used || !timer->expires ||
			    timer->clock == CLOCK_PROCESS_CPUTIME_ID ||
			    timer->clock == CLOCK_THREAD_CPUTIME_ID)
				continue;
			at = on_monotonic(system, timer->clock,
					  timer->expires);
			if (at < first)
				first = at;
		}
	}
	for (size_t i = 0; i < system->timer_files.count; i++) {
		const struct file *file = system->timer_files.list[i];

		if (!file->expires)
			continue;
		at = on_monotonic(system, file->clock, file->expires);
		if (at < first)
			first = at;
	}
	return first;
}
