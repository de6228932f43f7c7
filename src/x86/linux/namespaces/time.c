/* Time namespaces (time_namespaces(7)): the monotonic clock and that of the
 * time since boot, moved by constants. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/time/clock.h"

enum { SECOND = 1000000000, OFFSETS_BYTES_MAX = 256 };

/* Beyond this no clock can be moved: 146 years (KTIME_SEC_MAX / 2). */
#define SECONDS_MAX (INT64_MAX / SECOND / 2)

static struct context *first_thread(const struct process *process)
{
	return context_find(process->system, process->pid);
}

void time_offsets_print(const struct process *process, FILE *out)
{
	static const char *const names[OFFSETS] = { "monotonic", "boottime" };
	const struct context *thread = first_thread(process);
	const struct namespace *time =
		thread ? thread->namespaces[SLOT_TIME_CHILDREN] : NULL;

	for (int i = 0; i < OFFSETS; i++) {
		int64_t offset = time ? time->offset[i] : 0;
		int64_t part = offset % SECOND;

		if (part < 0)
			part += SECOND;
		fprintf(out, "%-10s %10" PRId64 " %9" PRId64 "\n", names[i],
			(offset - part) / SECOND, part);
	}
}

/* A line: the clock, seconds, nanoseconds. 0 or a negative errno. */
static int parse_line(const char *line, int *which, int64_t *offset)
{
	char name[16];
	long long seconds;
	long nanoseconds;
	int end = 0;

	if (sscanf(line, "%9s %lld %ld %n", name, &seconds, &nanoseconds,
		   &end) != 3 || line[end])
		return -EINVAL;
	if (!strcmp(name, "monotonic") || !strcmp(name, "1"))
		*which = OFFSET_MONOTONIC;
	else if (!strcmp(name, "boottime") || !strcmp(name, "7"))
		*which = OFFSET_BOOT;
	else
		return -EINVAL;
	if (nanoseconds < 0 || nanoseconds >= SECOND)
		return -EINVAL;
	if (seconds > SECONDS_MAX || seconds < -SECONDS_MAX)
		return -ERANGE;
	*offset = seconds * SECOND + nanoseconds;
	return 0;
}

int64_t time_offsets_write(struct context *context,
			   const struct process *process, const char *bytes,
			   size_t size)
{
	struct linux_system *system = process->system;
	const struct context *thread = first_thread(process);
	struct namespace *time;
	char text[OFFSETS_BYTES_MAX], *rest = text, *line;
	int64_t wanted[OFFSETS] = { 0 };
	bool given[OFFSETS] = { false };
	int count = 0;

	if (!thread)
		return -ESRCH;
	if (size >= sizeof text)
		return -EINVAL;
	memcpy(text, bytes, size);
	text[size] = 0;
	while ((line = strsep(&rest, "\n"))) {
		int64_t offset;
		int which, result;

		if (!*line && !rest && count)
			break;
		result = parse_line(line, &which, &offset);
		if (result)
			return result;
		/* No clock is moved before its beginning. */
		if (clock_monotonic(system) + offset < 0)
			return -ERANGE;
		wanted[which] = offset;
		given[which] = true;
		count++;
	}
	time = thread->namespaces[SLOT_TIME_CHILDREN];
	if (!has_capability_in(context->process, time ? time->owner : NULL,
			       CAP_SYS_TIME))
		return -EPERM;
	if (!time || time->fixed)
		return -EACCES;
	for (int i = 0; i < OFFSETS; i++)
		if (given[i])
			time->offset[i] = wanted[i];
	return (int64_t)size;
}
