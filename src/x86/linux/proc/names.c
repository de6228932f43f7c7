/* Which row of names.def a path is. */
#include "base/memory.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALWAYS false
#define ROOT true
#define NAME(where, name, kind, seen, target)                                  \
	{ PROC_##where, name, PROC_##kind, seen, target },
static const struct proc_name names[] = {
#include "x86/linux/proc/names.def"
};

static bool seen(const struct linux_system *system,
		 const struct proc_name *row)
{
	return !row->root_only || !confine_has_root(system);
}

/* `*` is a number, and what the host has goes on below its name. */
static bool matches(const struct proc_name *row, const char *name)
{
	size_t length = strlen(row->name);

	if (length && row->name[length - 1] == '*')
		return !strncmp(row->name, name, length - 1) &&
		       name[length - 1] &&
		       name[length - 1 + strspn(name + length - 1,
						"0123456789")] == 0;
	if (row->kind == PROC_HOST)
		return !strncmp(row->name, name, length) &&
		       (!name[length] || name[length] == '/');
	return !strcmp(row->name, name);
}

const struct proc_name *proc_row(const struct linux_system *system,
				 enum proc_where where, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].where == where && matches(names + i, name) &&
		    seen(system, names + i))
			return names + i;
	return NULL;
}

void proc_visit(const struct linux_system *system, enum proc_where where,
		void (*visit)(void *owner, const struct proc_name *row),
		void *owner)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].where == where && seen(system, names + i))
			visit(owner, names + i);
}

/* "123" or "123/...": the number, and in *rest what comes after the slash;
 * -1 when it is none. */
static int number_of(const char *text, const char **rest)
{
	size_t length = strspn(text, "0123456789");

	if (!length || length > 9 || (text[length] && text[length] != '/'))
		return -1;
	*rest = text + length + (text[length] == '/');
	return atoi(text);
}

static struct process *process_of(struct linux_system *system, int id)
{
	struct process *process = process_find(system, id);
	struct context *thread = process ? NULL : context_find(system, id);

	return thread ? thread->process : process;
}

int proc_look_up(struct linux_system *system, const char *text,
		 struct proc_place *place)
{
	int id = number_of(text, &place->name);

	place->task = NULL;
	place->process = NULL;
	if (id < 0) {
		place->name = text;
		place->row = proc_row(system, PROC_SYSTEM, text);
		return place->row ? 0 : -ENOENT;
	}
	place->process = process_of(system, id);
	if (!place->process)
		return -ENOENT;
	if (!strncmp(place->name, "task/", 5)) {
		id = number_of(place->name + 5, &place->name);
		place->task = id < 0 ? NULL : context_find(system, id);
		if (!place->task || place->task->process != place->process)
			return -ENOENT;
	}
	place->row = proc_row(system, PROC_PROCESS, place->name);
	return place->row ? 0 : -ENOENT;
}

int proc_look_up_made(struct linux_system *system, const char *made,
		      struct proc_place *place)
{
	if (strncmp(made, "/proc", 5))
		return -ENOENT;
	return proc_look_up(system, made + 5 + (made[5] == '/'), place);
}
