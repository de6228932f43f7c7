/* Sizes in pages. */
#ifndef M2S_X86_LINUX_MEMORY_PAGE_H
#define M2S_X86_LINUX_MEMORY_PAGE_H

#include <stdint.h>

#include "memsys/space/space.h"

/* A size rounded up to whole pages. */
static inline uint64_t page_up(uint64_t size)
{
	return (size + SPACE_PAGE - 1) & ~(uint64_t)(SPACE_PAGE - 1);
}

#endif
