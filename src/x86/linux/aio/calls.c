/* The calls that make and end contexts of asynchronous input and output, and
 * collect the results of requests. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "x86/linux/aio/context.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/signals/mask.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

enum {
	REQUESTS_MAX = 0x10000, /* /proc/sys/fs/aio-max-nr */
	RING_HEADER = 32,       /* bytes of the ring before its events */
};

/* How many events fit: as many as in the pages that Linux takes for twice
 * what was asked for, but one. */
static size_t ring_room(size_t requests)
{
	size_t bytes = RING_HEADER + (2 * (requests < 4 ? 4 : requests) + 2) *
					     sizeof(struct aio_event);

	return (page_up(bytes) - RING_HEADER) / sizeof(struct aio_event) - 1;
}

/* The C library of it (libaio) looks at the page before it makes calls: it
 * finds no ring there, and asks us. */
int64_t call_io_setup(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;
	size_t requests = (uint32_t)a[0], used = 0;
	struct aio_context *aio;
	uint64_t id;
	int64_t page;

	if (guest_get_word(context, a[1], &id))
		return -EFAULT;
	if (id || !requests || requests > INT32_MAX / sizeof *aio->events)
		return -EINVAL;
	for (aio = memory->aio; aio; aio = aio->next)
		used += aio->requests;
	if (used + requests > REQUESTS_MAX)
		return -EAGAIN;
	page = call_mmap(context, (uint64_t[]){ 0, SPACE_PAGE, PROT_READ,
						MAP_PRIVATE | MAP_ANONYMOUS,
						(uint64_t)-1, 0 });
	if (page < 0)
		return page;
	if (guest_put_word(context, a[1], (uint64_t)page)) {
		call_munmap(context, (uint64_t[]){ (uint64_t)page,
						   SPACE_PAGE });
		return -EFAULT;
	}
	aio = xcalloc(1, sizeof *aio);
	aio->id = (uint64_t)page;
	aio->requests = requests;
	aio->room = ring_room(requests);
	aio->events = xcalloc(aio->room, sizeof *aio->events);
	aio->next = memory->aio;
	memory->aio = aio;
	return 0;
}

int64_t call_io_destroy(struct context *context, const uint64_t *a)
{
	struct aio_context *aio = aio_find(context, a[0]);

	if (!aio)
		return -EINVAL;
	aio_remove(context->process->memory, aio);
	call_munmap(context, (uint64_t[]){ a[0], SPACE_PAGE });
	aio_wake(context);
	return 0;
}

/* Nothing is ever under way. */
int64_t call_io_cancel(struct context *context, const uint64_t *a)
{
	uint32_t key;

	/* struct iocb: the key comes after eight bytes. */
	if (guest_get(context, a[1] + 8, &key, sizeof key))
		return -EFAULT;
	return -EINVAL;
}

/* ---- Events ---- */

static int64_t take_events(struct context *context, struct aio_context *aio,
			   size_t most, uint64_t address)
{
	size_t count = aio->count < most ? aio->count : most;

	if (guest_put(context, address, aio->events,
		      count * sizeof *aio->events))
		return -EFAULT;
	aio->count -= count;
	memmove(aio->events, aio->events + count,
		aio->count * sizeof *aio->events);
	return (int64_t)count;
}

static int64_t get_events(struct context *context, const uint64_t *a,
			  bool wide)
{
	struct linux_system *system = context->process->system;
	struct aio_context *aio;
	int64_t least = context->abi32 ? (int32_t)a[1] : (int64_t)a[1];
	int64_t most = context->abi32 ? (int32_t)a[2] : (int64_t)a[2];
	int64_t time;

	if (!context->call.resumed && a[4]) {
		int result = guest_get_time(context, a[4], wide, &time);

		if (result)
			return result;
		context->wait.deadline = clock_monotonic(system) + time;
	}
	aio = aio_find(context, a[0]);
	if (!aio || least < 0 || most < 0 || least > most)
		return -EINVAL;
	if (aio->count >= (size_t)least || context->call.interrupted ||
	    context->wait.deadline <= clock_monotonic(system)) {
		if (context->call.interrupted && !aio->count)
			return -EINTR;
		return take_events(context, aio, (size_t)most, a[3]);
	}
	return wait_for(context, WAIT_EVENTS, "requests (io_getevents)");
}

int64_t call_io_getevents(struct context *context, const uint64_t *a)
{
	return get_events(context, a, false);
}

/* The last argument says which signals are masked meanwhile. */
static int64_t get_events_masked(struct context *context, const uint64_t *a,
				 bool wide)
{
	const unsigned word = context->abi32 ? 4 : 8;
	uint64_t mask = 0, size = 0;
	int64_t result = 0;

	if (a[5] && (guest_get_word(context, a[5], &mask) ||
		     guest_get_word(context, a[5] + word, &size)))
		return -EFAULT;
	result = mask_enter(context, mask, size);
	if (result)
		return result;
	return mask_leave(context, get_events(context, a, wide));
}

int64_t call_io_pgetevents(struct context *context, const uint64_t *a)
{
	return get_events_masked(context, a, false);
}

int64_t call_io_pgetevents_time64(struct context *context, const uint64_t *a)
{
	return get_events_masked(context, a, true);
}
