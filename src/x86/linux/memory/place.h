/* Where in an address space mappings go. */
#ifndef M2S_X86_LINUX_MEMORY_PLACE_H
#define M2S_X86_LINUX_MEMORY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct guest_memory;

/* The first address that no x86-64 program can ask for. */
#define USER_END_64 ((UINT64_C(1) << 47) - SPACE_PAGE)

/* Makes [0, end) usable. 0 or a negative errno. Low addresses are quicker to
 * access. */
int memory_reach(struct guest_memory *memory, uint64_t end);
/* Finds `size` free bytes, as high as possible below the stack, or else above
 * it. Their address or 0. */
uint64_t memory_find_room(struct guest_memory *memory, uint64_t size);
/* Finds the address of a mapping with these flags of mmap() and makes room
 * there. The address or a negative errno. */
int64_t memory_place(struct guest_memory *memory, uint64_t hint,
		     uint64_t size, uint64_t flags);

/* Whether a range starts at a page and lies in the addresses that a program may
 * use. */
bool memory_range_valid(const struct context *context, uint64_t address,
			uint64_t size);

#endif
