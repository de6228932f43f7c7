/* Signals of files that are ready. The host's epoll says, for all of them at
 * once, which had something new, edge by edge; it is asked after each call
 * that a guest makes, so that a signal comes where the guest made the edge
 * itself. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/async/async.h"
#include "x86/linux/async/file.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

/* ---- Owners ---- */

static void send_to(struct process *process, struct context *thread,
		    const struct signal_information *information)
{
	struct signal_information plain = { .number = SIGIO,
					    .code = SI_KERNEL };

	/* When there is no more room for it, an ordinary SIGIO will do. */
	if (!information->number ||
	    signal_queue_full(process, information))
		information = &plain;
	if (thread)
		signal_send_context(thread, information);
	else
		signal_send_process(process, information);
}

void async_send(struct linux_system *system, const struct file *file,
		int reason)
{
	/* The events of poll() that each stands for. */
	const int band = reason == POLL_OUT
				 ? POLLOUT | POLLWRNORM | POLLWRBAND
				 : POLLIN | POLLRDNORM |
					   (reason == POLL_MSG ? POLLMSG : 0);
	const struct signal_information information = {
		.number = file->owner.signal, .code = reason, .poll = true,
		.value = (uint64_t)band, .status = file->async->descriptor,
	};

	if (file->owner.id > 0 && file->owner.thread) {
		struct context *thread = context_find(system, file->owner.id);

		if (thread)
			send_to(thread->process, thread, &information);
		return;
	}
	for (struct process *process = system->processes, *next;
	     file->owner.id && process; process = next) {
		next = process->next;
		if (!process->ended && (file->owner.id > 0
						? process->pid == file->owner.id
						: process->group ==
							  -file->owner.id))
			send_to(process, NULL, &information);
	}
}

/* ---- Edges ---- */

struct file_async *async_of(struct linux_system *system, struct file *file,
			    int descriptor)
{
	if (!file->async) {
		file->async = xcalloc(1, sizeof *file->async);
		file->async->folder = -1;
		file->async->lease = F_UNLCK;
		file->system = system;
		ARRAY_GROW(system->async_files.list, system->async_files.count,
			   system->async_files.capacity);
		system->async_files.list[system->async_files.count++] = file;
	}
	file->async->descriptor = descriptor;
	return file->async;
}

int async_watch(struct linux_system *system, struct file *file, int descriptor,
		uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = file };

	if (!system->async_poll)
		system->async_poll = epoll_create1(EPOLL_CLOEXEC);
	if (system->async_poll < 0) {
		system->async_poll = 0;
		return -errno;
	}
	if (epoll_ctl(system->async_poll, EPOLL_CTL_ADD, descriptor, &event))
		return -errno;
	/* What it was before is no news. */
	async_poll(system);
	return 0;
}

static void report_events(struct linux_system *system, struct file *file,
			  uint32_t events)
{
	if (file->async->folder >= 0)
		file->async->changed(system, file);
	if (!file->async->signals)
		return;
	if (events & (EPOLLIN | EPOLLHUP))
		async_send(system, file, POLL_IN);
	if (events & EPOLLOUT)
		async_send(system, file, POLL_OUT);
}

void async_poll(struct linux_system *system)
{
	struct epoll_event event;

	/* One by one: a signal may end a process, and close other files. */
	while (system->async_poll &&
	       epoll_wait(system->async_poll, &event, 1, 0) > 0)
		report_events(system, event.data.ptr, event.events);
}

int async_descriptor(const struct linux_system *system)
{
	return system->async_poll ? system->async_poll : -1;
}

int async_set(struct context *context, struct file *file, int descriptor,
	      bool on)
{
	struct linux_system *system = context->process->system;
	const bool was = file->async && file->async->signals;
	int result;

	if (on == was)
		return 0;
	if (!on) {
		file->async->signals = false;
		epoll_ctl(system->async_poll, EPOLL_CTL_DEL, file->host, NULL);
		return 0;
	}
	async_of(system, file, descriptor);
	result = async_watch(system, file, file->host,
			     EPOLLIN | EPOLLOUT | EPOLLET);
	/* Files that are always ready have no edges. */
	if (result == -EPERM)
		return 0;
	file->async->signals = !result;
	return result;
}

bool async_is_set(const struct file *file)
{
	return file->async && file->async->signals;
}

void async_forget(struct file *file)
{
	struct linux_system *system = file->system;

	if (!file->async)
		return;
	if (file->async->signals)
		epoll_ctl(system->async_poll, EPOLL_CTL_DEL, file->host, NULL);
	if (file->async->folder >= 0)
		close(file->async->folder);
	for (size_t i = 0; i < system->async_files.count; i++)
		if (system->async_files.list[i] == file) {
			system->async_files.list[i] =
				system->async_files
					.list[--system->async_files.count];
			break;
		}
	free(file->async);
	file->async = NULL;
}

void async_free(struct linux_system *system)
{
	if (system->async_poll)
		close(system->async_poll);
	free(system->async_files.list);
}
