#include "opencl-rt/clc/frontend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "opencl-rt/clc/precision.h"

/* --- Compiling ---------------------------------------------------------- */

/* No option of clang's: see choose_precision. */
static bool is_no_doubles(const char *word)
{
	return !strcmp(word, "-fno-fp64");
}

/* A command line under construction. */
struct words {
	char **items; /* the list is to be freed, the words are not */
	size_t count, capacity;
};

static void add_word(struct words *words, const char *word)
{
	ARRAY_GROW(words->items, words->count, words->capacity);
	words->items[words->count++] = (char *)word;
}

static void add_words(struct words *words, const char *const *more,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_word(words, more[i]);
}

static void add_file(struct words *words, const char *option, const char *path)
{
	const char *const more[] = { "-Xclang", option, "-Xclang", path };

	add_words(words, more, ARRAY_SIZE(more));
}

/* Those of the language's macros that clang leaves to others (OpenCL 1.2,
 * section 6.10). The first is the device's version, whatever -cl-std says. */
static const char *const macros[] = {
	"-D__OPENCL_VERSION__=120",
	"-D__IMAGE_SUPPORT__=1",
	"-Xclang", "-cl-ext=+cl_khr_3d_image_writes",
};

/* The language and its extensions. */
static void add_language(struct words *words,
			 const struct clc_tools *tools, enum evg_chip chip,
			 enum precision precision)
{
	static const char *const fixed[] = {
		"-cl-kernel-arg-info",
		/* For messages. */
		"-gline-tables-only",
		/* OpenCL's compilers take "inline" alone for a definition. */
		"-fgnu89-inline",
		"-Xclang", "-finclude-default-header",
	};
	static const char *const with_doubles[] = {
		"-Xclang", "-cl-ext=+cl_khr_fp64", "-Dcl_amd_fp64=1",
	};
	/* The second is for clang not to warn of every constant. */
	static const char *const without_doubles[] = {
		"-Xclang", "-cl-ext=-cl_khr_fp64",
		"-cl-single-precision-constant",
	};

	add_words(words, fixed, ARRAY_SIZE(fixed));
	add_words(words, macros, ARRAY_SIZE(macros));
	if (evg_chip_info[chip].fma)
		add_word(words, "-DFP_FAST_FMAF=1");
	if (precision == PRECISION_NONE || precision == PRECISION_SINGLE)
		add_words(words, without_doubles, ARRAY_SIZE(without_doubles));
	else
		add_words(words, with_doubles, ARRAY_SIZE(with_doubles));
	if (precision == PRECISION_SINGLE || precision == PRECISION_AMD) {
		add_word(words, "-include");
		add_word(words, tools->fp64);
	}
}

/* Where the files of an overlay are found; nothing without one. */
static void add_overlay(struct words *words, const char *overlay)
{
	if (!overlay)
		return;
	add_word(words, "-ivfsoverlay");
	add_word(words, overlay);
	add_word(words, "-I" OVERLAY_FOLDER);
}

/* What the user gave. */
static void add_given(struct words *words,
		      const struct frontend_options *options)
{
	bool debug = false;

	for (size_t i = 0; options->arguments[i]; i++) {
		debug |= !strcmp(options->arguments[i], "-g");
		if (!is_no_doubles(options->arguments[i]))
			add_word(words, options->arguments[i]);
	}
	/* Lines only. Listings show the source, which may be nowhere else. */
	if (debug) {
		add_word(words, "-gline-tables-only");
		add_word(words, "-gembed-source");
	}
}

/* Whether the program may call an explicit conversion. */
static bool may_convert(const struct frontend_options *options)
{
	static const char *const signs[] = { "convert_", "include", "##" };
	bool may = options->module_count;

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		may |= strstr(options->text, signs[i]) != NULL;
		for (size_t k = 0; options->arguments[k]; k++)
			may |= strstr(options->arguments[k], signs[i]) != NULL;
	}
	return may;
}

/* What becomes one module with the program. Reading a library takes as long as
 * compiling a small kernel. So those that the program cannot call are left out:
 * functions on doubles, and the explicit conversions, more than half of all. */
