/* The disassembly of a kernel for users. */
#ifndef M2S_EVERGREEN_LISTING_LISTING_H
#define M2S_EVERGREEN_LISTING_LISTING_H

#include <stdio.h>

#include "base/error.h"
#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"

/* Prints the kernel's directives, arguments and code. -1 and *error, with
 * nothing printed, when the code cannot be decoded. */
int evg_listing_print(const struct evg_kernel *kernel, FILE *file,
		      struct error *error);

/* Prints the code in AMD's style, each clause under its CF instruction. */
void evg_code_print(const struct evg_code *code, FILE *file);

/* Writes one static instruction as in the listing, for messages and reports: a
 * group has several lines, all but the last with their end. Returns the length
 * as snprintf does. */
size_t evg_code_line_format(char *text, size_t size,
			    const struct evg_code_line *line);

#endif
