#include "opencl-rt/api/library.h"

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
			      cl_uint work_dim,
			      const size_t *global_work_offset,
			      const size_t *global_work_size,
			      const size_t *local_work_size,
			      cl_uint num_events_in_wait_list,
			      const cl_event *event_wait_list, cl_event *event)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle || !event)
		status = SEND(clEnqueueNDRangeKernel, ADDRESS(command_queue),
			      ADDRESS(kernel), work_dim,
			      ADDRESS(global_work_offset),
			      ADDRESS(global_work_size),
			      ADDRESS(local_work_size), WAIT_FIELDS(handle));
	return library_enqueued(handle, status, event);
}

cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
		     cl_uint num_events_in_wait_list,
		     const cl_event *event_wait_list, cl_event *event)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle || !event)
		status = SEND(clEnqueueTask, ADDRESS(command_queue),
			      ADDRESS(kernel), WAIT_FIELDS(handle));
	return library_enqueued(handle, status, event);
}

cl_int clEnqueueNativeKernel(cl_command_queue command_queue,
			     void (CL_CALLBACK *user_func)(void *), void *args,
			     size_t cb_args, cl_uint num_mem_objects,
			     const cl_mem *mem_list, const void **args_mem_loc,
			     cl_uint num_events_in_wait_list,
			     const cl_event *event_wait_list, cl_event *event)
{
	(void)user_func, (void)args, (void)cb_args, (void)num_mem_objects;
	(void)mem_list, (void)args_mem_loc, (void)num_events_in_wait_list;
	(void)event_wait_list, (void)event;
	return SEND(clEnqueueNativeKernel, ADDRESS(command_queue));
}
