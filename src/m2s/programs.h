/* The programs of a run: the one on the command line and those of --ctx-config,
 * each with its arguments, environment, folder and standard streams. */
#ifndef M2S_M2S_PROGRAMS_H
#define M2S_M2S_PROGRAMS_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/output.h"
#include "x86/linux/linux.h"

/* Strings that the list owns, and a NULL behind them. */
struct words {
	char **list;
	size_t count, capacity;
};

struct program {
	struct linux_program load; /* points into the rest */
	struct words arguments, environment;
	char *cwd;                 /* NULL: the simulator's */
	int input, output;         /* file opened for this program, or -1 */
};

struct programs {
	struct words environment;
	struct program *list;
	size_t count, capacity;
};

/* Sets the environment of programs that are added later, by --x86-env and
 * --env: the simulator's own ("host", NULL) or a small fixed one ("clean"), in
 * which each "NAME=VALUE" is then set. Returns -1 and *error for another kind.
 * */
int programs_environment(struct programs *programs, const char *kind,
			 const char *const *variables, size_t count,
			 struct error *error);

/* Adds the program of a command line: argv[0] is its path. */
void programs_add(struct programs *programs, char *const *argv);

/* Adds the programs of a context file (programs_help() describes the file) in
 * the order of their numbers, and opens their input and output files. -1 and
 * *error, with file and line, for any mistake, such as a protected output. */
int programs_read(struct programs *programs, const char *path,
		  const struct output_rules *rules, struct error *error);
/* Empties the programs' output files. To be called when all programs have been
 * found. */
void programs_start(struct programs *programs);

void programs_clear(struct programs *programs);

/* The text of --ctx-config-help. */
void programs_help(FILE *stream);

#endif
