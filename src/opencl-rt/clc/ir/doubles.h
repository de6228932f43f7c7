/* What a chip has no instruction for: much on doubles, and fma on some. */
#ifndef M2S_OPENCL_RT_CLC_IR_DOUBLES_H
#define M2S_OPENCL_RT_CLC_IR_DOUBLES_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "evergreen/isa/chip.h"

/* Division, roots and the rest become calls of the helper library (the bitcode
 * file `helper`), and the functions that the module needs become part of it: 1,
 * and the caller must inline all calls; or 0 when there was nothing to do. -1
 * and *error when the file is not usable. */
int doubles_lower(LLVMModuleRef module, const char *helper, enum evg_chip chip,
		  struct error *error);

#endif
