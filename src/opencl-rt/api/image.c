/* Images and samplers. The device has none: the driver checks what can be
 * checked, says so once and answers the specification's error. */
#include "opencl-rt/api/library.h"

/* What the driver does not look at is not sent. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

cl_mem clCreateImage(cl_context context, cl_mem_flags flags,
		     const cl_image_format *image_format,
		     const cl_image_desc *image_desc, void *host_ptr,
		     cl_int *errcode_ret)
{
	return refused(SEND(clCreateImage, ADDRESS(context), flags,
			    ADDRESS(image_format), ADDRESS(image_desc),
			    ADDRESS(host_ptr)),
		       errcode_ret);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags,
		       const cl_image_format *image_format, size_t image_width,
		       size_t image_height, size_t image_row_pitch,
		       void *host_ptr, cl_int *errcode_ret)
{
	return refused(SEND(clCreateImage2D, ADDRESS(context), flags,
			    ADDRESS(image_format)),
		       errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags,
		       const cl_image_format *image_format, size_t image_width,
		       size_t image_height, size_t image_depth,
		       size_t image_row_pitch, size_t image_slice_pitch,
		       void *host_ptr, cl_int *errcode_ret)
{
	return refused(SEND(clCreateImage3D, ADDRESS(context), flags,
			    ADDRESS(image_format)),
		       errcode_ret);
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
				  cl_mem_object_type image_type,
				  cl_uint num_entries,
				  cl_image_format *image_formats,
				  cl_uint *num_image_formats)
{
	return SEND(clGetSupportedImageFormats, ADDRESS(context), flags,
		    image_type, num_entries, ADDRESS(image_formats),
		    ADDRESS(num_image_formats));
}

cl_int clGetImageInfo(cl_mem image, cl_image_info param_name,
		      size_t param_value_size, void *param_value,
		      size_t *param_value_size_ret)
{
	return SEND(clGetImageInfo, ADDRESS(image), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords,
			   cl_addressing_mode addressing_mode,
			   cl_filter_mode filter_mode, cl_int *errcode_ret)
{
	return refused(SEND(clCreateSampler, ADDRESS(context),
			    normalized_coords, addressing_mode, filter_mode),
		       errcode_ret);
}

cl_int clRetainSampler(cl_sampler sampler)
{
	return SEND(clRetainSampler, ADDRESS(sampler));
}

cl_int clReleaseSampler(cl_sampler sampler)
{
	return SEND(clReleaseSampler, ADDRESS(sampler));
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
			size_t param_value_size, void *param_value,
			size_t *param_value_size_ret)
{
	return SEND(clGetSamplerInfo, ADDRESS(sampler), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image,
			  cl_bool blocking_read, const size_t *origin,
			  const size_t *region, size_t row_pitch,
			  size_t slice_pitch, void *ptr,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueReadImage, ADDRESS(command_queue), ADDRESS(image));
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image,
			   cl_bool blocking_write, const size_t *origin,
			   const size_t *region, size_t input_row_pitch,
			   size_t input_slice_pitch, const void *ptr,
			   cl_uint num_events_in_wait_list,
			   const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueWriteImage, ADDRESS(command_queue),
		    ADDRESS(image));
}

cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image,
			  const void *fill_color, const size_t *origin,
			  const size_t *region,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueFillImage, ADDRESS(command_queue), ADDRESS(image));
}

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image,
			  cl_mem dst_image, const size_t *src_origin,
			  const size_t *dst_origin, const size_t *region,
			  cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	return SEND(clEnqueueCopyImage, ADDRESS(command_queue),
		    ADDRESS(src_image));
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue,
				  cl_mem src_image, cl_mem dst_buffer,
				  const size_t *src_origin,
				  const size_t *region, size_t dst_offset,
				  cl_uint num_events_in_wait_list,
				  const cl_event *event_wait_list,
				  cl_event *event)
{
	return SEND(clEnqueueCopyImageToBuffer, ADDRESS(command_queue),
		    ADDRESS(src_image));
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue,
				  cl_mem src_buffer, cl_mem dst_image,
				  size_t src_offset, const size_t *dst_origin,
				  const size_t *region,
				  cl_uint num_events_in_wait_list,
				  const cl_event *event_wait_list,
				  cl_event *event)
{
	return SEND(clEnqueueCopyBufferToImage, ADDRESS(command_queue),
		    ADDRESS(dst_image));
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image,
			cl_bool blocking_map, cl_map_flags map_flags,
			const size_t *origin, const size_t *region,
			size_t *image_row_pitch, size_t *image_slice_pitch,
			cl_uint num_events_in_wait_list,
			const cl_event *event_wait_list, cl_event *event,
			cl_int *errcode_ret)
{
	return refused(SEND(clEnqueueMapImage, ADDRESS(command_queue),
			    ADDRESS(image)),
		       errcode_ret);
}
