/* Contexts of asynchronous input and output: their list in a memory. */
#include <stdlib.h>

#include "x86/linux/aio/aio.h"
#include "x86/linux/aio/context.h"
#include "x86/linux/state.h"

struct aio_context *aio_find(const struct context *context, uint64_t id)
{
	struct aio_context *aio = context->process->memory->aio;

	while (aio && aio->id != id)
		aio = aio->next;
	return aio;
}

void aio_remove(struct guest_memory *memory, struct aio_context *aio)
{
	struct aio_context **link = &memory->aio;

	while (*link != aio)
		link = &(*link)->next;
	*link = aio->next;
	free(aio->events);
	free(aio);
}

void aio_free(struct guest_memory *memory)
{
	while (memory->aio)
		aio_remove(memory, memory->aio);
}

void aio_wake(const struct context *by)
{
	for (struct context *context = by->process->system->contexts; context;
	     context = context->next)
		if (!context->ended && context->wait.kind == WAIT_EVENTS &&
		    context->process->memory == by->process->memory)
			context->wait.woken = true;
}
