/* Waiting for children, and for threads that the process traces. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/pidfd.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/processes/told.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

enum report {
	REPORT_NONE,
	REPORT_ENDED,
	REPORT_THREAD_ENDED, /* one that was traced */
	REPORT_STOPPED,
	REPORT_CONTINUED,
	REPORT_TRAPPED,      /* a stop of ptrace */
};

/* The reports of wait4(), and their processes. */
struct news {
	enum report report;
	int id;
	unsigned user;
	int status;              /* as wait4() tells it */
	struct process *process; /* NULL: a thread that has ended */
	struct context *context; /* REPORT_TRAPPED */
	size_t thread_end;       /* REPORT_THREAD_ENDED: its index */
};

static bool is_waited_for(const struct process *waiter,
			  const struct process *child, int id, int which)
{
	if (which == -1)
		return true;
	if (which == 0)
		return child->group == waiter->group;
	if (which < -1)
		return child->group == -which;
	return id == which;
}

/* Children that do not send SIGCHLD at their end are only waited for when
 * asked for, those that are traced always. */
static bool of_kind(const struct process *child, int options)
{
	return (options & __WALL) ||
	       (child->parent_signal != SIGCHLD) == !!(options & (int)__WCLONE);
}

static bool tells(struct news *news, enum report report,
		  struct process *process, int status)
{
	news->report = report;
	news->process = process;
	news->id = process->pid;
	news->user = process->credentials.user[0];
	news->status = status;
	return true;
}

/* The report about a child, or a process that was traced, itself. */
static bool process_tells(const struct process *waiter, struct process *process,
			  int options, struct news *news)
{
	const struct process *first = process->tracing.end_tracer;

	if (process->ended)
		return (options & WEXITED) &&
		       (!first || first == waiter ||
			first == process->parent) &&
		       tells(news, REPORT_ENDED, process,
			     process_status(process));
	if (process->stopped && !process->stop_reported &&
	    (options & WUNTRACED) && !ptrace_traces(waiter, process))
		return tells(news, REPORT_STOPPED, process,
			     process->stop_signal << 8 | 0x7f);
	return process->continued && (options & WCONTINUED) &&
	       tells(news, REPORT_CONTINUED, process, 0xffff);
}

static bool find_child(struct process *waiter, int which, int options,
		       struct news *news, bool *any)
{
	for (struct process *process = waiter->system->processes; process;
	     process = process->next) {
		bool traced =
			process->ended && process->tracing.end_tracer == waiter;

		if (process->reaped || (process->parent != waiter && !traced) ||
		    !is_waited_for(waiter, process, process->pid, which) ||
		    !(traced || ptrace_traces(waiter, process) ||
		      of_kind(process, options)))
			continue;
		*any = true;
		if (process_tells(waiter, process, options, news))
			return true;
	}
	return false;
}

static bool find_tracee(struct process *waiter, int which, struct news *news,
			bool *any)
{
	int status;

	for (struct context *context = waiter->system->contexts; context;
	     context = context->next) {
		if (!ptrace_is_tracee(context, waiter) ||
		    !is_waited_for(waiter, context->process, context->tid,
				   which))
			continue;
		*any = true;
		if (!ptrace_stop_told(context, waiter, &status))
			continue;
		tells(news, REPORT_TRAPPED, context->process,
		      status << 8 | 0x7f);
		news->id = context->tid;
		news->context = context;
		return true;
	}
	return false;
}

static bool find_thread_end(const struct process *waiter, int which,
			    int options, struct news *news, bool *any)
{
	for (size_t i = 0; i < waiter->tracing.end_count; i++) {
		const struct thread_end *end = waiter->tracing.ends + i;

		if (which != -1 && which != end->thread)
			continue;
		*any = true;
		if (!(options & WEXITED))
			continue;
		*news = (struct news){
			.report = REPORT_THREAD_ENDED, .id = end->thread,
			.user = end->user, .status = end->status,
			.thread_end = i,
		};
		return true;
	}
	return false;
}

/* REPORT_NONE and *any when there is nothing to tell yet. */
static struct news find_news(struct process *waiter, int which, int options,
			     bool *any)
{
	struct news news = { .report = REPORT_NONE };

	*any = false;
	if (!find_child(waiter, which, options, &news, any) &&
	    !find_tracee(waiter, which, &news, any))
		find_thread_end(waiter, which, options, &news, any);
	return news;
}

static void forget_thread_end(struct process *waiter, size_t index)
{
	for (size_t i = index + 1; i < waiter->tracing.end_count; i++)
		waiter->tracing.ends[i - 1] = waiter->tracing.ends[i];
	waiter->tracing.end_count--;
}

