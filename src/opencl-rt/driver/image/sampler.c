#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

void sampler_end(struct opencl_driver *driver, void *object)
{
	struct sampler *sampler = object;

	object_drop(driver, &sampler->context->object);
}

void sampler_free(void *object)
{
	free(object);
}

uint32_t sampler_bits(const struct sampler *sampler)
{
	static const uint32_t addresses[] = {
		[CL_ADDRESS_NONE - CL_ADDRESS_NONE] = EVG_SAMPLER_ADDRESS_NONE,
		[CL_ADDRESS_CLAMP_TO_EDGE - CL_ADDRESS_NONE] =
			EVG_SAMPLER_CLAMP_TO_EDGE,
		[CL_ADDRESS_CLAMP - CL_ADDRESS_NONE] = EVG_SAMPLER_CLAMP,
		[CL_ADDRESS_REPEAT - CL_ADDRESS_NONE] = EVG_SAMPLER_REPEAT,
		[CL_ADDRESS_MIRRORED_REPEAT - CL_ADDRESS_NONE] =
			EVG_SAMPLER_MIRRORED_REPEAT,
	};

	return (sampler->normalized ? EVG_SAMPLER_NORMALIZED : 0) |
	       addresses[sampler->addressing_mode - CL_ADDRESS_NONE] |
	       (sampler->filter_mode == CL_FILTER_LINEAR
			? EVG_SAMPLER_LINEAR
			: EVG_SAMPLER_NEAREST);
}

cl_int serve_clCreateSampler(struct opencl_driver *driver,
			     struct request_clCreateSampler *request)
{
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);
	struct sampler *sampler;

	if (!context)
		return CL_INVALID_CONTEXT;
	if (request->normalized > CL_TRUE ||
	    request->addressing_mode < CL_ADDRESS_NONE ||
	    request->addressing_mode > CL_ADDRESS_MIRRORED_REPEAT ||
	    request->filter_mode < CL_FILTER_NEAREST ||
	    request->filter_mode > CL_FILTER_LINEAR)
		return CL_INVALID_VALUE;
	/* The repeating modes are for normalized coordinates alone. */
	if (!request->normalized &&
	    request->addressing_mode >= CL_ADDRESS_REPEAT)
		return CL_INVALID_VALUE;
	sampler = object_create(driver, OBJECT_SAMPLER, sizeof *sampler,
				request->handle);
	sampler->context = context;
	object_use(&context->object);
	sampler->normalized = (cl_bool)request->normalized;
	sampler->addressing_mode = (cl_addressing_mode)request->addressing_mode;
	sampler->filter_mode = (cl_filter_mode)request->filter_mode;
	return CL_SUCCESS;
}

cl_int serve_clRetainSampler(struct opencl_driver *driver,
			     struct request_clRetainSampler *request)
{
	return object_retain(driver, request->object, OBJECT_SAMPLER);
}

cl_int serve_clReleaseSampler(struct opencl_driver *driver,
			      struct request_clReleaseSampler *request)
{
	return object_release(driver, request->object, OBJECT_SAMPLER);
}

cl_int serve_clGetSamplerInfo(struct opencl_driver *driver,
			      struct request_clGetSamplerInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct sampler *sampler = object_find(driver, request->sampler,
					      OBJECT_SAMPLER);

	if (!sampler)
		return CL_INVALID_SAMPLER;
	switch (request->param_name) {
	case CL_SAMPLER_REFERENCE_COUNT:
		return info_u32(info, sampler->object.references);
	case CL_SAMPLER_CONTEXT:
		return info_word(info, sampler->context->object.handle);
	case CL_SAMPLER_NORMALIZED_COORDS:
		return info_u32(info, sampler->normalized);
	case CL_SAMPLER_ADDRESSING_MODE:
		return info_u32(info, sampler->addressing_mode);
	case CL_SAMPLER_FILTER_MODE:
		return info_u32(info, sampler->filter_mode);
	}
	return CL_INVALID_VALUE;
}
