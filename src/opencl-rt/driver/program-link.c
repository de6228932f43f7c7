/* clCompileProgram and clLinkProgram: programs in parts. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/program.h"

/* The parts of a task, from an array of programs of the simulated program. */
struct parts {
	struct clc_part *items; /* `name` is ours */
	size_t count;
	bool tells_arguments; /* one of them does */
};

static void parts_free(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free((char *)parts->items[i].name);
	free(parts->items);
}

static struct program *part_program(struct opencl_driver *driver,
				    uint64_t list, uint64_t index)
{
	uint64_t handle;

	if (program_read_words(driver, list + index * driver->word, &handle, 1))
		return NULL;
	return object_find(driver, handle, OBJECT_PROGRAM);
}

/* Room for a part; there are as many as the array has in memory. */
static struct clc_part *parts_add(struct parts *parts)
{
	parts->items = xrealloc(parts->items,
				(parts->count + 1) * sizeof *parts->items);
	return memset(&parts->items[parts->count++], 0, sizeof *parts->items);
}

/* --- clCompileProgram --------------------------------------------------- */

static cl_int read_headers(struct opencl_driver *driver,
			   const struct request_clCompileProgram *request,
			   struct parts *parts)
{
	for (uint64_t i = 0; i < request->num_headers; i++) {
		const struct program *header =
			part_program(driver, request->headers, i);
		struct clc_part *part;
		uint64_t name;

		if (!header)
			return CL_INVALID_PROGRAM;
		if (!header->source)
			return CL_INVALID_OPERATION;
		if (program_read_words(driver,
				       request->header_names + i * driver->word,
				       &name, 1) || !name)
			return CL_INVALID_VALUE;
		part = parts_add(parts);
		part->bytes = header->source;
		part->size = strlen(header->source);
		part->name = program_string(driver, name);
		if (!part->name || !*part->name)
			return CL_INVALID_VALUE;
	}
	return CL_SUCCESS;
}

static cl_int compile(struct opencl_driver *driver, struct program *program,
		      const struct request_clCompileProgram *request,
		      struct parts *parts)
{
	struct program_task task = {
		.call = "clCompileProgram",
		.task = CLC_COMPILE,
		.failure = CL_COMPILE_PROGRAM_FAILURE,
		.bad_options = CL_INVALID_COMPILER_OPTIONS,
		.not_available = CL_COMPILER_NOT_AVAILABLE,
	};
	cl_int status = read_headers(driver, request, parts);
	char *name;

	if (status == CL_SUCCESS)
		status = program_take_options(driver, program,
					      request->options);
	if (status != CL_SUCCESS)
		return status;
	/* Messages and listings tell the parts of a program apart. */
	name = xasprintf("part%llu.cl",
			 (unsigned long long)++driver->last_part);
	task.name = name;
	task.parts = parts->items;
	task.part_count = parts->count;
	status = program_run_task(driver, program, &task);
	free(name);
	program_notify(driver, program, request->notify, request->user_data);
	return status;
}

cl_int serve_clCompileProgram(struct opencl_driver *driver,
			      struct request_clCompileProgram *request)
{
	struct program *program = object_find(driver, request->program,
					      OBJECT_PROGRAM);
	struct parts parts = { NULL, 0, false };
	cl_int status;

	if (!program)
		return CL_INVALID_PROGRAM;
	status = device_list_check(driver, request->num_devices,
				   request->devices);
	if (status != CL_SUCCESS)
		return status;
	if ((!request->notify && request->user_data) ||
	    !request->num_headers != !request->headers ||
	    !request->num_headers != !request->header_names)
		return CL_INVALID_VALUE;
	if (program->kernel_count || program->origin != FROM_SOURCE ||
	    program->build_status == CL_BUILD_IN_PROGRESS)
		return CL_INVALID_OPERATION;
	object_use(&program->object);
	status = compile(driver, program, request, &parts);
	object_drop(driver, &program->object);
	parts_free(&parts);
	return status;
}

/* --- clLinkProgram ------------------------------------------------------ */

static cl_int read_objects(struct opencl_driver *driver,
			   const struct request_clLinkProgram *request,
			   struct parts *parts)
{
	for (uint64_t i = 0; i < request->num_programs; i++) {
		const struct program *object =
			part_program(driver, request->programs, i);
		struct clc_part *part;

		if (!object)
			return CL_INVALID_PROGRAM;
		if (object->binary_type !=
			    CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
		    object->binary_type != CL_PROGRAM_BINARY_TYPE_LIBRARY)
			return CL_INVALID_OPERATION;
		parts->tells_arguments |= object->tells_arguments;
		part = parts_add(parts);
		part->name = xasprintf("input_programs[%llu]",
				       (unsigned long long)i);
		part->bytes = object->binary;
		part->size = object->binary_size;
	}
	return CL_SUCCESS;
}

/* The program stays when it could not be linked: its log tells why. For other
 * errors there is none. */
static cl_int link_parts(struct opencl_driver *driver, struct context *context,
			 struct request_clLinkProgram *request,
			 const struct parts *parts)
{
	const struct program_task task = {
		.call = "clLinkProgram",
		.task = CLC_LINK,
		.parts = parts->items,
		.part_count = parts->count,
		.failure = CL_LINK_PROGRAM_FAILURE,
		.bad_options = CL_INVALID_LINKER_OPTIONS,
		.not_available = CL_LINKER_NOT_AVAILABLE,
	};
	struct program *program = program_create(
		driver, context, request->handle, FROM_LINKER);
	cl_int status;

	object_use(&program->object);
	status = program_take_options(driver, program, request->options);
	program->tells_arguments = parts->tells_arguments;
	if (status == CL_SUCCESS)
		status = program_run_task(driver, program, &task);
	if (status == CL_SUCCESS || status == task.failure) {
		request->made = true;
		program_notify(driver, program, request->notify,
			       request->user_data);
	} else {
		object_hide(driver, &program->object);
	}
	object_drop(driver, &program->object);
	return status;
}

cl_int serve_clLinkProgram(struct opencl_driver *driver,
			   struct request_clLinkProgram *request)
{
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);
	struct parts parts = { NULL, 0, false };
	cl_int status;

	request->made = false;
	if (!context)
		return CL_INVALID_CONTEXT;
	status = device_list_check(driver, request->num_devices,
				   request->devices);
	if (status != CL_SUCCESS)
		return status;
	if (!request->num_programs || !request->programs ||
	    (!request->notify && request->user_data))
		return CL_INVALID_VALUE;
	status = read_objects(driver, request, &parts);
	if (status == CL_SUCCESS)
		status = link_parts(driver, context, request, &parts);
	parts_free(&parts);
	return status;
}
