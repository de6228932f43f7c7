/* The name of a core file: /proc/sys/kernel/core_pattern (core(5)). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "x86/linux/core/core.h"
#include "x86/linux/core/notes.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/uts.h"

const char *core_pattern(const struct linux_system *system)
{
	return *system->core_pattern ? system->core_pattern : "core";
}

int64_t core_set_pattern(struct context *context, const char *text,
			 size_t size)
{
	struct linux_system *system = context->process->system;
	size_t length = 0;

	if (context->process->credentials.user[3])
		return -EACCES;
	while (length < size && text[length] && text[length] != '\n')
		length++;
	/* Nothing takes the place of a program that core files are piped to. */
	if (length >= sizeof system->core_pattern || (length && *text == '|'))
		return -EINVAL;
	memcpy(system->core_pattern, text, length);
	system->core_pattern[length] = 0;
	return (int64_t)size;
}

/* Expands the letter after a %. */
static void print_field(const struct context *context, char field, int signal,
			FILE *out)
{
	const struct process *process = context->process;
	struct utsname host;

	switch (field) {
	case 'p': /* where it is, and in the first namespace */
		fprintf(out, "%d", id_seen(process->pids, process->pid));
		break;
	case 'P':
		fprintf(out, "%d", process->pid);
		break;
	case 'i':
		fprintf(out, "%d", id_seen(process->pids, context->tid));
		break;
	case 'I':
		fprintf(out, "%d", context->tid);
		break;
	case 'u':
		fprintf(out, "%u", process->credentials.user[0]);
		break;
	case 'g':
		fprintf(out, "%u", process->credentials.group[0]);
		break;
	case 'd':
		fprintf(out, "%d", process->dumpable);
		break;
	case 's':
		fprintf(out, "%d", signal);
		break;
	case 't':
		fprintf(out, "%" PRId64,
			clock_realtime(process->system) / 1000000000);
		break;
	case 'c':
		fprintf(out, "%" PRIu64, process->limit[RLIMIT_CORE][0]);
		break;
	case 'h':
		uts_names(context, &host);
		fputs(host.nodename, out);
		break;
	case 'e':
		/* A name is no path. */
		for (const char *at = process->name; *at; at++)
			fputc(*at == '/' ? '!' : *at, out);
		break;
	case '%':
		fputc('%', out);
		break;
	default:
		break;
	}
}

bool core_name(const struct context *context, int signal, char *name,
	       size_t size)
{
	const char *at = core_pattern(context->process->system);
	FILE *out = fmemopen(name, size, "w");
	bool good;

	if (!out)
		return false;
	for (; *at; at++)
		if (*at != '%')
			fputc(*at, out);
		else if (*++at)
			print_field(context, *at, signal, out);
		else
			break;
	good = fflush(out) == 0 && ftell(out) < (long)size - 1;
	return fclose(out) == 0 && good;
}
