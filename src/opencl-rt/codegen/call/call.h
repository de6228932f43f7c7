/* Calls of intrinsics, by kind. Each function returns false when the call is of
 * another kind. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_CALL_CALL_H
#define M2S_OPENCL_RT_CODEGEN_CALL_CALL_H

#include "opencl-rt/codegen/select/select.h"

/* Bits counted or in another order, of any width. */
bool call_bits(struct selection *selection, LLVMValueRef call,
	       const char *name);
/* Sums, differences and products with a flag for what does not fit. */
bool call_overflow(struct selection *selection, LLVMValueRef call,
		   const char *name);
/* One number of a vector's: its sum, product, bits, least or greatest. */
bool call_reduce(struct selection *selection, LLVMValueRef call,
		 const char *name);
/* Sine and cosine of singles. */
bool call_turns(struct selection *selection, LLVMValueRef call,
		const char *name);

/* llvm.round of floats: halves go away from zero. */
bool call_round(struct selection *selection, LLVMValueRef call,
		const char *name);

#endif
