/* The files that a run reads: its programs, and what options name. */
#ifndef M2S_REPORT_INPUTS_H
#define M2S_REPORT_INPUTS_H

#include "base/hash.h"
#include "base/output.h"

struct input {
	const char *role; /* the option's name, or "Program" */
	char *path;
	char hash[HASH_TEXT_SIZE]; /* SHA-256, or "" */
};

struct inputs {
	bool hashed; /* hash the files; to be set before the first is added */
	struct input *list;
	struct file_id *ids; /* for struct output_rules */
	size_t count, list_capacity, id_capacity;
};

/* Adds the file at `path`. A missing file is not added: its reader reports it.
 * */
void inputs_add_path(struct inputs *inputs, const char *role,
		     const char *path);
/* Adds an open file. */
void inputs_add_file(struct inputs *inputs, const char *role, int file);
/* Rules that keep outputs from replacing inputs; valid until a file is added.
 * */
struct output_rules inputs_rules(const struct inputs *inputs, bool overwrite);
void inputs_clear(struct inputs *inputs);

#endif
