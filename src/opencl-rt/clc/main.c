/* m2s-clc: the kernel compiler.
 *
 *	source --clang-16, libclc, helper--> bitcode      build.c, frontend.c
 *	bitcode --> kernels and arguments                 signature.c
 *	        --rewrites--> bitcode                     lower.c
 *	        --LLVM's back end, attempts--> object     backend.c
 *	object  --metadata section--> ELF file            package.c
 *	        --marks become instructions, checks-->    patch.c, verify.c
 *	kernel binary
 *
 * With -c the source becomes an object (object.h), and with --link clang makes
 * the bitcode of several of those.
 *
 * It is a program of its own so that nothing that happens in LLVM can hurt a
 * simulation, and so that m2s does not need LLVM. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "config.h"
#include "opencl-rt/clc/build.h"
#include "opencl-rt/clc/cache.h"
#include "opencl-rt/clc/compile.h"
#include "opencl-rt/clc/frontend.h"
#include "opencl-rt/clc/options.h"

static int complain(const struct error *error, int status)
{
	fprintf(stderr, "m2s-clc: error: %s\n", error->text);
	return status;
}

/* --- The output file ---------------------------------------------------- */

static int write_bytes(int file, const char *bytes, size_t size)
{
	while (size) {
		ssize_t part = write(file, bytes, size);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return -1;
		bytes += part;
		size -= (size_t)part;
	}
	return 0;
}

/* Writes beside the target and renames, so that nobody ever sees half a
 * file. */
static int write_file(const char *path, const char *bytes, size_t size,
		      struct error *error)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int file = mkstemp(temporary), status = 0;
	mode_t mask = umask(0);

	umask(mask);
	if (file < 0) {
		error_set(error, "cannot write %s: %s", path, strerror(errno));
		free(temporary);
		return -1;
	}
	if (write_bytes(file, bytes, size) || fchmod(file, 0666 & ~mask))
		status = -1;
	if (close(file))
		status = -1;
	if (status || rename(temporary, path)) {
		error_set(error, "cannot write %s: %s", path, strerror(errno));
		unlink(temporary);
		status = -1;
	}
	free(temporary);
	return status;
}

static int write_output(const char *path, const char *bytes, size_t size,
			struct error *error)
{
	struct stat status;
	int file, failed;

	if (!strcmp(path, "-")) {
		if (write_bytes(STDOUT_FILENO, bytes, size))
			return error_set(error, "standard output: %s",
					 strerror(errno));
		return 0;
	}
	if (stat(path, &status) || S_ISREG(status.st_mode))
		return write_file(path, bytes, size, error);
	/* A device or pipe cannot be replaced. */
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return error_set(error, "cannot write %s: %s", path,
				 strerror(errno));
	failed = write_bytes(file, bytes, size);
	if (failed)
		error_set(error, "cannot write %s: %s", path,
			  strerror(errno));
	close(file);
	return failed;
}

/* "matrix.bin" for "kernels/matrix.cl", or "matrix.o". To be freed. */
static char *output_name(const struct options *options)
{
	const char *name;
	size_t length;

	if (options->output)
		return xstrdup(options->output);
	name = strrchr(options->source, '/');
	name = name ? name + 1 : options->source;
	length = strlen(name);
	if (length > 3 && !strcmp(name + length - 3, ".cl"))
		length -= 3;
	return xasprintf("%.*s.%s", (int)length, name,
			 options->task == TASK_COMPILE ? "o" : "bin");
}

/* --- Tasks -------------------------------------------------------------- */

static int run(const struct options *options,
	       const struct frontend_tools *tools)
{
	char *binary = NULL, *path;
	struct error error;
	size_t size;
	int status;

	if (build(options, tools, &binary, &size, &error))
		return *error.text ? complain(&error, EXIT_BUILD_ERROR)
				   : EXIT_BUILD_ERROR;
	path = output_name(options);
	status = write_output(path, binary, size, &error);
	free(path);
	free(binary);
	return status ? complain(&error, EXIT_BUILD_ERROR) : 0;
}

static int print_version(const struct frontend_tools *tools)
{
	struct error error;
	char *text = frontend_describe(tools, &error);

	if (!text)
		return complain(&error, EXIT_NO_COMPILER);
	printf("m2s-clc %s\n%s", M2S_VERSION, text);
	free(text);
	return 0;
}

static int clear_cache(void)
{
	char *folder = clc_default_cache();

	if (folder)
		printf("%zu compiled kernels removed from %s\n",
		       cache_trim(folder, 0), folder);
	free(folder);
	return 0;
}

int main(int argc, char **argv)
{
	struct frontend_tools tools;
	struct options options;
	struct error error;
	int status;

	if (options_read(&options, argc, argv, &error)) {
		complain(&error, 0);
		fputs("Try 'm2s-clc --help'.\n", stderr);
		options_free(&options);
		return EXIT_USAGE;
	}
	if (options.help) {
		options_print_help(stdout);
		options_free(&options);
		return 0;
	}
	if (options.clear_cache) {
		options_free(&options);
		return clear_cache();
	}
	if (frontend_find_tools(&tools, &error))
		status = complain(&error, EXIT_NO_COMPILER);
	else if (options.version)
		status = print_version(&tools);
	else
		status = run(&options, &tools);
	frontend_free_tools(&tools);
	options_free(&options);
	return status;
}
