/* The source lines of a kernel's code. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_LINES_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_LINES_H

#include <stddef.h>

#include "opencl-rt/codegen/clause.h"

/* One for each instruction of a listing, from its top to its end: NULL, or a
 * debug location of LLVM's, which lives as long as LLVM's context. Zeros are an
 * empty list; list is to be freed with free(). */
struct write_lines {
	const void **list;
	size_t count, capacity;
};

void write_lines_add(struct write_lines *lines, const void *line);
/* The clause's own line is the first that its slots have. */
void write_lines_add_clause(struct write_lines *lines,
			    const struct codegen_group *groups, unsigned count);

#endif
