#include "m2s/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

enum option_type { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER };

/* Defaults that are not 0: more instructions than one work-group of a real
 * program executes, one each clock cycle at most, so that a kernel that never
 * ends is found. */
static const uint64_t MAX_GROUP_INSTRUCTIONS = 50000000000;

struct option_info {
	const char *name;
	enum option_type type;
	size_t offset;
	const char *argument, *group, *help;
};

static const struct option_info table[] = {
#define OPTION(id, name, type, argument, group, help)                          \
	{ name, OPTION_##type, offsetof(struct options, id), argument, group,  \
	  help },
#include "m2s/options.def"
};

static int unknown(const char *argument, struct error *error)
{
	const char *names[ARRAY_SIZE(table) + LOG_CHANNEL_COUNT], *near;
	size_t count = 0;

	if (!strncmp(argument, "--dram-", 7))
		return error_set(error, "%s: no such option: DRAM is a part of "
					"the memory hierarchy, a section "
					"[ DRAM ] of --mem-config, reported by "
					"--mem-report (see "
					"doc/memory-system.md)", argument);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		names[count++] = table[i].name;
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		names[count++] = log_channel_info[i].option;
	near = nearest_name(argument + 2, names, count);
	if (near)
		return error_set(error, "%s: no such option (did you mean "
				 "--%s?)", argument, near);
	return error_set(error, "%s: no such option (see m2s --help)",
			 argument);
}

static int set_number(const char *option, const char *text, uint64_t *field,
		      struct error *error)
{
	char *end;

	errno = 0;
	*field = strtoull(text, &end, 0);
	if (end == text || *end || *text == '-' || errno)
		return error_set(error, "%s %s: expected a whole number",
				 option, text);
	return 0;
}

/* The debug channel of that name, or LOG_CHANNEL_COUNT. */
static size_t find_channel(const char *name)
{
	size_t channel = 0;

	while (channel < LOG_CHANNEL_COUNT &&
	       strcmp(log_channel_info[channel].option, name))
		channel++;
	return channel;
}

static const struct option_info *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static int set(struct options *options, const struct option_info *info,
	       const char *option, const char *value, struct error *error)
{
	void *field = (char *)options + info->offset;

	if (info->type == OPTION_NUMBER)
		return set_number(option, value, field, error);
	*(const char **)field = value;
	if (field == (void *)&options->env) {
		if (!strchr(value, '='))
			return error_set(error, "%s %s: expected NAME=VALUE",
					 option, value);
		options->environment[options->environment_count++] = value;
	}
	return 0;
}

int options_parse(struct options *options, int argc, char **argv,
		  struct error *error)
{
	int index = 1;

	memset(options, 0, sizeof *options);
	options->evg_max_group_inst = MAX_GROUP_INSTRUCTIONS;
	options->environment =
		xcalloc((size_t)argc, sizeof *options->environment);
	while (index < argc && !strncmp(argv[index], "--", 2)) {
		const char *option = argv[index++];
		const struct option_info *info = find(option + 2);
		size_t channel = find_channel(option + 2);

		if (!option[2]) /* "--" ends the options */
			break;
		if (!info && channel == LOG_CHANNEL_COUNT)
			return unknown(option, error);
		if (info && info->type == OPTION_FLAG) {
			*(bool *)((char *)options + info->offset) = true;
			continue;
		}
		if (index == argc)
			return error_set(error, "%s: expected %s after it",
					 option, info ? info->argument
						      : "a file name");
		if (info) {
			if (set(options, info, option, argv[index], error))
				return -1;
		} else {
			options->log_path[channel] = argv[index];
		}
		index++;
	}
	if (index < argc && argv[index][0] == '-' && argv[index][1] &&
	    strcmp(argv[index - 1], "--"))
		return error_set(error, "%s: no such option (options are long: "
				 "--name value; see m2s --help)", argv[index]);
	options->program_index = index;
	return 0;
}

void options_clear(struct options *options)
{
	free(options->environment);
	options->environment = NULL;
}

/* Text wrapped at 78 columns, each line after `indent` blanks. */
static void print_wrapped(FILE *stream, const char *text, int indent)
{
	int column = indent;

	fprintf(stream, "%*s", indent, "");
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column + length > 78 && column > indent) {
			fprintf(stream, "\n%*s", indent, "");
			column = indent;
		}
		fprintf(stream, "%.*s ", length, text);
		column += length + 1;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', stream);
}

static void help_row(FILE *stream, const char *name, const char *argument,
		     const char *help)
{
	fprintf(stream, "  --%s%s%s\n", name, *argument ? " " : "", argument);
	print_wrapped(stream, help, 6);
}

void options_help(FILE *stream)
{
	const char *group = "";

	fputs("Usage: m2s [options] program [arguments]\n\n"
	      "Runs an x86 Linux program (i386 or x86-64); its OpenCL kernels "
	      "run as Evergreen\nmachine code on a simulated Radeon HD 5870.\n",
	      stream);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(group, table[i].group))
			fprintf(stream, "\n%s\n", group = table[i].group);
		help_row(stream, table[i].name, table[i].argument,
			 table[i].help);
	}
	fputs("\nDebug channels (FILE may be stdout or stderr)\n", stream);
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		help_row(stream, log_channel_info[i].option, "FILE",
			 log_channel_info[i].help);
}

static void document_row(FILE *stream, bool man_page, const char *name,
			 const char *argument, const char *help)
{
	if (man_page)
		fprintf(stream, ".TP\n.B \\-\\-%s%s%s\n%s.\n", name,
			*argument ? " " : "", argument, help);
	else
		fprintf(stream, "| `--%s%s%s` | %s |\n", name,
			*argument ? " " : "", argument, help);
}

int options_document(FILE *stream, const char *what, struct error *error)
{
	bool man_page = !strcmp(what, "man");
	const char *group = "";

	if (!man_page && strcmp(what, "options"))
		return error_set(error, "--document %s: expected options, man, "
				 "configuration, calls, x86-instructions or "
				 "statistics", what);

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(group, table[i].group)) {
			group = table[i].group;
			fprintf(stream, man_page ? ".SS %s\n"
						 : "\n## %s\n\n| option | "
						   "meaning |\n|---|---|\n",
				group);
		}
		document_row(stream, man_page, table[i].name,
			     table[i].argument, table[i].help);
	}
	fputs(man_page ? ".SS Debug channels\n"
		       : "\n## Debug channels\n\n| option | meaning |\n"
			 "|---|---|\n", stream);
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		document_row(stream, man_page, log_channel_info[i].option,
			     "FILE", log_channel_info[i].help);
	return 0;
}
