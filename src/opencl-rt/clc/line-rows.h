#ifndef M2S_OPENCL_RT_CLC_LINE_ROWS_H
#define M2S_OPENCL_RT_CLC_LINE_ROWS_H

#include "evergreen/kernel/kernel.h"
#include "evergreen/kernel/lines.h"
#include "opencl-rt/codegen/write/lines.h"

/* Adds the lines of a kernel of our own generator to a program's table. The
 * kernel's code must lie behind all code that has rows so far. `from` has one
 * line for each instruction. *lines may be NULL and is made then. -1 and *error
 * when the code cannot be decoded. */
int line_rows_add(struct evg_lines **lines, const struct evg_program *program,
		  const struct evg_kernel *kernel,
		  const struct write_lines *from, struct error *error);

#endif
