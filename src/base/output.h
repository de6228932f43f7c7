/* Output files that are whole or not there: written under a temporary name in
 * the same folder (".NAME.m2s-part") and renamed when complete. What is not a
 * regular file (a device, a pipe) is written directly. */
#ifndef M2S_BASE_OUTPUT_H
#define M2S_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/* A file, whatever its name is. */
struct file_id {
	dev_t device;
	ino_t inode;
};

/* Which files an output does not replace: ELF files, executables and these
 * inputs. All inputs are optional. */
struct output_rules {
	bool overwrite; /* it replaces them, too */
	bool kernels;   /* and in any case ELF files for the GPU */
	const struct file_id *inputs;
	size_t input_count;
};

struct output {
	FILE *stream; /* NULL: not open */
	/* Private. NULL: path for a standard stream, the other two where it is
	 * written directly. */
	char *path, *target, *temporary;
};

/* "-", "stdout" and /dev/stdout name standard output, "stderr" and /dev/stderr
 * standard error, /dev/fd/N an open descriptor. 0, or -1 and *error, which
 * names the file: it cannot be written, the rules (NULL: none) say that it
 * stays, or another process is writing it. */
int output_open(struct output *output, const char *path,
		const struct output_rules *rules, struct error *error);
/* Whether output_open would do; nothing is left behind. */
int output_check(const char *path, const struct output_rules *rules,
		 struct error *error);
/* Whether the file that is there now, if any, may be replaced. */
int output_may_replace(const char *path, const struct output_rules *rules,
		       struct error *error);
/* Gives the file its name now. It goes on growing, for whoever follows it. */
int output_publish(struct output *output, struct error *error);
/* Ends the output. `status`, not 0 when making the contents failed: a file
 * that has not got its name is then removed and `status` returned with *error
 * as it is. Otherwise 0, or -1 and *error when something could not be
 * written. */
int output_close(struct output *output, int status, struct error *error);
/* The name of the file that an output of this path replaces, links followed,
 * to be freed; or NULL where it is written directly. */
char *output_target(const char *path);
/* A file with these bytes. */
int output_write(const char *path, const void *bytes, size_t size,
		 const struct output_rules *rules, struct error *error);

#endif
