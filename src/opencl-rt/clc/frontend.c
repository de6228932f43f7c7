#include "opencl-rt/clc/frontend.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "config.h"
#include "opencl-rt/clc/precision.h"

/* --- Tools -------------------------------------------------------------- */

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

static int find_clang(struct frontend_tools *tools, struct error *error)
{
	const char *const usual[] = { M2S_CLANG, "/usr/bin/clang-16",
				      "/usr/lib/llvm-16/bin/clang" };
	const char *wanted = getenv("M2S_CLANG");

	if (wanted && *wanted) {
		if (strchr(wanted, '/') && !access(wanted, X_OK))
			tools->clang = xstrdup(wanted);
		else if (!strchr(wanted, '/'))
			tools->clang = search_path(wanted);
		if (!tools->clang)
			return error_set(error, "M2S_CLANG names '%s', which "
					 "is not a program; install the Debian "
					 "package clang-16", wanted);
		return 0;
	}
	tools->clang = first_file(usual, ARRAY_SIZE(usual));
	if (!tools->clang)
		tools->clang = search_path("clang-16");
	if (!tools->clang)
		return error_set(error, "the kernel compiler clang-16 is not "
				 "installed (Debian package clang-16)");
	return 0;
}

static int find_libclc(struct frontend_tools *tools, struct error *error)
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
				 "functions (Debian package libclc-16)",
				 wanted && *wanted ? wanted
						   : "cypress-r600--.bc");
	return 0;
}

/* The helper library lies beside the program in the build tree and in its
 * data folder when installed, also if the whole tree was moved. */
static char *find_helper(const char *file, const char *wanted,
			 struct error *error)
{
	char self[PATH_MAX] = "";
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	char *paths[4], *found;

	if (length > 0)
		self[length] = 0;
	if (strrchr(self, '/'))
		*strrchr(self, '/') = 0;
	paths[0] = xstrdup(wanted ? wanted : "");
	paths[1] = xasprintf("%s/src/opencl-rt/clc/%s", self, file);
	paths[2] = xasprintf("%s/../share/m2s/%s", self, file);
	paths[3] = xasprintf("%s/%s", M2S_PKGDATADIR, file);
	found = first_file((const char *const *)paths, ARRAY_SIZE(paths));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		free(paths[i]);
	if (!found)
		error_set(error, "%s of m2s is missing from %s: install m2s "
			  "again", file, M2S_PKGDATADIR);
	return found;
}

int frontend_find_tools(struct frontend_tools *tools, struct error *error)
{
	memset(tools, 0, sizeof *tools);
	if (find_clang(tools, error) || find_libclc(tools, error))
		return -1;
	tools->helper = find_helper("m2s-helper.bc", getenv("M2S_CLC_HELPER"),
				    error);
	if (!tools->helper)
		return -1;
	tools->doubles = find_helper("m2s-double.bc", NULL, error);
	if (tools->doubles)
		tools->fp64 = find_helper("m2s-fp64.h", NULL, error);
	return tools->fp64 ? 0 : -1;
}

