/* Waits of system calls. */
#include <errno.h>
#include <poll.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

void wait_clear(struct context *context)
{
	struct wait *wait = &context->wait;

	wait->kind = WAIT_NONE;
	wait->file_count = 0;
	wait->deadline = INT64_MAX;
	wait->woken = false;
	wait->futex.memory = NULL;
	wait->vfork_child = 0;
	wait->what = "";
}

int64_t wait_for(struct context *context, enum wait_kind kind,
		 const char *what)
{
	context->wait.kind = kind;
	context->wait.what = what;
	return CALL_BLOCKS;
}

void wait_add_host(struct context *context, int host, short events)
{
	struct wait *wait = &context->wait;

	ARRAY_GROW(wait->files, wait->file_count, wait->file_capacity);
	wait->files[wait->file_count++] = (struct wait_file){ host, events };
}

int64_t wait_file(struct context *context, const struct file *file,
		  short events)
{
	int64_t timeout = file->socket.timeout[(events & POLLOUT) != 0];

	if (timeout) {
		int64_t now = clock_monotonic(context->process->system);

		if (!context->call.resumed)
			context->wait.deadline = now + timeout;
		else if (context->wait.deadline <= now)
			return -EAGAIN;
	}
	context->wait.file_count = 0;
	wait_add_host(context, file->host, events);
	return wait_for(context, WAIT_FILES,
			events & POLLOUT ? "a descriptor to be writable"
					 : "a descriptor to be readable");
}
