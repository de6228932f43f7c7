/* PID namespaces (pid_namespaces(7)): ids of processes and threads as another
 * than the first namespace sees them. Everywhere else an id is that of the
 * first; the arguments and results of calls are translated on their way. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/signal.h"

/* No thread has this id; /proc/sys/kernel/pid_max. */
enum { NOBODY = INT_MAX, ID_LIMIT = 4194304 };

int id_seen(const struct namespace *pids, int id)
{
	if (!pids)
		return id;
	for (size_t i = pids->id_count; i-- > 0;)
		if (pids->ids[i].outside == id)
			return pids->ids[i].inside;
	return 0;
}

int id_meant(const struct namespace *pids, int id)
{
	if (!pids)
		return id;
	for (size_t i = pids->id_count; i-- > 0;)
		if (pids->ids[i].inside == id)
			return pids->ids[i].outside;
	return NOBODY;
}

/* Whether somebody is called so, or was and has not been waited for. */
static bool is_taken(const struct namespace *pids, int id)
{
	int meant = id_meant(pids, id);

	return context_find(pids->system, meant) ||
	       process_find(pids->system, meant);
}

void id_taken(struct namespace *pids, int id)
{
	for (; pids; pids = pids->parent) {
		do
			pids->last++;
		while (pids->last_set && is_taken(pids, pids->last));
		ARRAY_GROW(pids->ids, pids->id_count, pids->id_capacity);
		pids->ids[pids->id_count++] =
			(struct id_pair){ id, pids->last };
	}
}

int ids_last(const struct context *context)
{
	const struct namespace *pids = context->process->pids;

	return pids ? pids->last : context->process->system->next_id - 1;
}

int64_t ids_set_last(struct context *context, const char *text, size_t size)
{
	struct process *process = context->process;
	struct namespace *pids = process->pids;
	const struct namespace *users = pids ? pids->owner : NULL;
	char *end;
	long value = strtol(text, &end, 10);

	if (!has_capability_in(process, users, CAP_SYS_ADMIN) &&
	    !has_capability_in(process, users, CAP_CHECKPOINT_RESTORE))
		return -EPERM;
	if (end == text || *end || value < 0 || value >= ID_LIMIT)
		return -EINVAL;
	if (pids) {
		pids->last = (int)value;
		pids->last_set = true;
	} else if (!process->system->host_pids) {
		process->system->next_id = (int)value + 1;
		process->system->ids_set = true;
	}
	return (int64_t)size;
}

bool id_visible(const struct process *to, const struct process *process)
{
	return namespace_within(process->pids, to->pids);
}

/* ---- Calls ---- */

/* Which arguments are ids: bit N of the Nth. As in wait4(), 0 and -1 are none,
 * and a negative one is that of a group. */
struct id_call {
	call_handler *handler;
	uint8_t arguments;
	bool result;
};

#define FIRST 1
#define SECOND 2
#define BOTH 3

static const struct id_call calls[] = {
	{ call_getpid, 0, true },
	{ call_gettid, 0, true },
	{ call_getppid, 0, true },
	{ call_getpgrp, 0, true },
	{ call_setsid, 0, true },
	{ call_set_tid_address, 0, true },
	{ call_fork, 0, true },
	{ call_vfork, 0, true },
	{ call_clone, 0, true },
	{ call_clone_i386, 0, true },
	{ call_clone3, 0, true },
	{ call_getpgid, FIRST, true },
	{ call_getsid, FIRST, true },
	{ call_wait4, FIRST, true },
	{ call_waitpid, FIRST, true },
	{ call_setpgid, BOTH, false },
	{ call_kill, FIRST, false },
	{ call_tkill, FIRST, false },
	{ call_tgkill, BOTH, false },
	{ call_rt_sigqueueinfo, FIRST, false },
	{ call_rt_tgsigqueueinfo, BOTH, false },
	{ call_kcmp, BOTH, false },
	{ call_pidfd_open, FIRST, false },
	{ call_get_robust_list, FIRST, false },
	{ call_prlimit, FIRST, false },
	{ call_ptrace, SECOND, false },
	{ call_process_vm_readv, FIRST, false },
	{ call_process_vm_writev, FIRST, false },
	{ call_migrate_pages, FIRST, false },
	{ call_sched_setparam, FIRST, false },
	{ call_sched_getparam, FIRST, false },
	{ call_sched_setscheduler, FIRST, false },
	{ call_sched_getscheduler, FIRST, false },
	{ call_sched_rr_get_interval, FIRST, false },
	{ call_sched_rr_get_interval_time64, FIRST, false },
	{ call_sched_setaffinity, FIRST, false },
	{ call_sched_getaffinity, FIRST, false },
	{ call_sched_setattr, FIRST, false },
	{ call_sched_getattr, FIRST, false },
};

