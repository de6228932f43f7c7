/* Path arguments and the folders at which they start. Each guest process has
 * its own current folder, held as a descriptor, and its own root. Every host
 * call is the *at form. confine/walk.c follows the path. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

/* A name relative to a folder of the simulator's /proc. */
static const char *made_folder(struct process *process, int folder)
{
	const struct file *file;

	if (folder == AT_FDCWD)
		return process->paths.made_cwd[0] ? process->paths.made_cwd
						  : NULL;
	file = file_get(process, folder);
	return file && file->made[0] ? file->made : NULL;
}

int path_find(struct context *context, int folder, const char *text,
	      bool follow, struct host_path *path)
{
	struct process *process = context->process;
	const char *made = NULL;
	int host = process->paths.cwd;

	*path = (struct host_path){ .folder = AT_FDCWD, .host = -1,
				    .close = -1 };
	if (!*text)
		return -ENOENT;
	if (text[0] != '/') {
		made = made_folder(process, folder);
		if (folder != AT_FDCWD) {
			struct file *file = file_get(process, folder);

			if (!file)
				return -EBADF;
			host = file->host;
		}
	}
	return confine_resolve(context, host, made, text, follow, path);
}

/* A missing name may become a link at any moment. So a caller that would follow
 * the link must not use the name. */
int path_resolve_text(struct context *context, int folder, const char *text,
		      bool follow, struct host_path *path)
{
	int result = path_find(context, folder, text, follow, path);

	if (!result && follow && path->missing) {
		path_release(path);
		return -ENOENT;
	}
	return result;
}

int path_resolve(struct context *context, int folder, uint64_t address,
		 bool follow, struct host_path *path)
{
	char text[PATH_MAX];
	int length = guest_get_string(context, address, text, sizeof text);

	if (length < 0)
		return length;
	return path_resolve_text(context, folder, text, follow, path);
}

int path_resolve_change(struct context *context, int folder, uint64_t address,
			bool follow, struct host_path *path)
{
	int result = path_resolve(context, folder, address, follow, path);

	if (result)
		return result;
	result = path->missing ? -ENOENT
			       : confine_change(context->process->system,
						path);
	if (result)
		path_release(path);
	return result;
}

int path_resolve_new(struct context *context, int folder, uint64_t address,
		     struct host_path *path)
{
	int result = path_resolve(context, folder, address, false, path);

	if (result || !path->missing)
		return result;
	result = confine_new(context->process->system, path);
	if (result)
		path_release(path);
	return result;
}

int file_may_change(const struct context *context, const struct file *file)
{
	return confine_change_host(context->process->system, file->host);
}

bool path_is_empty(struct context *context, uint64_t address)
{
	char first;

	return guest_get(context, address, &first, 1) == 0 && !first;
}
