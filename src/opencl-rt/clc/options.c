#include "opencl-rt/clc/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config.h"
#include "opencl-rt/codegen/path/ways.h"

enum option_kind {
	EXACT, PREFIX, VALUE, IGNORE, OTHER, PASS, REFUSE, WITHOUT,
	COUNT, READS, WRITES, FRONT, PLAIN,
};

static const struct {
	const char *text;
	enum option_kind kind;
	const char *help;
} build_options[] = {
#define BUILD_OPTION(text, kind, help) { text, kind, help },
#include "opencl-rt/clc/options.def"
};

static const struct {
	const char *text, *help;
} link_options[] = {
#define LINK_OPTION(text, help) { text, help },
#include "opencl-rt/clc/options.def"
};

enum { DEFAULT_TIME_LIMIT = 60 };

/* The command line, read from left to right. */
struct reader {
	struct options *options;
	char **next, **end;
	bool build_options_only;
	bool link_options; /* -enable-link-options */
	struct error *error;
};

static void add_for_clang(struct options *options, const char *word)
{
	ARRAY_GROW(options->clang, options->clang_count,
		   options->clang_capacity);
	options->clang[options->clang_count++] = xstrdup(word);
}

/* Remembers a word as the user wrote it. */
static void add_build_option(struct options *options, const char *word)
{
	char *before = options->build_options;

	options->build_options = *before ? xasprintf("%s %s", before, word)
					 : xstrdup(word);
	free(before);
}

/* The value of an option: the rest of its word, or the next word. */
static const char *take_value(struct reader *reader, const char *option,
			      const char *rest)
{
	if (*rest)
		return rest;
	if (reader->next == reader->end) {
		error_set(reader->error, "option %s needs a value", option);
		return NULL;
	}
	return *reader->next++;
}

/* The instructions of each kernel behind one stage. */
static int read_print_after(struct reader *reader, const char *stage)
{
	reader->options->print_after = stage_find(stage);
	if (reader->options->print_after != STAGE_NONE &&
	    reader->options->print_after != STAGE_STRUCTURE &&
	    reader->options->print_after != STAGE_GROUPS)
		return 0;
	return error_set(reader->error, "--print-after=%s: there is no such "
			 "stage", stage);
}

/* Passes that do not run. */
static int read_without(struct reader *reader, const char *word)
{
	if (!stage_set(strchr(word, '=') + 1, &reader->options->without,
		       reader->error))
		return 0;
	return error_prefix(reader->error, "%s", word);
}

enum { FEWEST_REGISTERS = 4, MOST_REGISTERS = 124 };

static int read_registers(struct reader *reader, const char *value)
{
	char *end;
	unsigned long count = strtoul(value, &end, 10);

	reader->options->registers = (unsigned)count;
	if (*value >= '0' && *value <= '9' && !*end &&
	    count >= FEWEST_REGISTERS && count <= MOST_REGISTERS)
		return 0;
	return error_set(reader->error, "--codegen-registers=%s: expected %d "
			 "to %d", value, FEWEST_REGISTERS, MOST_REGISTERS);
}

static int read_path(struct reader *reader, enum way_access access,
		     const char *word, const char *value)
{
	struct options *options = reader->options;

	*(access == WAY_OF_READS ? &options->read_path
				 : &options->write_path) = value;
	if (!way_check(access, value, reader->error))
		return 0;
	return error_prefix(reader->error, "%s", word);
}

