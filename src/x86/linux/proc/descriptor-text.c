/* /proc/PID/fdinfo. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/proc/text.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

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

bool proc_print_descriptor(const struct process *process, const char *name,
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
			process_find(process->system, file->process.pid);

		fprintf(out, "Pid:\t%d\nNSpid:\t%d\n",
			other ? file->process.pid : -1,
			other ? file->process.pid : -1);
	} else if (file->kind == FILE_TIMER) {
		fprintf(out,
			"clockid: %d\nticks: 0\nsettime flags: 00\n"
			"it_value: (%" PRId64 ", %" PRId64 ")\n"
			"it_interval: (%" PRId64 ", %" PRId64 ")\n",
			file->timer.clock, file->timer.expires / SECOND,
			file->timer.expires % SECOND,
			file->timer.interval / SECOND,
			file->timer.interval % SECOND);
	} else if (file->kind == FILE_SIGNAL) {
		fprintf(out, "sigmask:\t%016" PRIx64 "\n", file->signals.mask);
	}
	return true;
}
