/* Processes and their contexts: birth, death, waiting, family. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

struct process *process_find(struct linux_system *system, int pid)
{
	for (struct process *process = system->processes; process;
	     process = process->next)
		if (process->pid == pid && !process->reaped)
			return process;
	return NULL;
}

struct context *context_find(struct linux_system *system, int tid)
{
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->tid == tid && !context->ended)
			return context;
	return NULL;
}

static void default_limits(struct process *process)
{
	uint64_t infinity = UINT64_MAX;

	for (int i = 0; i < 16; i++)
		process->limit[i][0] = process->limit[i][1] = infinity;
	process->limit[RLIMIT_STACK][0] =
		process->system->options->stack_size
			? process->system->options->stack_size
			: 8 << 20;
	process->limit[RLIMIT_CORE][0] = 0;
	process->limit[RLIMIT_NOFILE][0] = 1024;
	process->limit[RLIMIT_NOFILE][1] = 4096;
	process->limit[RLIMIT_MEMLOCK][0] = 8 << 20;
	process->limit[RLIMIT_MEMLOCK][1] = 8 << 20;
	process->limit[RLIMIT_NPROC][0] = 4096;
	process->limit[RLIMIT_NPROC][1] = 4096;
	process->limit[RLIMIT_NICE][0] = process->limit[RLIMIT_NICE][1] = 0;
	process->limit[RLIMIT_RTPRIO][0] = 0;
	process->limit[RLIMIT_RTPRIO][1] = 0;
}

struct process *process_create(struct linux_system *system,
			       struct process *parent)
{
	struct process *process = xcalloc(1, sizeof *process);
	struct process **last = &system->processes;

	process->system = system;
	process->parent = parent;
	process->pid = system->next_id;
	process->start_time = clock_monotonic(system);
	process->cwd = -1;
	process->dumpable = true;
	if (parent) {
		process->group = parent->group;
		process->session = parent->session;
		process->umask = parent->umask;
		process->personality = parent->personality;
		process->nice = parent->nice;
		process->credentials = parent->credentials;
		process->oom_adjust = parent->oom_adjust;
		process->no_new_privileges = parent->no_new_privileges;
		process->timer_slack = parent->timer_slack;
		memcpy(process->name, parent->name, sizeof process->name);
		memcpy(process->action, parent->action,
		       sizeof process->action);
		memcpy(process->limit, parent->limit, sizeof process->limit);
		process->cwd = fcntl(parent->cwd, F_DUPFD_CLOEXEC, 0);
		memcpy(process->made_cwd, parent->made_cwd,
		       sizeof process->made_cwd);
	} else {
		process->group = process->session = process->pid;
		process->umask = umask(0);
		umask((mode_t)process->umask);
		process->timer_slack = 50000;
		identity_start(&process->credentials);
		default_limits(process);
	}
	while (*last)
		last = &(*last)->next;
	*last = process;
	system->process_count++;
	return process;
}

struct context *context_create(struct process *process)
{
	struct linux_system *system = process->system;
	struct context *context = xcalloc(1, sizeof *context);
	struct context **last = &system->contexts;

	context->process = process;
	context->tid = system->next_id++;
	context->stack_flags = 2; /* SS_DISABLE */
	memcpy(context->name, process->name, sizeof context->name);
	wait_clear(context);
	while (*last)
		last = &(*last)->next;
	*last = context;
	process->live_contexts++;
	system->context_count++;
	return context;
}

/* Whoever waits in wait4() looks again. */
static void wake_parent(struct process *process)
{
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (!context->ended && context->process == process->parent &&
		    context->wait.kind == WAIT_CHILD)
			context->wait.woken = true;
}

static void wake_vfork(struct process *process)
{
	process->vfork_done = true;
}

