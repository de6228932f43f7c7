/* Facts of a kernel's IR that its machine code must preserve. The child process
 * that runs LLVM's back end passes them to the process that checks the code. */
#ifndef M2S_OPENCL_RT_CLC_FACTS_H
#define M2S_OPENCL_RT_CLC_FACTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct kernel_facts {
	uint32_t scratch_size; /* bytes of scratch memory */
	uint32_t array_size;   /* bytes of other private variables */
	/* A block stores bytes or shorts of these variables one after the
	 * other: LLVM takes the stores for independent, and changes whole
	 * dwords. */
	bool stores_parts;
	/* Stores, image writes and atomics on global memory that every back end
	 * must keep: the number of 16-byte stores in the block that writes
	 * most. */
	uint32_t stores;
};

/* Finds the facts of a kernel as the back end gets it, but without its scratch
 * memory. */
void facts_find(LLVMModuleRef module, LLVMValueRef kernel,
		struct kernel_facts *facts);

#endif
