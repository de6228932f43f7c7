/* Texts of the files of /proc about a process (proc(5)). */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/proc/text.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/processes/told.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

bool proc_task_runs(const struct context *context)
{
	return !context->call.active || context->wait.woken ||
	       context == context->process->system->current;
}

static const struct context *first_task(const struct process *process)
{
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && !context->ended)
			return context;
	return NULL;
}

static char process_state(const struct process *process,
			  const struct context *task)
{
	const struct context *first;

	if (process->ended)
		return 'Z';
	first = task ? task : first_task(process);
	if (first && first->tracee && context_stopped(first))
		return 't';
	if (process->stopped)
		return 'T';
	/* A process is what its first thread is. */
	return first && proc_task_runs(first) ? 'R' : 'S';
}

static const char *state_name(char state)
{
	switch (state) {
	case 'R':
		return "R (running)";
	case 'T':
		return "T (stopped)";
	case 't':
		return "t (tracing stop)";
	case 'Z':
		return "Z (zombie)";
	default:
		return "S (sleeping)";
	}
}

struct signal_sets {
	uint64_t own, shared, blocked, ignored, caught;
	size_t queued;
};

static struct signal_sets signal_sets(const struct process *process,
				      const struct context *task)
{
	struct signal_sets sets = {
		.shared = signal_queue_set(&process->signals.pending),
		.queued = process->signals.pending.count};

	if (!task)
		task = first_task(process);
	if (task) {
		sets.own = signal_queue_set(&task->signals.pending);
		sets.blocked = task->signals.mask;
		sets.queued += task->signals.pending.count;
	}
	for (int i = 1; i <= SIGNALS; i++) {
		if (process->signals.action[i].handler == 1)
			sets.ignored |= UINT64_C(1) << (i - 1);
		else if (process->signals.action[i].handler)
			sets.caught |= UINT64_C(1) << (i - 1);
	}
	return sets;
}

static int parent_shown(const struct process *process)
{
	return process->parent ? process->parent->pid : 1;
}

static void print_stat(struct process *process, const struct context *task,
		       FILE *out)
{
	const struct guest_memory *memory = process->memory;
	struct signal_sets sets = signal_sets(process, task);
	struct memory_sizes sizes = proc_memory_sizes(process);
	int64_t used = task ? (int64_t)x86_instructions(task->cpu)
			    : clock_process(process);
	int status = process_status(process);

	fprintf(out,
		"%d (%s) %c %d %d %d 0 %d 4194304 0 0 0 0 %" PRId64
		" 0 %" PRIu64 " 0 %d %d %d 0 %" PRId64 " %" PRIu64 " %" PRIu64
		" 18446744073709551615 ",
		task ? task->tid : process->pid,
		task ? task->name : process->name, process_state(process, task),
		parent_shown(process), process->group, process->session,
		process->system->foreground_group, used / TICK,
		process->account.children_instructions / TICK,
		20 + process->priority.nice, process->priority.nice,
		process->live_contexts, process->account.start_time / TICK,
		sizes.total * SPACE_PAGE, sizes.total);
	fprintf(out, "0 0 %" PRIu64 " 0 0 %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " 0 0 0 17 0 0 0 0 0 0 0 0 %" PRIu64
		" 0 0 0 0 %d\n",
		memory ? memory->stack_high : 0, sets.own & INT32_MAX,
		sets.blocked & INT32_MAX, sets.ignored & INT32_MAX,
		sets.caught & INT32_MAX, memory ? memory->break_start : 0,
		process->ended ? status : 0);
}