static void end_context(struct context *context)
{
	struct process *process = context->process;

	if (context->ended)
		return;
	context->ended = true;
	process->live_contexts--;
	process->instructions += x86_instructions(context->cpu);
	context->in_call = false;
	wait_clear(context);
	file_release(context->fifo);
	context->fifo = NULL;
	x86_cpu_free(context->cpu);
	context->cpu = NULL;
	context_log(context, "ends");
}

void release_requests(struct process *process)
{
	const struct linux_options *options = process->system->options;

	if (process->made_requests && options->released)
		options->released(options->request_owner, process->pid);
	process->made_requests = false;
}

/* What the last thread leaves behind. */
static void process_ended(struct process *process)
{
	struct linux_system *system = process->system;
	struct process *heir = NULL;

	process->ended = true;
	if (process->exit_signal)
		process_log(process, "ended by %s",
			    signal_name(process->exit_signal));
	else
		process_log(process, "ends with status %d",
			    process->exit_status);
	call_trace_end(process);
	release_requests(process);
	debug_ended(process);
	wake_vfork(process);
	pidfd_ended(process);
	files_release(system, process->files);
	process->files = NULL;
	memory_release(process->memory);
	process->memory = NULL;
	if (process->cwd >= 0)
		close(process->cwd);
	process->cwd = -1;
	free(process->timers);
	process->timers = NULL;
	process->timer_count = 0;
	process->real_timer.expires = process->virtual_timer.expires = 0;
	for (struct process *up = process->parent; up; up = up->parent)
		if (up->subreaper && !up->ended) {
			heir = up;
			break;
		}
	for (struct process *child = system->processes; child;
	     child = child->next)
		if (child->parent == process) {
			child->parent = heir;
			if (child->death_signal)
				signal_send_process(
					child,
					&(struct signal_information){
						.number = child->death_signal,
						.pid = process->pid,
					});
			if (child->ended && !heir)
				child->reaped = true;
		}
	if (!process->parent || process->parent->ended) {
		process->reaped = true;
		return;
	}
	process->parent->children_instructions +=
		process->instructions + process->children_instructions;
	if (process->parent_signal)
		signal_send_process(
			process->parent,
			&(struct signal_information){
				.number = process->parent_signal,
				.code = process->exit_signal ? CLD_KILLED
							     : CLD_EXITED,
				.pid = process->pid,
				.uid = (int)process->credentials.user[0],
				.status = process->exit_signal
						  ? process->exit_signal
						  : process->exit_status,
			});
	/* Children of those who ignore SIGCHLD leave no zombies. */
	if (process->parent_signal == SIGCHLD &&
	    (process->parent->action[SIGCHLD].handler == 1 ||
	     (process->parent->action[SIGCHLD].flags & SA_NOCLDWAIT)))
		process->reaped = true;
	wake_parent(process);
}

void context_exit(struct context *context, int status)
{
	struct process *process = context->process;

	robust_list_exit(context);
	if (context->clear_tid && process->memory &&
	    process->live_contexts > 1) {
		uint32_t zero = 0;

		guest_put(context, context->clear_tid, &zero, sizeof zero);
		futex_wake(process->system, process->memory,
			   context->clear_tid, 1, UINT32_MAX);
	}
	end_context(context);
	if (process->live_contexts == 0) {
		process->exit_status = status & 0xff;
		process_ended(process);
	}
}

void process_exit(struct process *process, int status, int signal)
{
	if (process->ended)
		return;
	process->exit_status = status & 0xff;
	process->exit_signal = signal;
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process) {
			if (!context->ended)
				robust_list_exit(context);
			end_context(context);
		}
	process_ended(process);
}

void process_free(struct process *process)
{
	signal_queue_free(&process->pending);
	free(process->timers);
	if (process->files)
		files_release(process->system, process->files);
	memory_release(process->memory);
	if (process->cwd >= 0)
		close(process->cwd);
	free(process);
}

