#include <stdlib.h>

#include "opencl-rt/api/library.h"

cl_kernel clCreateKernel(cl_program program, const char *kernel_name,
			 cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateKernel, ADDRESS(program),
			      ADDRESS(kernel_name), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

/* Makes a handle for each place in the program's array; the driver says how
 * many became kernels, the others are freed again. */
cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
				cl_kernel *kernels, cl_uint *num_kernels_ret)
{
	struct request_clCreateKernelsInProgram request =
		REQUEST(clCreateKernelsInProgram, ADDRESS(program), num_kernels,
			ADDRESS(kernels), ADDRESS(num_kernels_ret), 0);
	cl_int status = CL_SUCCESS;
	cl_uint made = 0;

	for (; kernels && made < num_kernels; made++) {
		kernels[made] = (cl_kernel)handle_create();
		if (!kernels[made]) {
			status = CL_OUT_OF_HOST_MEMORY;
			break;
		}
	}
	if (status == CL_SUCCESS)
		status = library_call(&request.header);
	while (made > request.used) {
		free(kernels[--made]);
		kernels[made] = NULL;
	}
	return status;
}

cl_int clRetainKernel(cl_kernel kernel)
{
	return SEND(clRetainKernel, ADDRESS(kernel));
}

cl_int clReleaseKernel(cl_kernel kernel)
{
	return SEND(clReleaseKernel, ADDRESS(kernel));
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
		      const void *arg_value)
{
	return SEND(clSetKernelArg, ADDRESS(kernel), arg_index, arg_size,
		    ADDRESS(arg_value));
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
		       size_t param_value_size, void *param_value,
		       size_t *param_value_size_ret)
{
	return SEND(clGetKernelInfo, ADDRESS(kernel), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index,
			  cl_kernel_arg_info param_name,
			  size_t param_value_size, void *param_value,
			  size_t *param_value_size_ret)
{
	return SEND(clGetKernelArgInfo, ADDRESS(kernel), arg_index, param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
				cl_kernel_work_group_info param_name,
				size_t param_value_size, void *param_value,
				size_t *param_value_size_ret)
{
	return SEND(clGetKernelWorkGroupInfo, ADDRESS(kernel), ADDRESS(device),
		    param_name, param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}
