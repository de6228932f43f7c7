/* Output files that are either complete or absent. They are written under a
 * temporary name in the same folder (".NAME.m2s-part") and renamed when
 * complete. Devices, pipes and other files that are not regular are written
 * directly. */
#ifndef M2S_BASE_OUTPUT_H
#define M2S_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/* The identity of a file, which does not depend on its name. */
struct file_id {
	dev_t device;
	ino_t inode;
};

/* Which files an output does not replace: ELF files, executables and these
 * inputs. All inputs are optional. */
struct output_rules {
	bool overwrite; /* the output replaces any file */
	bool kernels;   /* the output replaces ELF files for the GPU */
	/* The file gets a high descriptor number: the low ones are a program's,
	 * which may close them unseen and open files of its own there. If it
	 * does so with the high one, too, writing fails. */
	bool apart;
	const struct file_id *inputs;
	size_t input_count;
};

struct output {
	FILE *stream; /* NULL: not open */
	/* Private. `path` is NULL for a standard stream; `target` and
	 * `temporary` are NULL where the file is written directly. */
	char *path, *target, *temporary;
	int file;
	struct own_file *own; /* or NULL; the stream frees it */
};

/* "-", "stdout" and /dev/stdout name standard output, "stderr" and /dev/stderr
 * standard error, /dev/fd/N an open descriptor. 0, or -1 and *error, which
 * names the file: the file cannot be written, the rules (NULL: none) protect
 * it, or another process is writing it. */
int output_open(struct output *output, const char *path,
		const struct output_rules *rules, struct error *error);
/* 0 when output_open would succeed, else -1 and *error. Changes no file. */
int output_check(const char *path, const struct output_rules *rules,
		 struct error *error);
/* 0 when the rules let an existing file of this path be replaced or there is
 * none, else -1 and *error. */
int output_may_replace(const char *path, const struct output_rules *rules,
		       struct error *error);
/* Gives the file its name before it is complete, so that others can follow it as
 * it grows. 0, or -1 and *error. */
int output_publish(struct output *output, struct error *error);
/* Ends the output. With `status` 0 the file gets its name: 0, or -1 and *error
 * when something could not be written. Any other `status` says that the
 * contents could not be made: a file without its name is removed, *error is
 * left alone, and `status` is returned. */
int output_close(struct output *output, int status, struct error *error);
/* The name of the file that an output of this path replaces, with links
 * followed; the caller frees it. NULL where the output is written directly. */
char *output_target(const char *path);
/* Writes a file with these bytes. 0, or -1 and *error. */
int output_write(const char *path, const void *bytes, size_t size,
		 const struct output_rules *rules, struct error *error);

#endif
