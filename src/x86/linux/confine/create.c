/* The folders that a confinement consists of, from the options. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/confinement.h"
#include "x86/linux/state.h"

int hold_place(struct held_place *place, const char *path)
{
	struct stat status;

	place->host = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place->host < 0 || fstat(place->host, &status) != 0)
		return -1;
	place->device = status.st_dev;
	place->inode = status.st_ino;
	return 0;
}

static int open_root(struct confinement *confinement, const char *root,
		     struct error *error)
{
	if (hold_place(&confinement->root, root) ||
	    !path_of_host(confinement->root.host, confinement->path,
			  PATH_MAX))
		return error_set(error,
				 "--x86-root %s: cannot open the folder: %s",
				 root, strerror(errno));
	confinement->whole = !strcmp(confinement->path, "/");
	if (confinement->whole)
		confinement->path[0] = 0;
	return 0;
}

static int open_proc(struct confinement *confinement, struct error *error)
{
	confinement->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (confinement->proc < 0)
		return error_set(error, "cannot open /proc, without which no "
					"file of a guest can be opened: %s",
				 strerror(errno));
	return 0;
}

static int add_writable(struct confinement *confinement, const char *text,
			struct error *error)
{
	char *path = xasprintf("%s%s", text[0] == '/' ? confinement->path : "",
			       text);
	char *real = realpath(path, NULL);
	int host = real ? open(real, O_PATH | O_CLOEXEC) : -1;

	free(path);
	if (host < 0) {
		free(real);
		return error_set(error, "--x86-writable %s: no such folder%s",
				 text, confinement->whole
					       ? ""
					       : " below --x86-root");
	}
	if (!strcmp(real, "/"))
		*real = 0;
	ARRAY_GROW(confinement->writable, confinement->writable_count,
		   confinement->writable_capacity);
	confinement->writable[confinement->writable_count++] =
		(struct linux_place){ real, host, true };
	return 0;
}

static int add_writables(struct confinement *confinement, const char *list,
			 struct error *error)
{
	int result = 0;

	while (!result && list && *list) {
		size_t length = strcspn(list, ",");
		char *text = xasprintf("%.*s", (int)length, list);

		result = add_writable(confinement, text, error);
		free(text);
		list += length + (list[length] == ',');
	}
	return result;
}

int confine_create(struct linux_system *system, struct error *error)
{
	const struct linux_options *options = system->options;
	struct confinement *confinement;

	if (options->writable && !options->read_only)
		return error_set(error, "--x86-writable %s: needs "
					"--x86-read-only", options->writable);
	confinement = xcalloc(1, sizeof *confinement);
	confinement->root.host = confinement->shared.folder = -1;
	confinement->proc = -1;
	confinement->read_only = options->read_only;
	system->confinement = confinement;
	if (open_proc(confinement, error) ||
	    open_root(confinement, options->root ? options->root : "/",
		      error) ||
	    (!confinement->whole && shared_open(&confinement->shared, error)))
		return -1;
	return add_writables(confinement, options->writable, error);
}

static void close_if(int host)
{
	if (host >= 0)
		close(host);
}

void confine_free(struct linux_system *system)
{
	struct confinement *confinement = system->confinement;

	if (!confinement)
		return;
	close_if(confinement->root.host);
	close_if(confinement->proc);
	shared_close(&confinement->shared);
	for (size_t i = 0; i < confinement->writable_count; i++) {
		close(confinement->writable[i].folder);
		free((char *)confinement->writable[i].path);
	}
	free(confinement->writable);
	free(confinement);
	system->confinement = NULL;
}

bool confine_has_root(const struct linux_system *system)
{
	return !system->confinement->whole;
}

int confine_proc(const struct linux_system *system)
{
	return system->confinement->proc;
}

size_t linux_places(const struct linux_system *system,
		    struct linux_place *list, size_t size)
{
	const struct confinement *confinement = system->confinement;
	size_t count = 0;

	if (size > count)
		list[count] = (struct linux_place){
			confinement->whole ? "/" : confinement->path,
			confinement->root.host, !confinement->read_only
		};
	count++;
	if (confinement->shared.path[0]) {
		if (size > count)
			list[count] = (struct linux_place){
				confinement->shared.path,
				confinement->shared.folder, true
			};
		count++;
	}
	for (size_t i = 0; i < confinement->writable_count; i++, count++)
		if (size > count)
			list[count] = confinement->writable[i];
	return count;
}
