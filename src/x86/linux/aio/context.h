/* Asynchronous input and output of the kernel, io_submit(2) and its kind:
 * every request is done when it is submitted, so only what came of it is
 * kept, until the program asks for it. */
#ifndef M2S_X86_LINUX_AIO_CONTEXT_H
#define M2S_X86_LINUX_AIO_CONTEXT_H

#include "x86/linux/state.h"

/* struct io_event, the same in both ABIs. */
struct aio_event {
	uint64_t data;    /* of the request */
	uint64_t request; /* its address */
	int64_t result, more;
};

struct aio_context {
	struct aio_context *next;
	uint64_t id;      /* address of a page of the guest's */
	size_t requests;  /* what io_setup() was asked for */
	struct aio_event *events; /* oldest first */
	size_t count, room;
};

/* ---- context.c ---- */
/* The context of an id, or NULL. */
struct aio_context *aio_find(const struct context *context, uint64_t id);
/* Whoever waits for events looks again. */
void aio_wake(const struct context *by);

#endif
