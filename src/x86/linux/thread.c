/* Threads: thread-local storage, scheduling calls. */
#include <asm/prctl.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* ---- Robust mutexes ---- */

int64_t call_set_robust_list(struct context *context, const uint64_t *a)
{
	if (a[1] != (context->abi32 ? 12 : 24))
		return -EINVAL;
	context->robust_list = a[0];
	return 0;
}

int64_t call_get_robust_list(struct context *context, const uint64_t *a)
{
	struct context *target =
		(int)a[0] ? context_find(context->process->system, (int)a[0])
			  : context;

	if (!target)
		return -ESRCH;
	if (guest_put_word(context, a[1], target->robust_list) ||
	    guest_put_word(context, a[2], context->abi32 ? 12 : 24))
		return -EFAULT;
	return 0;
}

int64_t call_set_tid_address(struct context *context, const uint64_t *a)
{
	context->clear_tid = a[0];
	return context->tid;
}

/* ---- Thread-local storage ---- */

int64_t call_arch_prctl(struct context *context, const uint64_t *a)
{
	struct x86_cpu *cpu = context->cpu;

	switch (a[0]) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		if (context->abi32)
			return -EINVAL;
		if (a[1] >> 47)
			return -EPERM;
		cpu->segment[a[0] == ARCH_SET_FS ? X86_FS : X86_GS].base =
			a[1];
		return 0;
	case ARCH_GET_FS:
		return guest_put_word(context, a[1],
				      cpu->segment[X86_FS].base);
	case ARCH_GET_GS:
		return guest_put_word(context, a[1],
				      cpu->segment[X86_GS].base);
	default:
		return -EINVAL;
	}
}

/* struct user_desc: entry number, base, limit, flags. */
int64_t call_set_thread_area(struct context *context, const uint64_t *a)
{
	struct x86_cpu *cpu = context->cpu;
	uint32_t words[4];
	int index;

	if (cpu->mode != X86_MODE_32)
		return -ENOSYS;
	if (guest_get(context, a[0], words, sizeof words))
		return -EFAULT;
	index = (int)words[0] - X86_TLS_ENTRY_FIRST;
	if ((int32_t)words[0] == -1) {
		for (index = 0; index < X86_TLS_ENTRIES; index++)
			if (!cpu->tls[index].present)
				break;
		if (index == X86_TLS_ENTRIES)
			return -ESRCH;
		words[0] = (uint32_t)(index + X86_TLS_ENTRY_FIRST);
		if (guest_put(context, a[0], words, 4))
			return -EFAULT;
	}
	if (index < 0 || index >= X86_TLS_ENTRIES)
		return -EINVAL;
	cpu->tls[index] = (struct x86_tls_entry){
		.base = words[1], .limit = words[2], .flags = words[3],
		/* read_exec_only and seg_not_present alone mean "empty" */
		.present = !(words[1] == 0 && words[2] == 0 &&
			     (words[3] & 0x28) == 0x28),
	};
	/* Registers that already name the entry see the new base. */
	for (int i = X86_FS; i <= X86_GS; i++)
		if (cpu->segment[i].selector >> 3 ==
		    index + X86_TLS_ENTRY_FIRST)
			cpu->segment[i].base = words[1];
	return 0;
}

int64_t call_get_thread_area(struct context *context, const uint64_t *a)
{
	struct x86_cpu *cpu = context->cpu;
	uint32_t words[4];
	int index;

	if (cpu->mode != X86_MODE_32)
		return -ENOSYS;
	if (guest_get(context, a[0], words, sizeof words))
		return -EFAULT;
	index = (int)words[0] - X86_TLS_ENTRY_FIRST;
	if (index < 0 || index >= X86_TLS_ENTRIES)
		return -EINVAL;
	words[1] = cpu->tls[index].base;
	words[2] = cpu->tls[index].limit;
	words[3] = cpu->tls[index].present ? cpu->tls[index].flags : 0x28;
	return guest_put(context, a[0], words, sizeof words);
}

/* ---- Scheduling: one processor, ordinary policy ---- */

static bool exists(struct context *context, uint64_t tid)
{
	/* 1 is the parent of the first processes. */
	return !(int)tid || (int)tid == 1 ||
	       context_find(context->process->system, (int)tid);
}

int64_t call_sched_yield(struct context *context, const uint64_t *a)
{
	(void)a;
	context->yield = true;
	return 0;
}

