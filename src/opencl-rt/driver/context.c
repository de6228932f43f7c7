#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/internal.h"

void context_end(struct opencl_driver *driver, void *object)
{
	(void)driver, (void)object;
}

void context_free(void *object)
{
	struct context *context = object;

	free(context->properties);
	free(context);
}

/* Reads (name, value) pairs up to the final 0 and checks them. */
static cl_int read_properties(struct opencl_driver *driver, uint64_t address,
			      uint64_t **properties, uint64_t *count)
{
	uint64_t seen = 0, capacity = 0, pair[2];
	cl_int status = CL_SUCCESS;

	*properties = NULL;
	*count = 0;
	if (!address)
		return CL_SUCCESS;
	for (;;) {
		if (program_read_words(driver,
				       address + *count * driver->word, pair,
				       1)) {
			status = CL_INVALID_VALUE;
			break;
		}
		ARRAY_GROW(*properties, *count, capacity);
		(*properties)[(*count)++] = pair[0];
		if (!pair[0])
			return CL_SUCCESS;
		if (program_read_words(driver,
				       address + *count * driver->word,
				       &pair[1], 1)) {
			status = CL_INVALID_VALUE;
			break;
		}
		ARRAY_GROW(*properties, *count, capacity);
		(*properties)[(*count)++] = pair[1];
		if ((pair[0] != CL_CONTEXT_PLATFORM &&
		     pair[0] != CL_CONTEXT_INTEROP_USER_SYNC) ||
		    (seen & (UINT64_C(1) << (pair[0] & 63)))) {
			status = CL_INVALID_PROPERTY;
			break;
		}
		seen |= UINT64_C(1) << (pair[0] & 63);
		if (pair[0] == CL_CONTEXT_PLATFORM &&
		    !object_find(driver, pair[1], OBJECT_PLATFORM)) {
			status = CL_INVALID_PLATFORM;
			break;
		}
	}
	free(*properties);
	return status;
}

static cl_int create_context(struct opencl_driver *driver, uint64_t handle,
			     uint64_t *properties, uint64_t count)
{
	struct context *context = object_create(driver, OBJECT_CONTEXT,
						sizeof *context, handle);

	context->properties = properties;
	context->property_count = count;
	return CL_SUCCESS;
}

cl_int serve_clCreateContext(struct opencl_driver *driver,
			     struct request_clCreateContext *request)
{
	uint64_t *properties, count;
	cl_int status;

	if (!driver->platform)
		return CL_INVALID_PLATFORM;
	status = read_properties(driver, request->properties, &properties,
				 &count);
	if (status != CL_SUCCESS)
		return status;
	if (!request->devices || !request->num_devices ||
	    (!request->notify && request->user_data))
		status = CL_INVALID_VALUE;
	else
		status = device_list_check(driver, request->num_devices,
					   request->devices);
	if (status == CL_SUCCESS)
		return create_context(driver, request->handle, properties,
				      count);
	free(properties);
	return status;
}

cl_int serve_clCreateContextFromType(
	struct opencl_driver *driver,
	struct request_clCreateContextFromType *request)
{
	uint64_t *properties, count;
	cl_int status;

	if (!driver->platform)
		return CL_INVALID_PLATFORM;
	status = read_properties(driver, request->properties, &properties,
				 &count);
	if (status != CL_SUCCESS)
		return status;
	if (!request->notify && request->user_data)
		status = CL_INVALID_VALUE;
	else
		status = device_type_check(request->type);
	if (status == CL_SUCCESS)
		return create_context(driver, request->handle, properties,
				      count);
	free(properties);
	return status;
}

cl_int serve_clRetainContext(struct opencl_driver *driver,
			     struct request_clRetainContext *request)
{
	return object_retain(driver, request->object, OBJECT_CONTEXT);
}

cl_int serve_clReleaseContext(struct opencl_driver *driver,
			      struct request_clReleaseContext *request)
{
	return object_release(driver, request->object, OBJECT_CONTEXT);
}

cl_int serve_clGetContextInfo(struct opencl_driver *driver,
			      struct request_clGetContextInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);

	if (!context)
		return CL_INVALID_CONTEXT;
	switch (request->param_name) {
	case CL_CONTEXT_REFERENCE_COUNT:
		return info_u32(info, context->object.references);
	case CL_CONTEXT_NUM_DEVICES:
		return info_u32(info, 1);
	case CL_CONTEXT_DEVICES:
		return info_word(info, driver->device->handle);
	case CL_CONTEXT_PROPERTIES:
		return info_words(info, context->properties,
				  context->property_count);
	}
	return CL_INVALID_VALUE;
}
