/* Links of /proc: to what a guest process holds, and to other names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

/* The open file of "fd/3", or NULL. */
static struct file *descriptor_of(const struct process *process,
				  const char *name)
{
	return !strncmp(name, "fd/", 3) && process->files
		       ? file_get(process, atoi(name + 3))
		       : NULL;
}

int proc_link_host(const struct proc_place *place, const struct file **file)
{
	const struct process *process = place->process;
	const struct file *open = descriptor_of(process, place->name);

	if (file)
		*file = open;
	if (open)
		return open->host;
	if (process->ended || !process->memory)
		return -1;
	if (!strcmp(place->name, "cwd"))
		return process->paths.cwd;
	if (!strcmp(place->name, "root"))
		return process_root(process);
	return !strcmp(place->name, "exe") && process->memory->program
		       ? process->memory->program->host
		       : -1;
}

static int descriptor_text(const struct process *reader,
			   const struct file *file, char *target, size_t size)
{
	if (file->made[0])
		return snprintf(target, size, "%s", file->made);
	switch (file->kind) {
	case FILE_TIMER:
		return snprintf(target, size, "anon_inode:[timerfd]");
	case FILE_SIGNAL:
		return snprintf(target, size, "anon_inode:[signalfd]");
	case FILE_PROCESS:
		return snprintf(target, size, "anon_inode:[pidfd]");
	default:
		return path_name(reader, file->host, target, size);
	}
}

static int link_text(const struct process *reader,
		     const struct proc_place *place, char *target, size_t size)
{
	const struct file *file;
	int host = proc_link_host(place, &file);

	if (file)
		return descriptor_text(reader, file, target, size);
	if (!strcmp(place->name, "cwd") && host >= 0 &&
	    place->process->paths.made_cwd[0])
		return snprintf(target, size, "%s",
				place->process->paths.made_cwd);
	return host < 0 ? -1 : path_name(reader, host, target, size);
}

int proc_link(struct context *context, const char *made, char *target,
	      size_t size)
{
	const struct process *process = context->process;
	struct proc_place place;

	if (proc_look_up_made(process->system, made, &place))
		return -1;
	if (place.row->kind == PROC_LINK)
		return link_text(process, &place, target, size);
	if (place.row->kind == PROC_NAMESPACE)
		return namespace_link(context, &place, target, size);
	if (place.row->kind != PROC_ALIAS)
		return -1;
	if (!strcmp(place.name, "self"))
		return snprintf(target, size, "%d", process->pid);
	if (!strcmp(place.name, "thread-self"))
		return snprintf(target, size, "%d/task/%d", process->pid,
				context->tid);
	return snprintf(target, size, "%s", place.row->target);
}
