/* Whose pointers accesses to global memory go through, and the ways they take. */
#ifndef M2S_OPENCL_RT_CODEGEN_PATH_PATH_H
#define M2S_OPENCL_RT_CODEGEN_PATH_PATH_H

#include "opencl-rt/codegen/select/select.h"

/* The number of the kernel's argument, from 1, that a pointer is of; 0: it may be
 * of several, or is not known. */
unsigned path_argument(const struct selection *selection, LLVMValueRef pointer);

/* Whether reads through a pointer go past the caches. AMD's driver let only those
 * of an argument that is const and restrict use them (AMD's OpenCL guide of SDK
 * 2.x, on the texture path of buffers). Pointers that may be of several
 * arguments, or of none that is known, go the way of all buffers; with AMD's
 * choice past the caches. */
bool path_reads_past_caches(const struct selection *selection,
			    LLVMValueRef pointer);

/* Whether stores through a pointer take the CompletePath. By AMD's choice all of
 * a kernel do that has an atomic operation on global memory or a store of less
 * than a dword there, even if it is not executed (the same guide). */
bool path_writes_completely(struct selection *selection, LLVMValueRef pointer);

#endif
