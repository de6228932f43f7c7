/* What the device has no instruction on doubles for. */
#ifndef M2S_OPENCL_RT_CLC_IR_DOUBLES_H
#define M2S_OPENCL_RT_CLC_IR_DOUBLES_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* Division, roots and the rest become calls of the helper library (the bitcode
 * file `helper`), and the functions that the module needs become part of it: 1,
 * and the caller must inline all calls; or 0 when there was nothing to do. -1
 * and *error when the file is not usable. */
int doubles_lower(LLVMModuleRef module, const char *helper,
		  struct error *error);

#endif
