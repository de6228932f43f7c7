/* Processes and their contexts: birth, death, and what they leave behind. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/files/files.h"
#include "x86/linux/futex/futex.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/host-pid.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/processes/told.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/trace/call.h"
#include "x86/linux/trace/log.h"
#include "x86/linux/trace/trace.h"
#include "x86/linux/wait.h"

static void default_limits(struct process *process)
{
	uint64_t infinity = UINT64_MAX;
	struct rlimit own;

	for (int i = 0; i < 16; i++)
		process->limit[i][0] = process->limit[i][1] = infinity;
	process->limit[RLIMIT_STACK][0] =
		process->system->options->stack_size
			? process->system->options->stack_size
			: 8 << 20;
	process->limit[RLIMIT_CORE][0] = 0;
	/* The host holds the simulator to these. */
	if (getrlimit(RLIMIT_FSIZE, &own) == 0) {
		process->limit[RLIMIT_FSIZE][0] = own.rlim_cur;
		process->limit[RLIMIT_FSIZE][1] = own.rlim_max;
	}
	process->limit[RLIMIT_NOFILE][0] = 1024;
	process->limit[RLIMIT_NOFILE][1] = 4096;
	process->limit[RLIMIT_MEMLOCK][0] = 8 << 20;
	process->limit[RLIMIT_MEMLOCK][1] = 8 << 20;
	process->limit[RLIMIT_NPROC][0] = 4096;
	process->limit[RLIMIT_NPROC][1] = 4096;
	process->limit[RLIMIT_MSGQUEUE][0] = 819200;
	process->limit[RLIMIT_MSGQUEUE][1] = 819200;
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
	process->pid = host_pid_take(system);
	process->serial = system->counts.processes;
	process->account.start_time = clock_monotonic(system);
	process->paths.cwd = process->paths.root = -1;
	process->dumpable = true;
	if (parent) {
		process->group = parent->group;
		process->session = parent->session;
		process->paths.umask = parent->paths.umask;
		process->dumpable = parent->dumpable;
		process->personality = parent->personality;
		process->priority.nice = parent->priority.nice;
		process->barriers = parent->barriers;
		process->priority.io = parent->priority.io;
		process->credentials = parent->credentials;
		namespace_hold(process->credentials.users);
		process->pids = namespace_hold(parent->pids);
		process->oom_adjust = parent->oom_adjust;
		process->no_new_privileges = parent->no_new_privileges;
		process->timers.slack = process->timers.slack_default =
			parent->timers.slack;
		memcpy(process->name, parent->name, sizeof process->name);
		memcpy(process->signals.action, parent->signals.action,
		       sizeof process->signals.action);
		memcpy(process->limit, parent->limit, sizeof process->limit);
		process->paths.cwd =
			fcntl(parent->paths.cwd, F_DUPFD_CLOEXEC, 0);
		memcpy(process->paths.made_cwd, parent->paths.made_cwd,
		       sizeof process->paths.made_cwd);
		if (parent->paths.root >= 0)
			process->paths.root =
				fcntl(parent->paths.root, F_DUPFD_CLOEXEC, 0);
	} else {
		process->group = process->session = process->pid;
		process->paths.umask = umask(0);
		umask((mode_t)process->paths.umask);
		process->timers.slack = process->timers.slack_default = 50000;
		identity_start(&process->credentials,
			       system->options->capabilities);
		default_limits(process);
	}
	while (*last)
		last = &(*last)->next;
	*last = process;
	system->counts.processes++;
	return process;
}

struct context *context_create(struct process *process)
{
	struct linux_system *system = process->system;
	struct context *context = xcalloc(1, sizeof *context);
	struct context **last = &system->contexts;

	context->process = process;
	if (process->live_contexts) {
		context->tid = process_next_id(system);
		system->next_id = context->tid + 1;
	} else {
		context->tid = process->pid;
		if (!system->host_pids)
			system->next_id = context->tid + 1;
	}
	id_taken(process->pids, context->tid);
	context->signals.stack_flags = 2; /* SS_DISABLE */
	memcpy(context->name, process->name, sizeof context->name);
	wait_clear(context);
	while (*last)
		last = &(*last)->next;
	*last = context;
	process->live_contexts++;
	system->counts.contexts++;
	return context;
}

static void leave_folders(struct process *process)
{
	if (process->paths.cwd >= 0)
		close(process->paths.cwd);
	if (process->paths.root >= 0)
		close(process->paths.root);
	process->paths.cwd = process->paths.root = -1;
}

