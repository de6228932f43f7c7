/* New threads and processes: clone, fork, vfork; and unshare. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/pidfd.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/processes/scheduling.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"
#include "x86/linux/wait.h"

/* CLONE_CLEAR_SIGHAND; and all that fits 32 bits. */
#define CLEAR_HANDLERS UINT64_C(0x100000000)
#define KNOWN_FLAGS (UINT64_C(0xffffff00) | NEW_TIME)
/* CLONE_NEWTIME, which not all headers have. */
#define NEW_TIME UINT64_C(0x80)

struct clone {
	uint64_t flags;
	uint64_t stack;      /* 0: the parent's */
	uint64_t parent_tid, child_tid, tls;
	uint64_t pidfd;      /* where the descriptor goes */
	int exit_signal;
};

static int64_t set_tls(struct context *context, uint64_t tls)
{
	struct x86_cpu *cpu = context->cpu;

	if (!context->process->memory->abi32) {
		cpu->segment[X86_FS].base = tls;
		return 0;
	}
	context->abi32 = true;
	return call_set_thread_area(context, &tls);
}

/* Makes a context that continues where `context` is, in its process or a new
 * one. */
static struct context *clone_context(struct context *context,
				     struct process *process,
				     const struct clone *clone)
{
	struct context *child = context_create(process);
	int id;

	child->cpu = x86_cpu_create(process->memory->emulator);
	x86_cpu_copy(child->cpu, context->cpu);
	child->signals.mask = context->signals.mask;
	child->signals.trap_vector = context->signals.trap_vector;
	child->signals.trap_error = context->signals.trap_error;
	child->signals.trap_address = context->signals.trap_address;
	memcpy(child->name, context->name, sizeof child->name);
	scheduling_fork(child, context);
	child->memory_policy = context->memory_policy;
	keys_clone(child, context, clone->flags);
	seccomp_clone(child, context);
	landlock_clone(child, context);
	namespaces_clone(child, context);
	child->cpu->reg[X86_RAX] = 0;
	if (clone->stack)
		child->cpu->reg[X86_RSP] = clone->stack;
	if (clone->flags & CLONE_SETTLS)
		set_tls(child, clone->tls);
	if (clone->flags & CLONE_CHILD_CLEARTID)
		child->clear_tid = clone->child_tid;
	id = id_seen(context->process->pids, child->tid);
	if (clone->flags & CLONE_PARENT_SETTID)
		guest_put(context, clone->parent_tid, &id, sizeof id);
	id = id_seen(process->pids, child->tid);
	if (clone->flags & CLONE_CHILD_SETTID)
		guest_put(child, clone->child_tid, &id, sizeof id);
	return child;
}

static int64_t clone_thread(struct context *context,
			    const struct clone *clone)
{
	struct context *child =
		clone_context(context, context->process, clone);

	context_log(child, "thread created by context %d, stack pointer 0x%"
		    PRIx64, context->tid, child->cpu->reg[X86_RSP]);
	if (context->tracee)
		ptrace_cloned(context, child, clone->flags, 0);
	return child->tid;
}

static int64_t clone_process(struct context *context,
			     const struct clone *clone)
{
	struct process *parent = context->process, *process;
	struct linux_system *system = parent->system;
	struct guest_memory *memory = parent->memory;
	struct new_namespaces made;
	struct context *child;
	struct error error;
	int64_t result;

	if (context->call.resumed) {
		/* vfork: the child has gone its own way. */
		process = process_find(system, context->wait.vfork_child);
		if (process && !process->vfork_done && !process->ended)
			return wait_for(context, WAIT_VFORK,
					"the child of vfork to exec or exit");
		return context->wait.vfork_child;
	}
	if ((clone->flags & CLONE_PIDFD) &&
	    !space_check(memory->space, clone->pidfd, 4, SPACE_WRITE))
		return -EFAULT;
	if (!(clone->flags & CLONE_FILES) && files_may_fork(parent))
		return -EMFILE;
	result = namespaces_make(context, clone->flags, &made);
	if (result)
		return result;
	if (clone->flags & CLONE_VM) {
		memory->references++;
	} else {
		/* The guest's user may not see which of our pages were
		 * touched: all would be copied. */
		identity_enter(system, &system->own_identity);
		memory = memory_fork(system, memory, &error);
		if (!memory) {
			log_warning(system->log, "fork: %s", error.text);
			namespaces_drop(&made);
			return -ENOMEM;
		}
	}
	process = process_create(system, parent);
	process->memory = memory;
	process->parent_signal = clone->exit_signal;
	namespaces_begin(context, process, &made);
	if (clone->flags & CLONE_FILES) {
		process->files = parent->files;
		process->files->references++;
	} else {
		process->files = files_fork(parent->files);
	}
	if (clone->flags & CLONE_PARENT)
		process->parent = parent->parent;
	child = clone_context(context, process, clone);
	namespaces_took(child, clone->flags, &made);
	if (!(clone->flags & CLONE_VM)) {
		child->signals.stack_base = context->signals.stack_base;
		child->signals.stack_size = context->signals.stack_size;
		child->signals.stack_flags = context->signals.stack_flags;
	}
	if (clone->flags & CLEAR_HANDLERS)
		for (int i = 1; i <= SIGNALS; i++)
			if (process->signals.action[i].handler > 1)
				process->signals.action[i] =
					(struct signal_action){0};
	if (clone->flags & CLONE_PIDFD) {
		int32_t descriptor =
			(int32_t)pidfd_make(parent, process, false);

		guest_put(context, clone->pidfd, &descriptor, 4);
	}
	context_log(child, "process created by context %d%s%s", context->tid,
		    clone->flags & CLONE_VM ? ", shares its memory" : "",
		    clone->flags & CLONE_VFORK ? ", which waits" : "");
	if (context->tracee)
		ptrace_cloned(context, child, clone->flags,
			      clone->exit_signal);
	if (clone->flags & CLONE_VFORK) {
		context->wait.vfork_child = process->pid;
		return wait_for(context, WAIT_VFORK,
				"the child of vfork to exec or exit");
	}
	return process->pid;
}

