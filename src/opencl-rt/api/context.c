#include "opencl-rt/api/library.h"

cl_context clCreateContext(const cl_context_properties *properties,
			   cl_uint num_devices, const cl_device_id *devices,
			   void (CL_CALLBACK *pfn_notify)(const char *,
							  const void *, size_t,
							  void *),
			   void *user_data, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateContext, ADDRESS(properties), num_devices,
			      ADDRESS(devices), ADDRESS(pfn_notify),
			      ADDRESS(user_data), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_context clCreateContextFromType(
	const cl_context_properties *properties, cl_device_type device_type,
	void (CL_CALLBACK *pfn_notify)(const char *, const void *, size_t,
				       void *),
	void *user_data, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateContextFromType, ADDRESS(properties),
			      device_type, ADDRESS(pfn_notify),
			      ADDRESS(user_data), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_int clRetainContext(cl_context context)
{
	return SEND(clRetainContext, ADDRESS(context));
}

cl_int clReleaseContext(cl_context context)
{
	return SEND(clReleaseContext, ADDRESS(context));
}

cl_int clGetContextInfo(cl_context context, cl_context_info param_name,
			size_t param_value_size, void *param_value,
			size_t *param_value_size_ret)
{
	return SEND(clGetContextInfo, ADDRESS(context), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}