static void add_modules(struct words *words,
			const struct clc_tools *tools,
			const struct frontend_options *options,
			enum precision precision)
{
	for (size_t i = 0; i < options->module_count; i++)
		add_file(words, "-mlink-bitcode-file",
			 options->modules[i].name);
	/* What other front ends make is finished by the back end. */
	if (options->unfinished || options->front_end) {
		add_word(words, "-Xclang");
		add_word(words, "-disable-llvm-passes");
		return;
	}
	if (options->unoptimized) {
		add_word(words, "-Xclang");
		add_word(words, "-disable-llvm-passes");
	}
	/* The first definition of a function wins. */
	add_file(words, "-mlink-builtin-bitcode", tools->helper);
	if (precision == PRECISION_DOUBLE || precision == PRECISION_AMD)
		add_file(words, "-mlink-builtin-bitcode", tools->doubles);
	add_file(words, "-mlink-builtin-bitcode",
		 may_convert(options) ? tools->libclc : tools->lean);
}

/* clang's macros tell programs whether the chip has FMA. */
static const char *const processors[] = {
#define CHIP(id, name, ...) "-mcpu=" name,
#include "evergreen/isa/chip.def"
};

static char **make_arguments(const struct clc_tools *tools,
			     const struct frontend_options *options,
			     enum precision precision, const char *overlay)
{
	const struct front_end_info *front_end =
		&front_end_info[options->front_end];
	const char *const first[] = {
		tools->clang, "-x", "cl", "-target", front_end->triple, "-O2",
		"-nogpulib", "-fno-crash-diagnostics",
	};
	const char *const last[] = { "-emit-llvm", "-c", "-o", "-",
				     options->source };
	struct words words = { NULL, 0, 0 };

	add_words(&words, first, ARRAY_SIZE(first));
	if (front_end->has_chips)
		add_word(&words, processors[options->chip]);
	for (size_t i = 0; front_end->options[i]; i++)
		add_word(&words, front_end->options[i]);
	add_overlay(&words, overlay);
	/* Beside modules there is no text that would need the language. */
	if (options->module_count)
		add_word(&words, "-cl-no-stdinc");
	else
		add_language(&words, tools, options->chip, precision);
	add_modules(&words, tools, options, precision);
	add_given(&words, options);
	add_words(&words, last, ARRAY_SIZE(last));
	add_word(&words, NULL);
	return words.items;
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
static enum precision preprocess(const struct clc_tools *tools,
				 const struct frontend_options *options,
				 const char *overlay)
{
	const char *const fixed[] = {
		tools->clang, "-x", "cl", "-target",
		front_end_info[options->front_end].triple, "-E", "-w",
		/* The language's own header has every type in it. */
		"-cl-no-stdinc",
		"-Xclang", "-cl-ext=+cl_khr_fp64", "-Dcl_amd_fp64=1",
		"-Wno-unused-command-line-argument",
	};
	enum precision precision = PRECISION_DOUBLE;
	struct words words = { NULL, 0, 0 };
	struct process_result result;

	add_words(&words, fixed, ARRAY_SIZE(fixed));
	add_words(&words, macros, ARRAY_SIZE(macros));
	add_overlay(&words, overlay);
	for (size_t i = 0; options->arguments[i]; i++)
		add_word(&words, options->arguments[i]);
	add_word(&words, options->source);
	add_word(&words, NULL);
	if (!process_run(words.items, options->text, options->text_size, false,
			 &options->limits, &result, NULL)) {
		if (!result.timed_out && !result.signal && !result.exit_status)
			precision = precision_of(result.output);
		process_result_free(&result);
	}
	free(words.items);
	return precision;
}

static enum precision choose_precision(const struct clc_tools *tools,
				       const struct frontend_options *options,
				       const char *overlay)
{
	bool given = false;
	enum precision precision = PRECISION_SINGLE;

	if (!evg_chip_info[options->chip].fp64)
		return PRECISION_NONE;
	for (size_t i = 0; options->arguments[i]; i++)
		if (is_no_doubles(options->arguments[i]))
			return PRECISION_NONE;
	for (size_t i = 0; options->arguments[i]; i++)
		given |= precision_may_be_double(options->arguments[i]);
	/* To start clang takes half the time that it needs for a small kernel. */
	if (!given && (!precision_may_be_double(options->text) ||
		       precision_is_plain(options->text, &precision)))
		return precision;
	return preprocess(tools, options, overlay);
}

static int run_clang(const struct frontend_options *options, char **arguments,
		     char **bitcode, size_t *size, struct error *error)
{
	struct process_result result;
	char end[128];
	int status;

	if (options->verbose) {
		fputs("m2s-clc:", stderr);
		for (char **word = arguments; *word; word++)
			fprintf(stderr, " %s", *word);
		fputc('\n', stderr);
	}
	if (process_run(arguments, options->text, options->text_size, true,
			&options->limits, &result, error))
		return -1;
	process_describe(&result, &options->limits, end, sizeof end);
	status = result.timed_out || result.signal
			 ? error_set(error, "clang %s", end)
			 : -!!result.exit_status;
	if (!status) {
		*bitcode = result.output;
		*size = result.output_size;
		result.output = NULL;
	}
	process_result_free(&result);
	return status;
}

/* Where clang has its own headers; to be freed, or NULL and *error. */
static char *own_headers(const struct clc_tools *tools, struct error *error)
{
	char *const arguments[] = { tools->clang, "-print-resource-dir", NULL };
	const struct process_limits limits = { .seconds = 30 };
	struct process_result result;
	char *folder;

	if (process_run(arguments, "", 0, false, &limits, &result, error))
		return NULL;
	folder = xasprintf("%.*s/include",
			   (int)strcspn(result.output, "\n"), result.output);
	process_result_free(&result);
	return folder;
}

/* An overlay that has the source, clang's and our files besides `files`, and
 * none else of the host. */
static int open_confined(const struct clc_tools *tools,
			 const struct frontend_options *options,
			 const struct overlay_file *files, size_t count,
			 struct error *error)
{
	const char *const own[] = { tools->helper, tools->doubles,
				    tools->libclc, tools->lean, tools->fp64,
				    options->source };
	struct overlay_file *all =
		xcalloc(count + ARRAY_SIZE(own), sizeof *all);
	char *headers = own_headers(tools, error);
	int file = -1;

