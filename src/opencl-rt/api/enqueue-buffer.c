#include <stdlib.h>

#include "opencl-rt/api/library.h"

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
			   cl_bool blocking_read, size_t offset, size_t size,
			   void *ptr, cl_uint num_events_in_wait_list,
			   const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueReadBuffer, ADDRESS(command_queue), ADDRESS(buffer),
		blocking_read, offset, size, ADDRESS(ptr));
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
			    cl_bool blocking_write, size_t offset, size_t size,
			    const void *ptr, cl_uint num_events_in_wait_list,
			    const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueWriteBuffer, ADDRESS(command_queue), ADDRESS(buffer),
		blocking_write, offset, size, ADDRESS(ptr));
}

cl_int clEnqueueReadBufferRect(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
	const size_t *buffer_origin, const size_t *host_origin,
	const size_t *region, size_t buffer_row_pitch,
	size_t buffer_slice_pitch, size_t host_row_pitch,
	size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueReadBufferRect, ADDRESS(command_queue),
		ADDRESS(buffer), blocking_read, ADDRESS(buffer_origin),
		ADDRESS(host_origin), ADDRESS(region), buffer_row_pitch,
		buffer_slice_pitch, host_row_pitch, host_slice_pitch,
		ADDRESS(ptr));
}

cl_int clEnqueueWriteBufferRect(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
	const size_t *buffer_origin, const size_t *host_origin,
	const size_t *region, size_t buffer_row_pitch,
	size_t buffer_slice_pitch, size_t host_row_pitch,
	size_t host_slice_pitch, const void *ptr,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	ENQUEUE(clEnqueueWriteBufferRect, ADDRESS(command_queue),
		ADDRESS(buffer), blocking_write, ADDRESS(buffer_origin),
		ADDRESS(host_origin), ADDRESS(region), buffer_row_pitch,
		buffer_slice_pitch, host_row_pitch, host_slice_pitch,
		ADDRESS(ptr));
}

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer,
			   cl_mem dst_buffer, size_t src_offset,
			   size_t dst_offset, size_t size,
			   cl_uint num_events_in_wait_list,
			   const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueCopyBuffer, ADDRESS(command_queue),
		ADDRESS(src_buffer), ADDRESS(dst_buffer), src_offset,
		dst_offset, size);
}

cl_int clEnqueueCopyBufferRect(
	cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
	const size_t *src_origin, const size_t *dst_origin,
	const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
	size_t dst_row_pitch, size_t dst_slice_pitch,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	ENQUEUE(clEnqueueCopyBufferRect, ADDRESS(command_queue),
		ADDRESS(src_buffer), ADDRESS(dst_buffer), ADDRESS(src_origin),
		ADDRESS(dst_origin), ADDRESS(region), src_row_pitch,
		src_slice_pitch, dst_row_pitch, dst_slice_pitch);
}

cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer,
			   const void *pattern, size_t pattern_size,
			   size_t offset, size_t size,
			   cl_uint num_events_in_wait_list,
			   const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueFillBuffer, ADDRESS(command_queue), ADDRESS(buffer),
		ADDRESS(pattern), pattern_size, offset, size);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj,
			       void *mapped_ptr,
			       cl_uint num_events_in_wait_list,
			       const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueUnmapMemObject, ADDRESS(command_queue),
		ADDRESS(memobj), ADDRESS(mapped_ptr));
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue,
				  cl_uint num_mem_objects,
				  const cl_mem *mem_objects,
				  cl_mem_migration_flags flags,
				  cl_uint num_events_in_wait_list,
				  const cl_event *event_wait_list,
				  cl_event *event)
{
	ENQUEUE(clEnqueueMigrateMemObjects, ADDRESS(command_queue),
		num_mem_objects, ADDRESS(mem_objects), flags);
}

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer,
			 cl_bool blocking_map, cl_map_flags map_flags,
			 size_t offset, size_t size,
			 cl_uint num_events_in_wait_list,
			 const cl_event *event_wait_list, cl_event *event,
			 cl_int *errcode_ret)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;
	void *storage = NULL, *mapping = NULL;

	/* Without memory the driver, which may not need it, sees NULL. */
	if (posix_memalign(&storage, MAPPING_ALIGNMENT, size ? size : 1))
		storage = NULL;
	if (handle || !event) {
		struct request_clEnqueueMapBuffer request =
			REQUEST(clEnqueueMapBuffer, ADDRESS(command_queue),
				ADDRESS(buffer), blocking_map, map_flags,
				offset, size, WAIT_FIELDS(handle),
				ADDRESS(storage), 0);

		status = library_call(&request.header);
		if (status == CL_SUCCESS)
			mapping = (void *)(uintptr_t)request.mapping;
	}
	if (mapping != storage)
		free(storage);
	if (errcode_ret)
		*errcode_ret = status;
	library_enqueued(handle, status, event);
	return mapping;
}
