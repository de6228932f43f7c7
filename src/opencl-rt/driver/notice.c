/* What the driver wants done in the program, and calls that have to wait. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

void notice_add(struct opencl_driver *driver, const struct notice *notice)
{
	struct notice *copy;

	if (driver->closing)
		return;
	copy = xmalloc(sizeof *copy);
	*copy = *notice;
	copy->next = NULL;
	if (copy->object)
		object_use(copy->object);
	if (driver->last_notice)
		driver->last_notice->next = copy;
	else
		driver->first_notice = copy;
	driver->last_notice = copy;
	driver->notice_count++;
}

/* A callback has returned: the newest one on this handle, for callbacks may
 * nest when they call OpenCL themselves. */
static void callback_returned(struct opencl_driver *driver, uint64_t handle)
{
	struct notice **place = &driver->running, *notice;

	while (*place && (*place)->handle != handle)
		place = &(*place)->next;
	notice = *place;
	if (!notice)
		return;
	*place = notice->next;
	object_drop(driver, notice->object);
	free(notice);
}

cl_int notice_next(struct opencl_driver *driver, struct request_notice *request)
{
	struct notice *notice;

	if (request->done)
		callback_returned(driver, request->done);
	notice = driver->first_notice;
	if (!notice) {
		request->kind = OPENCL_NOTICE_NONE;
		return CL_SUCCESS;
	}
	driver->first_notice = notice->next;
	if (!driver->first_notice)
		driver->last_notice = NULL;
	driver->notice_count--;
	request->kind = notice->kind;
	request->handle = notice->handle;
	request->notify = notice->notify;
	request->user_data = notice->user_data;
	request->status = (uint64_t)notice->status;
	if (notice->object) {
		notice->next = driver->running;
		driver->running = notice;
	} else {
		free(notice);
	}
	return CL_SUCCESS;
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
