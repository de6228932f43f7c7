#include "opencl-rt/api/library.h"

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
	return SEND(clWaitForEvents, num_events, ADDRESS(event_list));
}

cl_int clGetEventInfo(cl_event event, cl_event_info param_name,
		      size_t param_value_size, void *param_value,
		      size_t *param_value_size_ret)
{
	return SEND(clGetEventInfo, ADDRESS(event), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateUserEvent, ADDRESS(context),
			      ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status)
{
	return SEND(clSetUserEventStatus, ADDRESS(event),
		    (uint64_t)execution_status);
}

cl_int clRetainEvent(cl_event event)
{
	return SEND(clRetainEvent, ADDRESS(event));
}

cl_int clReleaseEvent(cl_event event)
{
	return SEND(clReleaseEvent, ADDRESS(event));
}

cl_int clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
			  void (CL_CALLBACK *pfn_notify)(cl_event, cl_int,
							 void *),
			  void *user_data)
{
	return SEND(clSetEventCallback, ADDRESS(event),
		    (uint64_t)command_exec_callback_type, ADDRESS(pfn_notify),
		    ADDRESS(user_data));
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
			       size_t param_value_size, void *param_value,
			       size_t *param_value_size_ret)
{
	return SEND(clGetEventProfilingInfo, ADDRESS(event), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}
