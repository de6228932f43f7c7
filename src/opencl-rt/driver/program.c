#include <stdlib.h>
#include <string.h>

#include "opencl-rt/clc/object.h"
#include "opencl-rt/driver/program.h"

void program_end(struct opencl_driver *driver, void *object)
{
	struct program *program = object;

	executable_drop(driver, program->executable);
	program->executable = NULL;
	object_drop(driver, &program->context->object);
}

void program_free(void *object)
{
	struct program *program = object;

	executable_free(program->executable);
	free(program->source);
	free(program->binary);
	free(program->options);
	free(program->log);
	free(program);
}

struct program *program_create(struct opencl_driver *driver,
			       struct context *context, uint64_t handle,
			       enum program_origin origin)
{
	struct program *program = object_create(driver, OBJECT_PROGRAM,
						sizeof *program, handle);

	program->context = context;
	object_use(&context->object);
	program->origin = origin;
	program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
	program->build_status = CL_BUILD_NONE;
	program->options = xstrdup("");
	program->log = xstrdup("");
	return program;
}

/* Appends one string of the program, of `length` bytes or (0) up to its final
 * zero. A zero byte in the middle ends it, as it would for a compiler. */
static cl_int append_source(struct opencl_driver *driver, char **source,
			    size_t *used, uint64_t address, uint64_t length)
{
	char *piece;

	if (!address)
		return CL_INVALID_VALUE;
	piece = length ? (char *)program_copy(driver, address, length)
		       : program_string(driver, address);
	if (!piece)
		return CL_INVALID_VALUE;
	length = strlen(piece);
	*source = xrealloc(*source, *used + length + 1);
	memcpy(*source + *used, piece, length + 1);
	*used += length;
	free(piece);
	return CL_SUCCESS;
}

cl_int serve_clCreateProgramWithSource(
	struct opencl_driver *driver,
	struct request_clCreateProgramWithSource *request)
{
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);
	uint64_t address, length = 0;
	char *source = NULL;
	size_t used = 0;
	cl_int status;

	if (!context)
		return CL_INVALID_CONTEXT;
	if (!request->count || !request->strings)
		return CL_INVALID_VALUE;
	for (uint64_t i = 0; i < request->count; i++) {
		if (program_read_words(driver,
				       request->strings + i * driver->word,
				       &address, 1) ||
		    (request->lengths &&
		     program_read_words(driver,
					request->lengths + i * driver->word,
					&length, 1)))
			status = CL_INVALID_VALUE;
		else
			status = append_source(driver, &source, &used, address,
					       length);
		if (status != CL_SUCCESS) {
			free(source);
			return status;
		}
	}
	program_create(driver, context, request->handle, FROM_SOURCE)->source =
		source;
	return CL_SUCCESS;
}

/* CL_PROGRAM_BINARY_TYPE_NONE and *error for a bad one. */
static cl_program_binary_type check_binary(const uint8_t *binary,
					   uint64_t size, struct error *error)
{
	static const char name[] = "binary given to clCreateProgramWithBinary";
	struct evg_program *program;
	struct clc_object object;

	if (clc_object_is(binary, size)) {
		if (clc_object_read(name, binary, size, &object, error))
			return CL_PROGRAM_BINARY_TYPE_NONE;
		return object.library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
				      : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	}
	program = evg_program_read(name, binary, size, error);
	if (!program)
		return CL_PROGRAM_BINARY_TYPE_NONE;
	evg_program_free(program);
	return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

/* Reads and checks the binary for the one device. */
static cl_int read_binary(struct opencl_driver *driver, uint64_t address,
			  uint64_t size, uint8_t **binary,
			  cl_program_binary_type *type)
{
	struct error error;

	*binary = program_copy(driver, address, size);
	if (!*binary)
		return CL_INVALID_VALUE;
	*type = check_binary(*binary, size, &error);
	if (*type == CL_PROGRAM_BINARY_TYPE_NONE) {
		log_warning(driver->options.log, "%s", error.text);
		free(*binary);
		return CL_INVALID_BINARY;
	}
	return CL_SUCCESS;
}

cl_int serve_clCreateProgramWithBinary(
	struct opencl_driver *driver,
	struct request_clCreateProgramWithBinary *request)
{
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);
	cl_program_binary_type type;
	uint64_t size, address;
	struct program *program;
	uint8_t *binary;
	cl_int status;

	if (!context)
		return CL_INVALID_CONTEXT;
	if (!request->num_devices || !request->devices)
		return CL_INVALID_VALUE;
	status = device_list_check(driver, request->num_devices,
				   request->devices);
	if (status != CL_SUCCESS)
		return status;
	if (!request->lengths || !request->binaries ||
	    program_read_words(driver, request->lengths, &size, 1) ||
	    program_read_words(driver, request->binaries, &address, 1) ||
	    !size || !address) {
		program_write_u32(driver, request->binary_status,
				  (uint32_t)CL_INVALID_VALUE);
		return CL_INVALID_VALUE;
	}
	status = read_binary(driver, address, size, &binary, &type);
	program_write_u32(driver, request->binary_status, (uint32_t)status);
	if (status != CL_SUCCESS)
		return status;
	program = program_create(driver, context, request->handle, FROM_BINARY);
	program->binary = binary;
	program->binary_size = size;
	program->binary_type = type;
	return CL_SUCCESS;
}

