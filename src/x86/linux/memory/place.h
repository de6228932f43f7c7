/* Where in an address space mappings go. */
#ifndef M2S_X86_LINUX_MEMORY_PLACE_H
#define M2S_X86_LINUX_MEMORY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct guest_memory;

/* The first address that no x86-64 program can ask for. */
#define USER_END_64 ((UINT64_C(1) << 47) - SPACE_PAGE)

/* Makes [0, end) usable: 0 or a negative errno. What is near is quicker to
 * access. */
int memory_reach(struct guest_memory *memory, uint64_t end);
/* `size` free bytes, as high as may be below the stack, or above it: their
 * address or 0. */
uint64_t memory_find_room(struct guest_memory *memory, uint64_t size);
/* Where a mapping with these flags of mmap() would go (and room is made):
 * the address or a negative errno. */
int64_t memory_place(struct guest_memory *memory, uint64_t hint,
		     uint64_t size, uint64_t flags);

/* Starts at a page and lies in what a program may address. */
bool memory_range_valid(const struct context *context, uint64_t address,
			uint64_t size);

#endif
