/* The entries of folders of /proc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

struct listing {
	const struct linux_system *system;
	bool task;
	FILE *out;
};

static void add_entry(FILE *out, const char *name)
{
	fwrite(name, 1, strlen(name) + 1, out);
}

static void add_number(FILE *out, int number)
{
	char name[16];

	snprintf(name, sizeof name, "%d", number);
	add_entry(out, name);
}

/* Files that the host lacks do not exist; files that cannot be opened are not
 * shown. */
static void add_row(void *owner, const struct proc_name *row)
{
	const struct listing *listing = owner;

	if (!*row->name || strchr(row->name, '/') ||
	    row->kind == PROC_SPECIAL ||
	    (listing->task && !strcmp(row->name, "task")))
		return;
	if (row->kind == PROC_HOST &&
	    faccessat(confine_proc(listing->system), row->target, F_OK,
		      0) != 0)
		return;
	add_entry(listing->out, row->name);
}

static void list_system(const struct linux_system *system, FILE *out)
{
	struct listing listing = { system, false, out };

	proc_visit(system, PROC_SYSTEM, add_row, &listing);
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (!process->reaped)
			add_number(out, process->pid);
}

static void list_descriptors(const struct process *process, FILE *out)
{
	for (int i = 0; process->files && i < process->files->count; i++)
		if (process->files->list[i].file)
			add_number(out, i);
}

static void list_tasks(const struct process *process, FILE *out)
{
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && !context->ended)
			add_number(out, context->tid);
}

static void list_process(const struct proc_place *place, FILE *out)
{
	const struct process *process = place->process;
	struct listing listing = { process->system, place->task, out };

	if (!*place->name)
		proc_visit(process->system, PROC_PROCESS, add_row, &listing);
	else if (!strcmp(place->name, "task"))
		list_tasks(process, out);
	else if (!strcmp(place->name, "ns"))
		for (int i = 0; i < NAMESPACE_SLOTS; i++)
			add_entry(out, namespace_slot_name(i));
	else
		list_descriptors(process, out);
}

/* Out of the way of those of the namespaces. */
#define FOLDER_NUMBERS UINT64_C(0x20000000)

static bool is_process_folder(const char *made)
{
	const char *id = made + 6;

	return !strncmp(made, "/proc/", 6) && *id &&
	       !id[strspn(id, "0123456789")];
}

bool proc_folder_number(const struct file *file, uint64_t *number)
{
	*number = FOLDER_NUMBERS + file->process.serial;
	return file->kind == FILE_LIST && is_process_folder(file->made);
}

bool proc_path_number(struct context *context, const char *made,
		      uint64_t *number)
{
	struct proc_place place;

	if (!is_process_folder(made) ||
	    proc_look_up_made(context->process->system, made, &place))
		return false;
	*number = FOLDER_NUMBERS + place.process->serial;
	return true;
}

char *proc_list(struct context *context, const char *made, size_t *size)
{
	const struct linux_system *system = context->process->system;
	struct proc_place place;
	char *entries = NULL;
	FILE *out;

	if (proc_look_up_made(context->process->system, made, &place) ||
	    place.row->kind != PROC_FOLDER)
		return NULL;
	out = open_memstream(&entries, size);
	add_entry(out, ".");
	add_entry(out, "..");
	if (place.process)
		list_process(&place, out);
	else
		list_system(system, out);
	fclose(out);
	return entries;
}
