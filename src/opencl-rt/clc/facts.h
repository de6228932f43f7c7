/* What a kernel's IR says that its machine code must keep: the child process
 * that runs LLVM's back end tells it to the one that checks the code. */
#ifndef M2S_OPENCL_RT_CLC_FACTS_H
#define M2S_OPENCL_RT_CLC_FACTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct kernel_facts {
	uint32_t scratch_size; /* bytes of scratch memory */
	uint32_t array_size;   /* bytes of other private variables */
	/* Bytes or shorts of these that a block stores one after the other: LLVM
	 * takes them for independent, and changes whole dwords. */
	bool stores_parts;
	/* Stores, image writes and atomics on global memory that no back end
	 * can do without: as many as the block that writes most has of 16
	 * bytes. */
	uint32_t stores;
};

/* Of a kernel as the back end gets it, but for its scratch memory. */
void facts_find(LLVMModuleRef module, LLVMValueRef kernel,
		struct kernel_facts *facts);

#endif
