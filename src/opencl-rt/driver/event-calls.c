/* The calls on events. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

static struct event *find_event(struct opencl_driver *driver, uint64_t handle)
{
	return object_find(driver, handle, OBJECT_EVENT);
}

cl_int serve_clWaitForEvents(struct opencl_driver *driver,
			     struct request_clWaitForEvents *request)
{
	const struct context *context = NULL;
	cl_int status = CL_SUCCESS;
	struct event *event;
	uint64_t handle;

	if (!request->count || !request->list)
		return CL_INVALID_VALUE;
	for (uint64_t i = 0; i < request->count; i++) {
		if (program_read_words(driver, request->list + i * driver->word,
				       &handle, 1))
			return CL_INVALID_VALUE;
		event = find_event(driver, handle);
		if (!event)
			return CL_INVALID_EVENT;
		if (context && event->context != context)
			return CL_INVALID_CONTEXT;
		context = event->context;
		if (event->queue)
			queue_flush(driver, event->queue);
		if (!event_ended(event))
			status = OPENCL_AGAIN;
		else if (event->status < 0 && status == CL_SUCCESS)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	return status;
}

cl_int serve_clGetEventInfo(struct opencl_driver *driver,
			    struct request_clGetEventInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct event *event = find_event(driver, request->event);

	if (!event)
		return CL_INVALID_EVENT;
	switch (request->param_name) {
	case CL_EVENT_COMMAND_QUEUE:
		return info_word(info, event->queue
					       ? event->queue->object.handle
					       : 0);
	case CL_EVENT_CONTEXT:
		return info_word(info, event->context->object.handle);
	case CL_EVENT_COMMAND_TYPE:
		return info_u32(info, event->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		return info_u32(info, (uint64_t)event->status);
	case CL_EVENT_REFERENCE_COUNT:
		return info_u32(info, event->object.references);
	}
	return CL_INVALID_VALUE;
}

cl_int serve_clCreateUserEvent(struct opencl_driver *driver,
			       struct request_clCreateUserEvent *request)
{
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);

	if (!context)
		return CL_INVALID_CONTEXT;
	event_create(driver, context, NULL, CL_COMMAND_USER, request->handle);
	return CL_SUCCESS;
}

cl_int serve_clSetUserEventStatus(struct opencl_driver *driver,
				  struct request_clSetUserEventStatus *request)
{
	struct event *event = find_event(driver, request->event);
	int64_t status = (int64_t)request->status;

	if (!event || event->queue)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (event_ended(event))
		return CL_INVALID_OPERATION;
	event_set_status(driver, event, status);
	commands_run(driver);
	return CL_SUCCESS;
}

cl_int serve_clRetainEvent(struct opencl_driver *driver,
			   struct request_clRetainEvent *request)
{
	return object_retain(driver, request->object, OBJECT_EVENT);
}

cl_int serve_clReleaseEvent(struct opencl_driver *driver,
			    struct request_clReleaseEvent *request)
{
	return object_release(driver, request->object, OBJECT_EVENT);
}

cl_int serve_clSetEventCallback(struct opencl_driver *driver,
				struct request_clSetEventCallback *request)
{
	struct event *event = find_event(driver, request->event);
	struct callback callback = { request->notify, request->user_data,
				     (int64_t)request->type, NULL }, *copy;

	if (!event)
		return CL_INVALID_EVENT;
	if (!request->notify || (callback.status != CL_SUBMITTED &&
				 callback.status != CL_RUNNING &&
				 callback.status != CL_COMPLETE))
		return CL_INVALID_VALUE;
	if (event->status <= callback.status) {
		event_call_back(driver, event, &callback,
				event->status < 0 ? event->status
						  : callback.status);
		return CL_SUCCESS;
	}
	copy = xmalloc(sizeof *copy);
	*copy = callback;
	copy->next = event->callbacks;
	event->callbacks = copy;
	return CL_SUCCESS;
}

/* The clock of the profiling queries counts nanoseconds. */
cl_int serve_clGetEventProfilingInfo(
	struct opencl_driver *driver,
	struct request_clGetEventProfilingInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct event *event = find_event(driver, request->event);
	enum event_time which;

	if (!event)
		return CL_INVALID_EVENT;
	if (!event->queue ||
	    !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
	    event->status != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	switch (request->param_name) {
	case CL_PROFILING_COMMAND_QUEUED:
		which = EVENT_QUEUED;
		break;
	case CL_PROFILING_COMMAND_SUBMIT:
		which = EVENT_SUBMIT;
		break;
	case CL_PROFILING_COMMAND_START:
		which = EVENT_START;
		break;
	case CL_PROFILING_COMMAND_END:
		which = EVENT_END;
		break;
	default:
		return CL_INVALID_VALUE;
	}
	return info_u64(info, event->time[which] / 1000);
}