int64_t call_sched_getaffinity(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;

	if (a[1] < word || a[1] % word)
		return -EINVAL;
	if (!exists(context, a[0]))
		return -ESRCH;
	return guest_put_word(context, a[2], 1) ? -EFAULT : (int64_t)word;
}

int64_t call_sched_setaffinity(struct context *context, const uint64_t *a)
{
	uint8_t first = 0;

	if (!exists(context, a[0]))
		return -ESRCH;
	if (a[1] && guest_get(context, a[2], &first, 1))
		return -EFAULT;
	return first & 1 ? 0 : -EINVAL;
}

int64_t call_sched_getparam(struct context *context, const uint64_t *a)
{
	const int32_t priority = 0;

	return exists(context, a[0])
		       ? guest_put(context, a[1], &priority, sizeof priority)
		       : -ESRCH;
}

int64_t call_sched_setparam(struct context *context, const uint64_t *a)
{
	int32_t priority;

	if (!exists(context, a[0]))
		return -ESRCH;
	if (guest_get(context, a[1], &priority, sizeof priority))
		return -EFAULT;
	return priority ? -EINVAL : 0;
}

int64_t call_sched_getscheduler(struct context *context, const uint64_t *a)
{
	return exists(context, a[0]) ? SCHED_OTHER : -ESRCH;
}

