/* Signals that wait to be delivered. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/state.h"

void signal_queue_free(struct signal_queue *queue)
{
	free(queue->list);
	*queue = (struct signal_queue){ 0 };
}

uint64_t signal_queue_set(const struct signal_queue *queue)
{
	uint64_t set = 0;

	for (size_t i = 0; i < queue->count; i++)
		set |= SIGNAL_BIT(queue->list[i].number);
	return set;
}

void signal_queue_add(struct signal_queue *queue,
		      const struct signal_information *information)
{
	/* Standard signals are not counted, only noted. */
	if (information->number < 32 &&
	    (signal_queue_set(queue) & SIGNAL_BIT(information->number)))
		return;
	ARRAY_GROW(queue->list, queue->count, queue->capacity);
	queue->list[queue->count++] = *information;
}

void signal_queue_drop(struct signal_queue *queue, uint64_t set)
{
	size_t kept = 0;

	for (size_t i = 0; i < queue->count; i++)
		if (!(set & SIGNAL_BIT(queue->list[i].number)))
			queue->list[kept++] = queue->list[i];
	queue->count = kept;
}

bool signal_queue_take(struct signal_queue *queue, uint64_t set,
		       struct signal_information *information)
{
	size_t best = queue->count;

	for (size_t i = 0; i < queue->count; i++)
		if ((set & SIGNAL_BIT(queue->list[i].number)) &&
		    (best == queue->count ||
		     queue->list[i].number < queue->list[best].number))
			best = i;
	if (best == queue->count)
		return false;
	*information = queue->list[best];
	memmove(queue->list + best, queue->list + best + 1,
		(queue->count - best - 1) * sizeof *queue->list);
	queue->count--;
	return true;
}

uint64_t signal_pending_set(const struct context *context)
{
	return signal_queue_set(&context->signals.pending) |
	       signal_queue_set(&context->process->signals.pending);
}
