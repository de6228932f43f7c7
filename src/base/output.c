#include "base/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static int fails(struct error *error, const char *path)
{
	return error_set(error, "%s: cannot write: %s", path, strerror(errno));
}

/* A device or pipe must be written, not replaced. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

int output_open(struct output *output, const char *path, struct error *error)
{
	*output = (struct output){ 0 };
	if (!strcmp(path, "-") || !strcmp(path, "stdout"))
		output->stream = stdout;
	else if (!strcmp(path, "stderr"))
		output->stream = stderr;
	if (output->stream)
		return 0;
	if (!is_special(path))
		output->temporary = xasprintf("%s.%ld.tmp", path,
					      (long)getpid());
	output->stream = fopen(output->temporary ? output->temporary : path,
			       "we");
	if (!output->stream) {
		fails(error, path);
		free(output->temporary);
		return -1;
	}
	output->path = xstrdup(path);
	return 0;
}

int output_close(struct output *output, int status, struct error *error)
{
	const char *name = output->path ? output->path : "standard output";

	if ((fflush(output->stream) || ferror(output->stream)) && !status)
		status = fails(error, name);
	if (!output->path)
		return status;
	if (fclose(output->stream) && !status)
		status = fails(error, name);
	if (!status && output->temporary && rename(output->temporary, output->path))
		status = fails(error, name);
	if (status && output->temporary)
		unlink(output->temporary);
	free(output->temporary);
	free(output->path);
	return status;
}

int output_write(const char *path, const void *bytes, size_t size,
		 struct error *error)
{
	struct output output;

	if (output_open(&output, path, error))
		return -1;
	fwrite(bytes, 1, size, output.stream);
	return output_close(&output, 0, error);
}