void system_sweep(struct linux_system *system)
{
	for (struct context **link = &system->contexts; *link;) {
		struct context *context = *link;

		if (!context->ended || context == system->current) {
			link = &context->next;
			continue;
		}
		*link = context->next;
		signal_queue_free(&context->pending);
		free(context->wait.files);
		trace_free(context);
		free(context->wait.futexes);
		free(context->trace.text);
		free(context);
	}
	for (struct process **link = &system->processes; *link;) {
		struct process *process = *link;

		if (!process->ended || !process->reaped ||
		    process->loaded) {
			link = &process->next;
			continue;
		}
		*link = process->next;
		process_free(process);
	}
}

/* ---- clone, fork ---- */

/* CLONE_CLEAR_SIGHAND; and all that fits 32 bits. */
#define CLEAR_HANDLERS UINT64_C(0x100000000)
#define KNOWN_FLAGS UINT64_C(0xffffff00)


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

static int64_t clone_thread(struct context *context,
			    const struct clone *clone)
{
	struct context *child = context_create(context->process);

	child->cpu = x86_cpu_create(context->process->memory->emulator);
	x86_cpu_copy(child->cpu, context->cpu);
	child->mask = context->mask;
	child->trap_vector = context->trap_vector;
	child->trap_error = context->trap_error;
	child->trap_address = context->trap_address;
	memcpy(child->name, context->name, sizeof child->name);
	child->cpu->reg[X86_RAX] = 0;
	if (clone->stack)
		child->cpu->reg[X86_RSP] = clone->stack;
	if (clone->flags & CLONE_SETTLS)
		set_tls(child, clone->tls);
	if (clone->flags & CLONE_CHILD_CLEARTID)
		child->clear_tid = clone->child_tid;
	if (clone->flags & CLONE_PARENT_SETTID)
		guest_put(context, clone->parent_tid, &child->tid,
			  sizeof child->tid);
	if (clone->flags & CLONE_CHILD_SETTID)
		guest_put(child, clone->child_tid, &child->tid,
			  sizeof child->tid);
	context_log(child, "thread created by context %d, stack pointer 0x%"
		    PRIx64, context->tid, child->cpu->reg[X86_RSP]);
	return child->tid;
}

