/* The files that a run reads: its programs, and what options name. */
#ifndef M2S_M2S_INPUTS_H
#define M2S_M2S_INPUTS_H

#include "base/hash.h"
#include "base/output.h"
#include "m2s/options.h"

struct input {
	const char *role; /* the option's name, or "Program" */
	char *path;
	char hash[HASH_TEXT_SIZE]; /* SHA-256, or "" */
};

struct inputs {
	bool hashed; /* set before adding: their hashes are wanted */
	struct input *list;
	struct file_id *ids; /* for struct output_rules */
	size_t count, list_capacity, id_capacity;
};

/* Those of the options. A file that is not there is left to its reader. */
void inputs_add_options(struct inputs *inputs, const struct options *options);
/* A file that is open. */
void inputs_add_file(struct inputs *inputs, const char *role, int file);
/* What outputs leave alone; valid until something is added. */
struct output_rules inputs_rules(const struct inputs *inputs, bool overwrite);
void inputs_clear(struct inputs *inputs);

#endif
