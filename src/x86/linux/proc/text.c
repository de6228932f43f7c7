/* What the files of /proc say about guests and their machine
 * (proc(5), Documentation/filesystems/proc.rst of Linux). */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/isa/features.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/core/core.h"
#include "x86/linux/files/files.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/random.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/uts.h"

enum { TICK = 10000000, SECOND = 1000000000 };

/* ---- Memory ---- */

struct maps {
	const struct process *process;
	FILE *out;
	bool details; /* smaps */
};

static void print_region(void *owner, const struct space_region *region)
{
	const struct maps *maps = owner;
	FILE *out = maps->out;
	const char *name = confine_name(maps->process, region->name);
	struct stat status = { 0 };
	bool file = region->name[0] == '/';
	uint64_t size = (region->end - region->start) / 1024;
	int used;

	if (file && confine_stat(maps->process->system, region->name,
				 &status) != 0)
		memset(&status, 0, sizeof status);
	used = fprintf(out,
		       "%08" PRIx64 "-%08" PRIx64 " %s%c %08" PRIx64
		       " %02x:%02x %lu ",
		       region->start, region->end,
		       space_protection_text(region->protection),
		       region->shared ? 's' : 'p',
		       file ? region->offset : 0, major(status.st_dev),
		       minor(status.st_dev), (unsigned long)status.st_ino);
	if (!strncmp(name, "/dev/zero#", 10))
		name = "/dev/zero (deleted)";
	if (name[0])
		fprintf(out, "%*s%s", used < 73 ? 73 - used : 0, "", name);
	fputc('\n', out);
	if (maps->details)
		fprintf(out,
			"Size:           %8" PRIu64 " kB\n"
			"KernelPageSize:        4 kB\n"
			"MMUPageSize:           4 kB\n"
			"Rss:            %8" PRIu64 " kB\n"
			"Pss:            %8" PRIu64 " kB\n"
			"Shared_Clean:          0 kB\n"
			"Shared_Dirty:          0 kB\n"
			"Private_Clean:         0 kB\n"
			"Private_Dirty:  %8" PRIu64 " kB\n"
			"Referenced:     %8" PRIu64 " kB\n"
			"Anonymous:      %8" PRIu64 " kB\n"
			"Swap:                  0 kB\n"
			"Locked:         %8" PRIu64 " kB\n",
			size, size, size, size, size,
			region->anonymous ? size : 0,
			region->flags & SPACE_LOCKS ? size : 0);
}

struct sizes {
	uint64_t total, data, code, stack;
};

static void add_region(void *owner, const struct space_region *region)
{
	struct sizes *sizes = owner;
	uint64_t pages = (region->end - region->start) / SPACE_PAGE;

	if (!region->protection) /* reserved, not used */
		return;
	sizes->total += pages;
	if (region->protection & SPACE_EXECUTE)
		sizes->code += pages;
	else if (!strcmp(region->name, "[stack]"))
		sizes->stack += pages;
	else if (region->protection & SPACE_WRITE)
		sizes->data += pages;
}

/* ---- Processes ---- */

static bool runs(const struct context *context)
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

static char state_of(const struct process *process, const struct context *task)
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
	return first && runs(first) ? 'R' : 'S';
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

static uint64_t queued(const struct signal_queue *queue)
{
	uint64_t set = 0;

	for (size_t i = 0; i < queue->count; i++)
		set |= UINT64_C(1) << (queue->list[i].number - 1);
	return set;
}

