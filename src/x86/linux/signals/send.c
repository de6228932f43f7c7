/* Sending signals: what happens at once, and what is to wait for delivery. */
#include <signal.h>
#include <sys/resource.h>

#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/pending.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"
#include "x86/linux/wait.h"

bool signal_ignored(const struct process *process, int number)
{
	uint64_t handler = process->signals.action[number].handler;

	return handler == HANDLER_IGNORE ||
	       (handler == HANDLER_DEFAULT &&
		(DEFAULT_IGNORED & SIGNAL_BIT(number)));
}

/* Threads that wait in wait4() look again. */
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

void signal_stop_process(struct process *process, int number)
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
	/* A parent that traces the process is told by each of its threads. */
	if (!again && !(process->parent &&
			ptrace_traces(process->parent, process)))
		notify_parent(process, CLD_STOPPED, number);
}

/* Takes signals out of all queues of a process. */
static void drop_pending(struct process *process, uint64_t set)
{
	signal_queue_drop(&process->signals.pending, set);
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process)
			signal_queue_drop(&context->signals.pending, set);
}

static void continue_process(struct process *process)
{
	drop_pending(process, DEFAULT_STOP);
	ptrace_group_continues(process);
	if (!process->stopped)
		return;
	process->stopped = false;
	process->continued = true;
	process_log(process, "continues");
	notify_parent(process, CLD_CONTINUED, SIGCONT);
}

/* A stop signal. A traced thread stops before the delivery. */
static bool stops_at_once(const struct process *process, int number)
{
	return number == SIGSTOP && !ptrace_traces(NULL, process);
}

/* True when the signal is to be queued. */
static bool generate(struct process *process,
		     const struct signal_information *information)
{
	int number = information->number;

	if (process->ended || number < 1 || number > SIGNALS ||
	    ids_protect(process, information))
		return false;
	if (number == SIGKILL) {
		process->system->end_process(process, 0, SIGKILL);
		return false;
	}
	if (number == SIGCONT)
		continue_process(process);
	else if (DEFAULT_STOP & SIGNAL_BIT(number))
		drop_pending(process, SIGNAL_BIT(SIGCONT));
	if (stops_at_once(process, number)) {
		signal_stop_process(process, number);
		return false;
	}
	if (!signal_ignored(process, number) || ptrace_traces(NULL, process))
		return true;
	/* Ignored signals vanish, unless a thread has them blocked: then
	 * sigwait() may ask for them. */
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && !context->ended &&
		    (context->signals.mask & SIGNAL_BIT(number)))
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

/* The sender as the receiver sees it. */
static struct signal_information translated(
	const struct process *process,
	const struct signal_information *information)
{
	struct signal_information to = *information;
	const bool sent = to.code == SI_USER || to.code == SI_TKILL ||
			  (to.number == SIGCHLD && to.code > 0);

	if (sent && to.pid)
		to.pid = id_seen(process->pids, to.pid);
	if (sent)
		to.uid = (int)user_seen(process->credentials.users,
					(uint32_t)to.uid);
	return to;
}

void signal_send_process(struct process *process,
			 const struct signal_information *information)
{
	struct signal_information to = translated(process, information);

	process_log(process, "%s is sent to it, code %d",
		    signal_name(information->number), information->code);
	if (!generate(process, information))
		return;
	signal_queue_add(&process->signals.pending, &to);
	wake_waiters(process);
}

void signal_send_context(struct context *context,
			 const struct signal_information *information)
{
	struct process *process = context->process;
	struct signal_information to;

	if (context->ended)
		return;
	context_log(context, "%s is sent to it, code %d",
		    signal_name(information->number), information->code);
	if (!generate(process, information))
		return;
	to = translated(process, information);
	signal_queue_add(&context->signals.pending, &to);
	wake_waiters(process);
}
