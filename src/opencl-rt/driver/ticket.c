/* Blocking calls whose event has not ended: the library calls again with a
 * ticket. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

int64_t blocking_result(struct opencl_driver *driver, struct event *event)
{
	if (event->status >= 0)
		return CL_SUCCESS;
	object_hide(driver, &event->object);
	return event->status;
}

void ticket_add(struct opencl_driver *driver, struct event *event)
{
	struct ticket *ticket = xmalloc(sizeof *ticket);

	ticket->id = ++driver->last_ticket;
	ticket->event = event;
	ticket->next = driver->tickets;
	driver->tickets = ticket;
	driver->ticket = ticket->id;
	object_use(&event->object);
}

int64_t ticket_check(struct opencl_driver *driver, uint64_t id)
{
	struct ticket **place = &driver->tickets, *ticket;
	int64_t status;

	while (*place && (*place)->id != id)
		place = &(*place)->next;
	ticket = *place;
	if (!ticket)
		return CL_INVALID_VALUE;
	if (!event_ended(ticket->event)) {
		driver->ticket = id;
		return OPENCL_AGAIN;
	}
	*place = ticket->next;
	status = blocking_result(driver, ticket->event);
	object_drop(driver, &ticket->event->object);
	free(ticket);
	return status;
}
