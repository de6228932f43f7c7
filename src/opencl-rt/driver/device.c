#include <stdlib.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "opencl-rt/driver/internal.h"
#include "opencl-rt/printf-buffer.h"

void device_end(struct opencl_driver *driver, void *object)
{
	(void)driver, (void)object;
}

void device_free(void *object)
{
	free(object);
}

/* The specification wants at least a quarter of the memory; half of it is
 * what this device gives to one buffer. */
uint64_t device_max_allocation(struct opencl_driver *driver)
{
	uint64_t half = evg_memory_size(driver->memory) / 2;

	return half < UINT32_MAX ? half : UINT32_MAX - UINT32_C(4095);
}

uint32_t device_max_group_size(const struct opencl_driver *driver)
{
	uint32_t items = driver->options.max_wavefronts * EVG_WAVEFRONT_SIZE;

	return items < MAX_WORK_GROUP_SIZE ? items : MAX_WORK_GROUP_SIZE;
}

uint32_t device_local_memory(const struct opencl_driver *driver)
{
	return driver->options.local_memory < EVG_MAX_LOCAL_MEMORY
		       ? driver->options.local_memory
		       : EVG_MAX_LOCAL_MEMORY;
}

bool device_is_ours(struct opencl_driver *driver, uint64_t handle)
{
	return object_find(driver, handle, OBJECT_DEVICE);
}

cl_int device_list_check(struct opencl_driver *driver, uint64_t count,
			 uint64_t list)
{
	uint64_t device;

	if (!count != !list)
		return CL_INVALID_VALUE;
	for (uint64_t i = 0; i < count; i++) {
		if (program_read_words(driver, list + i * driver->word,
				       &device, 1))
			return CL_INVALID_VALUE;
		if (!device_is_ours(driver, device))
			return CL_INVALID_DEVICE;
	}
	return CL_SUCCESS;
}

/* CL_SUCCESS if the one device is of this type. */
cl_int device_type_check(uint64_t type)
{
	const uint64_t known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
			       CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
			       CL_DEVICE_TYPE_CUSTOM;

	if (type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known)))
		return CL_INVALID_DEVICE_TYPE;
	if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	return CL_SUCCESS;
}

cl_int serve_clGetDeviceIDs(struct opencl_driver *driver,
			    struct request_clGetDeviceIDs *request)
{
	cl_int status;

	if (!driver->platform ||
	    (request->platform &&
	     !object_find(driver, request->platform, OBJECT_PLATFORM)))
		return CL_INVALID_PLATFORM;
	status = device_type_check(request->type);
	if (status == CL_INVALID_DEVICE_TYPE)
		return status;
	if ((!request->devices && !request->num_devices) ||
	    (request->devices && !request->num_entries))
		return CL_INVALID_VALUE;
	if (status != CL_SUCCESS) {
		program_write_u32(driver, request->num_devices, 0);
		return status;
	}
	if (request->devices &&
	    program_write_word(driver, request->devices, 0,
			       driver->device->handle))
		return CL_INVALID_VALUE;
	return program_write_u32(driver, request->num_devices, 1);
}

cl_int serve_clGetDeviceInfo(struct opencl_driver *driver,
			     struct request_clGetDeviceInfo *request)
{
	uint64_t items = device_max_group_size(driver);
	const uint64_t item_sizes[3] = { items, items, items };
	const struct info *info = INFO_OF(driver, request);

	if (!device_is_ours(driver, request->device))
		return CL_INVALID_DEVICE;
	switch (request->param_name) {
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return info_words(info, item_sizes, 3);
#define U32(name, expression)                                                  \
	case name:                                                             \
		return info_u32(info, expression);
#define U64(name, expression)                                                  \
	case name:                                                             \
		return info_u64(info, expression);
#define WORD(name, expression)                                                 \
	case name:                                                             \
		return info_word(info, expression);
#define TEXT(name, expression)                                                 \
	case name:                                                             \
		return info_string(info, expression);
#include "opencl-rt/driver/device-info.def"
	}
	return CL_INVALID_VALUE;
}

/* A root device is neither retained nor released. */
cl_int serve_clRetainDevice(struct opencl_driver *driver,
			    struct request_clRetainDevice *request)
{
	return device_is_ours(driver, request->object) ? CL_SUCCESS
						       : CL_INVALID_DEVICE;
}

cl_int serve_clReleaseDevice(struct opencl_driver *driver,
			     struct request_clReleaseDevice *request)
{
	return device_is_ours(driver, request->object) ? CL_SUCCESS
						       : CL_INVALID_DEVICE;
}

cl_int serve_clRetainDeviceEXT(struct opencl_driver *driver,
			       struct request_clRetainDeviceEXT *request)
{
	return device_is_ours(driver, request->object) ? CL_SUCCESS
						       : CL_INVALID_DEVICE;
}

cl_int serve_clReleaseDeviceEXT(struct opencl_driver *driver,
				struct request_clReleaseDeviceEXT *request)
{
	return device_is_ours(driver, request->object) ? CL_SUCCESS
						       : CL_INVALID_DEVICE;
}
