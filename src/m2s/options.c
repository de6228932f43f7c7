#include "m2s/options.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/settings.h"
#include "m2s/defaults.h"
#include "m2s/mem-shape.h"
#include "m2s/option-rows.h"
#include "report/hang.h"

enum option_type { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER };

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

static const struct {
	const char *prefix, *text;
} hints[] = {
#define HINT(prefix, text) { prefix, text },
#include "m2s/option-hints.def"
};

static int unknown(const char *argument, struct error *error)
{
	const char *names[ARRAY_SIZE(table) + LOG_CHANNEL_COUNT], *near;
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (!strncmp(argument + 2, hints[i].prefix,
			     strlen(hints[i].prefix)))
			return error_set(error, "%s: no such option: %s",
					 argument, hints[i].text);
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

/* A word of the command line: --name, --name value or --name=value. */
struct word {
	const char *text;      /* as it stands there */
	char name[64];         /* without -- and value; for messages with -- */
	const char *value;     /* behind =, or NULL */
	const struct option_info *info; /* NULL: a debug channel, or unknown */
	size_t channel;        /* or LOG_CHANNEL_COUNT */
};

static bool is_name(const char *name, const char *text, size_t length)
{
	return !strncmp(name, text, length) && !name[length];
}

/* Names of Multi2Sim that stand for options of another name. */
static const struct {
	const char *name, *option;
} other_names[] = {
	{ "evg-debug-opencl", "cl-debug" },
};

static void read_word(struct word *word, const char *text)
{
	size_t length = strcspn(text, "=");
	const char *name = text + 2;

	*word = (struct word){ .text = text };
	word->value = text[length] ? text + length + 1 : NULL;
	snprintf(word->name, sizeof word->name, "%.*s", (int)length, text);
	length -= 2;
	for (size_t i = 0; i < ARRAY_SIZE(other_names); i++)
		if (is_name(other_names[i].name, name, length)) {
			name = other_names[i].option;
			length = strlen(name);
		}
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (is_name(table[i].name, name, length))
			word->info = &table[i];
	while (word->channel < LOG_CHANNEL_COUNT &&
	       !is_name(log_channel_info[word->channel].option, name, length))
		word->channel++;
}

static bool is_known(const struct word *word)
{
	return word->info || word->channel < LOG_CHANNEL_COUNT;
}

static int set(struct options *options, const struct word *word,
	       const char *value, struct error *error)
{
	const struct option_info *info = word->info;
	const char *option = word->name;
	void *field;

	if (!info) {
		options->log_path[word->channel] = value;
		return 0;
	}
	field = (char *)options + info->offset;
	if (info->type == OPTION_NUMBER)
		return set_number(option, value, field, error);
	*(const char **)field = value;
	if (field == (void *)&options->env) {
		if (!strchr(value, '='))
			return error_set(error, "%s %s: expected NAME=VALUE",
					 option, value);
		options->environment[options->environment_count++] = value;
	}
	if (field == (void *)&options->config)
		settings_set_file(options->settings, value);
	if (field == (void *)&options->set)
		return settings_add(options->settings, value, error);
	if (field == (void *)&options->mem_shape)
		return mem_shape_add(options->settings, value, error);
	return 0;
}

/* One option, whose value is the next word if that is needed. */
static int parse_option(struct options *options, int argc, char **argv,
			int *index, struct error *error)
{
	struct word word;

	read_word(&word, argv[*index]);
	++*index;
	if (!is_known(&word))
		return unknown(word.name, error);
	if (word.info && word.info->type == OPTION_FLAG) {
		*(bool *)((char *)options + word.info->offset) = true;
		return word.value ? error_set(error, "%s: %s takes no value",
					      word.text, word.name)
				  : 0;
	}
	if (word.value)
		return set(options, &word, word.value, error);
	if (*index == argc)
		return error_set(error, "%s: expected %s after the option",
					word.name,
				 word.info ? word.info->argument
					   : "a file name");
	return set(options, &word, argv[(*index)++], error);
}

int options_parse(struct options *options, int argc, char **argv,
		  struct error *error)
{
	int index = 1;

	memset(options, 0, sizeof *options);
	options->evg_max_group_inst = DEFAULT_GROUP_INSTRUCTIONS;
	options->argv = argv;
	options->settings = settings_create();
	options->environment =
		xcalloc((size_t)argc, sizeof *options->environment);
	/* The word after --help is its topic. */
	while (index < argc && !options->help &&
	       !strncmp(argv[index], "--", 2)) {
		if (!argv[index][2]) { /* "--" ends the options */
			options->separated = true;
			index++;
			break;
		}
		if (parse_option(options, argc, argv, &index, error))
			return -1;
	}
	if (index < argc && !options->separated && !options->help) {
		if (!strcmp(argv[index], "-h")) {
			options->help = true;
			index++;
		} else if (argv[index][0] == '-' && argv[index][1]) {
			return error_set(error, "%s: no such option (options "
					 "are long: --name value; see m2s "
					 "--help)", argv[index]);
		}
	}
	options->program_index = index;
	return 0;
}

/* Names that hardly any program has for its own. */
static bool is_unmistakable(const char *text)
{
	static const char *const prefixes[] = {
		"--evg-", "--x86-", "--mem-", "--net-", "--ctx-config",
		"--max-time", "--report-format", "--stats-interval",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

void options_warn(const struct options *options, char **argv, FILE *stream)
{
	if (options->separated || !argv[options->program_index])
		return;
	for (char **word = argv + options->program_index + 1; *word; word++) {
		struct word option;

		if (!is_unmistakable(*word))
			continue;
		read_word(&option, *word);
		if (is_known(&option))
			fprintf(stream, "m2s: warning: %s is given to the "
					"program: options of m2s come before "
					"the program (write m2s -- %s ... if "
					"the program shall get this option)\n",
				option.name, argv[options->program_index]);
	}
}

void options_clear(struct options *options)
{
	free(options->environment);
	options->environment = NULL;
	settings_free(options->settings);
	options->settings = NULL;
}

/* Text wrapped at 78 columns, each line after `indent` blanks. */
static void print_wrapped(FILE *stream, const char *text, int indent)
{
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (!column || column + 1 + length > 78) {
			fprintf(stream, "%s%*s", column ? "\n" : "", indent, "");
			column = indent;
		} else {
			fputc(' ', stream);
			column++;
		}
		fprintf(stream, "%.*s", length, text);
		column += length;
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

static void help_group(FILE *stream, const char *group)
{
	fprintf(stream, "\n%s\n", group);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(group, table[i].group))
			help_row(stream, table[i].name, table[i].argument,
				 table[i].help);
}

static void help_channels(FILE *stream)
{
	fputs("\nDebug channels (FILE may be stdout or stderr)\n", stream);
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		help_row(stream, log_channel_info[i].option, "FILE",
			 log_channel_info[i].help);
}

/* Whether the table's row is the first of its group. */
static bool begins_group(size_t row)
{
	return !row || strcmp(table[row].group, table[row - 1].group);
}

void options_help(FILE *stream)
{
	fputs("Usage: m2s [options] program [arguments]\n\n"
	      "Runs an x86 Linux program (i386 or x86-64); its OpenCL kernels "
	      "run as Evergreen\nmachine code on a simulated Radeon HD 5870. "
	      "An option's value is the next word, or\nfollows it behind =. "
	      "--help TOPIC prints a part of this list.\n",
	      stream);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (begins_group(i))
			help_group(stream, table[i].group);
	help_channels(stream);
}

/* The options whose names or meanings have the topic in them. */
static bool help_matching(FILE *stream, const char *topic)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcasestr(table[i].name, topic) ||
		    strcasestr(table[i].help, topic)) {
			help_row(stream, table[i].name, table[i].argument,
				 table[i].help);
			any = true;
		}
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		if (strcasestr(log_channel_info[i].option, topic)) {
			help_row(stream, log_channel_info[i].option, "FILE",
				 log_channel_info[i].help);
			any = true;
		}
	return any;
}

int options_help_topic(FILE *stream, const char *topic, struct error *error)
{
	while (*topic == '-')
		topic++;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (begins_group(i) && !strcasecmp(topic, table[i].group)) {
			help_group(stream, table[i].group);
			return 0;
		}
	if (!strcasecmp(topic, "debug")) {
		help_channels(stream);
		return 0;
	}
	if (help_matching(stream, topic))
		return 0;
	return error_set(error, "--help %s: no option has this word in its "
				"name or its help; the groups are General, "
				"x86, Evergreen, Memory, Network and debug",
				topic);
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

static void document_rows(FILE *stream)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		option_row(stream, table[i].name, table[i].argument,
			   table[i].help);
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		option_row(stream, log_channel_info[i].option, "FILE",
			   log_channel_info[i].help);
}

int options_document(FILE *stream, const char *what, struct error *error)
{
	bool man_page = !strcmp(what, "man");
	const char *group = "";

	if (!strcmp(what, "completion")) {
		document_rows(stream);
		return 0;
	}
	if (!man_page && strcmp(what, "options"))
		return error_set(error, "--document %s: expected options, man, "
				 "completion, configuration, calls, "
				 "x86-instructions or statistics", what);

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