/* Calls whose first or second argument says whether another is an id. */
static struct id_call of_call(call_handler *handler, const uint64_t *a)
{
	const int which = (int)a[0], command = (int)a[1];

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].handler == handler)
			return calls[i];
	if (handler == call_waitid && (which == P_PID || which == P_PGID))
		return (struct id_call){ handler, SECOND, false };
	if ((handler == call_getpriority || handler == call_setpriority) &&
	    (which == PRIO_PROCESS || which == PRIO_PGRP))
		return (struct id_call){ handler, SECOND, false };
	if ((handler == call_ioprio_get || handler == call_ioprio_set) &&
	    (which == 1 || which == 2))
		return (struct id_call){ handler, SECOND, false };
	if ((handler == call_fcntl || handler == call_fcntl64) &&
	    command == F_SETOWN)
		return (struct id_call){ handler, 1 << 2, false };
	if ((handler == call_fcntl || handler == call_fcntl64) &&
	    command == F_GETOWN)
		return (struct id_call){ handler, 0, true };
	return (struct id_call){ handler, 0, false };
}

static uint64_t argument(const struct namespace *pids, uint64_t value)
{
	const int id = (int)value;
	int meant;

	if (!id || id == -1 || id == INT_MIN)
		return value;
	meant = id_meant(pids, id < 0 ? -id : id);
	return (uint64_t)(int64_t)(id < 0 ? -meant : meant);
}

int64_t ids_call(struct context *context, call_handler *handler,
		 const uint64_t *a)
{
	const struct namespace *pids = context->process->pids;
	const struct id_call call = of_call(handler, a);
	uint64_t translated[CALL_ARGUMENTS];
	int64_t result;

	for (unsigned i = 0; i < CALL_ARGUMENTS; i++)
		translated[i] = call.arguments >> i & 1 ? argument(pids, a[i])
							: a[i];
	result = handler(context, translated);
	if (!call.result || result <= 0 || context->ended)
		return result;
	return id_seen(pids, (int)result);
}

/* ---- Process 1 ---- */

/* Signals that it has no handler for do not reach it, but what nobody can
 * handle from above. */
bool ids_protect(const struct process *process,
		 const struct signal_information *information)
{
	const struct context *sender = process->system->current;
	const int number = information->number;

	if (!process->pids || process->pids->first != process ||
	    information->fault || process->pids->over ||
	    process->signals.action[number].handler)
		return false;
	return (number != SIGKILL && number != SIGSTOP) || !sender ||
	       namespace_within(sender->process->pids, process->pids);
}

void ids_first_ended(struct process *process)
{
	struct namespace *pids = process->pids;

	if (!pids || pids->first != process)
		return;
	pids->over = true;
	for (struct process *other = process->system->processes; other;
	     other = other->next)
		if (other != process && !other->ended &&
		    namespace_within(other->pids, pids))
			signal_send_process(other,
					    &(struct signal_information){
						    .number = SIGKILL,
						    .code = SI_KERNEL,
					    });
}

struct process *ids_heir(const struct process *process)
{
	const struct namespace *pids = process->pids;

	return pids && pids->first != process && !pids->over ? pids->first
							     : NULL;
}
