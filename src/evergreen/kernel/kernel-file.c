#include "evergreen/kernel/kernel-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void *read_file(const char *path, size_t *size, struct error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	ssize_t got;
	char *data;

	if (file < 0 || fstat(file, &status)) {
		error_set(error, "%s: cannot read: %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return NULL;
	}
	if (!S_ISREG(status.st_mode)) {
		error_set(error, "%s: expected a regular file", path);
		close(file);
		return NULL;
	}
	data = xmalloc((size_t)status.st_size + 1);
	got = read(file, data, (size_t)status.st_size);
	close(file);
	if (got != status.st_size) {
		error_set(error, "%s: cannot read the whole file", path);
		free(data);
		return NULL;
	}
	*size = (size_t)got;
	return data;
}

struct evg_program *kernel_file_read(const char *path, struct error *error)
{
	size_t size = 0;
	void *image = read_file(path, &size, error);
	struct evg_program *program;

	if (!image)
		return NULL;
	program = evg_program_read(path, image, size, error);
	free(image);
	return program;
}