static int64_t clone_process(struct context *context,
			     const struct clone *clone)
{
	struct process *parent = context->process, *process;
	struct linux_system *system = parent->system;
	struct guest_memory *memory = parent->memory;
	struct context *child;
	struct error error;

	if (context->resumed) {
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
	if (clone->flags & CLONE_VM) {
		memory->references++;
	} else {
		memory = memory_fork(system, memory, &error);
		if (!memory) {
			log_warning(system->log, "fork: %s", error.text);
			return -ENOMEM;
		}
	}
	process = process_create(system, parent);
	process->memory = memory;
	process->parent_signal = clone->exit_signal;
	if (clone->flags & CLONE_FILES) {
		process->files = parent->files;
		process->files->references++;
	} else {
		process->files = files_fork(parent->files);
	}
	if (clone->flags & CLONE_PARENT)
		process->parent = parent->parent;
	child = context_create(process);
	child->cpu = x86_cpu_create(memory->emulator);
	x86_cpu_copy(child->cpu, context->cpu);
	child->mask = context->mask;
	child->trap_vector = context->trap_vector;
	child->trap_error = context->trap_error;
	child->trap_address = context->trap_address;
	memcpy(child->name, context->name, sizeof child->name);
	if (!(clone->flags & CLONE_VM)) {
		child->stack_base = context->stack_base;
		child->stack_size = context->stack_size;
		child->stack_flags = context->stack_flags;
	}
	child->cpu->reg[X86_RAX] = 0;
	if (clone->stack)
		child->cpu->reg[X86_RSP] = clone->stack;
	if (clone->flags & CLONE_SETTLS)
		set_tls(child, clone->tls);
	if (clone->flags & CLONE_CHILD_CLEARTID)
		child->clear_tid = clone->child_tid;
	if (clone->flags & CLONE_PARENT_SETTID)
		guest_put(context, clone->parent_tid, &child->tid,
			  sizeof child->tid);
	if (clone->flags & CLONE_CHILD_SETTID)
		guest_put(child, clone->child_tid, &child->tid,
			  sizeof child->tid);
	if (clone->flags & CLEAR_HANDLERS)
		for (int i = 1; i <= SIGNALS; i++)
			if (process->action[i].handler > 1)
				process->action[i] =
					(struct signal_action){ 0 };
	if (clone->flags & CLONE_PIDFD) {
		int32_t descriptor =
			(int32_t)pidfd_make(parent, process, false);

		guest_put(context, clone->pidfd, &descriptor, 4);
	}
	context_log(child, "process created by context %d%s%s", context->tid,
		    clone->flags & CLONE_VM ? ", shares its memory" : "",
		    clone->flags & CLONE_VFORK ? ", which waits" : "");
	if (clone->flags & CLONE_VFORK) {
		context->wait.vfork_child = process->pid;
		return wait_for(context, WAIT_VFORK,
				"the child of vfork to exec or exit");
	}
	return process->pid;
}

static int64_t do_clone(struct context *context, const struct clone *clone)
{
	const uint64_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP |
				    CLONE_NEWUTS | CLONE_NEWIPC |
				    CLONE_NEWUSER | CLONE_NEWPID |
				    CLONE_NEWNET;

	if ((clone->flags & CLONE_SIGHAND) && !(clone->flags & CLONE_VM))
		return -EINVAL;
	if ((clone->flags & CLONE_THREAD) && !(clone->flags & CLONE_SIGHAND))
		return -EINVAL;
	if ((clone->flags & CLONE_FS) && (clone->flags & CLONE_NEWNS))
		return -EINVAL;
	if (clone->flags & namespaces)
		return -EPERM;
	if ((clone->flags & CLONE_PIDFD) && (clone->flags & CLONE_THREAD))
		return -EINVAL;
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
	    (fields[0] & 0xff) || (fields[0] & ~(KNOWN_FLAGS | CLEAR_HANDLERS)))
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

/* ---- exit, wait ---- */

int64_t call_exit(struct context *context, const uint64_t *a)
{
	context_exit(context, (int)a[0]);
	return CALL_NO_RESULT;
}

int64_t call_exit_group(struct context *context, const uint64_t *a)
{
	process_exit(context->process, (int)a[0], 0);
	return CALL_NO_RESULT;
}

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

/* ---- Family ---- */

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

int64_t call_setpgid(struct context *context, const uint64_t *a)
{
	struct process *process = process_or_self(context, a[0]);
	int group = (int)a[1];

	if (group < 0)
		return -EINVAL;
	if (!process || (process != context->process &&
			 process->parent != context->process))
		return -ESRCH;
	if (process->session == process->pid)
		return -EPERM;
	process->group = group ? group : process->pid;
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
	if (process->group == process->pid)
		return -EPERM;
	process->group = process->session = process->pid;
	return process->pid;
}

/* ---- Taking apart and comparing ---- */

int64_t call_unshare(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	const uint64_t own = CLONE_FILES | CLONE_FS | CLONE_SYSVSEM |
			     CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;

	if (a[0] & ~own)
		return a[0] & ~(own | CLONE_NEWNS | CLONE_NEWCGROUP |
				CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
				CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWTIME)
			       ? -EINVAL
			       : -EPERM;
	if ((a[0] & (CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)) &&
	    process->live_contexts > 1)
		return -EINVAL;
	if ((a[0] & CLONE_FILES) && process->files->references > 1) {
		struct file_table *shared = process->files;

		process->files = files_fork(shared);
		files_release(process->system, shared);
	}
	return 0;
}

/* Only the trampoline of a signal may make it; here nothing needs it. */
int64_t call_restart_syscall(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return -EINTR;
}

int64_t call_kcmp(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	struct process *one = process_find(system, (int)a[0]);
	struct process *other = process_find(system, (int)a[1]);
	const void *left, *right;

	if (!one || !other || one->ended || other->ended)
		return -ESRCH;
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
