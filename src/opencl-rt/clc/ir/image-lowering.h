/* The state of the lowering of images; private to images.c and
 * image-parameters.c. */
#ifndef M2S_OPENCL_RT_CLC_IR_IMAGE_LOWERING_H
#define M2S_OPENCL_RT_CLC_IR_IMAGE_LOWERING_H

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/ir/rewrite.h"

struct lowering {
	struct rewrite rewrite;
	LLVMModuleRef module; /* this and the next: as there */
	LLVMContextRef context;
	LLVMBuilderRef builder;
	struct error *error;
	LLVMTypeRef float_vector, int_vector;
	LLVMTypeRef object_type; /* of an image or sampler */
	LLVMTypeRef image_type;  /* of an image parameter */
	struct evg_kernel *kernel;
	LLVMValueRef function; /* of the kernel */
};

static inline LLVMValueRef lowering_number(const struct lowering *lowering,
					   unsigned value)
{
	return number(&lowering->rewrite, value);
}

/* Widens image parameters to the dwords that the driver passes. In the code an
 * image becomes its number, as a pointer. `old`: the kernel, which is replaced
 * by lowering->function. */
void image_parameters_widen(struct lowering *lowering, LLVMValueRef old);

#endif