void frontend_free_tools(struct frontend_tools *tools)
{
	free(tools->clang);
	free(tools->libclc);
	free(tools->helper);
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

char *frontend_describe(const struct frontend_tools *tools,
			struct error *error)
{
	char *const arguments[] = { tools->clang, "--version", NULL };
	const struct process_limits limits = { .seconds = 30 };
	struct process_result result;
	char *text = NULL;
	size_t size;
	FILE *stream;

	if (process_run(arguments, "", 0, false, &limits, &result, error))
		return NULL;
	stream = open_memstream(&text, &size);
	fprintf(stream, "clang: %.*s\n", (int)strcspn(result.output, "\n"),
		result.output);
	process_result_free(&result);
	describe_file(stream, "compiler", tools->clang);
	describe_file(stream, "built-in functions", tools->libclc);
	describe_file(stream, "helper functions", tools->helper);
	describe_file(stream, "helper functions", tools->doubles);
	describe_file(stream, "m2s-clc", "/proc/self/exe");
	fclose(stream);
	return text;
}

/* --- Compiling ---------------------------------------------------------- */

/* No option of clang's: see choose_precision. */
static bool is_no_doubles(const char *word)
{
	return !strcmp(word, "-fno-fp64");
}

static char **make_arguments(const struct frontend_tools *tools,
			     const struct frontend_options *options,
			     enum precision precision)
{
	const char *const fixed[] = {
		tools->clang, "-x", "cl", "-target", "r600--",
		"-mcpu=cypress", "-O2", "-nogpulib",
		"-fno-crash-diagnostics", "-cl-kernel-arg-info",
		/* For messages; the back end drops it again without -g. */
		"-gline-tables-only",
		/* OpenCL's compilers take "inline" alone for a definition. */
		"-fgnu89-inline",
		"-Xclang", "-finclude-default-header",
		"-D__IMAGE_SUPPORT__=1",
		"-Xclang", "-cl-ext=+cl_khr_3d_image_writes",
		/* The first definition of a function wins. */
		"-Xclang", "-mlink-builtin-bitcode", "-Xclang", tools->helper,
		"-Xclang", "-mlink-builtin-bitcode", "-Xclang", tools->doubles,
		"-Xclang", "-mlink-builtin-bitcode", "-Xclang", tools->libclc,
	};
	static const char *const with_doubles[] = {
		"-Xclang", "-cl-ext=+cl_khr_fp64", "-Dcl_amd_fp64=1",
	};
	/* The second is for clang not to warn of every constant. */
	static const char *const without_doubles[] = {
		"-Xclang", "-cl-ext=-cl_khr_fp64",
		"-cl-single-precision-constant",
	};
	const char *const *chosen = precision == PRECISION_SINGLE
					    ? without_doubles
					    : with_doubles;
	const char *const last[] = { "-emit-llvm", "-c", "-o", "-",
				     options->source };
	size_t count = 0, given = 0;
	char **arguments;
	bool debug = false;

	while (options->arguments[given])
		debug |= !strcmp(options->arguments[given++], "-g");
	arguments = xcalloc(ARRAY_SIZE(fixed) + given +
				    ARRAY_SIZE(with_doubles) +
				    ARRAY_SIZE(last) + 7,
			    sizeof *arguments);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		arguments[count++] = (char *)fixed[i];
	for (size_t i = 0; i < ARRAY_SIZE(with_doubles); i++)
		arguments[count++] = (char *)chosen[i];
	/* Up to OpenCL C 1.1 clang wants its own pragma. */
	if (precision == PRECISION_AMD) {
		arguments[count++] = (char *)"-include";
		arguments[count++] = tools->fp64;
	}
	for (size_t i = 0; i < given; i++)
		if (!is_no_doubles(options->arguments[i]))
			arguments[count++] = options->arguments[i];
	if (options->rolled) {
		arguments[count++] = (char *)"-fno-unroll-loops";
		arguments[count++] = (char *)"-w";
	}
	/* Lines only: what tells of variables changes how LLVM cuts clauses.
	 * Listings show the source, which may be nowhere else. */
	if (debug) {
		arguments[count++] = (char *)"-gline-tables-only";
		arguments[count++] = (char *)"-gembed-source";
	}
	for (size_t i = 0; i < ARRAY_SIZE(last); i++)
		arguments[count++] = (char *)last[i];
	return arguments;
}

char *frontend_read(const char *path, size_t *size, struct error *error)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	char *text = NULL, part[4096];
	size_t count;
	FILE *stream;
	bool failed = !file;

	if (file) {
		stream = open_memstream(&text, size);
		while ((count = fread(part, 1, sizeof part, file)))
			fwrite(part, 1, count, stream);
		failed = ferror(file);
		if (file != stdin)
			fclose(file);
		fclose(stream);
	}
	if (!failed)
		return text;
	free(text);
	error_set(error, "cannot read %s: %s", path, strerror(errno));
	return NULL;
}

/* What the text that the preprocessor makes asks for. If it fails, compiling
 * will tell why. */
static enum precision preprocess(const struct frontend_tools *tools,
				 const struct frontend_options *options)
{
	const char *const fixed[] = {
		tools->clang, "-x", "cl", "-target", "r600--", "-E", "-w",
		/* The language's own header has every type in it. */
		"-cl-no-stdinc",
		"-Xclang", "-cl-ext=+cl_khr_fp64", "-Dcl_amd_fp64=1",
		"-D__IMAGE_SUPPORT__=1", "-Wno-unused-command-line-argument",
	};
	struct process_result result;
	size_t count = 0, given = 0;
	enum precision precision = PRECISION_DOUBLE;
	char **arguments;

	while (options->arguments[given])
		given++;
	arguments = xcalloc(ARRAY_SIZE(fixed) + given + 2, sizeof *arguments);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		arguments[count++] = (char *)fixed[i];
	for (size_t i = 0; i < given; i++)
		arguments[count++] = options->arguments[i];
	arguments[count] = (char *)options->source;
	if (!process_run(arguments, options->text, options->text_size, false,
			 &options->limits, &result, NULL)) {
		if (!result.timed_out && !result.signal && !result.exit_status)
			precision = precision_of(result.output);
		process_result_free(&result);
	}
	free(arguments);
	return precision;
}

static enum precision choose_precision(const struct frontend_tools *tools,
				       const struct frontend_options *options)
{
	bool may_be = precision_may_be_double(options->text);

	for (size_t i = 0; options->arguments[i]; i++)
		if (is_no_doubles(options->arguments[i]))
			return PRECISION_SINGLE;
	for (size_t i = 0; options->arguments[i]; i++)
		may_be |= precision_may_be_double(options->arguments[i]);
	return may_be ? preprocess(tools, options) : PRECISION_SINGLE;
}

int frontend_compile(const struct frontend_tools *tools,
		     const struct frontend_options *options, char **bitcode,
		     size_t *size, struct error *error)
{
	char **arguments, end[128];
	struct process_result result;
	int status;

	error->text[0] = 0;
	arguments = make_arguments(tools, options,
				   choose_precision(tools, options));
	if (options->verbose) {
		fputs("m2s-clc:", stderr);
		for (char **word = arguments; *word; word++)
			fprintf(stderr, " %s", *word);
		fputc('\n', stderr);
	}
	status = process_run(arguments, options->text, options->text_size, true,
			     &options->limits, &result, error);
	free(arguments);
	if (status)
		return -1;
	process_describe(&result, &options->limits, end, sizeof end);
	if (result.timed_out || result.signal)
		status = error_set(error, "clang %s", end);
	else if (result.exit_status)
		status = -1;
	if (status) {
		process_result_free(&result);
		return -1;
	}
	*bitcode = result.output;
	*size = result.output_size;
	result.output = NULL;
	process_result_free(&result);
	return 0;
}
