/* Vectors of bytes and shorts, and stores of vectors. */
#ifndef M2S_OPENCL_RT_CLC_IR_NARROW_H
#define M2S_OPENCL_RT_CLC_IR_NARROW_H

#include "opencl-rt/clc/ir/rewrite.h"

/* LLVM puts the dwords of such a vector together in private memory, and for two
 * vectors in a kernel it ties the order of the stores there into a knot, in
 * which they and whatever depends on them are lost. Where dwords are wanted,
 * which is in stores to global and local memory and as_ conversions, they are
 * made by shifts here. */
void narrow_lower(struct rewrite *rewrite);

/* Makes stores of single elements of those of a kernel's vectors, of any type,
 * that have constants in them: LLVM cannot select some of a constant half and a
 * loaded one. */
void narrow_split_stores(struct rewrite *rewrite, LLVMValueRef kernel);

#endif
