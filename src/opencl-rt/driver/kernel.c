#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/internal.h"

void kernel_end(struct opencl_driver *driver, void *object)
{
	struct kernel *kernel = object;

	kernel->program->kernel_count--;
	object_drop(driver, &kernel->program->object);
	executable_drop(driver, kernel->executable);
	kernel->executable = NULL;
}

void kernel_free(void *object)
{
	struct kernel *kernel = object;

	for (uint32_t i = 0; i < kernel->argument_count; i++)
		free(kernel->arguments[i].bytes);
	free(kernel->arguments);
	executable_free(kernel->executable);
	free(kernel);
}

static void create_kernel(struct opencl_driver *driver, struct program *program,
			  const struct evg_kernel *code, uint64_t handle)
{
	struct kernel *kernel = object_create(driver, OBJECT_KERNEL,
					      sizeof *kernel, handle);

	kernel->program = program;
	object_use(&program->object);
	program->kernel_count++;
	kernel->executable = program->executable;
	kernel->executable->uses++;
	kernel->code = code;
	kernel->argument_count = code->argument_count;
	kernel->arguments = xcalloc(code->argument_count,
				    sizeof *kernel->arguments);
}

cl_int serve_clCreateKernel(struct opencl_driver *driver,
			    struct request_clCreateKernel *request)
{
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);
	const struct evg_kernel *code;
	char *name;

	if (!program)
		return CL_INVALID_PROGRAM;
	if (!program->executable)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	name = request->name ? program_string(driver, request->name) : NULL;
	if (!name)
		return CL_INVALID_VALUE;
	code = evg_program_find(program->executable->program, name);
	free(name);
	if (!code)
		return CL_INVALID_KERNEL_NAME;
	create_kernel(driver, program, code, request->handle);
	return CL_SUCCESS;
}

cl_int serve_clCreateKernelsInProgram(
	struct opencl_driver *driver,
	struct request_clCreateKernelsInProgram *request)
{
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);
	const struct evg_program *code;
	uint64_t handle;

	if (!program)
		return CL_INVALID_PROGRAM;
	if (!program->executable)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	code = program->executable->program;
	if (request->kernels) {
		if (request->num_kernels < code->kernel_count)
			return CL_INVALID_VALUE;
		for (uint32_t i = 0; i < code->kernel_count; i++) {
			if (program_read_words(driver,
					       request->kernels +
						       i * driver->word,
					       &handle, 1))
				return CL_INVALID_VALUE;
			create_kernel(driver, program, &code->kernels[i],
				      handle);
			request->used++;
		}
	}
	return program_write_u32(driver, request->num_kernels_ret,
				 code->kernel_count);
}

cl_int serve_clRetainKernel(struct opencl_driver *driver,
			    struct request_clRetainKernel *request)
{
	return object_retain(driver, request->object, OBJECT_KERNEL);
}

cl_int serve_clReleaseKernel(struct opencl_driver *driver,
			     struct request_clReleaseKernel *request)
{
	return object_release(driver, request->object, OBJECT_KERNEL);
}

/* --- Arguments ---------------------------------------------------------- */

static cl_int set_value(struct opencl_driver *driver, struct argument *argument,
			const struct evg_argument *wanted, uint64_t size,
			uint64_t value)
{
	uint8_t *bytes;

	if (!value)
		return CL_INVALID_ARG_VALUE;
	if (size != wanted->size)
		return CL_INVALID_ARG_SIZE;
	bytes = xmalloc(size);
	if (program_read(driver, value, bytes, size)) {
		free(bytes);
		return CL_INVALID_ARG_VALUE;
	}
	free(argument->bytes);
	argument->bytes = bytes;
	return CL_SUCCESS;
}

static cl_int set_local(struct argument *argument, uint64_t size,
			uint64_t value)
{
	if (value)
		return CL_INVALID_ARG_VALUE;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	argument->size = size;
	return CL_SUCCESS;
}

/* A buffer of the kernel's context; NULL, or a pointer to a NULL handle, is a
 * null pointer in the kernel. */
static cl_int set_buffer(struct opencl_driver *driver, struct kernel *kernel,
			 struct argument *argument, uint64_t size,
			 uint64_t value)
{
	struct buffer *buffer = NULL;
	uint64_t handle = 0;

	if (size != driver->word)
		return CL_INVALID_ARG_SIZE;
	if (value && program_read_words(driver, value, &handle, 1))
		return CL_INVALID_ARG_VALUE;
	if (handle) {
		buffer = buffer_find(driver, handle);
		if (!buffer || buffer->context != kernel->program->context)
			return CL_INVALID_MEM_OBJECT;
	}
	argument->buffer = handle;
	argument->serial = buffer ? buffer->object.serial : 0;
	return CL_SUCCESS;
}