	if (count)
		memcpy(all, files, count * sizeof *all);
	for (size_t i = 0; i < ARRAY_SIZE(own) && strcmp(own[i], "-"); i++)
		all[count++] = (struct overlay_file){ own[i], own[i] };
	if (headers)
		file = overlay_open(all, count, headers, error);
	free(headers);
	free(all);
	return file;
}

int frontend_compile(const struct clc_tools *tools,
		     const struct frontend_options *options, char **bitcode,
		     size_t *size, struct error *error)
{
	bool links = options->module_count;
	const struct overlay_file *files = links ? options->modules
						 : options->headers;
	size_t count = links ? options->module_count : options->header_count;
	char **arguments, *overlay = NULL;
	int status, file = -1;

	error->text[0] = 0;
	if (count || options->confined) {
		file = options->confined
			       ? open_confined(tools, options, files, count,
					       error)
			       : overlay_open(files, count, NULL, error);
		if (file < 0)
			return -1;
		overlay = process_file_path(file);
	}
	arguments = make_arguments(tools, options,
				   links ? PRECISION_DOUBLE
					 : choose_precision(tools, options,
							    overlay),
				   overlay);
	status = run_clang(options, arguments, bitcode, size, error);
	free(arguments);
	free(overlay);
	if (file >= 0)
		close(file);
	return status;
}

char *frontend_version(const struct clc_tools *tools, struct error *error)
{
	char *const arguments[] = { tools->clang, "--version", NULL };
	const struct process_limits limits = { .seconds = 30 };
	struct process_result result;
	char *line;

	if (process_run(arguments, "", 0, false, &limits, &result, error))
		return NULL;
	line = xasprintf("%.*s", (int)strcspn(result.output, "\n"),
			 result.output);
	process_result_free(&result);
	return line;
}
