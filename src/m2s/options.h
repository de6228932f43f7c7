/* The command line. */
#ifndef M2S_M2S_OPTIONS_H
#define M2S_M2S_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"

#define OPTION_TYPE_FLAG bool
#define OPTION_TYPE_TEXT const char *
#define OPTION_TYPE_NUMBER uint64_t

struct sampling_loaded;

struct options {
#define OPTION(id, name, type, argument, group, help) OPTION_TYPE_##type id;
#include "m2s/options.def"
	const char *log_path[LOG_CHANNEL_COUNT]; /* NULL: closed */
	const char **environment; /* values of --env, in order */
	size_t environment_count;
	struct settings *settings; /* of --set and --config */
	/* Of --x86-load-part, whose checkpoint x86_load_checkpoint then names; or
	 * NULL. */
	struct sampling_loaded *part;
	char **argv;
	/* index of the program in argv; argc: there is none */
	int program_index;
	bool separated;    /* "--" stands before the program */
};

/* Reads argv up to the first word that is not an option. The value of an option
 * is the next word, or follows =. Strings point into argv. -1 and *error for
 * unknown options and malformed values. */
int options_parse(struct options *options, int argc, char **argv,
		  struct error *error);
void options_clear(struct options *options);

/* Warns of m2s's options among the program's arguments, unless "--" is before
 * the program. `argv` ends with NULL. */
void options_warn(const struct options *options, char **argv, FILE *stream);

/* Writes the text of --help. */
void options_help(FILE *stream);
/* Writes the text of --help TOPIC: the options of a group, or those that
 * contain the word. -1 and *error when there are none. */
int options_help_topic(FILE *stream, const char *topic, struct error *error);
/* Writes the text of --document: "options" prints tables for doc/options.md,
 * "man" the options part of m2s(1), "completion" rows for shells. */
int options_document(FILE *stream, const char *what, struct error *error);

#endif
