/* The state of a simulation that hangs: what waits for what. */
#ifndef M2S_REPORT_HANG_H
#define M2S_REPORT_HANG_H

#include <stdio.h>

#include "base/error.h"
#include "base/output.h"

#define HANG_FILE "m2s-hang.txt"

/* Writes the error and what `describe` says to the file `path` (NULL:
 * HANG_FILE), and adds the file's name to the error. The error stays as it is
 * when the file cannot be written. */
void hang_write(const char *path, const struct output_rules *rules,
		void (*describe)(const void *owner, FILE *stream),
		const void *owner, struct error *error);

#endif
