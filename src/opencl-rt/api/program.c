#include "opencl-rt/api/library.h"

cl_program clCreateProgramWithSource(cl_context context, cl_uint count,
				     const char **strings,
				     const size_t *lengths, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateProgramWithSource, ADDRESS(context),
			      count, ADDRESS(strings), ADDRESS(lengths),
			      ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
				     const cl_device_id *device_list,
				     const size_t *lengths,
				     const unsigned char **binaries,
				     cl_int *binary_status, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateProgramWithBinary, ADDRESS(context),
			      num_devices, ADDRESS(device_list),
			      ADDRESS(lengths), ADDRESS(binaries),
			      ADDRESS(binary_status), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context,
					     cl_uint num_devices,
					     const cl_device_id *device_list,
					     const char *kernel_names,
					     cl_int *errcode_ret)
{
	return refused(SEND(clCreateProgramWithBuiltInKernels, ADDRESS(context),
			    num_devices, ADDRESS(device_list),
			    ADDRESS(kernel_names)),
		       errcode_ret);
}

cl_int clRetainProgram(cl_program program)
{
	return SEND(clRetainProgram, ADDRESS(program));
}

cl_int clReleaseProgram(cl_program program)
{
	return SEND(clReleaseProgram, ADDRESS(program));
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices,
		      const cl_device_id *device_list, const char *options,
		      void (CL_CALLBACK *pfn_notify)(cl_program, void *),
		      void *user_data)
{
	return SEND(clBuildProgram, ADDRESS(program), num_devices,
		    ADDRESS(device_list), ADDRESS(options), ADDRESS(pfn_notify),
		    ADDRESS(user_data));
}

cl_int clCompileProgram(cl_program program, cl_uint num_devices,
			const cl_device_id *device_list, const char *options,
			cl_uint num_input_headers,
			const cl_program *input_headers,
			const char **header_include_names,
			void (CL_CALLBACK *pfn_notify)(cl_program, void *),
			void *user_data)
{
	return SEND(clCompileProgram, ADDRESS(program), num_devices,
		    ADDRESS(device_list), ADDRESS(options), num_input_headers,
		    ADDRESS(input_headers), ADDRESS(header_include_names),
		    ADDRESS(pfn_notify), ADDRESS(user_data));
}

cl_program clLinkProgram(cl_context context, cl_uint num_devices,
			 const cl_device_id *device_list, const char *options,
			 cl_uint num_input_programs,
			 const cl_program *input_programs,
			 void (CL_CALLBACK *pfn_notify)(cl_program, void *),
			 void *user_data, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	struct request_clLinkProgram request = REQUEST(
		clLinkProgram, ADDRESS(context), num_devices,
		ADDRESS(device_list), ADDRESS(options), num_input_programs,
		ADDRESS(input_programs), ADDRESS(pfn_notify),
		ADDRESS(user_data), ADDRESS(handle));
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = library_call(&request.header);
	/* Its log tells why it cannot be linked. */
	if (handle && status != CL_SUCCESS && request.made) {
		if (errcode_ret)
			*errcode_ret = status;
		return (cl_program)handle;
	}
	return handle_result(handle, status, errcode_ret);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param_name,
			size_t param_value_size, void *param_value,
			size_t *param_value_size_ret)
{
	return SEND(clGetProgramInfo, ADDRESS(program), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
			     cl_program_build_info param_name,
			     size_t param_value_size, void *param_value,
			     size_t *param_value_size_ret)
{
	return SEND(clGetProgramBuildInfo, ADDRESS(program), ADDRESS(device),
		    param_name, param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}
