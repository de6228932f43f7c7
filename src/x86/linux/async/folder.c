/* F_NOTIFY: signals about what happens in a folder, by the host's inotify. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "x86/linux/async/async.h"
#include "x86/linux/async/file.h"
#include "x86/linux/state.h"

static const struct {
	uint32_t events, watched; /* DN_*, IN_* */
} kinds[] = {
	{ DN_ACCESS, IN_ACCESS },
	{ DN_MODIFY, IN_MODIFY },
	{ DN_CREATE, IN_CREATE | IN_MOVED_TO },
	{ DN_DELETE, IN_DELETE | IN_MOVED_FROM },
	{ DN_RENAME, IN_MOVED_FROM | IN_MOVED_TO }, /* see happened() */
	{ DN_ATTRIB, IN_ATTRIB },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The events that the host has to watch. */
static uint32_t watched_of(uint32_t events)
{
	uint32_t watched = 0;

	for (int i = 0; i < KINDS; i++)
		if (events & kinds[i].events)
			watched |= kinds[i].watched;
	return watched;
}

/* Translates an event to F_NOTIFY. A file that is renamed inside the folder
 * leaves and comes, with one cookie. */
static uint32_t happened(const struct inotify_event *event, uint32_t *cookie)
{
	uint32_t events = 0;

	for (int i = 0; i < KINDS; i++)
		if (kinds[i].events != DN_RENAME &&
		    (event->mask & kinds[i].watched))
			events |= kinds[i].events;
	if ((event->mask & IN_MOVED_TO) && *cookie &&
	    event->cookie == *cookie)
		events |= DN_RENAME;
	*cookie = event->mask & IN_MOVED_FROM ? event->cookie : 0;
	return events;
}

static void stop_watching(struct file_async *async)
{
	if (async->folder >= 0)
		close(async->folder);
	async->folder = -1;
	async->events = 0;
}

static int watch_folder(struct file *file, uint32_t events)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", file->host);
	return inotify_add_watch(file->async->folder, path,
				 watched_of(events)) < 0
		       ? -errno
		       : 0;
}

/* Sends the signals for what has happened in a folder. */
static void folder_changed(struct linux_system *system, struct file *file)
{
	struct file_async *async = file->async;
	uint64_t bytes[512];
	ssize_t size = read(async->folder, bytes, sizeof bytes);
	uint32_t cookie = 0;

	/* One signal for each that happened; without DN_MULTISHOT the first
	 * is the last. */
	for (ssize_t at = 0; at < size && async->folder >= 0;) {
		const struct inotify_event *event =
			(const void *)((const char *)bytes + at);

		at += (ssize_t)sizeof *event + event->len;
		if (!(happened(event, &cookie) & async->events))
			continue;
		if (!(async->events & DN_MULTISHOT))
			stop_watching(async);
		async_send(system, file, POLL_MSG);
	}
}

int async_notify(struct context *context, struct file *file, int descriptor,
		 uint32_t events)
{
	struct linux_system *system = context->process->system;
	struct file_async *async;
	struct stat status;
	int result = 0;

	if (!(events & ~(uint32_t)DN_MULTISHOT)) {
		if (file->async)
			stop_watching(file->async);
		return 0;
	}
	if (fstat(file->host, &status) != 0 || !S_ISDIR(status.st_mode))
		return -ENOTDIR;
	async = async_of(system, file, descriptor);
	if (async->folder < 0) {
		async->folder = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		if (async->folder < 0)
			return -errno;
		async->changed = folder_changed;
		result = async_watch(system, file, async->folder, EPOLLIN);
	}
	if (!result)
		result = watch_folder(file, async->events | events);
	if (result) {
		stop_watching(async);
		return result;
	}
	async->events |= events;
	if (!file->owner.id)
		file->owner.id = context->process->pid;
	return 0;
}