static void print_status(struct process *process, const struct context *task,
			 FILE *out)
{
	const struct credentials *own = &process->credentials;
	const unsigned *user = own->user, *group = own->group;
	struct signal_sets sets = signal_sets(process, task);
	struct memory_sizes sizes = proc_memory_sizes(process);
	unsigned kib = SPACE_PAGE / 1024;
	int mode, filters;

	seccomp_count(task ? task : first_task(process), &mode, &filters);

	fprintf(out,
		"Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t%d\n"
		"Ngid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n"
		"Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nFDSize:\t%d\n"
		"Groups:\t",
		task ? task->name : process->name, process->paths.umask,
		state_name(process_state(process, task)), process->pid,
		task ? task->tid : process->pid, parent_shown(process),
		ptrace_tracer(task ? task : first_task(process)), user[0],
		user[1], user[2], user[3], group[0], group[1], group[2],
		group[3], process->files ? process->files->count : 0);
	for (int i = 0; i < own->group_count; i++)
		fprintf(out, "%u ", own->groups[i]);
	fputc('\n', out);
	if (process->memory)
		fprintf(out,
			"VmPeak:\t%8" PRIu64 " kB\nVmSize:\t%8" PRIu64
			" kB\nVmLck:\t%8" PRIu64 " kB\nVmPin:\t       0 kB\n"
			"VmHWM:\t%8" PRIu64 " kB\nVmRSS:\t%8" PRIu64
			" kB\nVmData:\t%8" PRIu64 " kB\nVmStk:\t%8" PRIu64
			" kB\nVmExe:\t%8" PRIu64
			" kB\nVmLib:\t       0 kB\nVmSwap:\t       0 kB\n",
			sizes.total * kib, sizes.total * kib,
			memory_locked(process->memory) / 1024,
			sizes.total * kib, sizes.total * kib,
			sizes.data * kib, sizes.stack * kib,
			sizes.code * kib);
	fprintf(out,
		"Threads:\t%d\nSigQ:\t%zu/4096\nSigPnd:\t%016" PRIx64
		"\nShdPnd:\t%016" PRIx64 "\nSigBlk:\t%016" PRIx64
		"\nSigIgn:\t%016" PRIx64 "\nSigCgt:\t%016" PRIx64
		"\nCapInh:\t%016" PRIx64 "\nCapPrm:\t%016" PRIx64
		"\nCapEff:\t%016" PRIx64 "\nCapBnd:\t%016" PRIx64
		"\nCapAmb:\t%016" PRIx64 "\nNoNewPrivs:\t%d\nSeccomp:\t%d\n"
		"Seccomp_filters:\t%d\n"
		"Cpus_allowed:\t1\nCpus_allowed_list:\t0\n"
		"Mems_allowed:\t1\nMems_allowed_list:\t0\n"
		"voluntary_ctxt_switches:\t0\n"
		"nonvoluntary_ctxt_switches:\t0\n",
		process->live_contexts, sets.queued, sets.own, sets.shared,
		sets.blocked, sets.ignored, sets.caught, own->inheritable,
		own->permitted, own->effective, own->bounding, own->ambient,
		process->no_new_privileges, mode, filters);
}

static void print_limits(const struct process *process, FILE *out)
{
	static const struct {
		const char *name, *unit;
		int limit;
	} rows[] = {
		{ "Max cpu time", "seconds", RLIMIT_CPU },
		{ "Max file size", "bytes", RLIMIT_FSIZE },
		{ "Max data size", "bytes", RLIMIT_DATA },
		{ "Max stack size", "bytes", RLIMIT_STACK },
		{ "Max core file size", "bytes", RLIMIT_CORE },
		{ "Max resident set", "bytes", RLIMIT_RSS },
		{ "Max processes", "processes", RLIMIT_NPROC },
		{ "Max open files", "files", RLIMIT_NOFILE },
		{ "Max locked memory", "bytes", RLIMIT_MEMLOCK },
		{ "Max address space", "bytes", RLIMIT_AS },
		{ "Max file locks", "locks", RLIMIT_LOCKS },
		{ "Max pending signals", "signals", RLIMIT_SIGPENDING },
		{ "Max msgqueue size", "bytes", RLIMIT_MSGQUEUE },
		{ "Max nice priority", "", RLIMIT_NICE },
		{ "Max realtime priority", "", RLIMIT_RTPRIO },
		{ "Max realtime timeout", "us", RLIMIT_RTTIME },
	};

	fprintf(out, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit",
		"Hard Limit", "Units");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fprintf(out, "%-25s", rows[i].name);
		for (int hard = 0; hard < 2; hard++) {
			uint64_t value = process->limit[rows[i].limit][hard];

			if (value == UINT64_MAX)
				fprintf(out, " %-20s", "unlimited");
			else
				fprintf(out, " %-20" PRIu64, value);
		}
		fprintf(out, " %-10s\n", rows[i].unit);
	}
}

