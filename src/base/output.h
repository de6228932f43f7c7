/* Output files that are whole or not there: written under a temporary name in
 * the same folder and renamed when complete. */
#ifndef M2S_BASE_OUTPUT_H
#define M2S_BASE_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

struct output {
	FILE *stream;
	/* Private; NULL for a standard stream. */
	char *path, *temporary;
};

/* "-" and "stdout" name standard output, "stderr" standard error. 0, or -1 and
 * *error, which names the file. */
int output_open(struct output *output, const char *path, struct error *error);
/* Ends the output. `status`, not 0 when making the contents failed: the file
 * is then removed and `status` returned with *error as it is. Otherwise 0, or
 * -1 and *error when something could not be written. */
int output_close(struct output *output, int status, struct error *error);
/* A file with these bytes. */
int output_write(const char *path, const void *bytes, size_t size,
		 struct error *error);

#endif
