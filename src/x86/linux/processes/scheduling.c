/* Scheduling policies and processors: kept and shown, with Linux's rules of
 * who may ask for what (sched(7)); turns do not depend on them. */
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/scheduling.h"
#include "x86/linux/state.h"

enum {
	POLICY_DEADLINE = 6,
	PRIORITY_MAX = 99,
	RESET_ON_FORK = 0x40000000, /* ORed to a policy */
	/* struct sched_attr: flags, and all that there are */
	FLAG_RESET_ON_FORK = 1, FLAG_KEEP_POLICY = 8,
	FLAG_KEEP_PARAMETERS = 16, FLAGS = 0x7f,
};

/* The thread of an id, 0 for oneself; or NULL. Process 1, the parent of the
 * first ones, is not a guest: nobody changes it, see set_scheduling(). */
static struct context *target_of(struct context *context, uint64_t tid)
{
	return (int)tid ? context_find(context->process->system, (int)tid)
			: context;
}

int64_t call_sched_yield(struct context *context, const uint64_t *a)
{
	(void)a;
	context->yield = true;
	return 0;
}

/* ---- Processors: there is one ---- */

/* Same user, or the capability for it. */
static bool may_change_policy(const struct context *context,
			      const struct context *target)
{
	const unsigned euid = context->process->credentials.user[1];
	const unsigned *other = target->process->credentials.user;

	return euid == other[0] || euid == other[1] ||
	       has_capability(context->process, CAP_SYS_NICE);
}

int64_t call_sched_getaffinity(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;

	if (a[1] < word || a[1] % word)
		return -EINVAL;
	if (!target_of(context, a[0]))
		return -ESRCH;
	return guest_put_word(context, a[2], 1) ? -EFAULT : (int64_t)word;
}

int64_t call_sched_setaffinity(struct context *context, const uint64_t *a)
{
	const struct context *target = target_of(context, a[0]);
	uint8_t first = 0;

	if (a[1] && guest_get(context, a[2], &first, 1))
		return -EFAULT;
	if (!target)
		return -ESRCH;
	if (!may_change_policy(context, target))
		return -EPERM;
	return first & 1 ? 0 : -EINVAL;
}

/* ---- Policies ---- */

static bool is_real_time(unsigned policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* 0 or -EINVAL: whether there are such parameters. */
static int check_values(const struct scheduling *new)
{
	switch (new->policy) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return new->priority ? -EINVAL : 0;
	case SCHED_FIFO:
	case SCHED_RR:
		return new->priority < 1 || new->priority > PRIORITY_MAX
			       ? -EINVAL
			       : 0;
	case POLICY_DEADLINE:
		/* Less than a microsecond is not worth a turn. */
		return new->priority || new->runtime < 1024 ||
				       new->deadline < new->runtime ||
				       (new->period &&
					new->period < new->deadline) ||
				       (new->deadline | new->period) >> 63
			       ? -EINVAL
			       : 0;
	default:
		return -EINVAL;
	}
}

/* Without CAP_SYS_NICE: one's own threads, within the limits. */
static bool within_limits(const struct context *context,
			  const struct context *target,
			  const struct scheduling *new, int nice)
{
	const struct scheduling *old = &target->scheduling;
	const struct process *process = target->process;
	const uint64_t real_time = process->limit[RLIMIT_RTPRIO][0];
	const bool may_better =
		(uint64_t)(20 - nice) <= process->limit[RLIMIT_NICE][0];

	if (!may_change_policy(context, target) ||
	    (old->reset_on_fork && !new->reset_on_fork) ||
	    new->policy == POLICY_DEADLINE)
		return false;
	if (is_real_time(new->policy))
		return (new->policy == old->policy || real_time) &&
		       (new->priority <= old->priority ||
			new->priority <= real_time);
	return may_better ||
	       (nice >= process->priority.nice &&
		(old->policy != SCHED_IDLE || new->policy == SCHED_IDLE));
}