static struct signal_sets signal_sets(const struct process *process,
				      const struct context *task)
{
	struct signal_sets sets = {.shared = queued(&process->signals.pending),
				   .queued = process->signals.pending.count};

	if (!task)
		task = first_task(process);
	if (task) {
		sets.own = queued(&task->signals.pending);
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

static int parent_of(const struct process *process)
{
	return process->parent ? process->parent->pid : 1;
}

static void print_stat(struct process *process, const struct context *task,
		       FILE *out)
{
	const struct guest_memory *memory = process->memory;
	struct signal_sets sets = signal_sets(process, task);
	struct sizes sizes = { 0 };
	int64_t used = task ? (int64_t)x86_instructions(task->cpu)
			    : clock_process(process);
	int status = process_status(process);

	if (memory)
		space_visit(memory->space, add_region, &sizes);
	fprintf(out,
		"%d (%s) %c %d %d %d 0 %d 4194304 0 0 0 0 %" PRId64
		" 0 %" PRIu64 " 0 %d %d %d 0 %" PRId64 " %" PRIu64 " %" PRIu64
		" 18446744073709551615 ",
		task ? task->tid : process->pid,
		task ? task->name : process->name, state_of(process, task),
		parent_of(process), process->group, process->session,
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
	struct sizes sizes = { 0 };
	unsigned kib = SPACE_PAGE / 1024;
	int mode, filters;

	seccomp_count(task ? task : first_task(process), &mode, &filters);

	if (process->memory)
		space_visit(process->memory->space, add_region, &sizes);
	fprintf(out,
		"Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t%d\n"
		"Ngid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n"
		"Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nFDSize:\t%d\n"
		"Groups:\t",
		task ? task->name : process->name, process->paths.umask,
		state_name(state_of(process, task)), process->pid,
		task ? task->tid : process->pid, parent_of(process),
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

/* What the host's file of /proc says. */
static void print_host(const struct linux_system *system, const char *name,
		       FILE *out)
{
	int file = openat(confine_proc(system), name, O_RDONLY | O_CLOEXEC);
	char bytes[4096];
	ssize_t size;

	if (file < 0)
		return;
	while ((size = read(file, bytes, sizeof bytes)) > 0)
		fwrite(bytes, 1, (size_t)size, out);
	close(file);
}

static void print_mounts(const struct process *process, const char *name,
			 FILE *out)
{
	char own[32];

	snprintf(own, sizeof own, "self/%s", name);
	if (!confine_has_root(process->system))
		print_host(process->system, own, out);
	else if (!strcmp(name, "mountinfo"))
		fputs("1 0 0:1 / / rw - rootfs rootfs rw\n", out);
	else
		fputs("rootfs / rootfs rw 0 0\n", out);
}

/* Of the host's fdinfo: the mount, the inode, and what inotify watches. */
static void print_host_descriptor(const struct linux_system *system, int host,
				  FILE *out)
{
	char name[40], line[256];
	FILE *in;
	int file;

	snprintf(name, sizeof name, "self/fdinfo/%d", host);
	file = openat(confine_proc(system), name, O_RDONLY | O_CLOEXEC);
	in = file < 0 ? NULL : fdopen(file, "r");
	while (in && fgets(line, sizeof line, in))
		if (!strncmp(line, "mnt_id:", 7) ||
		    !strncmp(line, "ino:", 4) ||
		    !strncmp(line, "inotify ", 8))
			fputs(line, out);
	if (in)
		fclose(in);
}

/* fdinfo/3. */
static bool print_descriptor(const struct process *process, const char *name,
			     FILE *out)
{
	char *end;
	long number = strtol(name, &end, 10);
	const struct file *file;
	int flags;

	if (end == name || *end || !process->files)
		return false;
	file = file_get(process, (int)number);
	if (!file)
		return false;
	flags = fcntl(file->host, F_GETFL);
	flags = (flags & ~(O_NONBLOCK | O_CLOEXEC)) |
		(file->nonblock ? O_NONBLOCK : 0) |
		(process->files->list[number].close_on_exec ? O_CLOEXEC : 0);
	fprintf(out, "pos:\t%" PRId64 "\nflags:\t0%o\n",
		(int64_t)(file->may_block ? 0
					  : lseek(file->host, 0, SEEK_CUR)),
		flags);
	print_host_descriptor(process->system, file->host, out);
	if (file->kind == FILE_PROCESS) {
		const struct process *other =
			process_find(process->system, file->pid);

		fprintf(out, "Pid:\t%d\nNSpid:\t%d\n",
			other ? file->pid : -1, other ? file->pid : -1);
	} else if (file->kind == FILE_TIMER) {
		fprintf(out, "clockid: %d\nticks: 0\nsettime flags: 00\n"
			"it_value: (%" PRId64 ", %" PRId64 ")\n"
			"it_interval: (%" PRId64 ", %" PRId64 ")\n",
			file->clock, file->expires / SECOND,
			file->expires % SECOND, file->interval / SECOND,
			file->interval % SECOND);
	} else if (file->kind == FILE_SIGNAL) {
		fprintf(out, "sigmask:\t%016" PRIx64 "\n", file->mask);
	}
	return true;
}

bool proc_print_process(struct process *process, const struct context *task,
			const char *name, FILE *out)
{
	struct guest_memory *memory = process->memory;
	struct sizes sizes = { 0 };
	struct maps maps = { process, out, !strcmp(name, "smaps") };

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
		return print_descriptor(process, name + 7, out);
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
	else if (!strcmp(name, "uid_map") || !strcmp(name, "gid_map"))
		fputs("         0          0 4294967295\n", out);
	else if (!strcmp(name, "setgroups"))
		fputs("allow\n", out);
	else if (!strncmp(name, "mount", 5))
		print_mounts(process, name, out);
	else if (!memory)
		return false;
	else if (!strcmp(name, "maps") || maps.details)
		space_visit(memory->space, print_region, &maps);
	else if (!strcmp(name, "cmdline"))
		fwrite(memory->command_line, 1, memory->command_line_size,
		       out);
	else if (!strcmp(name, "environ"))
		fwrite(memory->environment, 1, memory->environment_size, out);
	else if (!strcmp(name, "auxv"))
		fwrite(memory->auxiliary, 1, memory->auxiliary_size, out);
	else if (!strcmp(name, "statm")) {
		space_visit(memory->space, add_region, &sizes);
		fprintf(out,
			"%" PRIu64 " %" PRIu64 " 0 %" PRIu64 " 0 %" PRIu64
			" 0\n", sizes.total, sizes.total, sizes.code,
			sizes.data + sizes.stack);
	} else {
		return false;
	}
	return true;
}

/* ---- The machine ---- */

static void print_cpuinfo(const struct x86_model *model, FILE *out)
{
	uint32_t first[4], sizes[4];

	x86_cpuid(model, 0, 0, first);
	x86_cpuid(model, 0x80000008, 0, sizes);
	fprintf(out,
		"processor\t: 0\nvendor_id\t: GenuineIntel\n"
		"cpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\n"
		"stepping\t: %u\ncpu MHz\t\t: 1000.000\n"
		"cache size\t: 8192 KB\nphysical id\t: 0\nsiblings\t: 1\n"
		"core id\t\t: 0\ncpu cores\t: 1\nfpu\t\t: yes\n"
		"fpu_exception\t: yes\ncpuid level\t: %u\nwp\t\t: yes\n"
		"flags\t\t:",
		model->family, model->model, model->brand, model->stepping,
		first[0]);
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		if (model->has[i] && x86_feature_info[i].flag[0])
			fprintf(out, " %s", x86_feature_info[i].flag);
	fprintf(out, "\nclflush size\t: 64\ncache_alignment\t: 64\n"
		"address sizes\t: %u bits physical, %u bits virtual\n\n",
		sizes[0] & 0xff, sizes[0] >> 8 & 0xff);
}

/* Time that the guests used is user time, the rest idle. */
static void print_machine(struct linux_system *system, FILE *out)
{
	int64_t up = clock_monotonic(system);
	int64_t used = (int64_t)system->counts.instructions;
	int64_t idle = up > used ? up - used : 0;
	int running = 0;

	for (const struct context *context = system->contexts; context;
	     context = context->next)
		running += !context->ended && runs(context);
	for (int i = 0; i < 2; i++)
		fprintf(out, "cpu%s %" PRId64 " 0 0 %" PRId64
			" 0 0 0 0 0 0\n", i ? "0" : " ", used / TICK,
			idle / TICK);
	fprintf(out,
		"intr 0\nctxt %" PRIu64 "\nbtime %" PRId64
		"\nprocesses %" PRIu64 "\nprocs_running %d\n"
		"procs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n",
		system->counts.turns, (clock_realtime(system) - up) / SECOND,
		system->counts.processes, running);
}

/* A machine that does not change while it is looked at, unless time is the
 * host's, too. */
static void print_memory(const struct linux_system *system, FILE *out)
{
	struct sysinfo host;
	uint64_t total = 0;

	if (system->options->clock == LINUX_CLOCK_HOST) {
		print_host(system, "meminfo", out);
		return;
	}
	if (sysinfo(&host) == 0)
		total = (uint64_t)host.totalram * host.mem_unit / 1024;
	fprintf(out,
		"MemTotal:       %8" PRIu64 " kB\nMemFree:        %8" PRIu64
		" kB\nMemAvailable:   %8" PRIu64 " kB\nBuffers:        "
		"%8d kB\nCached:         %8d kB\nSwapCached:     "
		"%8d kB\nSwapTotal:      %8d kB\nSwapFree:       %8d kB\n",
		total, total / 2, total / 2, 0, 0, 0, 0, 0);
}

static void print_uuid(struct linux_system *system, FILE *out)
{
	uint64_t a = random_next(system), b = random_next(system);

	fprintf(out, "%08x-%04x-4%03x-%04x-%012" PRIx64 "\n",
		(unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
		(unsigned)a & 0xfff, 0x8000 | ((unsigned)(b >> 48) & 0x3fff),
		b & UINT64_C(0xffffffffffff));
}

static bool print_kernel(struct linux_system *system, const char *name,
			 FILE *out)
{
	struct utsname host;

	uts_names(system, &host);
	if (!strcmp(name, "osrelease"))
		fprintf(out, "%s\n", host.release);
	else if (!strcmp(name, "ostype"))
		fprintf(out, "%s\n", host.sysname);
	else if (!strcmp(name, "version"))
		fprintf(out, "%s\n", host.version);
	else if (!strcmp(name, "hostname"))
		fprintf(out, "%s\n", host.nodename);
	else if (!strcmp(name, "domainname"))
		fprintf(out, "%s\n", host.domainname);
	else if (!strcmp(name, "pid_max"))
		fputs("4194304\n", out);
	else if (!strcmp(name, "threads-max"))
		fputs("32768\n", out);
	else if (!strcmp(name, "seccomp/actions_avail"))
		fputs("kill_process kill_thread trap errno trace log allow\n",
		      out);
	else if (!strcmp(name, "ngroups_max"))
		fputs("65536\n", out);
	else if (!strcmp(name, "core_pattern"))
		fprintf(out, "%s\n", core_pattern(system));
	else if (!strcmp(name, "cap_last_cap"))
		fputs("40\n", out);
	else if (!strcmp(name, "randomize_va_space") ||
		 !strcmp(name, "yama/ptrace_scope") ||
		 !strcmp(name, "core_pipe_limit") ||
		 !strcmp(name, "core_uses_pid") ||
		 !strcmp(name, "tainted"))
		fputs("0\n", out);
	else if (!strcmp(name, "overflowuid") || !strcmp(name, "overflowgid"))
		fputs("65534\n", out);
	else if (!strcmp(name, "random/uuid"))
		print_uuid(system, out);
	else if (!strcmp(name, "random/boot_id"))
		fputs("6d327300-0000-4000-8000-000000000000\n", out);
	else if (!strcmp(name, "random/entropy_avail") ||
		 !strcmp(name, "random/poolsize"))
		fputs("256\n", out);
	else
		return sysv_print_setting(system, name, out);
	return true;
}

bool proc_print_system(struct context *context, const char *name, FILE *out)
{
	struct linux_system *system = context->process->system;
	struct utsname host;
	int64_t up = clock_monotonic(system);

	if (!strcmp(name, "/proc/cpuinfo"))
		print_cpuinfo(x86_emulator_model(
				      context->process->memory->emulator),
			      out);
	else if (!strcmp(name, "/proc/stat"))
		print_machine(system, out);
	else if (!strcmp(name, "/proc/uptime"))
		fprintf(out, "%" PRId64 ".%02d %" PRId64 ".%02d\n",
			up / SECOND, (int)(up % SECOND / TICK), INT64_C(0), 0);
	else if (!strcmp(name, "/proc/loadavg"))
		fprintf(out, "0.00 0.00 0.00 1/%" PRIu64 " %d\n",
			system->counts.processes, system->next_id - 1);
	else if (!strcmp(name, "/proc/meminfo"))
		print_memory(system, out);
	else if (!strcmp(name, "/proc/version") && uname(&host) == 0)
		fprintf(out, "%s version %s (m2s) %s\n", host.sysname,
			host.release, host.version);
	else if (!strcmp(name, "/proc/cmdline"))
		fputs("\n", out);
	else if (!strncmp(name, "/proc/sysvipc/", 14))
		return sysv_print(system, name + 14, out);
	else if (!strcmp(name, "/proc/keys") ||
		 !strcmp(name, "/proc/key-users"))
		return keys_print(context, name + 6, out);
	else if (!strncmp(name, "/proc/sys/kernel/keys/", 22))
		return keys_print(context, name + 22, out);
	else if (!strncmp(name, "/proc/sys/kernel/", 17))
		return print_kernel(system, name + 17, out);
	else if (!strcmp(name, "/proc/sys/vm/max_map_count"))
		fprintf(out, "%" PRIu64 "\n", system->regions_max);
	else if (!strcmp(name, "/proc/sys/vm/overcommit_memory"))
		fputs("0\n", out);
	else if (!strcmp(name, "/sys/devices/system/cpu/online") ||
		 !strcmp(name, "/sys/devices/system/cpu/possible") ||
		 !strcmp(name, "/sys/devices/system/cpu/present"))
		fputs("0\n", out);
	else
		return false;
	return true;
}
