/* Relations between processes: parents, groups, sessions, kcmp. */
#include <errno.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"

int64_t call_getpid(struct context *context, const uint64_t *a)
{
	(void)a;
	return context->process->pid;
}

int64_t call_gettid(struct context *context, const uint64_t *a)
{
	(void)a;
	return context->tid;
}

int64_t call_getppid(struct context *context, const uint64_t *a)
{
	(void)a;
	return context->process->parent ? context->process->parent->pid : 1;
}

static struct process *process_or_self(struct context *context, uint64_t pid)
{
	return (int)pid ? process_find(context->process->system, (int)pid)
			: context->process;
}

int64_t call_getpgrp(struct context *context, const uint64_t *a)
{
	(void)a;
	return context->process->group;
}

int64_t call_getpgid(struct context *context, const uint64_t *a)
{
	struct process *process = process_or_self(context, a[0]);

	return process ? process->group : -ESRCH;
}

static bool group_in_session(const struct linux_system *system, int group,
			     int session)
{
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (process->group == group && process->session == session &&
		    !process->reaped)
			return true;
	return false;
}

static bool group_exists(const struct linux_system *system, int group)
{
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (process->group == group && !process->reaped)
			return true;
	return false;
}

int64_t call_setpgid(struct context *context, const uint64_t *a)
{
	struct process *process = process_or_self(context, a[0]);
	int group = (int)a[1];

	if (group < 0)
		return -EINVAL;
	if (!process || (process != context->process &&
			 process->parent != context->process))
		return -ESRCH;
	if (process->session == process->pid ||
	    process->session != context->process->session)
		return -EPERM;
	if (process != context->process && process->executed)
		return -EACCES;
	group = group ? group : process->pid;
	if (group != process->pid &&
	    !group_in_session(process->system, group, process->session))
		return -EPERM;
	process->group = group;
	return 0;
}

int64_t call_getsid(struct context *context, const uint64_t *a)
{
	struct process *process = process_or_self(context, a[0]);

	return process ? process->session : -ESRCH;
}

int64_t call_setsid(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;

	(void)a;
	/* Nor may others be in a group that would be this one's. */
	if (group_exists(process->system, process->pid))
		return -EPERM;
	process->group = process->session = process->pid;
	return process->pid;
}

int64_t call_kcmp(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	struct process *one = process_find(system, (int)a[0]);
	struct process *other = process_find(system, (int)a[1]);
	const void *left, *right;

	if (!one || !other || one->ended || other->ended)
		return -ESRCH;
	if (!ptrace_may_access(context->process, one) ||
	    !ptrace_may_access(context->process, other))
		return -EPERM;
	switch ((int)a[2]) {
	case 0: /* KCMP_FILE */
		left = file_get(one, (int)a[3]);
		right = file_get(other, (int)a[4]);
		if (!left || !right)
			return -EBADF;
		break;
	case 1: /* KCMP_VM */
		left = one->memory;
		right = other->memory;
		break;
	case 2: /* KCMP_FILES */
		left = one->files;
		right = other->files;
		break;
	case 3: /* KCMP_FS, KCMP_SIGHAND, KCMP_IO, KCMP_SYSVSEM */
	case 4:
	case 5:
	case 6:
		left = one;
		right = other;
		break;
	default:
		return -EINVAL;
	}
	/* An order that does not depend on where things lie would be a lie,
	 * too: 3 means "not equal, order unknown". */
	return left == right ? 0 : 3;
}