/* Whether the type that the kernel's source gives is that of the image; one
 * that hides behind a typedef might be. */
static bool is_image_type(const char *name, cl_mem_object_type type)
{
	static const struct {
		const char *name;
		cl_mem_object_type type;
	} types[] = {
		{ "image1d_t", CL_MEM_OBJECT_IMAGE1D },
		{ "image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER },
		{ "image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY },
		{ "image2d_t", CL_MEM_OBJECT_IMAGE2D },
		{ "image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY },
		{ "image3d_t", CL_MEM_OBJECT_IMAGE3D },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(name, types[i].name))
			return type == types[i].type;
	return true;
}

/* The handle of an image or a sampler, which must be there. */
static cl_int read_handle(struct opencl_driver *driver, uint64_t size,
			  uint64_t value, uint64_t *handle)
{
	if (!value)
		return CL_INVALID_ARG_VALUE;
	if (size != driver->word)
		return CL_INVALID_ARG_SIZE;
	if (program_read_words(driver, value, handle, 1))
		return CL_INVALID_ARG_VALUE;
	return CL_SUCCESS;
}

static cl_int set_image(struct opencl_driver *driver, struct kernel *kernel,
			struct argument *argument,
			const struct evg_argument *wanted, uint64_t size,
			uint64_t value)
{
	uint64_t forbidden = wanted->access == EVG_ACCESS_WRITE_ONLY
				     ? CL_MEM_READ_ONLY
				     : CL_MEM_WRITE_ONLY;
	struct buffer *image;
	uint64_t handle;
	cl_int status = read_handle(driver, size, value, &handle);

	if (status != CL_SUCCESS)
		return status;
	image = image_find(driver, handle);
	if (!image || image->context != kernel->program->context)
		return CL_INVALID_MEM_OBJECT;
	if ((image->flags & forbidden) ||
	    !is_image_type(wanted->type_name, image->image->type))
		return CL_INVALID_ARG_VALUE;
	argument->buffer = handle;
	argument->serial = image->object.serial;
	return CL_SUCCESS;
}

/* Kernels take a sampler's value; it may be released afterwards. */
static cl_int set_sampler(struct opencl_driver *driver, struct kernel *kernel,
			  struct argument *argument, uint64_t size,
			  uint64_t value)
{
	struct sampler *sampler;
	uint32_t bits;
	uint64_t handle;
	cl_int status = read_handle(driver, size, value, &handle);

	if (status != CL_SUCCESS)
		return status;
	sampler = object_find(driver, handle, OBJECT_SAMPLER);
	if (!sampler || sampler->context != kernel->program->context)
		return CL_INVALID_SAMPLER;
	bits = sampler_bits(sampler);
	free(argument->bytes);
	argument->bytes = xmalloc(sizeof bits);
	memcpy(argument->bytes, &bits, sizeof bits);
	return CL_SUCCESS;
}

cl_int serve_clSetKernelArg(struct opencl_driver *driver,
			    struct request_clSetKernelArg *request)
{
	struct kernel *kernel = object_find(driver, request->kernel,
					    OBJECT_KERNEL);
	const struct evg_argument *wanted;
	struct argument *argument;
	cl_int status = CL_INVALID_ARG_VALUE;

	if (!kernel)
		return CL_INVALID_KERNEL;
	if (request->index >= kernel->argument_count)
		return CL_INVALID_ARG_INDEX;
	wanted = &kernel->code->arguments[request->index];
	argument = &kernel->arguments[request->index];
	switch (wanted->kind) {
	case EVG_ARGUMENT_VALUE:
		status = set_value(driver, argument, wanted, request->size,
				   request->value);
		break;
	case EVG_ARGUMENT_POINTER:
		status = wanted->address_space == EVG_LOCAL
				 ? set_local(argument, request->size,
					     request->value)
				 : set_buffer(driver, kernel, argument,
					      request->size, request->value);
		break;
	case EVG_ARGUMENT_IMAGE:
		status = set_image(driver, kernel, argument, wanted,
				   request->size, request->value);
		break;
	case EVG_ARGUMENT_SAMPLER:
		status = set_sampler(driver, kernel, argument, request->size,
				     request->value);
		break;
	}
	if (status == CL_SUCCESS)
		argument->set = true;
	if (status == CL_INVALID_ARG_SIZE && wanted->kind == EVG_ARGUMENT_VALUE)
		advise_argument_size(driver, kernel, request->index,
				     request->size);
	return status;
}
