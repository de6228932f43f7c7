/* Tests that a configuration file brings along: a section of lines
 * Command[<i>] = <cycle> <command> <argument> ...
 *
 * Commands run in the order of their cycles, and commands of one cycle in the
 * order of the file. Each runs after all other events of its cycle. The client,
 * a network or a memory system, defines the commands. */
#ifndef M2S_SIM_SCRIPT_H
#define M2S_SIM_SCRIPT_H

#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"
#include "sim/event.h"

enum { SCRIPT_MOST_ARGUMENTS = 16 };

union script_argument {
	void *pointer;
	uint64_t number;
};

struct script_command {
	int kind;    /* index in the client's syntax */
	char *where; /* "file:line: [section] name = text" */
	uint64_t cycle;
	size_t order;
	union script_argument arguments[SCRIPT_MOST_ARGUMENTS];
	size_t argument_count;
};

/* One letter of `arguments` stands for one argument; a `*` at the end allows
 * more of the last letter's kind. The letter u is a whole number; the client
 * defines the other letters. */
struct script_syntax {
	const char *name, *arguments, *doc;
};

struct script_client {
	void *owner;
	const struct script_syntax *syntax;
	size_t syntax_count;
	/* Reads a word as an argument of this letter; -1 and an error that
	 * begins with the place (ini_error). */
	int (*read)(void *owner, char letter, const char *word,
		    const struct ini_value *value,
		    union script_argument *argument, struct error *error);
	/* Whether the arguments fit each other; NULL: always. */
	int (*check)(void *owner, const struct script_command *command,
		     const struct ini_value *value, struct error *error);
	/* -1 with script_fail() when the command's expectation fails. */
	int (*run)(void *owner, const struct script_command *command,
		   struct error *error);
};

struct script;

/* NULL and an error with the place for a mistake in the section. */
struct script *script_read(const struct script_client *client,
			   struct ini_section *section, struct error *error);
void script_free(struct script *script);

/* Schedules the commands; cycle 0 is now. A command comes after all events of
 * its time whose sources exist already. `error` must outlive the run. */
void script_start(struct script *script, struct event_queue *events,
		  picoseconds period, struct error *error);
/* -1 after a command has failed; no other command will run. */
int script_status(const struct script *script);

/* Sets the error "<where>: in cycle <n> <text>" and returns -1. */
int __attribute__((format(printf, 3, 4)))
script_fail(const struct script_command *command, struct error *error,
	    const char *format, ...);

/* Writes one line for each command. */
void script_help(const struct script_syntax *syntax, size_t count,
		 FILE *stream);

#endif
