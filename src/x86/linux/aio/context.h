/* Asynchronous input and output of the kernel: io_submit(2) and related calls.
 * Every request is done when it is submitted. Only its result is kept, until
 * the program asks for it. */
#ifndef M2S_X86_LINUX_AIO_CONTEXT_H
#define M2S_X86_LINUX_AIO_CONTEXT_H

#include "x86/linux/state.h"

/* struct io_event, the same in both ABIs. */
struct aio_event {
	uint64_t data;    /* `data` of the request */
	uint64_t request; /* address of the request */
	int64_t result, more;
};

struct aio_context {
	struct aio_context *next;
	uint64_t id;      /* address of a page in guest memory */
	size_t requests;  /* the number that io_setup() was given */
	struct aio_event *events; /* oldest first */
	size_t count, room;
};

/* ---- context.c ---- */
/* The context of an id, or NULL. */
struct aio_context *aio_find(const struct context *context, uint64_t id);
/* Takes a context out of its memory's list and frees it. */
void aio_remove(struct guest_memory *memory, struct aio_context *aio);
/* Wakes the threads that wait for events. */
void aio_wake(const struct context *by);

#endif
