/* Making namespaces (clone, unshare) and entering others' (setns). */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/mqueue/mqueue.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/pidfd.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/sysv/sysv.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

enum { PID_LEVELS_MAX = 32 };

static const uint64_t all_new = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
				CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
				CLONE_NEWNET | CLONE_NEWTIME;

/* ---- Making ---- */

/* Frees what an IPC namespace held. */
static void leave_ipc(struct namespace *space)
{
	mqueue_space_left(space);
	sysv_space_left(space);
}

/* Fills in the parts that a kind of namespace has, and copies those that a new
 * one takes over from the old one. */
static void fill_in(struct context *context, struct namespace *space,
		    enum namespace_slot slot)
{
	const struct linux_system *system = context->process->system;
	struct namespace *from = namespace_of(context, slot);

	switch (space->kind) {
	case NAMESPACE_IPC:
		space->left = leave_ipc;
		break;
	case NAMESPACE_UTS:
		memcpy(space->uts_name,
		       from ? from->uts_name : system->uts_name,
		       sizeof space->uts_name);
		break;
	case NAMESPACE_TIME:
		if (from)
			memcpy(space->offset, from->offset,
			       sizeof space->offset);
		break;
	case NAMESPACE_PID:
		space->parent = namespace_hold(from);
		space->level = from ? from->level + 1 : 1;
		break;
	default:
		break;
	}
}

static int64_t may_make(struct context *context, uint64_t flags)
{
	const struct process *process = context->process;
	const struct namespace *pids =
		namespace_of(context, SLOT_PID_CHILDREN);

	/* A new user namespace brings the right along. */
	if ((flags & all_new & ~(uint64_t)CLONE_NEWUSER) &&
	    !(flags & CLONE_NEWUSER) &&
	    !has_own_capability(process, CAP_SYS_ADMIN))
		return -EPERM;
	/* There is one network, the host's. */
	if (flags & CLONE_NEWNET)
		return -EPERM;
	if ((flags & CLONE_NEWPID) && pids != process->pids)
		return -EINVAL;
	return (flags & CLONE_NEWPID) && pids && pids->level >= PID_LEVELS_MAX
		       ? -ENOSPC : 0;
}

int64_t namespaces_make(struct context *context, uint64_t flags,
			struct new_namespaces *made)
{
	static const enum namespace_slot slots[] = {
		SLOT_CGROUP, SLOT_IPC, SLOT_MOUNT, SLOT_PID_CHILDREN,
		SLOT_TIME_CHILDREN, SLOT_UTS,
	};
	struct process *process = context->process;
	struct namespace *owner = process->credentials.users;
	int64_t result = may_make(context, flags);

	*made = (struct new_namespaces){ .flags = flags & all_new };
	if (!result && (flags & CLONE_NEWUSER))
		result = users_create(process, &made->space[SLOT_USER]);
	if (result)
		return result;
	if (flags & CLONE_NEWUSER)
		owner = made->space[SLOT_USER];
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
		const enum namespace_kind kind = namespace_slot_kind(slots[i]);

		if (!(flags & namespace_flag(kind)))
			continue;
		made->space[slots[i]] =
			namespace_create(process->system, kind, owner);
		fill_in(context, made->space[slots[i]], slots[i]);
	}
	return 0;
}

void namespaces_drop(struct new_namespaces *made)
{
	for (int i = 0; i < NAMESPACE_SLOTS; i++)
		namespace_release(made->space[i]);
	*made = (struct new_namespaces){ 0 };
}

static void take(struct context *context, struct new_namespaces *made)
{
	for (int i = 0; i < NAMESPACE_SLOTS; i++)
		if (made->space[i] && i != SLOT_USER) {
			namespace_set(context, i, made->space[i]);
			made->space[i] = NULL;
		}
	if (made->space[SLOT_USER])
		users_enter(context->process, made->space[SLOT_USER]);
	namespaces_drop(made);
}

/* ---- clone ---- */

int64_t namespaces_check_clone(struct context *context, uint64_t flags)
{
	const struct process *process = context->process;
	const struct namespace *pids =
		namespace_of(context, SLOT_PID_CHILDREN);
	const uint64_t kin = CLONE_THREAD | CLONE_PARENT;

	if (((flags & CLONE_FS) && (flags & (CLONE_NEWNS | CLONE_NEWUSER))) ||
	    ((flags & CLONE_SYSVSEM) && (flags & CLONE_NEWIPC)) ||
	    ((flags & CLONE_VM) && (flags & CLONE_NEWTIME)) ||
	    ((flags & kin) && (flags & (CLONE_NEWPID | CLONE_NEWUSER))) ||
	    ((flags & CLONE_THREAD) && pids != process->pids) ||
	    ((flags & CLONE_PARENT) && process->pids &&
	     process->pids->first == process))
		return -EINVAL;
	/* Process 1 of the namespace has ended: no process can enter it any
	 * more. */
	return !(flags & CLONE_NEWPID) && pids && pids->over ? -ENOMEM : 0;
}

void namespaces_begin(struct context *context, struct process *process,
		      const struct new_namespaces *made)
{
	struct namespace *pids = made->space[SLOT_PID_CHILDREN]
					 ? made->space[SLOT_PID_CHILDREN]
					 : namespace_of(context,
							SLOT_PID_CHILDREN);

	namespace_release(process->pids);
	process->pids = namespace_hold(pids);
	if (pids && !pids->first)
		pids->first = process;
}

