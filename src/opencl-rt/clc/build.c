#include "opencl-rt/clc/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
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

/* What our own code generator could not do although it should, for those who
 * mend it: an object that --link compiles again. */
static void keep_refused(const struct options *options, const char *bitcode,
			 size_t size, bool debug, struct error *error)
{
	const struct clc_object object = { .bitcode = bitcode, .size = size,
					   .debug = debug };
	const struct output_rules rules = { .overwrite = true };
	struct error why, fault = *error;
	size_t object_size;
	char *bytes = clc_object_write(&object, &object_size);
	bool kept = options->refused &&
		    !output_write(options->refused, bytes, object_size, &rules,
				  &why);

	error_set(error, "%s. This is a fault of m2s%s%s", fault.text,
		  kept ? "; please report it with the file "
		       : "; please report it with the program",
		  kept ? options->refused : "");
	free(bytes);
}

static int make_binary(const struct options *options,
		       const struct clc_tools *tools,
		       const struct frontend_options *front, bool debug,
		       char **binary, size_t *size, struct error *error)
{
	const struct backend_options back = {
		.name = front->source,
		.build_options = options->build_options,
		.compiler = "m2s-clc " M2S_VERSION " with clang-" M2S_LLVM,
		.doubles = tools->doubles,
		.front_end = options->front_end,
		.libraries = { tools->helper, tools->doubles, tools->libclc },
		.limits = front->limits,
		.verbose = options->verbose,
		.print_after = options->print_after,
		.schedule_report = options->schedule_report,
		.without = options->without,
		.registers = options->registers,
		.read_path = options->read_path,
		.write_path = options->write_path,
		.chip = options->chip,
		.unoptimized = front->unoptimized,
		.debug = debug,
	};
	enum backend_status status;
	char *bitcode = NULL;
	size_t bitcode_size;

	if (frontend_compile(tools, front, &bitcode, &bitcode_size, error))
		return -1;
	status = backend_compile(&back, bitcode, bitcode_size, binary, size,
				 error);
	if (status == BACKEND_BROKEN)
		keep_refused(options, bitcode, bitcode_size, debug, error);
	free(bitcode);
	return status == BACKEND_DONE ? 0 : -1;
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
		.front_end = options->front_end,
		.chip = options->chip,
		.confined = options->confined,
		.unoptimized = options->unoptimized,
	};

	if (front.front_end && options->task != TASK_BUILD)
		return error_set(error, "--front-end=%s compiles whole programs "
				 "only", front_end_info[front.front_end].name);
	return (options->task == TASK_LINK ? build_parts : build_source)(
		options, tools, &front, product, size, error);
}