static void consume(struct process *waiter, const struct news *news)
{
	switch (news->report) {
	case REPORT_ENDED:
		/* The parent's turn comes after the tracer's. */
		if (news->process->parent != waiter)
			process_end_told(news->process);
		else
			process_reaped(news->process);
		break;
	case REPORT_THREAD_ENDED:
		forget_thread_end(waiter, news->thread_end);
		break;
	case REPORT_STOPPED:
		news->process->stop_reported = true;
		break;
	case REPORT_CONTINUED:
		news->process->continued = false;
		break;
	case REPORT_TRAPPED:
		ptrace_stop_reported(news->context);
		break;
	case REPORT_NONE:
		break;
	}
}

static int put_usage(struct context *context, uint64_t address,
		     const struct process *child)
{
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t used = child ? child->account.instructions +
					child->account.children_instructions
			      : 0;

	for (unsigned i = 0; i < 18; i++) {
		uint64_t value = i == 0 ? used / 1000000000
				 : i == 1 ? used % 1000000000 / 1000
					  : 0;

		if (guest_put_word(context, address + i * word, value))
			return -EFAULT;
	}
	return 0;
}

int64_t call_wait4(struct context *context, const uint64_t *a)
{
	int options = (int)a[2] | WEXITED;
	struct news news;
	bool any;

	if ((int)a[2] & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD |
			  __WALL | (int)__WCLONE))
		return -EINVAL;
	if ((int)a[0] == INT_MIN)
		return -ESRCH;
	news = find_news(context->process, (int)a[0], options, &any);
	if (!any)
		return -ECHILD;
	if (news.report == REPORT_NONE) {
		if (options & WNOHANG)
			return 0;
		return wait_for(context, WAIT_CHILD, "a child process");
	}
	if (a[1] && guest_put(context, a[1], &news.status, sizeof news.status))
		return -EFAULT;
	if (a[3] && put_usage(context, a[3], news.process))
		return -EFAULT;
	consume(context->process, &news);
	return news.id;
}

int64_t call_waitpid(struct context *context, const uint64_t *a)
{
	uint64_t b[4] = { a[0], a[1], a[2], 0 };

	return call_wait4(context, b);
}

/* si_code and si_status. */
static void describe_news(const struct news *news,
			  struct signal_information *to)
{
	int status = news->status;

	*to = (struct signal_information){
		.number = SIGCHLD, .pid = news->id, .uid = (int)news->user,
	};
	switch (news->report) {
	case REPORT_ENDED:
	case REPORT_THREAD_ENDED:
		to->code = signal_end_code(status);
		to->status = status & 0x7f ? status & 0x7f : status >> 8;
		break;
	case REPORT_CONTINUED:
		to->code = CLD_CONTINUED;
		to->status = SIGCONT;
		break;
	default:
		to->code = news->report == REPORT_TRAPPED ? CLD_TRAPPED
							  : CLD_STOPPED;
		to->status = status >> 8;
		break;
	}
}

/* The `which` of wait4() that waitid() asks for, in *which: 0 or a negative
 * errno. */
static int64_t waitid_which(struct context *context, const uint64_t *a,
			    int *which, bool *nonblock)
{
	struct process *child;
	int64_t result;

	switch ((int)a[0]) {
	case P_ALL:
		*which = -1;
		return 0;
	case P_PID:
		*which = (int)a[1];
		return *which <= 0 ? -EINVAL : 0;
	case P_PGID:
		*which = a[1] ? -(int)a[1] : 0;
		return (int)a[1] < 0 ? -EINVAL : 0;
	case P_PIDFD:
		if ((int)a[1] < 0)
			return -EINVAL;
		result = pidfd_process(context, a[1], &child, nonblock);
		if (result)
			return result == -ESRCH ? -ECHILD : result;
		*which = child->pid;
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t call_waitid(struct context *context, const uint64_t *a)
{
	const struct process *own = context->process;
	struct signal_information information = { 0 };
	bool any, nonblock = false;
	int options = (int)a[3], which;
	uint8_t bytes[128];
	struct news news;
	int64_t result;

	if (!(options & (WEXITED | WSTOPPED | WCONTINUED)) ||
	    (options & ~(WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT |
			 __WNOTHREAD | __WALL | (int)__WCLONE)))
		return -EINVAL;
	result = waitid_which(context, a, &which, &nonblock);
	if (result)
		return result;
	news = find_news(context->process, which, options, &any);
	if (!any)
		return -ECHILD;
	if (news.report == REPORT_NONE && !(options & WNOHANG))
		return nonblock ? -EAGAIN
				: wait_for(context, WAIT_CHILD,
					   "a child process");
	if (news.report != REPORT_NONE) {
		describe_news(&news, &information);
		information.pid = id_seen(own->pids, information.pid);
		information.uid = (int)user_seen(own->credentials.users,
						 news.user);
	}
	signal_pack(&information, context->abi32, bytes);
	if (a[2] && guest_put(context, a[2], bytes, sizeof bytes))
		return -EFAULT;
	if (a[4] && news.report != REPORT_NONE &&
	    put_usage(context, a[4], news.process))
		return -EFAULT;
	if (!(options & WNOWAIT))
		consume(context->process, &news);
	return 0;
}
