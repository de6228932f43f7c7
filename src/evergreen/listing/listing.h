/* The disassembly of a kernel as a user reads it. */
#ifndef M2S_EVERGREEN_LISTING_LISTING_H
#define M2S_EVERGREEN_LISTING_LISTING_H

#include <stdio.h>

#include "base/error.h"
#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"

/* Prints what the kernel needs, its arguments and its code. -1 and *error,
 * with nothing printed, when the code cannot be decoded. */
int evg_listing_print(const struct evg_kernel *kernel, FILE *file,
		      struct error *error);

/* The whole listing in AMD's style, clauses under their CF instruction. */
void evg_code_print(const struct evg_code *code, FILE *file);

/* One line of the listing (several for a group, each but the last with its
 * end), for messages and reports: length as snprintf. */
size_t evg_code_line_format(char *text, size_t size,
			    const struct evg_code_line *line);

#endif
