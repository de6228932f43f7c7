#include <stdlib.h>

#include "opencl-rt/api/library.h"

/* Where kernels reach the program's memory, such a buffer is there, in whole
 * pages. */
static void lend(struct handle *handle, size_t size)
{
	void *storage;

	if (!posix_memalign(&storage, LENT_ALIGNMENT, size) &&
	    SEND(lend, ADDRESS(handle), ADDRESS(storage)) != CL_SUCCESS)
		free(storage);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
		      void *host_ptr, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateBuffer, ADDRESS(context), flags, size,
			      ADDRESS(host_ptr), ADDRESS(handle));
	if (status == CL_SUCCESS && flags & CL_MEM_ALLOC_HOST_PTR)
		lend(handle, size);
	return handle_result(handle, status, errcode_ret);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
			 cl_buffer_create_type buffer_create_type,
			 const void *buffer_create_info, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateSubBuffer, ADDRESS(buffer), flags,
			      buffer_create_type, ADDRESS(buffer_create_info),
			      ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_int clRetainMemObject(cl_mem memobj)
{
	return SEND(clRetainMemObject, ADDRESS(memobj));
}

cl_int clReleaseMemObject(cl_mem memobj)
{
	return SEND(clReleaseMemObject, ADDRESS(memobj));
}

cl_int clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name,
			  size_t param_value_size, void *param_value,
			  size_t *param_value_size_ret)
{
	return SEND(clGetMemObjectInfo, ADDRESS(memobj), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clSetMemObjectDestructorCallback(
	cl_mem memobj, void (CL_CALLBACK *pfn_notify)(cl_mem, void *),
	void *user_data)
{
	return SEND(clSetMemObjectDestructorCallback, ADDRESS(memobj),
		    ADDRESS(pfn_notify), ADDRESS(user_data));
}