static int64_t set_scheduling(struct context *context, struct context *target,
			      const struct scheduling *new, int nice)
{
	int result = check_values(new);

	if (result)
		return result;
	if (!target)
		return -EPERM;
	if (!has_capability(context->process, CAP_SYS_NICE) &&
	    !within_limits(context, target, new, nice))
		return -EPERM;
	target->scheduling = *new;
	target->process->priority.nice = nice;
	return 0;
}

void scheduling_fork(struct context *child, const struct context *parent)
{
	struct scheduling *own = &child->scheduling;

	*own = parent->scheduling;
	if (!own->reset_on_fork)
		return;
	if (is_real_time(own->policy) || own->policy == POLICY_DEADLINE)
		*own = (struct scheduling){ 0 };
	if (child->process != parent->process &&
	    child->process->priority.nice < 0)
		child->process->priority.nice = 0;
	own->reset_on_fork = false;
}

/* ---- With struct sched_param, the priority alone ---- */

/* `policy`: -1 for the one there is. */
static int64_t set_parameter(struct context *context, const uint64_t *a,
			     uint64_t address, int policy)
{
	struct context *target;
	struct scheduling new;
	uint32_t priority;

	if (!address || (int)a[0] < 0)
		return -EINVAL;
	if (guest_get(context, address, &priority, sizeof priority))
		return -EFAULT;
	target = target_of(context, a[0]);
	if (!target && (int)a[0] != 1)
		return -ESRCH;
	new = target ? target->scheduling : (struct scheduling){ 0 };
	new.priority = priority;
	new.runtime = new.deadline = new.period = 0;
	if (policy >= 0) {
		new.policy = (unsigned)policy & ~(unsigned)RESET_ON_FORK;
		new.reset_on_fork = policy & RESET_ON_FORK;
	}
	return set_scheduling(context, target, &new,
			      target ? target->process->priority.nice : 0);
}

int64_t call_sched_setparam(struct context *context, const uint64_t *a)
{
	return set_parameter(context, a, a[1], -1);
}

int64_t call_sched_setscheduler(struct context *context, const uint64_t *a)
{
	if ((int)a[1] < 0)
		return -EINVAL;
	return set_parameter(context, a, a[2], (int)a[1]);
}

int64_t call_sched_getparam(struct context *context, const uint64_t *a)
{
	const struct context *target;

	if (!a[1] || (int)a[0] < 0)
		return -EINVAL;
	target = target_of(context, a[0]);
	return target ? guest_put(context, a[1], &target->scheduling.priority,
				  sizeof target->scheduling.priority)
		      : -ESRCH;
}

int64_t call_sched_getscheduler(struct context *context, const uint64_t *a)
{
	const struct context *target;

	if ((int)a[0] < 0)
		return -EINVAL;
	target = target_of(context, a[0]);
	if (!target)
		return -ESRCH;
	return (int64_t)target->scheduling.policy |
	       (target->scheduling.reset_on_fork ? RESET_ON_FORK : 0);
}