static int read_build_option(struct reader *reader, const char *word,
			     size_t index)
{
	const char *text = build_options[index].text, *value;
	struct options *options = reader->options;

	if (build_options[index].kind != REFUSE &&
	    build_options[index].kind != VALUE)
		add_build_option(options, word);
	switch (build_options[index].kind) {
	case EXACT:
	case PREFIX:
		add_for_clang(options, word);
		options->debug |= !strcmp(word, "-g");
		return 0;
	case OTHER:
		fprintf(stderr, "m2s-clc: warning: option %s is for another "
			"compiler and has no effect\n", word);
		return 0;
	case IGNORE:
	case PASS:
		return 0;
	case WITHOUT:
		return read_without(reader, word);
	case COUNT:
		return read_registers(reader, word + strlen(text));
	case READS:
	case WRITES:
		return read_path(reader,
				 build_options[index].kind == READS
					 ? WAY_OF_READS
					 : WAY_OF_WRITES,
				 word, word + strlen(text));
	case FRONT:
		return front_end_read(word + strlen(text), &options->front_end,
				      reader->error);
	case PLAIN:
		options->unoptimized = true;
		return 0;
	case REFUSE:
		return error_set(reader->error, "option %s does not apply to "
						"kernels",
				 word);
	case VALUE:
		value = take_value(reader, text, word + strlen(text));
		if (!value)
			return -1;
		add_for_clang(options, text);
		add_for_clang(options, value);
		add_build_option(options, word);
		if (value != word + strlen(text))
			add_build_option(options, value);
		return 0;
	}
	return -1;
}

static bool matches(const char *word, size_t index)
{
	const char *text = build_options[index].text;

	if (build_options[index].kind == EXACT ||
	    build_options[index].kind == IGNORE ||
	    build_options[index].kind == PLAIN)
		return !strcmp(word, text);
	return !strncmp(word, text, strlen(text));
}

static int unknown_option(struct reader *reader, const char *word,
			  const char *const *names, size_t count)
{
	const char *near = nearest_name(word, names, count);

	return error_set(reader->error, "unknown option %s%s%s%s", word,
			 near ? " (did you mean " : "", near ? near : "",
			 near ? "?)" : "");
}

static int unknown_build_option(struct reader *reader, const char *word)
{
	const char *names[ARRAY_SIZE(build_options)];

	if (!strncmp(word, "-cl-std=", 8))
		return error_set(reader->error, "option %s: the device supports "
				 "OpenCL C up to 1.2 (-cl-std=CL1.2)", word);
	for (size_t i = 0; i < ARRAY_SIZE(build_options); i++)
		names[i] = build_options[i].text;
	return unknown_option(reader, word, names, ARRAY_SIZE(names));
}

static int read_link_option(struct reader *reader, const char *word)
{
	const char *names[ARRAY_SIZE(link_options)];

	for (size_t i = 0; i < ARRAY_SIZE(link_options); i++) {
		names[i] = link_options[i].text;
		if (strcmp(word, names[i]))
			continue;
		reader->options->library |= !strcmp(word, "-create-library");
		reader->link_options |= !strcmp(word, "-enable-link-options");
		add_build_option(reader->options, word);
		return 0;
	}
	return unknown_option(reader, word, names, ARRAY_SIZE(names));
}

static int read_any_build_option(struct reader *reader, const char *word)
{
	if (reader->options->task == TASK_LINK)
		return read_link_option(reader, word);
	for (size_t i = 0; i < ARRAY_SIZE(build_options); i++)
		if (matches(word, i))
			return read_build_option(reader, word, i);
	return unknown_build_option(reader, word);
}

static int read_time_limit(struct reader *reader)
{
	const char *value = take_value(reader, "--time-limit", "");
	char *end;

	if (!value)
		return -1;
	reader->options->time_limit = strtod(value, &end);
	if (end == value || *end || !(reader->options->time_limit > 0) ||
	    reader->options->time_limit > 86400)
		return error_set(reader->error, "--time-limit %s: expected "
				 "seconds, above 0 and up to 86400", value);
	return 0;
}

/* A file and the name that it goes by: the next two words. */
static int read_named_file(struct reader *reader, const char *option,
			   struct overlay_file *file)
{
	if (reader->end - reader->next < 2)
		return error_set(reader->error, "option %s needs a name and a "
				 "file", option);
	file->name = *reader->next++;
	file->path = *reader->next++;
	return 0;
}

static int read_header(struct reader *reader)
{
	struct options *options = reader->options;

	ARRAY_GROW(options->headers, options->header_count,
		   options->header_capacity);
	return read_named_file(reader, "--header",
			       &options->headers[options->header_count++]);
}

