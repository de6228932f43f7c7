#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

void platform_end(struct opencl_driver *driver, void *object)
{
	(void)driver, (void)object;
}

void platform_free(void *object)
{
	free(object);
}

cl_int serve_clGetPlatformIDs(struct opencl_driver *driver,
			      struct request_clGetPlatformIDs *request)
{
	if (!driver->platform)
		driver->platform = object_create(driver, OBJECT_PLATFORM,
						 sizeof(struct object),
						 request->platform_handle);
	if (!driver->device)
		driver->device = object_create(driver, OBJECT_DEVICE,
					       sizeof(struct object),
					       request->device_handle);
	if ((!request->platforms && !request->num_platforms) ||
	    (request->platforms && !request->num_entries))
		return CL_INVALID_VALUE;
	if (request->platforms &&
	    program_write_word(driver, request->platforms, 0,
			       driver->platform->handle))
		return CL_INVALID_VALUE;
	return program_write_u32(driver, request->num_platforms, 1);
}

cl_int serve_clGetPlatformInfo(struct opencl_driver *driver,
			       struct request_clGetPlatformInfo *request)
{
	const struct info *info = INFO_OF(driver, request);

	/* What a NULL platform means is left to us: the only one. */
	if (request->platform &&
	    !object_find(driver, request->platform, OBJECT_PLATFORM))
		return CL_INVALID_PLATFORM;
	switch (request->param_name) {
	case CL_PLATFORM_PROFILE:
		return info_string(info, "FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		return info_string(info, "OpenCL 1.2 m2s");
	case CL_PLATFORM_NAME:
		return info_string(info, "m2s");
	case CL_PLATFORM_VENDOR:
		return info_string(info, "m2s");
	case CL_PLATFORM_EXTENSIONS:
		return info_string(info, "cl_khr_icd");
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return info_string(info, "M2S");
	}
	return CL_INVALID_VALUE;
}

cl_int serve_clUnloadPlatformCompiler(
	struct opencl_driver *driver,
	struct request_clUnloadPlatformCompiler *request)
{
	if (!object_find(driver, request->platform, OBJECT_PLATFORM))
		return CL_INVALID_PLATFORM;
	return CL_SUCCESS;
}
