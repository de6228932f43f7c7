/* m2s-clc goes behind its wall. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/memory.h"
#include "base/wall/broker.h"
#include "opencl-rt/clc/options.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/clc/wall.h"

static const struct wall_call calls[] = {
#include "base/wall/call.h"
#include "opencl-rt/clc/wall-calls.def"
};

static void add_place(struct wall *wall, const char *path)
{
	wall_add(wall, path, WALL_READ);
}

/* Programs that include by a macro (hashcat) have the folder, or the file in
 * quotes, in the macro's definition. */
static void add_definition(struct wall *wall, const char *definition)
{
	const char *value = strchr(definition, '=');
	char *path;

	if (!value)
		return;
	value += strspn(value, "=\"");
	path = xasprintf("%.*s", (int)strcspn(value, "\""), value);
	if (path[0] == '/' && path[1])
		add_place(wall, path);
	free(path);
}

/* What the program's options name, in the same word or the next. */
static void add_included(struct wall *wall, char *const *words)
{
	static const struct {
		const char *option;
		void (*add)(struct wall *wall, const char *value);
	} rows[] = {
		{ "-include", add_place },
		{ "-I", add_place },
		{ "-D", add_definition },
	};

	for (; *words; words++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			size_t length = strlen(rows[i].option);

			if (strncmp(*words, rows[i].option, length))
				continue;
			if ((*words)[length])
				rows[i].add(wall, *words + length);
			else if (words[1])
				rows[i].add(wall, words[1]);
			break;
		}
}

/* The source, and what it includes from beside it. */
static void add_source(struct wall *wall, const char *source)
{
	const char *slash = source ? strrchr(source, '/') : NULL;
	char *folder = slash ? xasprintf("%.*s", (int)(slash - source) + 1,
					 source)
			     : xstrdup(".");

	wall_add(wall, folder, WALL_READ);
	if (source && strcmp(source, "-"))
		wall_add(wall, source, WALL_READ);
	free(folder);
}

/* What has been handed over in memory can be opened once more by ourselves and
 * our children only when it is ours: behind a wall nobody looks at the files
 * of the process that started us. What lies in a folder stays where it is, also
 * when it is open. */
static int take_files(struct options *options, struct wall *wall,
		      struct overlay_file *files, size_t count,
		      struct error *error)
{
	for (size_t i = 0; i < count; i++) {
		int file = open(files[i].path, O_RDONLY | O_CLOEXEC);

		if (file < 0)
			return error_set(error, "cannot read %s: %s",
					 files[i].path, strerror(errno));
		if (strncmp(files[i].path, "/proc/", 6))
			wall_add(wall, files[i].path, WALL_READ);
		ARRAY_GROW(options->paths, options->path_count,
			   options->path_capacity);
		files[i].path = options->paths[options->path_count++] =
			process_file_path(file);
	}
	return 0;
}

int clc_enter_wall(struct options *options, const struct clc_tools *tools,
		   const char *output, struct error *error)
{
	struct wall wall = {
		.files = true, .no_network = true, .private_names = true,
		.calls = calls, .call_count = ARRAY_SIZE(calls),
	};
	const char *outputs[] = { options->refused, output };
	int result;

	if (!wall_landlock())
		return 0;
	if (take_files(options, &wall, options->headers,
		       options->header_count, error) ||
	    take_files(options, &wall, options->objects,
		       options->object_count, error) ||
	    broker_start(outputs, strcmp(output, "-") ? 2 : 1, error))
		return -1;
	clc_add_places(&wall, tools);
	add_source(&wall, options->source);
	add_included(&wall, options->clang);
	wall_add(&wall, "/dev/null", WALL_READ | WALL_CHANGE | WALL_DEVICE);
	result = wall_enter(&wall, error);
	wall_clear(&wall);
	return result;
}
