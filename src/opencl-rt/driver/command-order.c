/* The order of commands: which of those that wait runs next.
 *
 * A command counts what holds it back: events of its wait list that have not
 * ended; its queue's order, unless it is the queue's first command; a barrier
 * before it. At zero it joins a heap, from which the oldest queue's oldest
 * command comes first. So the work is the same for each command, however many
 * wait. */
#include "opencl-rt/driver/command-order.h"

#include <stdlib.h>

static bool comes_before(const struct command *a, const struct command *b)
{
	const struct object *queues[2] = { &a->event->queue->object,
					   &b->event->queue->object };

	return queues[0]->serial != queues[1]->serial
		       ? queues[0]->serial < queues[1]->serial
		       : a->event->object.serial < b->event->object.serial;
}

static void push_ready(struct opencl_driver *driver, struct command *command)
{
	struct command **heap;
	size_t at = driver->ready_count, above;

	ARRAY_GROW(driver->ready, driver->ready_count, driver->ready_capacity);
	heap = driver->ready;
	for (; at; at = above) {
		above = (at - 1) / 2;
		if (!comes_before(command, heap[above]))
			break;
		heap[at] = heap[above];
	}
	heap[at] = command;
	driver->ready_count++;
}

static struct command *pop_ready(struct opencl_driver *driver)
{
	struct command **heap = driver->ready, *top = heap[0], *last;
	size_t count = --driver->ready_count, at = 0, below;

	last = heap[count];
	while ((below = 2 * at + 1) < count) {
		if (below + 1 < count &&
		    comes_before(heap[below + 1], heap[below]))
			below++;
		if (!comes_before(heap[below], last))
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = last;
	return top;
}

static void unblock(struct opencl_driver *driver, struct command *command)
{
	if (!--command->blockers)
		push_ready(driver, command);
}

static void link_waits(struct command *command)
{
	for (uint32_t i = 0; i < command->wait.count; i++) {
		struct wait_link *link = &command->wait.links[i];

		if (event_ended(link->event))
			continue;
		link->command = command;
		link->next = link->event->waiting;
		link->event->waiting = link;
		command->blockers++;
	}
}

void command_order_add(struct opencl_driver *driver, struct command *command)
{
	struct queue *queue = command->event->queue;

	if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
		command->waits_for_all = true;
	link_waits(command);
	command->blockers += command->waits_for_all && queue->first;
	command->blockers += queue->barriers != 0;
	queue->barriers += command->holds_all;
	command->previous = queue->last;
	if (queue->last)
		queue->last->next = command;
	else
		queue->first = command;
	queue->last = command;
	if (!queue->unsubmitted)
		queue->unsubmitted = command;
	if (!command->blockers)
		push_ready(driver, command);
}

/* What the command held back may run now. Barriers leave a queue in order. */
static void unblock_followers(struct opencl_driver *driver,
			      struct queue *queue, struct command *command)
{
	if (queue->first == command->next && queue->first &&
	    queue->first->waits_for_all)
		unblock(driver, queue->first);
	if (!command->holds_all)
		return;
	queue->barriers--;
	for (struct command *c = command->next; c; c = c->next) {
		unblock(driver, c);
		if (c->holds_all)
			break;
	}
}

static void take_out(struct queue *queue, struct command *command)
{
	if (queue->unsubmitted == command)
		queue->unsubmitted = command->next;
	if (command->previous)
		command->previous->next = command->next;
	else
		queue->first = command->next;
	if (command->next)
		command->next->previous = command->previous;
	else
		queue->last = command->previous;
}

struct command *command_order_take(struct opencl_driver *driver)
{
	struct command *command;
	struct queue *queue;

	if (!driver->ready_count)
		return NULL;
	command = pop_ready(driver);
	queue = command->event->queue;
	take_out(queue, command);
	unblock_followers(driver, queue, command);
	return command;
}

void command_order_event_ended(struct opencl_driver *driver, struct event *event)
{
	struct wait_link *link = event->waiting, *next;

	event->waiting = NULL;
	for (; link; link = next) {
		next = link->next;
		unblock(driver, link->command);
	}
}

struct command *command_order_discard(struct queue *queue)
{
	struct command *command = queue->first;

	if (command)
		take_out(queue, command);
	return command;
}
