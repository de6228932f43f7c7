/* Nice values and priorities for input and output: kept and shown, with
 * Linux's rules of who may change them; turns do not depend on them. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <sys/resource.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

/* The targets of a call: which and who of setpriority() and ioprio_set(), whose
 * constants for `which` are one more. */
struct selection {
	int which, who;
};

static bool is_selected(const struct context *context,
			const struct process *process,
			struct selection selection)
{
	const struct process *own = context->process;
	const int who = selection.who;

	switch (selection.which) {
	case PRIO_PROCESS:
		return who ? process->pid == who : process == own;
	case PRIO_PGRP:
		return process->group == (who ? who : own->group);
	default:
		return process->credentials.user[0] ==
		       (who ? (unsigned)who : own->credentials.user[0]);
	}
}

/* The next process of a selection that has not ended, after `last` or NULL. */
static struct process *next_selected(const struct context *context,
				     const struct process *last,
				     struct selection selection)
{
	struct process *process =
	    last ? last->next : context->process->system->processes;

	/* Threads other than the first stand for their process. */
	if (selection.which == PRIO_PROCESS && selection.who) {
		struct context *thread =
		    context_find(context->process->system, selection.who);

		return thread && !last ? thread->process : NULL;
	}
	while (process &&
	       (process->ended || !is_selected(context, process, selection)))
		process = process->next;
	return process;
}

/* Whether its ids, while it has no less capabilities, or the one for it let
 * `own` change another. */
static bool may_change_priority(const struct process *own,
				const struct process *other)
{
	const unsigned euid = own->credentials.user[1];

	return has_capability(own, CAP_SYS_NICE) ||
	       ((other->credentials.user[0] == euid ||
		 other->credentials.user[1] == euid) &&
		!(other->credentials.permitted & ~own->credentials.permitted));
}

/* ---- nice ---- */

int64_t call_getpriority(struct context *context, const uint64_t *a)
{
	const struct selection selection = {(int)a[0], (int)a[1]};
	int64_t best = -ESRCH;

	if (selection.which < PRIO_PROCESS || selection.which > PRIO_USER)
		return -EINVAL;
	for (struct process *process = NULL;
	     (process = next_selected(context, process, selection));)
		if (20 - process->priority.nice > best)
			best = 20 - process->priority.nice;
	return best;
}

static int64_t set_nice(const struct process *own, struct process *process,
			int nice)
{
	if (!may_change_priority(own, process))
		return -EPERM;
	if (nice < process->priority.nice &&
	    (uint64_t)(20 - nice) > process->limit[RLIMIT_NICE][0] &&
	    !has_capability(own, CAP_SYS_NICE))
		return -EACCES;
	process->priority.nice = nice;
	return 0;
}

int64_t call_setpriority(struct context *context, const uint64_t *a)
{
	const struct selection selection = {(int)a[0], (int)a[1]};
	int nice = (int)a[2];
	/* Process 1 exists, but it is not a guest. */
	int64_t result = selection.which == PRIO_PROCESS && selection.who == 1
			     ? -EPERM
			     : -ESRCH;

	if (selection.which < PRIO_PROCESS || selection.which > PRIO_USER)
		return -EINVAL;
	nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
	for (struct process *process = NULL;
	     (process = next_selected(context, process, selection));) {
		int64_t one = set_nice(context->process, process, nice);

		if (one || result == -ESRCH)
			result = one;
	}
	return result;
}

int64_t call_nice(struct context *context, const uint64_t *a)
{
	/* More than the whole range changes nothing. */
	int change = (int)a[0] < -40 ? -40 : (int)a[0] > 40 ? 40 : (int)a[0];
	int64_t result = call_setpriority(
		context,
		(uint64_t[]){
			PRIO_PROCESS, 0,
			(uint64_t)(context->process->priority.nice + change)});

	return result == -EACCES ? -EPERM : result;
}

/* ---- Input and output ---- */

int64_t call_ioprio_get(struct context *context, const uint64_t *a)
{
	const struct selection selection = {(int)((uint32_t)a[0] - 1),
					    (int)a[1]};
	int64_t best = -ESRCH;

	if (selection.which < PRIO_PROCESS || selection.which > PRIO_USER)
		return -EINVAL;
	/* Smaller is better, but for "none" that is anything else. */
	for (struct process *process = NULL;
	     (process = next_selected(context, process, selection));)
		if (best <= 0 ||
		    (process->priority.io && process->priority.io < best))
			best = process->priority.io;
	return best;
}

/* 0 or a negative errno: whether there is such a priority, for this process. */
static int64_t check_io_priority(const struct process *process, int priority)
{
	const unsigned level = IOPRIO_PRIO_DATA((unsigned)priority);

	switch ((unsigned)priority >> IOPRIO_CLASS_SHIFT) {
	case IOPRIO_CLASS_RT:
		if (!has_capability(process, CAP_SYS_ADMIN) &&
		    !has_capability(process, CAP_SYS_NICE))
			return -EPERM;
		return level < IOPRIO_BE_NR ? 0 : -EINVAL;
	case IOPRIO_CLASS_BE:
		return level < IOPRIO_BE_NR ? 0 : -EINVAL;
	case IOPRIO_CLASS_IDLE:
		return 0;
	case IOPRIO_CLASS_NONE:
		return level ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

int64_t call_ioprio_set(struct context *context, const uint64_t *a)
{
	const struct selection selection = {(int)((uint32_t)a[0] - 1),
					    (int)a[1]};
	const int priority = (int)a[2];
	int64_t result = check_io_priority(context->process, priority);

	if (result)
		return result;
	if (selection.which < PRIO_PROCESS || selection.which > PRIO_USER)
		return -EINVAL;
	result = -ESRCH;
	for (struct process *process = NULL;
	     (process = next_selected(context, process, selection));) {
		if (!may_change_priority(context->process, process))
			return -EPERM;
		process->priority.io = (uint16_t)priority;
		result = 0;
	}
	return result;
}
