/* What the code of a kernel and LLVM's R600 target agree about. */
#ifndef M2S_OPENCL_RT_CODEGEN_TARGET_H
#define M2S_OPENCL_RT_CODEGEN_TARGET_H

/* LLVM's address spaces of the target. */
enum {
	SPACE_GLOBAL = 1,
	SPACE_LOCAL = 3,
	SPACE_CONSTANT = 4,
	SPACE_PRIVATE = 5,
	SPACE_PARAMETERS = 7, /* constant buffer 0; fetch resource 3 */
};

/* Fetch resources of a launch. Resources 1 and 2 are global memory by byte
 * address; so is the third, past the caches, with a number of AMD's for such
 * (emu/convention.h). */
enum {
	CLC_RESOURCE_GLOBAL = 1,
	CLC_RESOURCE_CONSTANT = 2,
	CLC_RESOURCE_PARAMETERS = 3,
	CLC_RESOURCE_UNCACHED = 173,
	/* + RAT number: its immediate return buffer. */
	CLC_RESOURCE_RETURN = 160,
};

#endif