static void print_mounts(const struct process *process, const char *name,
			 FILE *out)
{
	char own[32];

	snprintf(own, sizeof own, "self/%s", name);
	if (!confine_has_root(process->system))
		proc_print_host(process->system, own, out);
	else if (!strcmp(name, "mountinfo"))
		fputs("1 0 0:1 / / rw - rootfs rootfs rw\n", out);
	else
		fputs("rootfs / rootfs rw 0 0\n", out);
}

bool proc_print_process(struct context *context, struct process *process,
			const struct context *task, const char *name,
			FILE *out)
{
	struct guest_memory *memory = process->memory;
	struct memory_sizes sizes;

	if (!strcmp(name, "stat"))
		print_stat(process, task, out);
	else if (!strcmp(name, "status"))
		print_status(process, task, out);
	else if (!strcmp(name, "comm"))
		fprintf(out, "%s\n", task ? task->name : process->name);
	else if (!strcmp(name, "limits"))
		print_limits(process, out);
	else if (!strcmp(name, "io"))
		fprintf(out,
			"rchar: %" PRIu64 "\nwchar: %" PRIu64
			"\nsyscr: %" PRIu64 "\nsyscw: %" PRIu64
			"\nread_bytes: 0\nwrite_bytes: 0\n"
			"cancelled_write_bytes: 0\n",
			process->account.bytes[0], process->account.bytes[1],
			process->account.transfers[0],
			process->account.transfers[1]);
	else if (!strncmp(name, "fdinfo/", 7))
		return proc_print_descriptor(process, name + 7, out);
	else if (!strcmp(name, "oom_score_adj"))
		fprintf(out, "%d\n", process->oom_adjust);
	else if (!strcmp(name, "oom_score"))
		fputs("0\n", out);
	else if (!strcmp(name, "wchan"))
		fputs("0", out);
	else if (!strcmp(name, "loginuid") || !strcmp(name, "sessionid"))
		fputs("4294967295", out);
	else if (!strcmp(name, "personality"))
		fprintf(out, "%08x\n", process->personality);
	else if (!strcmp(name, "coredump_filter"))
		fputs("00000033\n", out);
	else if (!strcmp(name, "cgroup"))
		fputs("0::/\n", out);
	else if (!strcmp(name, "schedstat"))
		fprintf(out, "%" PRId64 " 0 0\n", clock_process(process));
	else if (!strcmp(name, "timerslack_ns"))
		fprintf(out, "%" PRIu64 "\n", process->timers.slack);
	else if (!strcmp(name, "uid_map") || !strcmp(name, "gid_map") ||
		 !strcmp(name, "setgroups"))
		users_print(context, process, name, out);
	else if (!strcmp(name, "timens_offsets"))
		time_offsets_print(process, out);
	else if (!strncmp(name, "mount", 5))
		print_mounts(process, name, out);
	else if (!memory)
		return false;
	else if (!strcmp(name, "maps") || !strcmp(name, "smaps"))
		proc_print_maps(process, name[0] == 's', out);
	else if (!strcmp(name, "cmdline"))
		fwrite(memory->command_line, 1, memory->command_line_size,
		       out);
	else if (!strcmp(name, "environ"))
		fwrite(memory->environment, 1, memory->environment_size, out);
	else if (!strcmp(name, "auxv"))
		fwrite(memory->auxiliary, 1, memory->auxiliary_size, out);
	else if (!strcmp(name, "statm")) {
		sizes = proc_memory_sizes(process);
		fprintf(out,
			"%" PRIu64 " %" PRIu64 " 0 %" PRIu64 " 0 %" PRIu64
			" 0\n", sizes.total, sizes.total, sizes.code,
			sizes.data + sizes.stack);
	} else {
		return false;
	}
	return true;
}
