/* Images and samplers. The driver gets what the program's structs hold, since
 * their layout differs between ABIs. */
#include "opencl-rt/api/library.h"

/* The fields of FORMAT in api.def; 0 when there is no format. */
#define FORMAT_FIELDS                                                          \
	ADDRESS(image_format),                                                 \
		image_format ? image_format->image_channel_order : 0,          \
		image_format ? image_format->image_channel_data_type : 0

cl_mem clCreateImage(cl_context context, cl_mem_flags flags,
		     const cl_image_format *image_format,
		     const cl_image_desc *image_desc, void *host_ptr,
		     cl_int *errcode_ret)
{
	static const cl_image_desc nothing;
	const cl_image_desc *desc = image_desc ? image_desc : &nothing;
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateImage, ADDRESS(context), flags,
			      FORMAT_FIELDS, ADDRESS(image_desc),
			      desc->image_type, desc->image_width,
			      desc->image_height, desc->image_depth,
			      desc->image_array_size, desc->image_row_pitch,
			      desc->image_slice_pitch, desc->num_mip_levels,
			      desc->num_samples, ADDRESS(desc->buffer),
			      ADDRESS(host_ptr), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags,
		       const cl_image_format *image_format, size_t image_width,
		       size_t image_height, size_t image_row_pitch,
		       void *host_ptr, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateImage2D, ADDRESS(context), flags,
			      FORMAT_FIELDS, image_width, image_height,
			      image_row_pitch, ADDRESS(host_ptr),
			      ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags,
		       const cl_image_format *image_format, size_t image_width,
		       size_t image_height, size_t image_depth,
		       size_t image_row_pitch, size_t image_slice_pitch,
		       void *host_ptr, cl_int *errcode_ret)
{
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateImage3D, ADDRESS(context), flags,
			      FORMAT_FIELDS, image_width, image_height,
			      image_depth, image_row_pitch, image_slice_pitch,
			      ADDRESS(host_ptr), ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
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
	struct handle *handle = handle_create();
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (handle)
		status = SEND(clCreateSampler, ADDRESS(context),
			      normalized_coords, addressing_mode, filter_mode,
			      ADDRESS(handle));
	return handle_result(handle, status, errcode_ret);
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
