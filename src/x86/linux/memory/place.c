/* Where in an address space mappings go. */
#include <errno.h>
#include <sys/mman.h>

#include "x86/linux/memory/memory.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/state.h"

/* The first address that an x86-64 program does not get by a hint alone, since
 * growing costs address space of ours. */
#define HINT_END_64 (UINT64_C(1) << 40)

enum { MAP_LOWEST = 0x10000 };

int memory_reach(struct guest_memory *memory, uint64_t end)
{
	uint64_t size = memory->space->size;

	if (end <= size)
		return 0;
	if (memory->abi32 || end > USER_END_64)
		return -ENOMEM;
	while (size < end)
		size *= 2;
	if (end <= HINT_END_64)
		space_grow(memory->space, size);
	return 0;
}

/* The highest free bytes below the stack, and not where another region may
 * grow to. */
static uint64_t find_below(struct guest_memory *memory, uint64_t size)
{
	uint64_t high = memory->map_top, address;

	while ((address = space_find_gap(memory->space, MAP_LOWEST, high, size,
					 true)) != 0) {
		const struct space_region *above =
			space_region_above(memory->space, address + size);

		if (!above || above->start - (address + size) >=
				      memory_guard_below(above))
			break;
		high = above->start - memory_guard_below(above);
	}
	return address;
}

uint64_t memory_find_room(struct guest_memory *memory, uint64_t size)
{
	uint64_t address = find_below(memory, size);

	if (address || memory->abi32)
		return address;
	address = space_find_gap(memory->space, memory->stack_high, USER_END_64,
				 size, false);
	return address && memory_reach(memory, address + size) == 0 ? address
								    : 0;
}

int64_t memory_place(struct guest_memory *memory, uint64_t hint, uint64_t size,
		     uint64_t flags)
{
	uint64_t limit = memory->abi32 ? memory->stack_high : USER_END_64;
	uint64_t address = 0;

	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (hint % SPACE_PAGE)
			return -EINVAL;
		if (hint >= limit || size > limit - hint ||
		    memory_reach(memory, hint + size))
			return -ENOMEM;
		if ((flags & MAP_FIXED_NOREPLACE) &&
		    space_find_gap(memory->space, hint, hint + size, size,
				   false) != hint)
			return -EEXIST;
		return (int64_t)hint;
	}
	if (size > limit)
		return -ENOMEM;
	hint &= ~(uint64_t)(SPACE_PAGE - 1);
	limit = memory->abi32 ? memory->map_top
		: memory->space->size > HINT_END_64 ? memory->space->size
						    : HINT_END_64;
	if (hint >= MAP_LOWEST && hint < limit && size <= limit - hint &&
	    memory_reach(memory, hint + size) == 0)
		address = space_find_gap(memory->space, hint, hint + size,
					 size, false);
	if (!address && (flags & MAP_32BIT))
		address = space_find_gap(memory->space, 0x40000000,
					 0x80000000, size, false);
	if (!address)
		address = memory_find_room(memory, size);
	return address ? (int64_t)address : -ENOMEM;
}

bool memory_range_valid(const struct context *context, uint64_t address,
			uint64_t size)
{
	uint64_t limit = context->process->memory->abi32
				 ? context->cpu->space->end
				 : USER_END_64;

	return !(address % SPACE_PAGE) && address < limit &&
	       size <= limit - address;
}
