/* Vectors of bytes and shorts, and stores of vectors. */
#ifndef M2S_OPENCL_RT_CLC_IR_NARROW_H
#define M2S_OPENCL_RT_CLC_IR_NARROW_H

#include "opencl-rt/clc/ir/rewrite.h"

/* LLVM builds the dwords of such a vector in private memory. With two such
 * vectors in a kernel it orders the stores there in a circle, and they and all
 * that depends on them are lost. Here dwords are built by shifts where they are
 * needed: in stores to global and local memory, and in as_ conversions. */
void narrow_lower(struct rewrite *rewrite);

/* Splits those stores of a kernel's vectors, of any type, that contain
 * constants into stores of single elements: LLVM cannot select some stores of a
 * constant half and a loaded one. */
void narrow_split_stores(struct rewrite *rewrite, LLVMValueRef kernel);

#endif
