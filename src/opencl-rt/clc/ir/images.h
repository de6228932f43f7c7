/* Images and samplers: from OpenCL's opaque objects to the numbers and
 * instructions of the hardware. */
#ifndef M2S_OPENCL_RT_CLC_IR_IMAGES_H
#define M2S_OPENCL_RT_CLC_IR_IMAGES_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* What the back end can select: a fetch with a sampler, one that compares (in
 * the place of a fetch by integer coordinates, which it cannot), a store. */
#define SAMPLE_INTRINSIC "llvm.r600.tex"
#define LOAD_INTRINSIC "llvm.r600.texc"
#define STORE_INTRINSIC "llvm.r600.rat.store.typed"

/* In a module in which every call is inlined, turns the calls that
 * helper/image.cl makes into the back end's intrinsics, by the numbers that
 * the arguments of `program`'s kernels have, and gives the kernels' image
 * parameters their size. Samplers that the program defines get numbers, too:
 * they are added to the kernels of `program`. A fetch by integer coordinates
 * is left as a mark (marker.h). -1 and *error for an image that is no
 * argument, or for too many samplers. */
int images_lower(LLVMModuleRef module, struct evg_program *program,
		 struct error *error);

/* The last step (image-operands.c): takes vectors that go to the intrinsics apart and puts them
 * together again, so that the back end does not see that two elements come
 * from a vector of two, a case that it cannot select. */
void images_split_coordinates(LLVMModuleRef module);

#endif
