/* Texts of the files of /proc about the machine (proc(5),
 * Documentation/filesystems/proc.rst of Linux). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "x86/isa/features.h"
#include "x86/linux/core/core.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/proc/text.h"
#include "x86/linux/random.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/uts.h"

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
		running += !context->ended && proc_task_runs(context);
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
		proc_print_host(system, "meminfo", out);
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

static bool print_kernel(struct context *context, const char *name, FILE *out)
{
	struct linux_system *system = context->process->system;
	struct utsname host;

	uts_names(context, &host);
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
	else if (!strcmp(name, "ns_last_pid"))
		fprintf(out, "%d\n", ids_last(context));
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
		return sysv_print_setting(context, name, out);
	return true;
}

bool proc_print_system(struct context *context, const char *name, FILE *out)
{
	struct linux_system *system = context->process->system;
	struct utsname host;
	int64_t up = clock_monotonic(system) +
		     clock_offset(context, CLOCK_BOOTTIME);

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
		return sysv_print(context, name + 14, out);
	else if (!strcmp(name, "/proc/keys") ||
		 !strcmp(name, "/proc/key-users"))
		return keys_print(context, name + 6, out);
	else if (!strncmp(name, "/proc/sys/kernel/keys/", 22))
		return keys_print(context, name + 22, out);
	else if (!strncmp(name, "/proc/sys/kernel/", 17))
		return print_kernel(context, name + 17, out);
	else if (!strcmp(name, "/proc/sys/fs/nr_open"))
		fprintf(out, "%" PRIu64 "\n", system->descriptors_max);
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
