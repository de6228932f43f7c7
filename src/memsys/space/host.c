/* The host's memory behind an address space: reserved, given back, moved. */
#include "memsys/space/internal.h"

#include <sys/mman.h>

/* An access at the last address may run past the end: the pages behind it
 * are never accessible. */
enum { GUARD = 16 * SPACE_PAGE };

uint8_t *space_reserve(uint64_t size)
{
	void *base = mmap(NULL, size + GUARD, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return base == MAP_FAILED ? NULL : base;
}

void space_release(uint8_t *base, uint64_t size)
{
	munmap(base, size + GUARD);
}

int space_move_pages(uint8_t *from, uint8_t *to, uint64_t size)
{
	uint64_t half = size / 2 / SPACE_PAGE * SPACE_PAGE;

	if (mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) !=
	    MAP_FAILED)
		return 0;
	if (!half || space_move_pages(from, to, half) != 0)
		return -1;
	if (space_move_pages(from + half, to + half, size - half) == 0)
		return 0;
	space_move_pages(to, from, half);
	return -1;
}

/* Likewise by regions: NULL, or the one that does not go. */
static struct region *move_regions(const struct space *space, uint64_t start,
				   uint64_t end, uint8_t *from, uint8_t *to)
{
	struct region *region = space_region_from(space, start);

	for (; region && region->public.start < end;
	     region = space_region_next(region)) {
		uint64_t at = region->public.start, stop = region->public.end;

		at = at < start ? start : at;
		stop = stop > end ? end : stop;
		if (space_move_pages(from + (at - start), to + (at - start),
			       stop - at) != 0)
			return region;
	}
	return NULL;
}

int space_move_host(const struct space *space, uint64_t start, uint64_t end,
		    uint8_t *from, uint8_t *to)
{
	const struct region *stuck = move_regions(space, start, end, from, to);

	if (!stuck)
		return 0;
	if (stuck->public.start > start)
		move_regions(space, start, stuck->public.start, to, from);
	return -1;
}
