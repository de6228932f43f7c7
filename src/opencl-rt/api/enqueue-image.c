/* Commands on images. */
#include <stdlib.h>

#include "opencl-rt/api/library.h"

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image,
			  cl_bool blocking_read, const size_t *origin,
			  const size_t *region, size_t row_pitch,
			  size_t slice_pitch, void *ptr,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueReadImage, ADDRESS(command_queue), ADDRESS(image),
		blocking_read, ADDRESS(origin), ADDRESS(region), row_pitch,
		slice_pitch, ADDRESS(ptr));
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image,
			   cl_bool blocking_write, const size_t *origin,
			   const size_t *region, size_t input_row_pitch,
			   size_t input_slice_pitch, const void *ptr,
			   cl_uint num_events_in_wait_list,
			   const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueWriteImage, ADDRESS(command_queue), ADDRESS(image),
		blocking_write, ADDRESS(origin), ADDRESS(region),
		input_row_pitch, input_slice_pitch, ADDRESS(ptr));
}

cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image,
			  const void *fill_color, const size_t *origin,
			  const size_t *region,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueFillImage, ADDRESS(command_queue), ADDRESS(image),
		ADDRESS(fill_color), ADDRESS(origin), ADDRESS(region));
}

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image,
			  cl_mem dst_image, const size_t *src_origin,
			  const size_t *dst_origin, const size_t *region,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	ENQUEUE(clEnqueueCopyImage, ADDRESS(command_queue), ADDRESS(src_image),
		ADDRESS(dst_image), ADDRESS(src_origin), ADDRESS(dst_origin),
		ADDRESS(region));
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue,
				  cl_mem src_image, cl_mem dst_buffer,
				  const size_t *src_origin,
				  const size_t *region, size_t dst_offset,
				  cl_uint num_events_in_wait_list,
				  const cl_event *event_wait_list,
				  cl_event *event)
{
	ENQUEUE(clEnqueueCopyImageToBuffer, ADDRESS(command_queue),
		ADDRESS(src_image), ADDRESS(dst_buffer), ADDRESS(src_origin),
		ADDRESS(region), dst_offset);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue,
				  cl_mem src_buffer, cl_mem dst_image,
				  size_t src_offset, const size_t *dst_origin,
				  const size_t *region,
				  cl_uint num_events_in_wait_list,
				  const cl_event *event_wait_list,
				  cl_event *event)
{
	ENQUEUE(clEnqueueCopyBufferToImage, ADDRESS(command_queue),
		ADDRESS(src_buffer), ADDRESS(dst_image), src_offset,
		ADDRESS(dst_origin), ADDRESS(region));
}

/* Bytes of a region of the image; 0 for what the driver will refuse. */
static size_t region_size(cl_mem image, const size_t *region)
{
	size_t size = 0;

	if (!region || clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE,
				      sizeof size, &size, NULL))
		return 0;
	for (int i = 0; i < 3; i++)
		if (__builtin_mul_overflow(size, region[i], &size))
			return 0;
	return size;
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image,
			cl_bool blocking_map, cl_map_flags map_flags,
			const size_t *origin, const size_t *region,
			size_t *image_row_pitch, size_t *image_slice_pitch,
			cl_uint num_events_in_wait_list,
			const cl_event *event_wait_list, cl_event *event,
			cl_int *errcode_ret)
{
	struct handle *handle = library_event(event);
	cl_int status = CL_OUT_OF_HOST_MEMORY;
	size_t size = region_size(image, region);
	void *storage = NULL, *mapping = NULL;

	if (size && posix_memalign(&storage, MAPPING_ALIGNMENT, size))
		storage = NULL;
	if (handle || !event) {
		struct request_clEnqueueMapImage request =
			REQUEST(clEnqueueMapImage, ADDRESS(command_queue),
				ADDRESS(image), blocking_map, map_flags,
				ADDRESS(origin), ADDRESS(region),
				ADDRESS(image_row_pitch),
				ADDRESS(image_slice_pitch),
				WAIT_FIELDS(handle), ADDRESS(storage),
				storage ? size : 0, 0);

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
