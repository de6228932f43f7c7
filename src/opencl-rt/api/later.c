/* Calls of OpenCL 2.0 and later. A platform of version 1.2 need not have them;
 * they are here because programs built with newer headers may refer to them
 * without calling them. */
#include "opencl-rt/api/library.h"

/* What the driver does not look at is not sent. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags,
		    cl_uint pipe_packet_size, cl_uint pipe_max_packets,
		    const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	return refused(SEND(clCreatePipe, ADDRESS(context)), errcode_ret);
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name,
		     size_t param_value_size, void *param_value,
		     size_t *param_value_size_ret)
{
	return SEND(clGetPipeInfo, ADDRESS(pipe));
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
		 cl_uint alignment)
{
	return refused(SEND(clSVMAlloc, ADDRESS(context)), NULL);
}

void clSVMFree(cl_context context, void *svm_pointer)
{
	SEND(clSVMFree, ADDRESS(context));
}

cl_int clEnqueueSVMFree(cl_command_queue command_queue,
			cl_uint num_svm_pointers, void *svm_pointers[],
			void(CL_CALLBACK *pfn_free_func)(
			    cl_command_queue queue, cl_uint num_svm_pointers,
			    void *svm_pointers[], void *user_data),
			void *user_data, cl_uint num_events_in_wait_list,
			const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueSVMFree, ADDRESS(command_queue));
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy,
			  void *dst_ptr, const void *src_ptr, size_t size,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueSVMMemcpy, ADDRESS(command_queue));
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr,
			   const void *pattern, size_t pattern_size,
			   size_t size, cl_uint num_events_in_wait_list,
			   const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueSVMMemFill, ADDRESS(command_queue));
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
		       cl_map_flags flags, void *svm_ptr, size_t size,
		       cl_uint num_events_in_wait_list,
		       const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueSVMMap, ADDRESS(command_queue));
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
			 cl_uint num_events_in_wait_list,
			 const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueSVMUnmap, ADDRESS(command_queue));
}

cl_sampler
clCreateSamplerWithProperties(cl_context context,
			      const cl_sampler_properties *sampler_properties,
			      cl_int *errcode_ret)
{
	return refused(SEND(clCreateSamplerWithProperties, ADDRESS(context)),
		       errcode_ret);
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index,
				const void *arg_value)
{
	return SEND(clSetKernelArgSVMPointer, ADDRESS(kernel));
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
			   size_t param_value_size, const void *param_value)
{
	return SEND(clSetKernelExecInfo, ADDRESS(kernel));
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel in_kernel, cl_device_id in_device,
				  cl_kernel_sub_group_info param_name,
				  size_t input_value_size,
				  const void *input_value,
				  size_t param_value_size, void *param_value,
				  size_t *param_value_size_ret)
{
	return SEND(clGetKernelSubGroupInfoKHR, ADDRESS(in_kernel));
}

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
	return refused(SEND(clCloneKernel, ADDRESS(source_kernel)),
		       errcode_ret);
}

cl_program clCreateProgramWithIL(cl_context context, const void *il,
				 size_t length, cl_int *errcode_ret)
{
	return refused(SEND(clCreateProgramWithIL, ADDRESS(context)),
		       errcode_ret);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue,
			      cl_uint num_svm_pointers,
			      const void **svm_pointers, const size_t *sizes,
			      cl_mem_migration_flags flags,
			      cl_uint num_events_in_wait_list,
			      const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueSVMMigrateMem, ADDRESS(command_queue));
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
			       cl_ulong *host_timestamp)
{
	return SEND(clGetDeviceAndHostTimer, ADDRESS(device));
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
	return SEND(clGetHostTimer, ADDRESS(device));
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
			       cl_kernel_sub_group_info param_name,
			       size_t input_value_size, const void *input_value,
			       size_t param_value_size, void *param_value,
			       size_t *param_value_size_ret)
{
	return SEND(clGetKernelSubGroupInfo, ADDRESS(kernel));
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
				      cl_command_queue command_queue)
{
	return SEND(clSetDefaultDeviceCommandQueue, ADDRESS(context));
}

cl_int clSetProgramReleaseCallback(
    cl_program program,
    void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
    void *user_data)
{
	return SEND(clSetProgramReleaseCallback, ADDRESS(program));
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
					  size_t spec_size,
					  const void *spec_value)
{
	return SEND(clSetProgramSpecializationConstant, ADDRESS(program));
}

cl_mem clCreateBufferWithProperties(cl_context context,
				    const cl_mem_properties *properties,
				    cl_mem_flags flags, size_t size,
				    void *host_ptr, cl_int *errcode_ret)
{
	return refused(SEND(clCreateBufferWithProperties, ADDRESS(context)),
		       errcode_ret);
}

cl_mem clCreateImageWithProperties(cl_context context,
				   const cl_mem_properties *properties,
				   cl_mem_flags flags,
				   const cl_image_format *image_format,
				   const cl_image_desc *image_desc,
				   void *host_ptr, cl_int *errcode_ret)
{
	return refused(SEND(clCreateImageWithProperties, ADDRESS(context)),
		       errcode_ret);
}

cl_int clSetContextDestructorCallback(
    cl_context context,
    void(CL_CALLBACK *pfn_notify)(cl_context context, void *user_data),
    void *user_data)
{
	return SEND(clSetContextDestructorCallback, ADDRESS(context));
}
