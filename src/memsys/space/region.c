/* The tree of mapped regions. */
#include "memsys/space/internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static struct region *region_of(struct interval *interval)
{
	return (struct region *)interval;
}

struct region *space_region_from(const struct space *space, uint64_t address)
{
	return region_of(intervals_from(&space->regions->set, address));
}

struct region *space_region_next(const struct region *region)
{
	return region_of(region->interval.beside[1]);
}

/* ---- Files ---- */

struct mapped_file *mapped_file_hold(struct mapped_file *file)
{
	if (file)
		file->references++;
	return file;
}

void mapped_file_release(struct mapped_file *file)
{
	if (!file || --file->references)
		return;
	close(file->descriptor);
	free(file);
}

static bool has_file(const struct region *region,
		     const struct space_region *public)
{
	return region && region->file &&
	       region->public.device == public->device &&
	       region->public.inode == public->inode;
}

struct mapped_file *space_region_file(const struct space *space,
				      const struct space_region *public,
				      int file)
{
	/* A loader maps the whole file first, then its parts over that. */
	struct region *region = space_region_from(
		space, public->start ? public->start - 1 : 0);
	struct mapped_file *kept;
	int descriptor;

	for (int i = 0; i < 3 && region; i++) {
		if (has_file(region, public))
			return mapped_file_hold(region->file);
		region = space_region_next(region);
	}
	descriptor = fcntl(file, F_DUPFD_CLOEXEC, 0);
	if (descriptor < 0)
		return NULL;
	kept = xcalloc(1, sizeof *kept);
	kept->descriptor = descriptor;
	return mapped_file_hold(kept);
}

/* ---- The tree ---- */

void space_region_insert(struct space *space,
			 const struct space_region *public,
			 struct mapped_file *file)
{
	struct region *region = xcalloc(1, sizeof *region);

	region->file = file;
	region->name = xstrdup(public->name ? public->name : "");
	region->public = *public;
	region->public.name = region->name;
	region->interval.start = public->start;
	region->interval.end = public->end;
	intervals_insert(&space->regions->set, &region->interval);
}

static void region_remove(struct space *space, struct region *region)
{
	intervals_remove(&space->regions->set, &region->interval);
	mapped_file_release(region->file);
	free(region->name);
	free(region);
}

static void set_end(struct region *region, uint64_t end)
{
	region->public.end = end;
	interval_set_end(&region->interval, end);
}

struct region *space_region_split(struct space *space, uint64_t address)
{
	struct region *region = space_region_from(space, address);
	struct space_region upper;

	if (!region || region->public.start >= address)
		return region;
	upper = region->public;
	upper.start = address;
	if (!upper.anonymous)
		upper.offset += address - region->public.start;
	set_end(region, address);
	space_region_insert(space, &upper, mapped_file_hold(region->file));
	return space_region_next(region);
}

void space_region_clear(struct space *space, uint64_t start, uint64_t end)
{
	struct region *region = space_region_split(space, start), *next;

	space_region_split(space, end);
	for (; region && region->public.start < end; region = next) {
		next = space_region_next(region);
		region_remove(space, region);
	}
}

static bool region_mergeable(const struct space_region *low,
			     const struct space_region *high)
{
	return low->end == high->start &&
	       low->protection == high->protection &&
	       low->shared == high->shared && low->flags == high->flags &&
	       low->anonymous == high->anonymous &&
	       (low->anonymous ||
		low->offset + (low->end - low->start) == high->offset) &&
	       low->device == high->device && low->inode == high->inode &&
	       strcmp(low->name, high->name) == 0;
}

void space_region_merge(struct space *space, uint64_t start, uint64_t end)
{
	struct region *low = space_region_from(space, start ? start - 1 : 0);
	struct region *high;

	while (low && (high = space_region_next(low)) &&
	       high->public.start <= end) {
		if (!region_mergeable(&low->public, &high->public)) {
			low = high;
			continue;
		}
		uint64_t joined = high->public.end;

		region_remove(space, high);
		set_end(low, joined);
	}
}

uint64_t space_find_gap(const struct space *space, uint64_t low,
			uint64_t high, uint64_t size, bool from_top)
{
	return intervals_gap(&space->regions->set, low,
			     high < space->end ? high : space->end, size,
			     from_top);
}

bool space_check(const struct space *space, uint64_t address, uint64_t size,
		 int protection)
{
	const struct region *region = space_region_from(space, address);
	uint64_t end = address + size;

	if (end < address || end > space->end)
		return false;
	for (; region && address < end; region = space_region_next(region)) {
		if (region->public.start > address ||
		    (region->public.protection & protection) != protection)
			return false;
		address = region->public.end;
	}
	return address >= end;
}

bool space_readable(const struct space *space, uint64_t address, uint64_t size)
{
	const struct region *region = space_region_from(space, address);
	uint64_t end = address + size;

	if (end < address || end > space->end)
		return false;
	for (; region && address < end; region = space_region_next(region)) {
		if (region->public.start > address ||
		    !region->public.protection)
			return false;
		address = region->public.end;
	}
	return address >= end;
}

void space_visit(const struct space *space,
		 void (*visit)(void *owner, const struct space_region *region),
		 void *owner)
{
	const struct region *region = space_region_from(space, 0);

	for (; region; region = space_region_next(region))
		visit(owner, &region->public);
}

size_t space_region_count(const struct space *space)
{
	return space->regions->set.count;
}

const struct space_region *space_region_at(const struct space *space,
					   uint64_t address)
{
	const struct region *region = space_region_from(space, address);

	if (!region || region->public.start > address)
		return NULL;
	return &region->public;
}

const struct space_region *space_region_above(const struct space *space,
					      uint64_t address)
{
	const struct region *region = space_region_from(space, address);

	return region ? &region->public : NULL;
}
