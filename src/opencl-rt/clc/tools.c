/* Where the files that a compilation needs are. */
#include "opencl-rt/clc/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "config.h"

/* The program, and Debian's package of it. */
#define CLANG_NAME "clang-" M2S_LLVM

static char *first_file(const char *const *candidates, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (candidates[i] && *candidates[i] &&
		    !access(candidates[i], R_OK))
			return xstrdup(candidates[i]);
	return NULL;
}

/* A program with this name in PATH. */
static char *search_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		int length = (int)strcspn(path, ":");
		char *candidate = xasprintf("%.*s/%s", length, path, name);

		if (length && !access(candidate, X_OK))
			return candidate;
		free(candidate);
		path += length;
		path += *path == ':';
	}
	return NULL;
}

static int find_clang(struct clc_tools *tools, struct error *error)
{
	const char *const usual[] = { M2S_CLANG, "/usr/bin/" CLANG_NAME,
				      "/usr/lib/llvm-" M2S_LLVM "/bin/clang" };
	const char *wanted = getenv("M2S_CLANG");

	if (wanted && *wanted) {
		if (strchr(wanted, '/') && !access(wanted, X_OK))
			tools->clang = xstrdup(wanted);
		else if (!strchr(wanted, '/'))
			tools->clang = search_path(wanted);
		if (!tools->clang)
			return error_set(error, "M2S_CLANG names '%s', which "
					 "is not a program; install the Debian "
					 "package " CLANG_NAME, wanted);
		return 0;
	}
	tools->clang = first_file(usual, ARRAY_SIZE(usual));
	if (!tools->clang)
		tools->clang = search_path(CLANG_NAME);
	if (!tools->clang)
		return error_set(error, "the kernel compiler " CLANG_NAME
				 " is not installed (Debian package "
				 CLANG_NAME ")");
	return 0;
}

static int find_libclc(struct clc_tools *tools, struct error *error)
{
	const char *const usual[] = {
		M2S_LIBCLC,
		"/usr/lib/clc/cypress-r600--.bc",
		"/usr/share/clc/cypress-r600--.bc",
	};
	const char *wanted = getenv("M2S_LIBCLC");

	tools->libclc = wanted && *wanted
				? first_file(&wanted, 1)
				: first_file(usual, ARRAY_SIZE(usual));
	if (!tools->libclc)
		return error_set(error, "%s is missing: OpenCL's built-in "
				 "functions (Debian package libclc-" M2S_LLVM
				 ")",
				 wanted && *wanted ? wanted
						   : "cypress-r600--.bc");
	return 0;
}

/* The helper library lies beside the compiler in the build tree and in its
 * data folder when installed, also if the whole tree was moved. */
static char *find_helper(const char *compiler, const char *file,
			 const char *wanted, struct error *error)
{
	int folder = (int)(strrchr(compiler, '/') - compiler);
	char *paths[4], *found;

	paths[0] = xstrdup(wanted ? wanted : "");
	paths[1] = xasprintf("%.*s/src/opencl-rt/clc/%s", folder, compiler,
			     file);
	paths[2] = xasprintf("%.*s/../share/m2s/%s", folder, compiler, file);
	paths[3] = xasprintf("%s/%s", M2S_PKGDATADIR, file);
	found = first_file((const char *const *)paths, ARRAY_SIZE(paths));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		free(paths[i]);
	if (!found)
		error_set(error, "%s of m2s is missing from %s: install m2s "
			  "again", file, M2S_PKGDATADIR);
	return found;
}

int clc_find_tools(struct clc_tools *tools, const char *compiler,
		   struct error *error)
{
	const char *wanted;

	memset(tools, 0, sizeof *tools);
	tools->compiler = realpath(compiler, NULL);
	if (!tools->compiler)
		return error_set(error, "%s: %s", compiler, strerror(errno));
	if (find_clang(tools, error) || find_libclc(tools, error))
		return -1;
	tools->helper = find_helper(tools->compiler, "m2s-helper.bc",
				    getenv("M2S_CLC_HELPER"), error);
	if (!tools->helper)
		return -1;
	/* Made of configure's libclc. */
	wanted = getenv("M2S_LIBCLC");
	tools->lean = wanted && *wanted
			      ? xstrdup(tools->libclc)
			      : find_helper(tools->compiler, "m2s-lean.bc",
					    NULL, error);
	if (tools->lean)
		tools->doubles = find_helper(tools->compiler, "m2s-double.bc",
					     NULL, error);
	if (tools->doubles)
		tools->fp64 = find_helper(tools->compiler, "m2s-fp64.h", NULL,
					  error);
	return tools->fp64 ? 0 : -1;
}

void clc_free_tools(struct clc_tools *tools)
{
	free(tools->compiler);
	free(tools->clang);
	free(tools->libclc);
	free(tools->helper);
	free(tools->lean);
	free(tools->doubles);
	free(tools->fp64);
}

static void describe_file(FILE *stream, const char *what, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		memset(&status, 0, sizeof status);
	fprintf(stream, "%s: %s (%lld bytes, %lld.%09ld)\n", what, path,
		(long long)status.st_size, (long long)status.st_mtim.tv_sec,
		status.st_mtim.tv_nsec);
}

char *clc_describe_tools(const struct clc_tools *tools)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	describe_file(stream, "m2s-clc", tools->compiler);
	describe_file(stream, "compiler", tools->clang);
	describe_file(stream, "built-in functions", tools->libclc);
	describe_file(stream, "built-in functions", tools->lean);
	describe_file(stream, "helper functions", tools->helper);
	describe_file(stream, "helper functions", tools->doubles);
	describe_file(stream, "extensions", tools->fp64);
	fclose(stream);
	return text;
}
