/* Images and samplers: from OpenCL's opaque objects to the numbers and
 * instructions of the hardware. */
#ifndef M2S_OPENCL_RT_CLC_IR_IMAGES_H
#define M2S_OPENCL_RT_CLC_IR_IMAGES_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Intrinsics that LLVM knows and the code generator takes: a fetch with a
 * sampler, one by integer coordinates (LLVM's name is that of one that
 * compares), a store. */
#define SAMPLE_INTRINSIC "llvm.r600.tex"
#define LOAD_INTRINSIC "llvm.r600.texc"
#define STORE_INTRINSIC "llvm.r600.rat.store.typed"

/* In a module in which every call is inlined, turns the calls that
 * helper/image.cl makes into these intrinsics, with the numbers of the
 * arguments of `program`'s kernels. Gives the kernels' image parameters their
 * size. Samplers that the program defines also get numbers and are added to the
 * kernels of `program`. -1 and *error for an image that is no argument, or for
 * too many samplers. */
int images_lower(LLVMModuleRef module, struct evg_program *program,
		 struct error *error);

#endif
