/* What clBuildProgram, clCompileProgram and clLinkProgram have in common: from
 * source or objects through m2s-clc, or from a binary, to something that
 * runs. And the first of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/clc/object.h"
#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/program.h"

static void set_log(struct program *program, const char *text)
{
	free(program->log);
	program->log = xstrdup(text);
}

/* The source has no name of its own, and clang calls it "<stdin>". */
static void set_source_log(struct program *program, const char *text)
{
	static const char unnamed[] = "<stdin>";
	const char *next;
	size_t size;
	FILE *log;

	free(program->log);
	log = open_memstream(&program->log, &size);
	if (!log)
		abort();
	for (; (next = strstr(text, unnamed)); text = next + strlen(unnamed))
		fprintf(log, "%.*sprogram%llu-build%llu.cl",
			(int)(next - text), text,
			(unsigned long long)program->number,
			(unsigned long long)program->builds);
	fputs(text, log);
	fclose(log);
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

/* Other requests are served meanwhile, unless the compiler reads parts, which
 * belong to other programs. The caller keeps the program alive. */
static int run_compiler(struct opencl_driver *driver, struct program *program,
			const struct clc_request *request,
			struct clc_result *result, struct error *error)
{
	const struct opencl_machine *machine = &driver->machine;
	unsigned word = driver->word;
	bool progress = driver->progress;
	int status;

	if (!machine->leave || request->part_count)
		return clc_compile(request, result, error);
	program->build_status = CL_BUILD_IN_PROGRESS;
	machine->leave(machine->owner);
	status = clc_compile(request, result, error);
	machine->enter(machine->owner);
	program->build_status = CL_BUILD_ERROR;
	driver->word = word;
	driver->ticket = 0;
	driver->progress = progress;
	driver->failed = false;
	return status;
}

/* Runs the compiler for a call. */
static cl_int compile(struct opencl_driver *driver, struct program *program,
		      const struct program_task *task)
{
	bool links = task->task == CLC_LINK;
	const char *more = driver->options.build_options;
	/* -g: faults and listings name lines. */
	char *options = xasprintf(
		"%s%s%s%s%s", program->options, !links ? " -g" : "",
		!links && driver->options.no_doubles ? " -fno-fp64" : "",
		!links && more ? " " : "", !links && more ? more : "");
	const struct clc_request request = {
		.task = task->task,
		.compiler = driver->options.compiler,
		.source = program->source,
		.name = task->name,
		.parts = task->parts,
		.part_count = task->part_count,
		.options = options,
		.chip = driver->options.chip,
		.cache_folder = driver->options.cache_folder,
		.confined = driver->options.confined,
		.stop = driver->options.stop,
		.stop_owner = driver->options.stop_owner,
	};
	cl_int status = task->failure;
	struct clc_result result;
	struct error error;
	double start;
	int failed;

	if (!program->number)
		program->number = ++driver->last_program;
	program->builds++;
	start = host_seconds();
	failed = run_compiler(driver, program, &request, &result, &error);
	account_build(driver->options.account, &(struct build_count){
		.builds = 1,
		.cached = !failed && result.from_cache,
		.failed = failed || result.status != CLC_DONE,
		.seconds = host_seconds() - start,
	});

	free(options);
	if (failed) {
		log_warning(driver->options.log, "%s: %s", task->call,
			    error.text);
		set_log(program, error.text);
		return task->failure;
	}
	set_source_log(program, result.log);
	switch (result.status) {
	case CLC_DONE:
		set_binary(program, result.binary, result.binary_size);
		result.binary = NULL; /* taken over */
		status = CL_SUCCESS;
		break;
	case CLC_BUILD_ERROR:
		status = task->failure;
		break;
	case CLC_BAD_OPTIONS:
		advise_options(driver, task->call, result.log);
		status = task->bad_options;
		break;
	case CLC_NOT_AVAILABLE:
		log_warning_once(driver->options.log, "compiler", "%s: %.*s",
				 task->call, (int)strcspn(result.log, "\n"),
				 result.log);
		status = task->not_available;
		break;
	}
	clc_result_free(&result);
	return status;
}

static void describe_program(const struct opencl_driver *driver,
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
static cl_int load(struct opencl_driver *driver, struct program *program,
		   const struct program_task *task)
{
	struct evg_program *code;
	struct error error;

	code = evg_program_read(driver->options.kernel_binary
					? driver->options.kernel_binary
					: "kernel binary",
				program->binary, program->binary_size, &error);
	if (code)
		describe_program(driver, code);
	if (code)
		program->executable = executable_create(driver, code, &error);
	if (program->executable)
		return CL_SUCCESS;
	/* A file that the user named is the user's to correct. */
	if (driver->options.kernel_binary)
		return driver_fail(driver, &error);
	log_warning(driver->options.log, "%s: %s", task->call, error.text);
	set_log(program, error.text);
	if (code) /* a good one, without room for its text */
		return CL_OUT_OF_RESOURCES;
	return program->origin == FROM_BINARY ? CL_INVALID_BINARY
					      : task->failure;
}

/* The binary of a task that went well, if it is none that runs. */
static cl_program_binary_type object_type(const struct program *program,
					  const struct program_task *task)
{
	struct clc_object object;
	struct error error;

	if (task->task == CLC_COMPILE)
		return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	if (task->task == CLC_LINK && program->binary &&
	    clc_object_is(program->binary, program->binary_size) &&
	    !clc_object_read("library", program->binary, program->binary_size,
			     &object, &error))
		return CL_PROGRAM_BINARY_TYPE_LIBRARY;
	return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

/* Where the binary comes from. */
static cl_int make_binary(struct opencl_driver *driver,
			  struct program *program,
			  const struct program_task *task)
{
	if (driver->options.kernel_binary)
		/* It stands for everything that is compiled and linked. */
		return task->task == CLC_COMPILE
			       ? CL_SUCCESS
			       : read_given_binary(driver, program);
	return program->origin == FROM_BINARY
		       ? CL_SUCCESS
		       : compile(driver, program, task);
}

cl_int program_run_task(struct opencl_driver *driver, struct program *program,
			const struct program_task *task)
{
	cl_int status;

	set_log(program, "");
	executable_drop(driver, program->executable);
	program->executable = NULL;
	program->build_status = CL_BUILD_ERROR;
	if (program->origin != FROM_BINARY) {
		set_binary(program, NULL, 0);
		program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
	}
	status = make_binary(driver, program, task);
	if (status != CL_SUCCESS)
		return status;
	program->binary_type = object_type(program, task);
	if (program->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
		status = load(driver, program, task);
		if (status != CL_SUCCESS)
			return status;
	}
	program->build_status = CL_BUILD_SUCCESS;
	return CL_SUCCESS;
}

/* Whether one of the words of a program's options is this. */
static bool has_option(const char *options, const char *wanted)
{
	char **words = clc_split_options(options, NULL);
	bool found = false;

	for (size_t i = 0; words && words[i]; i++) {
		found |= !strcmp(words[i], wanted);
		free(words[i]);
	}
	free(words);
	return found;
}

cl_int program_take_options(struct opencl_driver *driver,
			    struct program *program, uint64_t address)
{
	char *options = address ? program_string(driver, address) : xstrdup("");

	if (!options)
		return CL_INVALID_VALUE;
	free(program->options);
	program->options = options;
	program->tells_arguments = program->origin == FROM_SOURCE &&
				   has_option(options, "-cl-kernel-arg-info");
	return CL_SUCCESS;
}

void program_notify(struct opencl_driver *driver, struct program *program,
		    uint64_t notify, uint64_t user_data)
{
	if (notify)
		notice_add(driver,
			   &(struct notice){ .kind = OPENCL_NOTICE_PROGRAM,
					     .handle = program->object.handle,
					     .notify = notify,
					     .user_data = user_data,
					     .object = &program->object });
}

/* The compiler runs outside simulated time, so a build is over when the call
 * returns, also when the program asks for a notification. */
cl_int serve_clBuildProgram(struct opencl_driver *driver,
			    struct request_clBuildProgram *request)
{
	static const struct program_task task = {
		.call = "clBuildProgram",
		.task = CLC_BUILD,
		.failure = CL_BUILD_PROGRAM_FAILURE,
		.bad_options = CL_INVALID_BUILD_OPTIONS,
		.not_available = CL_COMPILER_NOT_AVAILABLE,
	};
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);
	cl_int status;

	if (!program)
		return CL_INVALID_PROGRAM;
	status = device_list_check(driver, request->num_devices,
				   request->devices);
	if (status != CL_SUCCESS)
		return status;
	if (!request->notify && request->user_data)
		return CL_INVALID_VALUE;
	if (program->kernel_count || program->origin == FROM_LINKER ||
	    program->build_status == CL_BUILD_IN_PROGRESS)
		return CL_INVALID_OPERATION;
	/* What is to be linked is no program. */
	if (program->origin == FROM_BINARY &&
	    program->binary_type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		return CL_INVALID_BINARY;
	status = program_take_options(driver, program, request->options);
	if (status != CL_SUCCESS)
		return status;
	object_use(&program->object);
	status = program_run_task(driver, program, &task);
	program_notify(driver, program, request->notify, request->user_data);
	object_drop(driver, &program->object);
	return status;
}
