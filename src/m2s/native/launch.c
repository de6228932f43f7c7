/* m2s --native: the program's environment, and its start. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "m2s/gpu/from-options.h"
#include "m2s/native/native.h"
#include "m2s/paths.h"

/* The options without --native and the final "--". */
static char *own_words(const struct options *options, char **argv)
{
	int end = options->program_index - options->separated;
	char **words = xcalloc((size_t)end + 1, sizeof *words), *line;
	size_t count = 0;

	for (int i = 1; i < end; i++)
		if (strcmp(argv[i], "--native"))
			words[count++] = argv[i];
	line = native_words_join(words, count);
	free(words);
	return line;
}

/* Puts a value before those that a variable has. */
static int prepend(const char *name, const char *value, char separator)
{
	const char *old = getenv(name);
	char *both = old && *old ? xasprintf("%s%c%s", value, separator, old)
				 : xstrdup(value);
	int status = setenv(name, both, 1);

	free(both);
	return status;
}

/* Programs that are linked to libm2s-opencl.so.1 itself find it. */
static int add_folder(const char *library)
{
	char *folder = xstrdup(library);
	int status;

	*strrchr(folder, '/') = 0;
	status = prepend("LD_LIBRARY_PATH", folder, ':');
	free(folder);
	return status;
}

/* libm2s-exit.so, which lies beside `library`. The address sanitizer wants to be
 * the first library, unless it is told that another one does not matter. */
static int preload(const char *library)
{
	char *hook = xasprintf("%.*slibm2s-exit.so",
			       (int)(strrchr(library, '/') - library) + 1,
			       library);
	int status = 0;

	if (!access(hook, R_OK))
		status = prepend("LD_PRELOAD", hook, ':') ||
			 prepend("ASAN_OPTIONS", "verify_asan_link_order=0",
				 ':');
	free(hook);
	return status;
}

static int set_environment(const struct options *options, char **argv,
			   const char *library, struct error *error)
{
	char *line = own_words(options, argv);
	/* ocl-icd reads the first, the loader of the Khronos group the
	 * second. */
	int status = setenv(NATIVE_OPTIONS, line, 1) ||
		     setenv("OCL_ICD_VENDORS", library, 1) ||
		     setenv("OCL_ICD_FILENAMES", library, 1) ||
		     add_folder(library) || preload(library);

	free(line);
	return status ? error_set(error, "--native: %s", strerror(errno)) : 0;
}

/* Whether the file is there, and a 32-bit program. */
static bool is_narrow(const char *path)
{
	char start[EI_NIDENT];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool narrow = file >= 0 &&
		      read(file, start, sizeof start) == sizeof start &&
		      !memcmp(start, ELFMAG, SELFMAG) &&
		      start[EI_CLASS] == ELFCLASS32;

	if (file >= 0)
		close(file);
	return narrow;
}

/* The program that execvp() would find is not for i386: there is no native
 * library for it, so its kernels would run elsewhere or not at all. */
static int check_width(const char *name, struct error *error)
{
	const char *list = getenv("PATH"), *end;
	bool found = strchr(name, '/') || !list, narrow = is_narrow(name);

	for (; !found; list = end + 1) {
		char *path;

		end = strchrnul(list, ':');
		path = xasprintf("%.*s/%s", (int)(end - list), list, name);
		narrow = is_narrow(path);
		found = !access(path, X_OK) || !*end;
		free(path);
	}
	return narrow ? error_set(error, "--native: %s is a 32-bit program, "
				  "and there is no native mode for these: run "
				  "it without --native, simulated as a whole",
				  name)
		      : 0;
}

int native_exec(const struct options *options, char **argv,
		struct error *error)
{
	char **program = argv + options->program_index;
	struct paths paths;
	bool detailed;
	int status;

	if (!*program)
		return error_set(error, "--native: expected a program behind "
				 "the options");
	if (native_options_check(options, error) ||
	    check_width(*program, error) ||
	    sim_kind_read("evg-sim", options->evg_sim, &detailed, error))
		return -1;
	paths_find(&paths);
	status = paths.opencl_x86_64
			 ? set_environment(options, argv, paths.opencl_x86_64,
					   error)
			 : error_set(error, "--native: libm2s-opencl.so.1 for "
				     "x86-64 is missing: install m2s again");
	paths_clear(&paths);
	if (status)
		return -1;
	execvp(*program, program);
	return error_set(error, "cannot run %s: %s", *program,
			 strerror(errno));
}
