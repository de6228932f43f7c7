/* The place of a file: the file and the folders above it, by device and inode,
 * as the rules name them. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/ruleset.h"
#include "x86/linux/state.h"

static void add_ancestor(struct place *place, const struct stat *status)
{
	ARRAY_GROW(place->list, place->count, place->capacity);
	place->list[place->count].device = status->st_dev;
	place->list[place->count++].inode = status->st_ino;
}

/* Adds a path of the host and all that is above it. */
static void add_path(struct context *context, char *text, struct place *place)
{
	const struct linux_system *system = context->process->system;
	struct stat status;
	char *slash;

	while ((slash = strrchr(text, '/'))) {
		if (confine_stat(system, *text ? text : "/", &status) == 0)
			add_ancestor(place, &status);
		if (!slash[1] && slash == text)
			return;
		/* "/" comes last. */
		slash[slash == text] = 0;
	}
}

/* Names of our own tables lie where they seem to: in /proc, in the root. */
static void add_made(struct context *context, struct place *place)
{
	struct stat status;

	if (fstat(confine_proc(context->process->system), &status) == 0)
		add_ancestor(place, &status);
	if (fstat(process_root(context->process), &status) == 0)
		add_ancestor(place, &status);
}

/* The path of a host descriptor's file, without the mark of a removed file.
 * False when it has none. */
static bool path_of(int host, char *text, size_t size)
{
	static const char mark[] = " (deleted)";
	size_t length;

	if (!path_of_host(host, text, size))
		return false;
	length = strlen(text);
	if (length > sizeof mark &&
	    !strcmp(text + length - (sizeof mark - 1), mark))
		text[length - (sizeof mark - 1)] = 0;
	return text[0] == '/' && strncmp(text, "/memfd:", 7);
}

void place_of_path(struct context *context, const struct host_path *path,
		   struct place *place)
{
	char text[2 * PATH_MAX];
	struct stat status;

	*place = (struct place){ 0 };
	if (path->made[0]) {
		add_made(context, place);
		return;
	}
	if (path->host < 0) {
		place_of_folder(context, path, place);
		/* The object itself comes first. */
		if (path_status(path, AT_SYMLINK_NOFOLLOW, &status) == 0) {
			add_ancestor(place, &status);
			memmove(place->list + 1, place->list,
				(place->count - 1) * sizeof *place->list);
			place->list[0].device = status.st_dev;
			place->list[0].inode = status.st_ino;
		}
		return;
	}
	if (fstat(path->host, &status) == 0)
		add_ancestor(place, &status);
	if (path_of(path->host, text, PATH_MAX))
		add_path(context, text, place);
	else
		place->exempt = true;
}

void place_of_folder(struct context *context, const struct host_path *path,
		     struct place *place)
{
	char text[PATH_MAX];
	char *slash;

	*place = (struct place){ 0 };
	if (path->made[0]) {
		add_made(context, place);
		return;
	}
	if (!path_of(path->host >= 0 ? path->host : path->folder, text,
		     sizeof text)) {
		place->exempt = true;
		return;
	}
	slash = strrchr(text, '/');
	if (path->host >= 0 && slash)
		slash[slash == text] = 0;
	add_path(context, text, place);
}

void place_free(struct place *place)
{
	free(place->list);
	place->list = NULL;
	place->count = place->capacity = 0;
}

/* ---- Rules ---- */

static uint64_t allowed_by(const struct place *place, size_t count,
			   const struct ruleset *rules)
{
	uint64_t allowed = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < rules->file_count; n++)
			if (rules->files[n].device == place->list[i].device &&
			    rules->files[n].inode == place->list[i].inode)
				allowed |= rules->files[n].allowed;
	return allowed;
}

uint64_t place_allowed(const struct place *place, const struct ruleset *rules)
{
	return allowed_by(place, place->count, rules);
}

uint64_t place_allowed_itself(const struct place *place,
			      const struct ruleset *rules)
{
	return allowed_by(place, place->count > 0, rules);
}

uint64_t place_denied(const struct place *place,
		      const struct landlock_domain *domain, uint64_t access)
{
	uint64_t denied = 0;

	if (place->exempt)
		return 0;
	for (; domain; domain = domain->outer) {
		const struct ruleset *rules = domain->rules;
		/* Who handles files at all forbids that they change folders. */
		uint64_t handled = rules->fs | (rules->fs ? FS_REFER : 0);

		denied |= access & handled & ~place_allowed(place, rules);
	}
	return denied;
}
