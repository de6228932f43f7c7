#ifndef M2S_OPENCL_RT_CLC_SOURCE_LINES_H
#define M2S_OPENCL_RT_CLC_SOURCE_LINES_H

#include <llvm-c/Core.h>

#include "evergreen/kernel/lines.h"

/* Makes the line table of an object that LLVM made of `module`, from its DWARF
 * sections. NULL when it was not compiled with -g; NULL with error->text set
 * when the table cannot be read. */
struct evg_lines *source_lines_read(LLVMModuleRef module, const void *object,
				    size_t size, struct error *error);

#endif
