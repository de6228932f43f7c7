/* Walks through /proc. The simulator's own table decides, so the walk does not
 * use the host, up to a link that leads to an object that a guest holds. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

enum { LINKS_MAX = 40 };

static void drop_last(char *at)
{
	char *slash = strrchr(at, '/');

	*(slash ? slash : at) = 0;
}

static int append(char *at, const char *name, size_t length)
{
	size_t used = strlen(at);

	if (used + 1 + length >= PROC_PATH)
		return -ENAMETOOLONG;
	if (used)
		at[used++] = '/';
	memcpy(at + used, name, length);
	at[used + length] = 0;
	return 0;
}

/* An alias leads to another name of /proc. */
static int follow_alias(struct context *context, struct proc_walk *walk)
{
	const char *target = walk->place.row->target;
	const char *rest = target;

	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if (!strncmp(target, "self", 4)) {
		rest += 4;
		snprintf(walk->at, sizeof walk->at, "%d%s",
			 context->process->pid, rest);
	} else { /* thread-self */
		snprintf(walk->at, sizeof walk->at, "%d/task/%d",
			 context->process->pid, context->tid);
	}
	return proc_look_up(context->process->system, walk->at, &walk->place);
}

static bool is_folder(const struct proc_name *row)
{
	return row->kind == PROC_FOLDER || row->kind == PROC_HOST;
}

static int proc_step(struct context *context, struct proc_walk *walk,
		     const char *name, size_t length, bool more)
{
	int result;

	if (length == 1 && *name == '.')
		return 0;
	if (length == 2 && !strncmp(name, "..", 2)) {
		if (!walk->at[0])
			return PROC_UP;
		drop_last(walk->at);
		return proc_look_up(context->process->system, walk->at,
				    &walk->place);
	}
	result = append(walk->at, name, length);
	if (!result)
		result = proc_look_up(context->process->system, walk->at,
				      &walk->place);
	if (!result && more && walk->place.row->kind == PROC_ALIAS)
		result = follow_alias(context, walk);
	if (result)
		return result;
	if (walk->place.row->kind == PROC_LINK &&
	    proc_link_host(&walk->place, NULL) < 0)
		return -ENOENT;
	if (walk->place.row->kind == PROC_LINK && more)
		return PROC_JUMP;
	return more && !is_folder(walk->place.row) ? -ENOTDIR : 0;
}

int proc_walk(struct context *context, struct proc_walk *walk, bool follow)
{
	char text[PATH_MAX];
	const char *at = text;
	int result = proc_look_up(context->process->system, walk->at,
				  &walk->place);

	if (result)
		return result;
	memcpy(text, walk->rest, strlen(walk->rest) + 1);
	for (;;) {
		const char *name = at + strspn(at, "/");
		size_t length = strcspn(name, "/");
		bool last = !name[length];

		if (!length)
			return PROC_ARRIVED;
		at = name + length;
		result = proc_step(context, walk, name, length, !last);
		if (!result && last && follow &&
		    walk->place.row->kind == PROC_ALIAS)
			result = follow_alias(context, walk);
		if (!result && last && follow &&
		    walk->place.row->kind == PROC_LINK)
			result = PROC_JUMP;
		if (result) {
			memmove(walk->rest, at, strlen(at) + 1);
			return result;
		}
	}
}
