/* What a kernel's code is for: source lines, and arguments that it accesses. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_LINES_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_LINES_H

#include <stddef.h>

#include "opencl-rt/codegen/clause.h"

/* What one instruction is for. */
struct write_line {
	/* NULL, or a debug location of LLVM's, which lives as long as LLVM's
	 * context. */
	const void *line;
	/* The kernel's argument, from 1, whose pointer an access is through; 0:
	 * none, or it may be several. */
	unsigned argument;
};

/* One for each instruction of a listing, from its top to its end. Zeros are an
 * empty list; list is to be freed with free(). */
struct write_lines {
	struct write_line *list;
	size_t count, capacity;
};

void write_lines_add(struct write_lines *lines, struct write_line line);
/* The clause's own line is the first that its slots have. */
void write_lines_add_clause(struct write_lines *lines,
			    const struct codegen_group *groups, unsigned count);

#endif
