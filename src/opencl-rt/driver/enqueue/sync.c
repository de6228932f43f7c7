/* Markers and barriers. A wait list that is empty means all commands before;
 * what comes after a barrier waits for it. */
#include "opencl-rt/driver/internal.h"

static cl_int enqueue_marker(struct opencl_driver *driver,
			     uint64_t queue_handle, uint64_t count,
			     uint64_t list, uint64_t event,
			     cl_command_type type)
{
	struct queue *queue = object_find(driver, queue_handle, OBJECT_QUEUE);
	struct command *command;
	struct wait_list wait;
	cl_int status;

	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	status = wait_list_read(driver, queue, count, list, &wait);
	if (status != CL_SUCCESS)
		return status;
	command = command_create(driver, queue, type, sizeof *command, &wait,
				 event);
	command->waits_for_all = !count;
	command->holds_all = type == CL_COMMAND_BARRIER;
	return command_submit(driver, command, false);
}

cl_int serve_clEnqueueMarkerWithWaitList(
	struct opencl_driver *driver,
	struct request_clEnqueueMarkerWithWaitList *request)
{
	return enqueue_marker(driver, request->queue, request->wait_count,
			      request->wait_list, request->event,
			      CL_COMMAND_MARKER);
}

cl_int serve_clEnqueueBarrierWithWaitList(
	struct opencl_driver *driver,
	struct request_clEnqueueBarrierWithWaitList *request)
{
	return enqueue_marker(driver, request->queue, request->wait_count,
			      request->wait_list, request->event,
			      CL_COMMAND_BARRIER);
}

cl_int serve_clEnqueueMarker(struct opencl_driver *driver,
			     struct request_clEnqueueMarker *request)
{
	if (!object_find(driver, request->queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!request->event)
		return CL_INVALID_VALUE;
	return enqueue_marker(driver, request->queue, 0, 0, request->event,
			      CL_COMMAND_MARKER);
}

/* OpenCL 1.0 has other errors for its list. */
cl_int serve_clEnqueueWaitForEvents(
	struct opencl_driver *driver,
	struct request_clEnqueueWaitForEvents *request)
{
	cl_int status;

	if (!object_find(driver, request->queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!request->wait_count || !request->wait_list)
		return CL_INVALID_VALUE;
	status = enqueue_marker(driver, request->queue, request->wait_count,
				request->wait_list, 0, CL_COMMAND_BARRIER);
	return status == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : status;
}

cl_int serve_clEnqueueBarrier(struct opencl_driver *driver,
			      struct request_clEnqueueBarrier *request)
{
	return enqueue_marker(driver, request->queue, 0, 0, 0,
			      CL_COMMAND_BARRIER);
}
