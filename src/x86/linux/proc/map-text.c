/* /proc/PID/maps and what is counted of it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/proc/text.h"
#include "x86/linux/state.h"
#include "x86/linux/vsyscall.h"

struct maps {
	const struct process *process;
	FILE *out;
	bool details; /* smaps */
};

/* A page of no mapping, which Linux shows in every x86-64 process. */
static const struct space_region vsyscall_region = {
	.start = VSYSCALL_START, .end = VSYSCALL_END,
	.protection = SPACE_EXECUTE, .anonymous = true, .name = "[vsyscall]",
};

static void print_region(void *owner, const struct space_region *region)
{
	const struct maps *maps = owner;
	FILE *out = maps->out;
	const char *name = confine_name(maps->process, region->name);
	struct stat status = { 0 };
	bool file = region->name[0] == '/';
	uint64_t size = (region->end - region->start) / 1024;
	uint64_t resident = region == &vsyscall_region ? 0 : size;
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
			size, resident, resident, resident, resident,
			region->anonymous ? resident : 0,
			region->flags & SPACE_LOCKS ? size : 0);
}

static void count_region(void *owner, const struct space_region *region)
{
	struct memory_sizes *sizes = owner;
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

void proc_print_maps(const struct process *process, bool details, FILE *out)
{
	struct maps maps = { process, out, details };

	space_visit(process->memory->space, print_region, &maps);
	if (!process->memory->abi32)
		print_region(&maps, &vsyscall_region);
}

struct memory_sizes proc_memory_sizes(const struct process *process)
{
	struct memory_sizes sizes = { 0 };

	if (process->memory)
		space_visit(process->memory->space, count_region, &sizes);
	return sizes;
}
