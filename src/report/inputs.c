#include "report/inputs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* file: -1, it could not be opened. */
static void add_input(struct inputs *inputs, const char *role, const char *path,
		      int file, const struct stat *status)
{
	struct input *input;

	ARRAY_GROW(inputs->list, inputs->count, inputs->list_capacity);
	ARRAY_GROW(inputs->ids, inputs->count, inputs->id_capacity);
	inputs->ids[inputs->count] =
		(struct file_id){ status->st_dev, status->st_ino };
	input = &inputs->list[inputs->count++];
	*input = (struct input){ .role = role, .path = xstrdup(path) };
	/* The contents of a pipe are not m2s's to read. */
	if (inputs->hashed && S_ISREG(status->st_mode) && file >= 0 &&
	    hash_file(file, input->hash))
		*input->hash = '\0';
}

void inputs_add_path(struct inputs *inputs, const char *role, const char *path)
{
	struct stat status;
	int file;

	if (stat(path, &status) != 0)
		return;
	file = S_ISREG(status.st_mode)
		       ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
		       : -1;
	add_input(inputs, role, path, file, &status);
	if (file >= 0)
		close(file);
}

void inputs_add_file(struct inputs *inputs, const char *role, int file)
{
	char link[64], path[PATH_MAX];
	struct stat status;
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof path - 1);
	if (fstat(file, &status) != 0)
		return;
	path[length < 0 ? 0 : length] = '\0';
	add_input(inputs, role, path, file, &status);
}

struct output_rules inputs_rules(const struct inputs *inputs, bool overwrite)
{
	return (struct output_rules){
		.overwrite = overwrite,
		.inputs = inputs->ids,
		.input_count = inputs->count,
	};
}

void inputs_clear(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->list[i].path);
	free(inputs->list);
	free(inputs->ids);
	*inputs = (struct inputs){ 0 };
}