static void wake_vfork(struct process *process)
{
	process->vfork_done = true;
}

void context_leave(struct context *context, int status)
{
	struct process *process = context->process;

	if (context->ended)
		return;
	context->ended = true;
	process->live_contexts--;
	process->account.instructions += x86_instructions(context->cpu);
	context->call.active = false;
	wait_clear(context);
	file_release(context->call.fifo);
	context->call.fifo = NULL;
	x86_cpu_free(context->cpu);
	context->cpu = NULL;
	keys_leave(context);
	seccomp_leave(context);
	landlock_leave(context);
	namespaces_leave(context);
	context_log(context, "ends");
	ptrace_left(context, status);
}

void release_requests(struct process *process)
{
	const struct linux_options *options = process->system->options;

	if (process->made_requests && options->released)
		options->released(options->request_owner, process->pid);
	process->made_requests = false;
}

/* Cleans up after the last thread. */
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
	process_end_shown(process);
	sysv_process_ended(process);
	files_release(system, process->files);
	process->files = NULL;
	memory_release(process->memory);
	process->memory = NULL;
	leave_folders(process);
	free(process->timers.list);
	process->timers.list = NULL;
	process->timers.count = 0;
	process->timers.real.expires = process->timers.virtual.expires = 0;
	ids_first_ended(process);
	for (struct process *up = process->parent;
	     up && up->pids == process->pids && !heir; up = up->parent)
		if (up->subreaper && !up->ended)
			heir = up;
	if (!heir)
		heir = ids_heir(process);
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
				process_reaped(child);
		}
	ptrace_tracer_ended(process);
	if (process->parent && !process->parent->ended)
		process->parent->account.children_instructions +=
			process->account.instructions +
			process->account.children_instructions;
	/* A tracer that is not the parent learns it first. */
	if (process->tracing.end_tracer &&
	    process->tracing.end_tracer != process->parent)
		signal_tell_end(process->tracing.end_tracer, process->pid,
				process, process_status(process));
	else
		process_end_told(process);
}

/* A thread ends, with a status as wait4() tells it; the last one ends the
 * process. */
static void leave(struct context *context, int status)
{
	struct process *process = context->process;

	futex_exit(context);
	if (context->clear_tid && process->memory && !process->ending &&
	    process->live_contexts > 1) {
		uint32_t zero = 0;

		guest_put(context, context->clear_tid, &zero, sizeof zero);
		futex_wake(process->system, process->memory,
			   context->clear_tid, 1, UINT32_MAX);
	}
	context_leave(context, status);
	if (process->live_contexts)
		return;
	if (!process->ending)
		process->exit_status = status >> 8;
	process_ended(process);
}

void context_exit(struct context *context, int status)
{
	status = (status & 0xff) << 8;
	if (!ptrace_exits(context, status))
		leave(context, status);
}

void context_kill(struct context *context, int signal)
{
	if (!ptrace_exits(context, signal))
		leave(context, signal);
}

bool context_goes_on_ending(struct context *context)
{
	if (!context->ending)
		return false;
	leave(context, context->end_status);
	return true;
}

void process_exit(struct process *process, int status, int signal)
{
	bool again = process->ending;

	if (process->ended)
		return;
	if (!again) {
		process->ending = true;
		process->exit_status = status & 0xff;
		process->exit_signal = signal;
	}
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		/* Nothing holds back SIGKILL for long: the second time
		 * also those end that have stopped at their end. */
		if (context->process == process && !context->ended &&
		    (again || !ptrace_exits(context, process_status(process))))
			leave(context, process_status(process));
}

void process_free(struct process *process)
{
	host_pid_release(process->system, process->pid);
	signal_queue_free(&process->signals.pending);
	free(process->timers.list);
	free(process->tracing.ends);
	if (process->pids && process->pids->first == process)
		process->pids->first = NULL;
	namespace_release(process->pids);
	namespace_release(process->credentials.users);
	if (process->files)
		files_release(process->system, process->files);
	memory_release(process->memory);
	leave_folders(process);
	free(process);
}

void system_sweep(struct linux_system *system)
{
	for (struct context **link = &system->contexts; *link;) {
		struct context *context = *link;

		if (!context->ended || context == system->current ||
		    context->core.state != CORE_NONE) {
			link = &context->next;
			continue;
		}
		*link = context->next;
		signal_queue_free(&context->signals.pending);
		free(context->wait.files);
		trace_free(context);
		free(context->wait.futex.list);
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
