/* Waiting for children. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "x86/linux/process.h"

enum report { REPORT_NONE, REPORT_ENDED, REPORT_STOPPED, REPORT_CONTINUED };

static bool selected(const struct process *waiter,
		     const struct process *child, int which)
{
	if (child->parent != waiter || child->reaped)
		return false;
	if (which == -1)
		return true;
	if (which == 0)
		return child->group == waiter->group;
	if (which < -1)
		return child->group == -which;
	return child->pid == which;
}

/* A child with something to tell; NULL and *any when there is none yet. */
static struct process *find_child(struct process *waiter, int which,
				  int options, enum report *report, bool *any)
{
	*any = false;
	for (struct process *child = waiter->system->processes; child;
	     child = child->next) {
		if (!selected(waiter, child, which))
			continue;
		*any = true;
		if (child->ended && (options & WEXITED))
			*report = REPORT_ENDED;
		else if (child->stopped && !child->stop_reported &&
			 (options & WUNTRACED))
			*report = REPORT_STOPPED;
		else if (child->continued && (options & WCONTINUED))
			*report = REPORT_CONTINUED;
		else
			continue;
		return child;
	}
	return NULL;
}

static void consume(struct process *child, enum report report, bool keep)
{
	if (keep)
		return;
	if (report == REPORT_ENDED)
		child->reaped = true;
	else if (report == REPORT_STOPPED)
		child->stop_reported = true;
	else
		child->continued = false;
}

static int put_usage(struct context *context, uint64_t address,
		     const struct process *child)
{
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t used = child->instructions + child->children_instructions;

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
	int options = (int)a[2] | WEXITED, status = 0, pid;
	enum report report = REPORT_NONE;
	struct process *child;
	bool any;

	if ((int)a[2] & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD |
			  __WALL | (int)__WCLONE))
		return -EINVAL;
	child = find_child(context->process, (int)a[0], options, &report,
			   &any);
	if (!any)
		return -ECHILD;
	if (!child) {
		if (options & WNOHANG)
			return 0;
		return wait_for(context, WAIT_CHILD, "a child process");
	}
	if (report == REPORT_ENDED)
		status = child->exit_signal ? child->exit_signal
					    : child->exit_status << 8;
	else if (report == REPORT_STOPPED)
		status = child->stop_signal << 8 | 0x7f;
	else
		status = 0xffff;
	pid = child->pid;
	if (a[1] && guest_put(context, a[1], &status, sizeof status))
		return -EFAULT;
	if (a[3] && put_usage(context, a[3], child))
		return -EFAULT;
	consume(child, report, false);
	return pid;
}

int64_t call_waitpid(struct context *context, const uint64_t *a)
{
	uint64_t b[4] = { a[0], a[1], a[2], 0 };

	return call_wait4(context, b);
}

int64_t call_waitid(struct context *context, const uint64_t *a)
{
	struct signal_information information = { 0 };
	int options = (int)a[3], which = -1;
	enum report report = REPORT_NONE;
	struct process *child;
	uint8_t bytes[128];
	bool any, nonblock = false;

	if (!(options & (WEXITED | WSTOPPED | WCONTINUED)) ||
	    (options & ~(WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT |
			 __WNOTHREAD | __WALL | (int)__WCLONE)))
		return -EINVAL;
	if ((int)a[0] == P_PID) {
		which = (int)a[1];
		if (which <= 0)
			return -EINVAL;
	} else if ((int)a[0] == P_PGID) {
		which = a[1] ? -(int)a[1] : 0;
		if ((int)a[1] < 0)
			return -EINVAL;
	} else if ((int)a[0] == P_PIDFD) {
		int64_t result;

		if ((int)a[1] < 0)
			return -EINVAL;
		result = pidfd_process(context, a[1], &child, &nonblock);
		if (result)
			return result == -ESRCH ? -ECHILD : result;
		which = child->pid;
	} else if ((int)a[0] != P_ALL) {
		return -EINVAL;
	}
	child = find_child(context->process, which, options, &report, &any);
	if (!any)
		return -ECHILD;
	if (!child && nonblock && !(options & WNOHANG))
		return -EAGAIN;
	if (!child && !(options & WNOHANG))
		return wait_for(context, WAIT_CHILD, "a child process");
	if (child) {
		information.number = SIGCHLD;
		information.pid = child->pid;
		information.uid = (int)child->credentials.user[0];
		if (report == REPORT_ENDED) {
			information.code = child->exit_signal ? CLD_KILLED
							      : CLD_EXITED;
			information.status = child->exit_signal
						     ? child->exit_signal
						     : child->exit_status;
		} else {
			information.code = report == REPORT_STOPPED
						   ? CLD_STOPPED
						   : CLD_CONTINUED;
			information.status = report == REPORT_STOPPED
						     ? child->stop_signal
						     : SIGCONT;
		}
	}
	signal_pack(&information, context->abi32, bytes);
	if (a[2] && guest_put(context, a[2], bytes, sizeof bytes))
		return -EFAULT;
	if (a[4] && child && put_usage(context, a[4], child))
		return -EFAULT;
	if (child)
		consume(child, report, options & WNOWAIT);
	return 0;
}
