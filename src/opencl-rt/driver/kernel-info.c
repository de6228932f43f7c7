/* clGetKernelInfo, clGetKernelArgInfo, clGetKernelWorkGroupInfo. */
#include <string.h>

#include "opencl-rt/driver/internal.h"

cl_int serve_clGetKernelInfo(struct opencl_driver *driver,
			     struct request_clGetKernelInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct kernel *kernel = object_find(driver, request->kernel,
					    OBJECT_KERNEL);

	if (!kernel)
		return CL_INVALID_KERNEL;
	switch (request->param_name) {
	case CL_KERNEL_FUNCTION_NAME:
		return info_string(info, kernel->code->name);
	case CL_KERNEL_NUM_ARGS:
		return info_u32(info, kernel->argument_count);
	case CL_KERNEL_REFERENCE_COUNT:
		return info_u32(info, kernel->object.references);
	case CL_KERNEL_CONTEXT:
		return info_word(info,
				 kernel->program->context->object.handle);
	case CL_KERNEL_PROGRAM:
		return info_word(info, kernel->program->object.handle);
	case CL_KERNEL_ATTRIBUTES:
		return info_string(info, kernel->code->attributes);
	}
	return CL_INVALID_VALUE;
}

static cl_int type_qualifiers(const struct evg_argument *argument)
{
	static const struct {
		unsigned ours, theirs;
	} table[] = {
		{ EVG_QUALIFIER_CONST, CL_KERNEL_ARG_TYPE_CONST },
		{ EVG_QUALIFIER_RESTRICT, CL_KERNEL_ARG_TYPE_RESTRICT },
		{ EVG_QUALIFIER_VOLATILE, CL_KERNEL_ARG_TYPE_VOLATILE },
	};
	unsigned qualifiers = CL_KERNEL_ARG_TYPE_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (argument->qualifiers & table[i].ours)
			qualifiers |= table[i].theirs;
	return (cl_int)qualifiers;
}

/* Only for programs from source that were built with -cl-kernel-arg-info
 * (OpenCL 1.2, section 5.7.3), though every binary has it. */
cl_int serve_clGetKernelArgInfo(struct opencl_driver *driver,
				struct request_clGetKernelArgInfo *request)
{
	static const cl_uint spaces[] = {
		[EVG_PRIVATE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
		[EVG_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
		[EVG_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
		[EVG_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
	};
	static const cl_uint accesses[] = {
		[EVG_ACCESS_NONE] = CL_KERNEL_ARG_ACCESS_NONE,
		[EVG_ACCESS_READ_ONLY] = CL_KERNEL_ARG_ACCESS_READ_ONLY,
		[EVG_ACCESS_WRITE_ONLY] = CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
		[EVG_ACCESS_READ_WRITE] = CL_KERNEL_ARG_ACCESS_READ_WRITE,
	};
	const struct info *info = INFO_OF(driver, request);
	struct kernel *kernel = object_find(driver, request->kernel,
					    OBJECT_KERNEL);
	const struct evg_argument *argument;

	if (!kernel)
		return CL_INVALID_KERNEL;
	if (request->index >= kernel->argument_count)
		return CL_INVALID_ARG_INDEX;
	if (!kernel->program->tells_arguments &&
	    request->param_name >= CL_KERNEL_ARG_ADDRESS_QUALIFIER &&
	    request->param_name <= CL_KERNEL_ARG_NAME) {
		advise_argument_info(driver, kernel->program);
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	}
	argument = &kernel->code->arguments[request->index];
	switch (request->param_name) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return info_u32(info, spaces[argument->address_space]);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return info_u32(info, accesses[argument->access]);
	case CL_KERNEL_ARG_TYPE_QUALIFIER:
		return info_u64(info, (uint64_t)type_qualifiers(argument));
	case CL_KERNEL_ARG_TYPE_NAME:
		if (!*argument->type_name)
			return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
		return info_string(info, argument->type_name);
	case CL_KERNEL_ARG_NAME:
		if (!*argument->name)
			return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
		return info_string(info, argument->name);
	}
	return CL_INVALID_VALUE;
}

/* Wavefronts of a work-group are in a compute unit together, so their
 * registers must fit. */
uint32_t kernel_max_group_size(const struct opencl_driver *driver,
			       const struct evg_kernel *code)
{
	uint32_t wavefronts = device_max_group_size(driver) /
			      EVG_WAVEFRONT_SIZE;
	uint32_t slots = driver->options.register_slots;

	if (code->registers && slots / code->registers < wavefronts)
		wavefronts = slots / code->registers;
	return wavefronts * EVG_WAVEFRONT_SIZE;
}

uint64_t kernel_place_local(const struct kernel *kernel, uint8_t *constants)
{
	const struct evg_argument *wanted;
	uint64_t end = kernel->code->local_size, alignment;
	uint32_t start;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		wanted = &kernel->code->arguments[i];
		if (wanted->kind != EVG_ARGUMENT_POINTER ||
		    wanted->address_space != EVG_LOCAL ||
		    !kernel->arguments[i].set)
			continue;
		alignment = wanted->alignment > 4 ? wanted->alignment : 4;
		end = (end + alignment - 1) / alignment * alignment;
		start = (uint32_t)end;
		if (constants)
			memcpy(constants + wanted->offset, &start,
			       sizeof start);
		if (kernel->arguments[i].size > UINT32_MAX)
			return UINT32_MAX;
		end += kernel->arguments[i].size;
	}
	return (end + 3) / 4 * 4;
}

cl_int serve_clGetKernelWorkGroupInfo(
	struct opencl_driver *driver,
	struct request_clGetKernelWorkGroupInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct kernel *kernel = object_find(driver, request->kernel,
					    OBJECT_KERNEL);
	uint64_t sizes[3];

	if (!kernel)
		return CL_INVALID_KERNEL;
	if (request->device && !device_is_ours(driver, request->device))
		return CL_INVALID_DEVICE;
	switch (request->param_name) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return info_word(info, kernel_max_group_size(driver,
							     kernel->code));
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		for (int i = 0; i < 3; i++)
			sizes[i] = kernel->code->reqd_work_group_size[i];
		return info_words(info, sizes, 3);
	case CL_KERNEL_LOCAL_MEM_SIZE:
		return info_u64(info, kernel_place_local(kernel, NULL));
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return info_word(info, EVG_WAVEFRONT_SIZE);
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		/* Private data lives in registers of four words. */
		return info_u64(info, UINT64_C(16) * kernel->code->registers);
	}
	/* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices only. */
	return CL_INVALID_VALUE;
}
