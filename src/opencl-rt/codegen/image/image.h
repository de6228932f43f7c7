/* Images. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_IMAGE_IMAGE_H
#define M2S_OPENCL_RT_CODEGEN_IMAGE_IMAGE_H

#include "opencl-rt/codegen/select/select.h"

/* Fetches from images and stores to them: the intrinsics that
 * clc/ir/images.h names. False when a call is none of them. */
bool image_call(struct selection *selection, LLVMValueRef call,
		const char *name);

#endif