static int64_t priority_limit(uint64_t policy, int real_time)
{
	if (is_real_time((unsigned)policy))
		return real_time;
	switch ((int)policy) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
	case POLICY_DEADLINE:
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t call_sched_get_priority_max(struct context *context, const uint64_t *a)
{
	(void)context;
	return priority_limit(a[0], PRIORITY_MAX);
}

int64_t call_sched_get_priority_min(struct context *context, const uint64_t *a)
{
	(void)context;
	return priority_limit(a[0], 1);
}

static int64_t get_interval(struct context *context, const uint64_t *a,
			    bool wide)
{
	const struct context *target;
	int64_t interval = 4000000;

	if ((int)a[0] < 0)
		return -EINVAL;
	target = target_of(context, a[0]);
	if (!target)
		return -ESRCH;
	if (target->scheduling.policy == SCHED_RR)
		interval = 100000000;
	if (target->scheduling.policy == SCHED_FIFO)
		interval = 0;
	return guest_put_time(context, a[1], wide, interval);
}

int64_t call_sched_rr_get_interval(struct context *context, const uint64_t *a)
{
	return get_interval(context, a, false);
}

int64_t call_sched_rr_get_interval_time64(struct context *context,
					  const uint64_t *a)
{
	return get_interval(context, a, true);
}

/* ---- With struct sched_attr ---- */

/* Its first version. The second, which Linux names when it knows no later
 * one, adds two hints for processor speeds. */
enum { ATTRIBUTE_BYTES = 56 };
struct attribute {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

int64_t call_sched_getattr(struct context *context, const uint64_t *a)
{
	const struct context *target;
	const struct scheduling *its;
	struct attribute attribute = { .size = sizeof attribute };

	if (!a[1] || (int)a[0] < 0 || (uint32_t)a[2] < sizeof attribute ||
	    (uint32_t)a[2] > SPACE_PAGE || a[3])
		return -EINVAL;
	target = target_of(context, a[0]);
	if (!target)
		return -ESRCH;
	its = &target->scheduling;
	attribute.policy = its->policy;
	attribute.flags = its->reset_on_fork ? FLAG_RESET_ON_FORK : 0;
	if (its->policy == SCHED_OTHER || its->policy == SCHED_BATCH)
		attribute.nice = target->process->priority.nice;
	attribute.priority = its->priority;
	attribute.runtime = its->runtime;
	attribute.deadline = its->deadline;
	attribute.period = its->period;
	return guest_put(context, a[1], &attribute, sizeof attribute);
}

/* Reads it: 0 or a negative errno. What a later version added is 0. */
static int get_attribute(struct context *context, uint64_t address,
			 struct attribute *attribute)
{
	uint32_t size;

	if (guest_get(context, address, &size, sizeof size))
		return -EFAULT;
	if (!size)
		size = sizeof *attribute;
	if (size < sizeof *attribute || size > SPACE_PAGE)
		goto unknown;
	if (guest_get(context, address, attribute, sizeof *attribute))
		return -EFAULT;
	for (uint32_t at = sizeof *attribute; at < size; at++) {
		uint8_t byte;

		if (guest_get(context, address + at, &byte, 1))
			return -EFAULT;
		if (byte)
			goto unknown;
	}
	return 0;
unknown:
	size = ATTRIBUTE_BYTES;
	return guest_put(context, address, &size, sizeof size) ? -EFAULT
							       : -E2BIG;
}

int64_t call_sched_setattr(struct context *context, const uint64_t *a)
{
	struct attribute attribute;
	struct context *target;
	struct scheduling new;
	int result, nice;

	if (!a[1] || (int)a[0] < 0 || a[2])
		return -EINVAL;
	result = get_attribute(context, a[1], &attribute);
	if (result)
		return result;
	if ((int)attribute.policy < 0 || (attribute.flags & ~(uint64_t)FLAGS))
		return -EINVAL;
	target = target_of(context, a[0]);
	if (!target)
		return -ESRCH;
	new = (struct scheduling){
		.policy = attribute.policy, .priority = attribute.priority,
		.reset_on_fork = attribute.flags & FLAG_RESET_ON_FORK,
	};
	if (attribute.flags & FLAG_KEEP_POLICY)
		new.policy = target->scheduling.policy;
	if (attribute.flags & FLAG_KEEP_PARAMETERS)
		new = target->scheduling;
	else if (new.policy == POLICY_DEADLINE) {
		new.runtime = attribute.runtime;
		new.deadline = attribute.deadline;
		new.period = attribute.period ? attribute.period
					      : attribute.deadline;
	}
	nice = target->process->priority.nice;
	if (!(attribute.flags & FLAG_KEEP_PARAMETERS) &&
	    (new.policy == SCHED_OTHER || new.policy == SCHED_BATCH))
		nice = attribute.nice < -20 ? -20
		       : attribute.nice > 19 ? 19
					     : attribute.nice;
	return set_scheduling(context, target, &new, nice);
}