static int read_name(struct reader *reader)
{
	const char *value = take_value(reader, "--name", "");

	if (!value)
		return -1;
	if (!*value || strpbrk(value, "\"\\\n"))
		return error_set(reader->error, "--name %s: expected a name "
				 "without quotes and backslashes", value);
	reader->options->name = value;
	return 0;
}

static struct overlay_file *new_object(struct options *options)
{
	ARRAY_GROW(options->objects, options->object_count,
		   options->object_capacity);
	return &options->objects[options->object_count++];
}

static int read_source(struct reader *reader, const char *word)
{
	if (reader->options->task == TASK_LINK) {
		*new_object(reader->options) = (struct overlay_file){ word,
								      word };
		return 0;
	}
	if (reader->options->source)
		return error_set(reader->error, "two source files: %s and %s; "
				 "expected one", reader->options->source, word);
	reader->options->source = word;
	return 0;
}

static int read_chip(struct reader *reader)
{
	const char *value = take_value(reader, "--chip", "");
	char *names;
	int chip;

	if (!value)
		return -1;
	chip = evg_chip_find(value, strlen(value));
	if (chip >= 0) {
		reader->options->chip = (enum evg_chip)chip;
		return 0;
	}
	names = evg_chip_names();
	error_set(reader->error, "--chip %s: expected %s", value, names);
	free(names);
	return -1;
}

static int read_word(struct reader *reader, const char *word)
{
	struct options *options = reader->options;

	if (reader->build_options_only)
		return read_any_build_option(reader, word);
	if (*word != '-' || !strcmp(word, "-"))
		return read_source(reader, word);
	if (!strcmp(word, "--build-options"))
		reader->build_options_only = true;
	else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		options->help = true;
	else if (!strcmp(word, "--version"))
		options->version = true;
	else if (!strcmp(word, "--confined"))
		options->confined = true;
	else if (!strcmp(word, "--clear-cache"))
		options->clear_cache = true;
	else if (!strcmp(word, "--verbose") || !strcmp(word, "-v"))
		options->verbose = true;
	else if (!strcmp(word, "--schedule-report"))
		options->schedule_report = true;
	else if (!strncmp(word, "--print-after=", 14))
		return read_print_after(reader, word + 14);
	else if (!strcmp(word, "--time-limit"))
		return read_time_limit(reader);
	else if (!strcmp(word, "--chip"))
		return read_chip(reader);
	else if (!strcmp(word, "--header"))
		return read_header(reader);
	else if (!strcmp(word, "--name"))
		return read_name(reader);
	else if (!strcmp(word, "--object"))
		return read_named_file(reader, word, new_object(options));
	else if (!strcmp(word, "-c"))
		options->task = TASK_COMPILE;
	else if (!strcmp(word, "-o"))
		return (options->output = take_value(reader, "-o", "")) ? 0
									: -1;
	else
		return read_any_build_option(reader, word);
	return 0;
}

/* What the task needs. */
static int check_options(const struct reader *reader)
{
	const struct options *options = reader->options;

	if (options->task == TASK_LINK) {
		if (options->source)
			return error_set(reader->error, "%s is given before "
					 "--link, which comes first",
					 options->source);
		if (!options->object_count)
			return error_set(reader->error, "nothing to link; "
					 "expected m2s-clc --link first.o "
					 "second.o -o kernel.bin");
		if (reader->link_options && !options->library)
			return error_set(reader->error, "option "
					 "-enable-link-options is for "
					 "-create-library only");
		if (!options->output)
			return error_set(reader->error, "no output file; "
							"expected -o FILE");
		return 0;
	}
	if (!options->source)
		return error_set(reader->error, "no source file; expected "
				 "m2s-clc kernel.cl -o kernel.bin");
	if (!strcmp(options->source, "-") && !options->output)
		return error_set(reader->error, "the source comes from "
				 "standard input; expected -o FILE for the "
				 "binary");
	return 0;
}

