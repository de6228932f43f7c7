/* Events: their status, and the callbacks that wait for it. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"
#include "opencl-rt/driver/command-order.h"

void event_end(struct opencl_driver *driver, void *object)
{
	struct event *event = object;

	if (event->queue)
		object_drop(driver, &event->queue->object);
	object_drop(driver, &event->context->object);
}

void event_free(void *object)
{
	struct event *event = object;

	callbacks_free(event->callbacks);
	free(event);
}

void callbacks_free(struct callback *callback)
{
	struct callback *next;

	for (; callback; callback = next) {
		next = callback->next;
		free(callback);
	}
}

struct event *event_create(struct opencl_driver *driver,
			   struct context *context, struct queue *queue,
			   cl_command_type type, uint64_t handle)
{
	struct event *event = object_create(driver, OBJECT_EVENT, sizeof *event,
					    handle);

	event->context = context;
	object_use(&context->object);
	event->queue = queue;
	if (queue)
		object_use(&queue->object);
	event->type = type;
	event->status = queue ? CL_QUEUED : CL_SUBMITTED;
	event->time[EVENT_QUEUED] = time_now(driver);
	return event;
}

void event_call_back(struct opencl_driver *driver, struct event *event,
		     const struct callback *callback, int64_t status)
{
	notice_add(driver, &(struct notice){ .kind = OPENCL_NOTICE_EVENT,
					     .handle = event->object.handle,
					     .notify = callback->notify,
					     .user_data = callback->user_data,
					     .status = status,
					     .object = &event->object });
}

/* Callbacks get the status that they wait for, or the error that took the
 * place of CL_COMPLETE. */
void event_set_status(struct opencl_driver *driver, struct event *event,
		      int64_t status)
{
	struct callback **place = &event->callbacks, *callback;

	event->status = status;
	if (event_ended(event)) {
		driver->progress = true;
		command_order_event_ended(driver, event);
	}
	while ((callback = *place)) {
		if (callback->status < status) {
			place = &callback->next;
			continue;
		}
		event_call_back(driver, event, callback,
				status < 0 ? status : callback->status);
		*place = callback->next;
		free(callback);
	}
}
