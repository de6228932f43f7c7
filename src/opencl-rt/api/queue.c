#include "opencl-rt/api/library.h"

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
				      cl_command_queue_properties properties,
				      cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateCommandQueue, ADDRESS(context),
			      ADDRESS(device), properties, ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_command_queue clCreateCommandQueueWithProperties(
	cl_context context, cl_device_id device,
	const cl_queue_properties *properties, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateCommandQueueWithProperties,
			      ADDRESS(context), ADDRESS(device),
			      ADDRESS(properties), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_int clSetCommandQueueProperty(cl_command_queue command_queue,
				 cl_command_queue_properties properties,
				 cl_bool enable,
				 cl_command_queue_properties *old_properties)
{
	return SEND(clSetCommandQueueProperty, ADDRESS(command_queue),
		    properties, enable, ADDRESS(old_properties));
}

cl_int clRetainCommandQueue(cl_command_queue command_queue)
{
	return SEND(clRetainCommandQueue, ADDRESS(command_queue));
}

cl_int clReleaseCommandQueue(cl_command_queue command_queue)
{
	return SEND(clReleaseCommandQueue, ADDRESS(command_queue));
}

cl_int clGetCommandQueueInfo(cl_command_queue command_queue,
			     cl_command_queue_info param_name,
			     size_t param_value_size, void *param_value,
			     size_t *param_value_size_ret)
{
	return SEND(clGetCommandQueueInfo, ADDRESS(command_queue), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clFlush(cl_command_queue command_queue)
{
	return SEND(clFlush, ADDRESS(command_queue));
}

cl_int clFinish(cl_command_queue command_queue)
{
	return SEND(clFinish, ADDRESS(command_queue));
}