static int64_t do_clone(struct context *context, const struct clone *clone)
{
	int64_t result;

	if ((clone->flags & CLONE_SIGHAND) && !(clone->flags & CLONE_VM))
		return -EINVAL;
	if ((clone->flags & CLONE_THREAD) && !(clone->flags & CLONE_SIGHAND))
		return -EINVAL;
	if ((clone->flags & CLONE_PIDFD) && (clone->flags & CLONE_THREAD))
		return -EINVAL;
	result = context->call.resumed
			 ? 0 : namespaces_check_clone(context, clone->flags);
	if (result)
		return result;
	return clone->flags & CLONE_THREAD ? clone_thread(context, clone)
					   : clone_process(context, clone);
}

int64_t call_clone(struct context *context, const uint64_t *a)
{
	struct clone clone = {
		.flags = a[0] & 0xffffff00, .exit_signal = (int)(a[0] & 0xff),
		.stack = a[1], .parent_tid = a[2], .child_tid = a[3],
		.tls = a[4], .pidfd = a[2],
	};

	if ((clone.flags & CLONE_PIDFD) && (clone.flags & CLONE_PARENT_SETTID))
		return -EINVAL;
	return do_clone(context, &clone);
}

int64_t call_clone_i386(struct context *context, const uint64_t *a)
{
	struct clone clone = {
		.flags = a[0] & 0xffffff00, .exit_signal = (int)(a[0] & 0xff),
		.stack = a[1], .parent_tid = a[2], .tls = a[3],
		.child_tid = a[4], .pidfd = a[2],
	};

	if ((clone.flags & CLONE_PIDFD) && (clone.flags & CLONE_PARENT_SETTID))
		return -EINVAL;
	return do_clone(context, &clone);
}

int64_t call_clone3(struct context *context, const uint64_t *a)
{
	/* flags, pidfd, child_tid, parent_tid, exit_signal, stack,
	 * stack_size, tls, set_tid, set_tid_size, cgroup */
	uint64_t fields[11] = { 0 };
	struct clone clone;

	if (a[1] < 64)
		return -EINVAL;
	if (a[1] > 4096)
		return -E2BIG;
	if (guest_get(context, a[0], fields,
		      a[1] < sizeof fields ? a[1] : sizeof fields))
		return -EFAULT;
	for (uint64_t at = sizeof fields; at < a[1]; at++) {
		uint8_t byte;

		if (guest_get(context, a[0] + at, &byte, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	if (fields[9] || fields[8])
		return fields[9] > 32 || !fields[8] != !fields[9] ? -EINVAL
								  : -EPERM;
	if (!fields[5] != !fields[6] || fields[4] > SIGNALS ||
	    (fields[0] & ~(KNOWN_FLAGS | CLEAR_HANDLERS)))
		return -EINVAL;
	if ((fields[0] & (CLONE_THREAD | CLONE_PARENT)) && fields[4])
		return -EINVAL;
	if ((fields[0] & CLEAR_HANDLERS) && (fields[0] & CLONE_SIGHAND))
		return -EINVAL;
	clone = (struct clone){
		.flags = fields[0], .pidfd = fields[1], .child_tid = fields[2],
		.parent_tid = fields[3], .exit_signal = (int)fields[4],
		.stack = fields[5] ? fields[5] + fields[6] : 0,
		.tls = fields[7],
	};
	return do_clone(context, &clone);
}

int64_t call_fork(struct context *context, const uint64_t *a)
{
	struct clone clone = { .exit_signal = SIGCHLD };

	(void)a;
	return do_clone(context, &clone);
}

int64_t call_vfork(struct context *context, const uint64_t *a)
{
	struct clone clone = { .flags = CLONE_VM | CLONE_VFORK,
			       .exit_signal = SIGCHLD };

	(void)a;
	return do_clone(context, &clone);
}

int64_t call_unshare(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	const uint64_t alone = CLONE_THREAD | CLONE_SIGHAND | CLONE_VM |
			       CLONE_NEWUSER;
	int64_t result;

	if (a[0] & ~(alone | CLONE_FILES | CLONE_FS | CLONE_SYSVSEM |
		     CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
		     CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET | NEW_TIME))
		return -EINVAL;
	if ((a[0] & alone) && process->live_contexts > 1)
		return -EINVAL;
	if ((a[0] & CLONE_FILES) && process->files->references > 1 &&
	    files_may_fork(process))
		return -EMFILE;
	result = namespaces_unshare(context, a[0]);
	if (!result && (a[0] & CLONE_FILES))
		files_unshare(process);
	return result;
}