void namespaces_clone(struct context *child, const struct context *parent)
{
	for (int i = 0; i < NAMESPACE_SLOTS; i++)
		namespace_set(child, i,
			      namespace_hold(parent->namespaces[i]));
}

/* A process is in the time that its maker had chosen for children. */
static void enter_time(struct context *context)
{
	struct namespace *time = context->namespaces[SLOT_TIME_CHILDREN];

	if (time)
		time->fixed = true;
	namespace_set(context, SLOT_TIME, namespace_hold(time));
}

void namespaces_took(struct context *child, uint64_t flags,
		     struct new_namespaces *made)
{
	take(child, made);
	if (!(flags & CLONE_VM))
		enter_time(child);
}

void namespaces_executes(struct context *context)
{
	if (context->namespaces[SLOT_TIME] !=
	    context->namespaces[SLOT_TIME_CHILDREN])
		enter_time(context);
}

/* ---- unshare ---- */

int64_t namespaces_unshare(struct context *context, uint64_t flags)
{
	struct new_namespaces made;
	int64_t result;

	if (!(flags & all_new))
		return 0;
	result = namespaces_make(context, flags, &made);
	if (result)
		return result;
	if ((flags & CLONE_NEWIPC) && context->process->live_contexts == 1)
		semaphores_left(context->process);
	take(context, &made);
	return 0;
}

/* ---- setns ---- */

/* Whether the thread may enter: 0 or a negative errno. */
static int64_t may_enter(struct context *context, struct namespace *space,
			 enum namespace_kind kind)
{
	const struct process *process = context->process;
	const bool alone = process->live_contexts == 1;

	if (kind == NAMESPACE_USER) {
		if (space == process->credentials.users || !alone)
			return -EINVAL;
		return has_capability_in(process, space, CAP_SYS_ADMIN)
			       ? 0 : -EPERM;
	}
	if (kind == NAMESPACE_TIME && !alone)
		return -EUSERS;
	if (!has_capability_in(process, space ? space->owner : NULL,
			       CAP_SYS_ADMIN) ||
	    !has_own_capability(process, CAP_SYS_ADMIN) ||
	    (kind == NAMESPACE_MOUNT &&
	     !has_own_capability(process, CAP_SYS_CHROOT)))
		return -EPERM;
	if (kind == NAMESPACE_MOUNT && !alone)
		return -EINVAL;
	return kind == NAMESPACE_PID && !namespace_within(space, process->pids)
		       ? -EINVAL : 0;
}

static void enter(struct context *context, struct namespace *space,
		  enum namespace_kind kind)
{
	struct process *process = context->process;

	switch (kind) {
	case NAMESPACE_USER:
		users_enter(process, space);
		return;
	case NAMESPACE_PID:
		namespace_set(context, SLOT_PID_CHILDREN,
			      namespace_hold(space));
		return;
	case NAMESPACE_TIME:
		namespace_set(context, SLOT_TIME_CHILDREN,
			      namespace_hold(space));
		enter_time(context);
		return;
	case NAMESPACE_IPC:
		if (process->live_contexts == 1)
			semaphores_left(process);
		break;
	case NAMESPACE_MOUNT: /* its root is everybody's */
		process_enter_root(process);
		break;
	default:
		break;
	}
	for (int slot = 0; slot < NAMESPACE_SLOTS; slot++)
		if (namespace_slot_kind(slot) == kind)
			namespace_set(context, slot, namespace_hold(space));
}

/* Some of the namespaces that a process is in. */
static int64_t enter_process(struct context *context, uint64_t descriptor,
			     uint64_t flags)
{
	static const enum namespace_slot slots[] = {
		SLOT_USER, SLOT_MOUNT, SLOT_UTS, SLOT_IPC, SLOT_CGROUP,
		SLOT_NETWORK, SLOT_TIME, SLOT_PID,
	};
	struct linux_system *system = context->process->system;
	struct process *target;
	struct context *thread;
	int64_t result = pidfd_process(context, descriptor, &target, NULL);

	if (!flags || (flags & ~all_new))
		return -EINVAL;
	if (result)
		return result;
	thread = context_find(system, target->pid);
	if (!thread)
		return -ESRCH;
	if (!ptrace_may_access(context->process, target))
		return -EPERM;
	for (int act = 0; act < 2; act++)
		for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
			const enum namespace_kind kind =
				namespace_slot_kind(slots[i]);
			struct namespace *space =
				namespace_of(thread, slots[i]);

			if (!(flags & namespace_flag(kind)))
				continue;
			result = act ? 0 : may_enter(context, space, kind);
			if (result)
				return result;
			if (act)
				enter(context, space, kind);
		}
	return 0;
}

int64_t call_setns(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t result;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_PROCESS)
		return enter_process(context, a[0], (uint32_t)a[1]);
	if (file->kind != FILE_NAMESPACE ||
	    ((int)a[1] &&
	     (uint32_t)a[1] != namespace_flag(file->namespace.kind)))
		return -EINVAL;
	result = may_enter(context, file->namespace.object,
			   file->namespace.kind);
	if (!result)
		enter(context, file->namespace.object, file->namespace.kind);
	return result;
}
