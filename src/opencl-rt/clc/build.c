#include "opencl-rt/clc/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "config.h"
#include "opencl-rt/clc/backend.h"
#include "opencl-rt/clc/object.h"

/* Address space for each compiler process. */
static const uint64_t memory_limit = UINT64_C(4) << 30;

/* --- The parts of a program --------------------------------------------- */

/* The bitcode of objects, in memory files. */
struct parts {
	struct overlay_file *modules; /* `path` is ours */
	int *files;
	size_t count;
	bool debug; /* one of them has debug information */
};

static void parts_close(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		free((char *)parts->modules[i].path);
		close(parts->files[i]);
	}
	free(parts->modules);
	free(parts->files);
}

static int open_part(struct parts *parts, const struct overlay_file *given,
		     struct error *error)
{
	size_t size, index = parts->count;
	char *bytes = frontend_read(given->path, &size, error);
	struct clc_object object;
	int file = -1;

	if (!bytes)
		return -1;
	if (!clc_object_read(given->name, bytes, size, &object, error))
		file = process_memory_file("module", object.bitcode,
					   object.size, error);
	free(bytes);
	if (file < 0)
		return -1;
	parts->debug |= object.debug;
	parts->files[index] = file;
	parts->modules[index].name = given->name;
	parts->modules[index].path = process_file_path(file);
	parts->count++;
	return 0;
}

static int parts_open(struct parts *parts, const struct options *options,
		      struct error *error)
{
	memset(parts, 0, sizeof *parts);
	parts->modules = xcalloc(options->object_count + 1,
				 sizeof *parts->modules);
	parts->files = xcalloc(options->object_count + 1,
			       sizeof *parts->files);
	for (size_t i = 0; i < options->object_count; i++)
		if (open_part(parts, &options->objects[i], error))
			return -1;
	return 0;
}

/* --- Compiling ---------------------------------------------------------- */

/* Front end and back end. As backend_compile. */
static int compile_once(const struct clc_tools *tools,
			const struct frontend_options *front,
			const struct backend_options *back, char **binary,
			size_t *binary_size, struct error *error)
{
	char *bitcode = NULL;
	size_t size;
	int status = frontend_compile(tools, front, &bitcode, &size, error);

	if (!status)
		status = backend_compile(back, bitcode, size, binary,
					 binary_size, error);
	free(bitcode);
	return status;
}

static int make_binary(const struct options *options,
		       const struct clc_tools *tools,
		       struct frontend_options *front, bool debug,
		       char **binary, size_t *size, struct error *error)
{
	const struct backend_options back = {
		.name = front->source,
		.build_options = options->build_options,
		.compiler = "m2s-clc " M2S_VERSION " with clang-16",
		.doubles = tools->doubles,
		.limits = front->limits,
		.attempt = options->attempt,
		.verbose = options->verbose,
		.codegen = options->codegen,
		.print_after = options->print_after,
		.schedule_report = options->schedule_report,
		.without = options->without,
		.registers = options->registers,
		.unoptimized = front->unoptimized,
		.debug = debug,
	};
	struct error later;
	int status = compile_once(tools, front, &back, binary, size, error);

	if (status <= 0)
		return status;
	/* A loop of a hundred iterations, unrolled, can be a basic block that
	 * nothing finds registers for. */
	front->rolled = true;
	if (options->verbose)
		fputs("m2s-clc: program: once more, with loops as they are\n",
		      stderr);
	return compile_once(tools, front, &back, binary, size, &later);
}

static int make_object(const struct clc_tools *tools,
		       struct frontend_options *front, bool debug,
		       bool library, char **product, size_t *size,
		       struct error *error)
{
	struct clc_object object = { .library = library, .debug = debug };
	char *bitcode;

	front->unfinished = true;
	if (frontend_compile(tools, front, &bitcode, &object.size, error))
		return -1;
	object.bitcode = bitcode;
	*product = clc_object_write(&object, size);
	free(bitcode);
	return 0;
}

static int make_product(const struct options *options,
			const struct clc_tools *tools,
			struct frontend_options *front, char **product,
			size_t *size, struct error *error)
{
	if (options->task == TASK_COMPILE)
		return make_object(tools, front, options->debug, false,
				   product, size, error);
	return make_binary(options, tools, front, options->debug, product, size,
			   error);
}

/* A program on standard input that has a name is a file of the overlay, which
 * what clang reads there includes: clang takes no input from an overlay. */
static int make_named(const struct options *options,
		      const struct clc_tools *tools,
		      struct frontend_options *front, char **product,
		      size_t *size, struct error *error)
{
	size_t count = options->header_count;
	struct overlay_file *files;
	char *path, *includes;
	int file, status;

	file = process_memory_file("source", front->text, front->text_size,
				   error);
	if (file < 0)
		return -1;
	path = process_file_path(file);
	files = xcalloc(count + 1, sizeof *files);
	if (count)
		memcpy(files, options->headers, count * sizeof *files);
	files[count++] = (struct overlay_file){ options->name, path };
	includes = xasprintf("#include \"%s\"\n", options->name);
	front->text = includes;
	front->text_size = strlen(includes);
	front->headers = files;
	front->header_count = count;
	status = make_product(options, tools, front, product, size, error);
	close(file);
	free(includes);
	free(files);
	free(path);
	return status;
}

static int build_source(const struct options *options,
			const struct clc_tools *tools,
			struct frontend_options *front, char **product,
			size_t *size, struct error *error)
{
	bool named = options->name && !strcmp(options->source, "-");
	char *text;
	int status;

	if (strcmp(options->source, "-") && access(options->source, R_OK))
		return error_set(error, "cannot read %s: %s", options->source,
				 strerror(errno));
	text = frontend_read(options->source, &front->text_size, error);
	if (!text)
		return -1;
	front->text = text;
	front->source = options->source;
	front->arguments = options->clang;
	front->headers = options->headers;
	front->header_count = options->header_count;
	status = (named ? make_named : make_product)(options, tools, front,
						     product, size, error);
	free(text);
	return status;
}

/* The text is empty: it is the modules that count. */
static int build_parts(const struct options *options,
		       const struct clc_tools *tools,
		       struct frontend_options *front, char **product,
		       size_t *size, struct error *error)
{
	char *const nothing[] = { NULL };
	struct parts parts;
	int status = parts_open(&parts, options, error);

	front->text = "";
	front->source = "-";
	front->arguments = nothing;
	front->modules = parts.modules;
	front->module_count = parts.count;
	if (!status && options->library)
		status = make_object(tools, front, parts.debug, true, product,
				     size, error);
	else if (!status)
		status = make_binary(options, tools, front, parts.debug,
				     product, size, error);
	parts_close(&parts);
	return status;
}

int build(const struct options *options, const struct clc_tools *tools,
	  char **product, size_t *size, struct error *error)
{
	struct frontend_options front = {
		.limits = { options->time_limit, memory_limit },
		.verbose = options->verbose,
		.confined = options->confined,
		/* LLVM's back end cannot do with what clang makes. */
		.unoptimized = options->unoptimized &&
			       options->codegen == CODEGEN_AUTO,
	};

	return (options->task == TASK_LINK ? build_parts : build_source)(
		options, tools, &front, product, size, error);
}
