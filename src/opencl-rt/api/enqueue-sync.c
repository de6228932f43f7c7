#include "opencl-rt/api/library.h"

cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
				   cl_uint num_events_in_wait_list,
				   const cl_event *event_wait_list,
				   cl_event *event)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle || !event)
		status = SEND(clEnqueueMarkerWithWaitList,
			      ADDRESS(command_queue), WAIT_FIELDS(handle));
	return library_enqueued(handle, status, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
				    cl_uint num_events_in_wait_list,
				    const cl_event *event_wait_list,
				    cl_event *event)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle || !event)
		status = SEND(clEnqueueBarrierWithWaitList,
			      ADDRESS(command_queue), WAIT_FIELDS(handle));
	return library_enqueued(handle, status, event);
}

/* OpenCL 1.0: here the event is not optional. */
cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle || !event)
		status = SEND(clEnqueueMarker, ADDRESS(command_queue),
			      ADDRESS(handle));
	return library_enqueued(handle, status, event);
}

cl_int clEnqueueWaitForEvents(cl_command_queue command_queue,
			      cl_uint num_events, const cl_event *event_list)
{
	return SEND(clEnqueueWaitForEvents, ADDRESS(command_queue), num_events,
		    ADDRESS(event_list));
}

cl_int clEnqueueBarrier(cl_command_queue command_queue)
{
	return SEND(clEnqueueBarrier, ADDRESS(command_queue));
}
