/* LLVM's ALU clauses, packed anew by our own code generator. */
#ifndef M2S_OPENCL_RT_CLC_CODE_RESCHEDULE_H
#define M2S_OPENCL_RT_CLC_CODE_RESCHEDULE_H

#include <stdbool.h>

#include "evergreen/kernel/lines.h"

/* Schedules every ALU clause of a binary's kernels, in place; clauses that do
 * not become shorter stay as they are. With `verbose` one line a kernel on
 * standard error: groups before and after, the bound, clauses left alone by
 * reason. *lines, if any, follow the code. -1 and *error. */
int reschedule_image(const char *name, void *image, size_t size,
		     struct evg_lines *lines, bool verbose,
		     struct error *error);

#endif
