/* clBuildProgram: from source through m2s-clc, or from a binary. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/clc/compile.h"
#include "opencl-rt/driver/internal.h"

static void set_log(struct program *program, const char *text)
{
	free(program->log);
	program->log = xstrdup(text);
}

static void set_binary(struct program *program, void *binary, uint64_t size)
{
	free(program->binary);
	program->binary = binary;
	program->binary_size = size;
}

/* --evg-kernel-binary: the user's binary takes the place of compiling. */
static cl_int read_given_binary(struct opencl_driver *driver,
				struct program *program)
{
	const char *path = driver->options.kernel_binary;
	FILE *file = fopen(path, "rbe");
	size_t used = 0, capacity = 0, got;
	uint8_t *bytes = NULL;
	struct error error;

	if (!file) {
		error_set(&error, "--evg-kernel-binary %s: %s", path,
			  strerror(errno));
		return driver_fail(driver, &error);
	}
	do {
		if (used == capacity) {
			capacity = 2 * capacity + 65536;
			bytes = xrealloc(bytes, capacity);
		}
		got = fread(bytes + used, 1, capacity - used, file);
		used += got;
	} while (got);
	if (ferror(file)) {
		error_set(&error, "--evg-kernel-binary %s: cannot be read",
			  path);
		fclose(file);
		free(bytes);
		return driver_fail(driver, &error);
	}
	fclose(file);
	set_binary(program, bytes, used);
	return CL_SUCCESS;
}

static cl_int compile(struct opencl_driver *driver, struct program *program)
{
	char *options = xasprintf("%s%s%s", program->options,
				  driver->options.source_lines ? " -g" : "",
				  driver->options.no_doubles ? " -fno-fp64"
							     : "");
	const struct clc_request request = {
		.compiler = driver->options.compiler,
		.source = program->source,
		.options = options,
		.cache_folder = driver->options.cache_folder,
	};
	cl_int status = CL_BUILD_PROGRAM_FAILURE;
	struct clc_result result;
	struct error error;
	int failed = clc_compile(&request, &result, &error);

	free(options);
	if (failed) {
		log_warning(driver->options.log, "clBuildProgram: %s",
			    error.text);
		set_log(program, error.text);
		return CL_BUILD_PROGRAM_FAILURE;
	}
	set_log(program, result.log);
	switch (result.status) {
	case CLC_DONE:
		set_binary(program, result.binary, result.binary_size);
		result.binary = NULL; /* taken over */
		status = CL_SUCCESS;
		break;
	case CLC_BUILD_ERROR:
		status = CL_BUILD_PROGRAM_FAILURE;
		break;
	case CLC_BAD_OPTIONS:
		status = CL_INVALID_BUILD_OPTIONS;
		break;
	case CLC_NOT_AVAILABLE:
		log_warning_once(driver->options.log, "compiler",
				 "clBuildProgram: %.*s",
				 (int)strcspn(result.log, "\n"), result.log);
		status = CL_COMPILER_NOT_AVAILABLE;
		break;
	}
	clc_result_free(&result);
	return status;
}

static void describe(const struct opencl_driver *driver,
		     const struct evg_program *code)
{
	FILE *log = log_stream(driver->options.log, LOG_ELF);

	for (uint32_t i = 0; log && i < code->kernel_count; i++)
		fprintf(log, "kernel binary: kernel %s, %u bytes of code, %u "
			"registers, %u bytes of local memory, %u arguments\n",
			code->kernels[i].name, code->kernels[i].code_size,
			code->kernels[i].registers,
			code->kernels[i].local_size,
			code->kernels[i].argument_count);
}

/* From the binary to something that runs. */
static cl_int load(struct opencl_driver *driver, struct program *program)
{
	struct evg_program *code;
	struct error error;

	code = evg_program_read(driver->options.kernel_binary
					? driver->options.kernel_binary
					: "kernel binary",
				program->binary, program->binary_size, &error);
	if (code)
		describe(driver, code);
	if (code)
		program->executable = executable_create(driver, code, &error);
	if (program->executable)
		return CL_SUCCESS;
	/* A file that the user named is the user's to correct. */
	if (driver->options.kernel_binary)
		return driver_fail(driver, &error);
	log_warning(driver->options.log, "clBuildProgram: %s", error.text);
	set_log(program, error.text);
	return program->source ? CL_BUILD_PROGRAM_FAILURE : CL_INVALID_BINARY;
}

static cl_int build(struct opencl_driver *driver, struct program *program)
{
	cl_int status = CL_SUCCESS;

	set_log(program, "");
	executable_drop(driver, program->executable);
	program->executable = NULL;
	program->build_status = CL_BUILD_ERROR;
	if (driver->options.kernel_binary)
		status = read_given_binary(driver, program);
	else if (program->source)
		status = compile(driver, program);
	if (status == CL_SUCCESS)
		status = load(driver, program);
	if (status == CL_SUCCESS)
		program->build_status = CL_BUILD_SUCCESS;
	return status;
}

/* The compiler runs outside simulated time, so a build is over when the call
 * returns, also when the program asks for a notification. */
cl_int serve_clBuildProgram(struct opencl_driver *driver,
			    struct request_clBuildProgram *request)
{
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);
	char *options;
	cl_int status;

	if (!program)
		return CL_INVALID_PROGRAM;
	status = device_list_check(driver, request->num_devices,
				   request->devices);
	if (status != CL_SUCCESS)
		return status;
	if (!request->notify && request->user_data)
		return CL_INVALID_VALUE;
	if (program->kernel_count)
		return CL_INVALID_OPERATION;
	options = request->options ? program_string(driver, request->options)
				   : xstrdup("");
	if (!options)
		return CL_INVALID_VALUE;
	free(program->options);
	program->options = options;
	status = build(driver, program);
	if (request->notify)
		notice_add(driver,
			   &(struct notice){ .kind = OPENCL_NOTICE_PROGRAM,
					     .handle = program->object.handle,
					     .notify = request->notify,
					     .user_data = request->user_data,
					     .object = &program->object });
	return status;
}
