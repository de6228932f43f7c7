/* Watched pages, from which code was decoded: a hash table. */
#include "memsys/space/internal.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"

static size_t watch_slot(const struct space_regions *regions, uint64_t page)
{
	size_t mask = regions->watched_size - 1;
	size_t slot = (size_t)(page * 0x9e3779b97f4a7c15u >> 20) & mask;

	while (regions->watched[slot] && regions->watched[slot] != page + 1)
		slot = (slot + 1) & mask;
	return slot;
}

static void watch_add(struct space_regions *regions, uint64_t page)
{
	size_t slot;

	if (2 * (regions->watched_count + 1) > regions->watched_size) {
		size_t size = regions->watched_size;
		uint64_t *old = regions->watched;

		regions->watched_size = size ? 2 * size : 64;
		regions->watched = xcalloc(regions->watched_size,
					   sizeof *regions->watched);
		for (size_t i = 0; i < size; i++)
			if (old[i])
				regions->watched[watch_slot(
					regions, old[i] - 1)] = old[i];
		free(old);
	}
	slot = watch_slot(regions, page);
	if (!regions->watched[slot]) {
		regions->watched[slot] = page + 1;
		regions->watched_count++;
	}
}

static bool watch_remove(struct space_regions *regions, uint64_t page)
{
	size_t mask = regions->watched_size - 1, slot;

	if (!regions->watched_count)
		return false;
	slot = watch_slot(regions, page);
	if (!regions->watched[slot])
		return false;
	regions->watched_count--;
	regions->watched[slot] = 0;
	/* Re-insert what may have been pushed past the freed slot. */
	for (slot = (slot + 1) & mask; regions->watched[slot];
	     slot = (slot + 1) & mask) {
		uint64_t entry = regions->watched[slot];

		regions->watched[slot] = 0;
		regions->watched[watch_slot(regions, entry - 1)] = entry;
	}
	return true;
}

void space_watch_each(struct space *space, uint64_t start, uint64_t end,
		      void (*visit)(struct space *space, uint64_t page))
{
	struct space_regions *regions = space->regions;
	uint64_t first = start / SPACE_PAGE;
	uint64_t last = (end - 1) / SPACE_PAGE;

	if (!regions->watched_count || end <= start)
		return;
	if (last - first < regions->watched_size) {
		for (uint64_t page = first; page <= last; page++)
			if (regions->watched[watch_slot(regions, page)])
				visit(space, page);
		return;
	}
	/* Removal moves entries: start over after each hit. */
	for (size_t i = 0; i < regions->watched_size; i++) {
		uint64_t page = regions->watched[i] - 1;

		if (regions->watched[i] && page >= first && page <= last) {
			visit(space, page);
			if (regions->watched[i] != page + 1)
				i = (size_t)-1;
		}
	}
}

void space_watch(struct space *space, uint64_t address)
{
	const struct space_region *region = space_region_at(space, address);
	uint64_t page = address / SPACE_PAGE;

	if (!region || !(region->protection & SPACE_WRITE) ||
	    space_watched(space, address))
		return;
	watch_add(space->regions, page);
	space_host_protect(space, page * SPACE_PAGE, (page + 1) * SPACE_PAGE,
			   PROT_READ);
}

bool space_watched(const struct space *space, uint64_t address)
{
	const struct space_regions *regions = space->regions;

	return regions->watched_count &&
	       regions->watched[watch_slot(regions, address / SPACE_PAGE)];
}

void space_unwatch_page(struct space *space, uint64_t page)
{
	uint64_t start = page * SPACE_PAGE;

	if (!watch_remove(space->regions, page))
		return;
	space_host_protect(space, start, start + SPACE_PAGE,
			   PROT_READ | PROT_WRITE);
	space->code_generation++;
	if (space->code_changed)
		space->code_changed(space->code_owner, start,
				    start + SPACE_PAGE);
}

void space_unwatch(struct space *space, uint64_t address)
{
	space_unwatch_page(space, address / SPACE_PAGE);
}

static void forget_page(struct space *space, uint64_t page)
{
	watch_remove(space->regions, page);
}

void space_about_to_change(struct space *space, uint64_t start, uint64_t end)
{
	const struct region *region = space_region_from(space, start);

	for (; region && region->public.start < end;
	     region = space_region_next(region))
		if (region->public.protection & SPACE_EXECUTE) {
			space->code_generation++;
			if (space->code_changed)
				space->code_changed(space->code_owner, start,
						    end);
			break;
		}
	space_watch_each(space, start, end, forget_page);
}
