/* The bindings of the numbers in a kernel's code (constant buffers, fetch
 * resources and RATs), by the compiler that made the code. */
#ifndef M2S_EVERGREEN_EMU_CONVENTION_H
#define M2S_EVERGREEN_EMU_CONVENTION_H

#include "evergreen/emu/emu.h"

enum { EVG_CONSTANT_BUFFERS = 16 };

enum evg_resource {
	EVG_RESOURCE_NONE,     /* nothing is bound */
	EVG_RESOURCE_MEMORY,   /* global memory from address 0 */
	EVG_RESOURCE_CONSTANT, /* a constant buffer */
	/* The old values that returning RAT operations have read. */
	EVG_RESOURCE_RAT,
};

/* A fetch resource. */
struct evg_binding {
	enum evg_resource resource;
	uint8_t bank;        /* of the constant buffer */
	uint8_t shift;       /* the index counts 1 << shift bytes */
	/* Dwords of an element, for fetches that take the format from the
	 * resource; 0: the resource has no format. */
	uint8_t components;
	bool uncached;       /* loads bypass the L1 and L2 */
};

/* Global memory in kernels of m2s-clc and the assembler. */
enum { EVG_LLVM_MEMORY = 1, EVG_LLVM_MEMORY_UNCACHED = 173 };

/* The binding of fetch resource `id`. Its resource is EVG_RESOURCE_NONE when
 * kernels have no such resource. */
struct evg_binding evg_binding_find(enum evg_convention convention,
				    unsigned id);
/* Whether RAT `id` is global memory. */
bool evg_rat_is_bound(enum evg_convention convention, unsigned id);

/* The size of a kernel's constant buffer, bytes. */
uint32_t evg_constants_size(const struct evg_kernel *kernel, unsigned bank);
/* Fills a zeroed buffer of that size for a launch. */
void evg_constants_fill(const struct evg_launch *launch, unsigned bank,
			uint8_t *bytes);

#endif