cl_int serve_clRetainProgram(struct opencl_driver *driver,
			     struct request_clRetainProgram *request)
{
	return object_retain(driver, request->object, OBJECT_PROGRAM);
}

cl_int serve_clReleaseProgram(struct opencl_driver *driver,
			      struct request_clReleaseProgram *request)
{
	return object_release(driver, request->object, OBJECT_PROGRAM);
}

/* param_value is an array of addresses, one per device, where the binaries
 * go; a NULL in it leaves that one out. */
static cl_int binaries(const struct info *info, const struct program *program)
{
	struct opencl_driver *driver = info->driver;
	uint64_t address;

	if (info->value) {
		if (info->size < driver->word ||
		    program_read_words(driver, info->value, &address, 1))
			return CL_INVALID_VALUE;
		if (address && program->binary &&
		    program_write(driver, address, program->binary,
				  program->binary_size))
			return CL_INVALID_VALUE;
	}
	if (info->size_ret)
		return program_write_word(driver, info->size_ret, 0,
					  driver->word);
	return CL_SUCCESS;
}

static cl_int kernel_names(const struct info *info,
			   const struct evg_program *code)
{
	char *names = xstrdup(""), *longer;
	cl_int status;

	for (uint32_t i = 0; i < code->kernel_count; i++) {
		longer = xasprintf("%s%s%s", names, i ? ";" : "",
				   code->kernels[i].name);
		free(names);
		names = longer;
	}
	status = info_string(info, names);
	free(names);
	return status;
}

cl_int serve_clGetProgramInfo(struct opencl_driver *driver,
			      struct request_clGetProgramInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);

	if (!program)
		return CL_INVALID_PROGRAM;
	switch (request->param_name) {
	case CL_PROGRAM_REFERENCE_COUNT:
		return info_u32(info, program->object.references);
	case CL_PROGRAM_CONTEXT:
		return info_word(info, program->context->object.handle);
	case CL_PROGRAM_NUM_DEVICES:
		return info_u32(info, 1);
	case CL_PROGRAM_DEVICES:
		return info_word(info, driver->device->handle);
	case CL_PROGRAM_SOURCE:
		return info_string(info,
				   program->source ? program->source : "");
	case CL_PROGRAM_BINARY_SIZES:
		return info_word(info, program->binary_size);
	case CL_PROGRAM_BINARIES:
		return binaries(info, program);
	case CL_PROGRAM_NUM_KERNELS:
		if (!program->executable)
			return CL_INVALID_PROGRAM_EXECUTABLE;
		return info_word(info,
				 program->executable->program->kernel_count);
	case CL_PROGRAM_KERNEL_NAMES:
		if (!program->executable)
			return CL_INVALID_PROGRAM_EXECUTABLE;
		return kernel_names(info, program->executable->program);
	}
	return CL_INVALID_VALUE;
}

cl_int serve_clGetProgramBuildInfo(
	struct opencl_driver *driver,
	struct request_clGetProgramBuildInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);

	if (!program)
		return CL_INVALID_PROGRAM;
	if (!device_is_ours(driver, request->device))
		return CL_INVALID_DEVICE;
	switch (request->param_name) {
	case CL_PROGRAM_BUILD_STATUS:
		return info_u32(info, (uint64_t)program->build_status);
	case CL_PROGRAM_BUILD_OPTIONS:
		return info_string(info, program->options);
	case CL_PROGRAM_BUILD_LOG:
		return info_string(info, program->log);
	case CL_PROGRAM_BINARY_TYPE:
		return info_u32(info, program->binary_type);
	}
	return CL_INVALID_VALUE;
}