int options_read(struct options *options, int argc, char **argv,
		 struct error *error)
{
	struct reader reader = {
		.options = options,
		.next = argv + 1,
		.end = argv + argc,
		.error = error,
	};

	memset(options, 0, sizeof *options);
	options->build_options = xstrdup("");
	options->time_limit = DEFAULT_TIME_LIMIT;
	add_for_clang(options, "-cl-std=CL1.2");
	if (argc > 1 && !strcmp(argv[1], "--link")) {
		options->task = TASK_LINK;
		reader.next++;
	}
	while (reader.next < reader.end)
		if (read_word(&reader, *reader.next++))
			return -1;
	ARRAY_GROW(options->clang, options->clang_count,
		   options->clang_capacity);
	options->clang[options->clang_count] = NULL;
	if (options->help || options->version || options->clear_cache)
		return 0;
	return check_options(&reader);
}

void options_free(struct options *options)
{
	for (size_t i = 0; i < options->clang_count; i++)
		free(options->clang[i]);
	free(options->clang);
	free(options->headers);
	free(options->objects);
	for (size_t i = 0; i < options->path_count; i++)
		free(options->paths[i]);
	free(options->paths);
	free(options->build_options);
}

void options_print_help(FILE *stream)
{
	fputs("Usage: m2s-clc [options] SOURCE [-o BINARY]\n"
	      "       m2s-clc -c [options] SOURCE [-o OBJECT]\n"
	      "       m2s-clc --link [options] OBJECT... -o BINARY\n"
	      "Compiles OpenCL C for the simulated Radeon HD 5870 or a smaller chip. SOURCE and "
	      "BINARY may be '-'.\n\n"
	      "  -o BINARY             output file (default: SOURCE's name "
	      "with .bin)\n"
	      "  -c                    make an object, as clCompileProgram "
	      "does\n"
	      "  --header NAME FILE    what the program finds when it includes "
	      "NAME\n"
	      "  --confined            it finds no other file of the host\n"
	      "  --name NAME           what messages call the program on "
	      "standard input\n"
	      "  --link                link objects, as clLinkProgram does; "
	      "comes first\n"
	      "  --object NAME FILE    one of them, with a name for messages\n"
	      "  --time-limit SECONDS  of processor time for each step of the "
	      "compilation\n                        (default 60)\n"
	      "  --chip NAME           whose code is made: cypress (the default, "
	      "Radeon HD 5800\n                        series), juniper (5700), "
	      "redwood (5600, 5500),\n                        cedar (5400) or "
	      "sumo (Llano)\n"
	      "  -v, --verbose         show clang's command and the "
	      "assembly\n"
	      "  --print-after=STAGE   print what m2s's code generator has made "
	      "of each kernel:\n                        after select, flow, reuse, "
	      "combine, join, unused,\n                        predicate, copies, turn, order or "
	      "registers\n"
	      "  --schedule-report     print how it has scheduled each clause\n"
	      "  --clear-cache         remove every compiled kernel that m2s "
	      "keeps\n"
	      "  --version             versions of m2s-clc and of what it "
	      "uses\n"
	      "  -h, --help            this text\n"
	      "  --build-options       only build options follow\n\n"
	      "Build options, as for clBuildProgram:\n",
	      stream);
	for (size_t i = 0; i < ARRAY_SIZE(build_options); i++)
		if (build_options[i].help)
			fprintf(stream, "  %-40s %s\n", build_options[i].text,
				build_options[i].help);
	fputs("\nLink options, as for clLinkProgram:\n", stream);
	for (size_t i = 0; i < ARRAY_SIZE(link_options); i++)
		fprintf(stream, "  %-40s %s\n", link_options[i].text,
			link_options[i].help);
	fputs("\nExit status: 0 done, 1 the program does not compile, 2 wrong "
	      "usage,\n3 the compiler is not installed (Debian packages "
	      "clang-" M2S_LLVM " and libclc-" M2S_LLVM ").\n",
	      stream);
}