int64_t call_sched_setscheduler(struct context *context, const uint64_t *a)
{
	if (!exists(context, a[0]))
		return -ESRCH;
	switch ((int)a[1] & ~SCHED_RESET_ON_FORK) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return 0;
	case SCHED_FIFO:
	case SCHED_RR:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

static int64_t priority_limit(uint64_t policy, int realtime)
{
	switch ((int)policy) {
	case SCHED_FIFO:
	case SCHED_RR:
		return realtime;
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t call_sched_get_priority_max(struct context *context, const uint64_t *a)
{
	(void)context;
	return priority_limit(a[0], 99);
}

int64_t call_sched_get_priority_min(struct context *context, const uint64_t *a)
{
	(void)context;
	return priority_limit(a[0], 1);
}

int64_t call_sched_rr_get_interval(struct context *context, const uint64_t *a)
{
	return guest_put_time(context, a[1], false, 4000000);
}

int64_t call_sched_rr_get_interval_time64(struct context *context,
					  const uint64_t *a)
{
	return guest_put_time(context, a[1], true, 4000000);
}

/* struct sched_attr: size, policy, flags, nice, priority, ... 48 bytes in its
 * first version. */
enum { ATTRIBUTE_BYTES = 48 };

int64_t call_sched_getattr(struct context *context, const uint64_t *a)
{
	uint32_t words[ATTRIBUTE_BYTES / 4] = { ATTRIBUTE_BYTES };
	struct context *target =
		(int)a[0] ? context_find(context->process->system, (int)a[0])
			  : context;

	if (!a[1] || (int)a[0] < 0 || (uint32_t)a[2] < ATTRIBUTE_BYTES ||
	    (uint32_t)a[2] > SPACE_PAGE || a[3])
		return -EINVAL;
	if (!target)
		return -ESRCH;
	words[4] = (uint32_t)target->process->nice;
	return guest_put(context, a[1], words, sizeof words);
}

int64_t call_sched_setattr(struct context *context, const uint64_t *a)
{
	uint32_t words[ATTRIBUTE_BYTES / 4], size;

	if (!a[1] || (int)a[0] < 0 || a[2])
		return -EINVAL;
	if (guest_get(context, a[1], &size, sizeof size))
		return -EFAULT;
	if (size && size < ATTRIBUTE_BYTES)
		return -E2BIG;
	if (guest_get(context, a[1], words, sizeof words))
		return -EFAULT;
	if (!exists(context, a[0]))
		return -ESRCH;
	switch (words[1]) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return call_setpriority(context,
					(uint64_t[]){ PRIO_PROCESS, a[0],
						      words[4] });
	case SCHED_FIFO:
	case SCHED_RR:
	case 6: /* SCHED_DEADLINE */
		return -EPERM;
	default:
		return -EINVAL;
	}
}

/* Nice values are kept and shown; turns do not depend on them. */
static struct process *nice_process(struct context *context, const uint64_t *a)
{
	if ((int)a[0] != PRIO_PROCESS || !(int)a[1])
		return context->process;
	return process_find(context->process->system, (int)a[1]);
}

int64_t call_getpriority(struct context *context, const uint64_t *a)
{
	struct process *process = nice_process(context, a);

	if ((int)a[0] < PRIO_PROCESS || (int)a[0] > PRIO_USER)
		return -EINVAL;
	return process ? 20 - process->nice : -ESRCH;
}

int64_t call_setpriority(struct context *context, const uint64_t *a)
{
	struct process *process = nice_process(context, a);
	int nice = (int)a[2];

	if ((int)a[0] < PRIO_PROCESS || (int)a[0] > PRIO_USER)
		return -EINVAL;
	if (!process)
		return -ESRCH;
	nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
	if (nice < process->nice && geteuid() != 0)
		return -EACCES;
	process->nice = nice;
	return 0;
}

int64_t call_nice(struct context *context, const uint64_t *a)
{
	int64_t result = call_setpriority(
		context, (uint64_t[]){ PRIO_PROCESS, 0,
				       (uint64_t)(context->process->nice +
						  (int)a[0]) });

	return result == -EACCES ? -EPERM : result;
}

int64_t call_ioprio_get(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return 0;
}

int64_t call_getcpu(struct context *context, const uint64_t *a)
{
	const uint32_t zero = 0;

	if ((a[0] && guest_put(context, a[0], &zero, sizeof zero)) ||
	    (a[1] && guest_put(context, a[1], &zero, sizeof zero)))
		return -EFAULT;
	return 0;
}

int64_t call_prctl(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	char name[16] = { 0 };
	int length;

	switch ((int)a[0]) {
	case PR_SET_NAME:
		length = guest_get_string(context, a[1], name, sizeof name);
		if (length < 0 && length != -ENAMETOOLONG)
			return length;
		name[sizeof name - 1] = 0;
		memcpy(context->name, name, sizeof name);
		if (context->tid == process->pid)
			memcpy(process->name, name, sizeof name);
		return 0;
	case PR_GET_NAME:
		return guest_put(context, a[1], context->name, sizeof name);
	case PR_SET_PDEATHSIG:
		if (a[1] > SIGNALS)
			return -EINVAL;
		process->death_signal = (int)a[1];
		return 0;
	case PR_GET_PDEATHSIG:
		return guest_put(context, a[1], &process->death_signal, 4);
	case PR_SET_DUMPABLE:
		if (a[1] > 1)
			return -EINVAL;
		process->dumpable = a[1];
		return 0;
	case PR_GET_DUMPABLE:
		return process->dumpable;
	case PR_SET_CHILD_SUBREAPER:
		process->subreaper = a[1];
		return 0;
	case PR_GET_CHILD_SUBREAPER:
		return guest_put(context, a[1],
				 &(int){ process->subreaper }, 4);
	case PR_SET_NO_NEW_PRIVS:
		if (a[1] != 1 || a[2] || a[3] || a[4])
			return -EINVAL;
		process->no_new_privileges = true;
		return 0;
	case PR_GET_NO_NEW_PRIVS:
		return a[1] || a[2] || a[3] || a[4]
			       ? -EINVAL
			       : process->no_new_privileges;
	case PR_SET_TIMERSLACK:
		process->timer_slack = (int64_t)a[1] > 0 ? a[1] : 50000;
		return 0;
	case PR_GET_TIMERSLACK:
		return (int64_t)process->timer_slack;
	case PR_SET_KEEPCAPS:
		if (a[1] > 1)
			return -EINVAL;
		process->keep_capabilities = a[1];
		return 0;
	case PR_GET_KEEPCAPS:
		return process->keep_capabilities;
	case PR_GET_SECCOMP:
	case PR_GET_SECUREBITS:
	case PR_GET_TIMING:
		return 0;
	case PR_SET_TIMING:
		return a[1] == PR_TIMING_STATISTICAL ? 0 : -EINVAL;
	case PR_SET_THP_DISABLE:
		if (a[2] || a[3] || a[4])
			return -EINVAL;
		return 0;
	case PR_GET_THP_DISABLE:
		return a[1] || a[2] || a[3] || a[4] ? -EINVAL : 0;
	case PR_GET_TID_ADDRESS:
		return guest_put_word(context, a[1], context->clear_tid);
	case PR_CAPBSET_READ:
		return a[1] > 40 ? -EINVAL
				 : process->credentials.user[1] == 0;
	default:
		return -EINVAL;
	}
}
