/* What is mapped: a sorted list of regions. */
#include "memsys/space-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

size_t space_region_from(const struct space *space, uint64_t address)
{
	const struct space_regions *regions = space->regions;
	size_t low = 0, high = regions->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (regions->list[middle].public.end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void space_region_insert(struct space *space, size_t at,
			 const struct space_region *public)
{
	struct space_regions *regions = space->regions;
	struct region *region;

	ARRAY_GROW(regions->list, regions->count, regions->capacity);
	region = regions->list + at;
	memmove(region + 1, region, (regions->count - at) * sizeof *region);
	regions->count++;
	region->name = xstrdup(public->name ? public->name : "");
	region->public = *public;
	region->public.name = region->name;
}

void space_region_remove(struct space *space, size_t at, size_t count)
{
	struct space_regions *regions = space->regions;

	for (size_t i = at; i < at + count; i++)
		free(regions->list[i].name);
	if (!count)
		return;
	memmove(regions->list + at, regions->list + at + count,
		(regions->count - at - count) * sizeof *regions->list);
	regions->count -= count;
}

size_t space_region_split(struct space *space, uint64_t address)
{
	size_t at = space_region_from(space, address);
	struct space_region upper;
	struct region *region;

	if (at == space->regions->count)
		return at;
	region = space->regions->list + at;
	if (region->public.start >= address)
		return at;
	upper = region->public;
	upper.start = address;
	if (!upper.anonymous)
		upper.offset += address - region->public.start;
	region->public.end = address;
	space_region_insert(space, at + 1, &upper);
	return at + 1;
}

static bool region_mergeable(const struct space_region *low,
			     const struct space_region *high)
{
	return low->end == high->start &&
	       low->protection == high->protection &&
	       low->shared == high->shared &&
	       low->anonymous == high->anonymous &&
	       (low->anonymous ||
		low->offset + (low->end - low->start) == high->offset) &&
	       low->device == high->device && low->inode == high->inode &&
	       strcmp(low->name, high->name) == 0;
}

void space_region_merge(struct space *space, size_t from, size_t to)
{
	struct space_regions *regions = space->regions;

	if (to >= regions->count)
		to = regions->count - 1;
	for (size_t i = to; i > from && i < regions->count; i--) {
		struct space_region *low = &regions->list[i - 1].public;
		const struct space_region *high = &regions->list[i].public;

		if (region_mergeable(low, high)) {
			low->end = high->end;
			space_region_remove(space, i, 1);
		}
	}
}

uint64_t space_find_gap(const struct space *space, uint64_t low,
			uint64_t high, uint64_t size, bool from_top)
{
	const struct space_regions *regions = space->regions;
	size_t at;

	if (high > space->size)
		high = space->size;
	if (!size || low >= high || size > high - low)
		return 0;
	if (!from_top) {
		for (at = space_region_from(space, low); at < regions->count;
		     at++) {
			const struct space_region *region =
				&regions->list[at].public;

			if (region->start >= low &&
			    region->start - low >= size)
				break;
			low = region->end;
		}
		return low < high && high - low >= size ? low : 0;
	}
	/* Regions below `high`, downwards. */
	for (at = space_region_from(space, high - 1) + 1; at-- > 0;) {
		const struct space_region *region;

		if (at >= regions->count)
			continue;
		region = &regions->list[at].public;
		if (region->start >= high)
			continue;
		if (region->end <= low)
			break;
		if (region->end <= high && high - region->end >= size)
			return high - size;
		high = region->start;
		if (high < low)
			return 0;
	}
	return high >= low && high - low >= size ? high - size : 0;
}

bool space_check(const struct space *space, uint64_t address, uint64_t size,
		 int protection)
{
	const struct space_regions *regions = space->regions;
	uint64_t end = address + size;
	size_t at;

	if (end < address || end > space->size)
		return false;
	if (!size)
		return true;
	for (at = space_region_from(space, address); at < regions->count;
	     at++) {
		const struct space_region *region = &regions->list[at].public;

		if (region->start > address ||
		    (region->protection & protection) != protection)
			return false;
		address = region->end;
		if (address >= end)
			return true;
	}
	return false;
}

bool space_readable(const struct space *space, uint64_t address, uint64_t size)
{
	const struct space_regions *regions = space->regions;
	uint64_t end = address + size;
	size_t at;

	if (end < address || end > space->size)
		return false;
	for (at = space_region_from(space, address);
	     at < regions->count && address < end; at++) {
		const struct space_region *region = &regions->list[at].public;

		if (region->start > address || !region->protection)
			return false;
		address = region->end;
	}
	return address >= end;
}

void space_visit(const struct space *space,
		 void (*visit)(void *owner, const struct space_region *region),
		 void *owner)
{
	for (size_t i = 0; i < space->regions->count; i++)
		visit(owner, &space->regions->list[i].public);
}

const struct space_region *space_region_at(const struct space *space,
					   uint64_t address)
{
	size_t at = space_region_from(space, address);
	const struct region *region = space->regions->list + at;

	if (at == space->regions->count || region->public.start > address)
		return NULL;
	return &region->public;
}
