/* Ids of another PID namespace than the first in calls: their arguments and
 * results are translated on their way. */
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "x86/linux/namespaces/namespaces.h"

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
