#include "memsys/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "memsys/host-fault.h"

/* An access at the last address may run past the end: the pages behind it
 * are never accessible. */
enum { GUARD = 16 * SPACE_PAGE };

struct region {
	struct space_region public; /* name points to `name` */
	char *name;
};

struct space_regions {
	struct region *list; /* by address, disjoint */
	size_t count, capacity;
	/* Watched page numbers + 1, open addressing; 0 is a free slot. */
	uint64_t *watched;
	size_t watched_count, watched_size;
};

static void *reserve(uint64_t size)
{
	return mmap(NULL, size + GUARD, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

struct space *space_create(uint64_t size, struct error *error)
{
	struct space *space;
	void *base = reserve(size);

	if (base == MAP_FAILED) {
		error_set(error,
			  "cannot reserve %llu GiB of address space for the "
			  "guest: %s (see 'ulimit -v')",
			  (unsigned long long)(size >> 30), strerror(errno));
		return NULL;
	}
	space = xcalloc(1, sizeof *space);
	space->base = base;
	space->size = size;
	space->regions = xcalloc(1, sizeof *space->regions);
	return space;
}

void space_free(struct space *space)
{
	if (!space)
		return;
	munmap(space->base, space->size + GUARD);
	for (size_t i = 0; i < space->regions->count; i++)
		free(space->regions->list[i].name);
	free(space->regions->list);
	free(space->regions->watched);
	free(space->regions);
	free(space);
}

/* Guest protection as the host's. The host never executes guest pages, and
 * x86 pages that can be written or executed can be read. */
static int host_protection(int protection)
{
	if (protection & SPACE_WRITE)
		return PROT_READ | PROT_WRITE;
	if (protection & (SPACE_READ | SPACE_EXECUTE))
		return PROT_READ;
	return PROT_NONE;
}

/* ---- The region list ---- */

/* Index of the first region that ends after `address`. */
static size_t region_from(const struct space *space, uint64_t address)
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

static void region_insert(struct space *space, size_t at,
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

static void region_remove(struct space *space, size_t at, size_t count)
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

/* Makes `address` a boundary: splits the region that spans it. Returns the
 * index of the first region at or above it. */
static size_t region_split(struct space *space, uint64_t address)
{
	size_t at = region_from(space, address);
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
	region_insert(space, at + 1, &upper);
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

/* Joins neighbours that do not differ among regions [from, to]. */
static void region_merge(struct space *space, size_t from, size_t to)
{
	struct space_regions *regions = space->regions;

	if (to >= regions->count)
		to = regions->count - 1;
	for (size_t i = to; i > from && i < regions->count; i--) {
		struct space_region *low = &regions->list[i - 1].public;
		const struct space_region *high = &regions->list[i].public;

		if (region_mergeable(low, high)) {
			low->end = high->end;
			region_remove(space, i, 1);
		}
	}
}

/* ---- Watched pages ---- */

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

/* Calls visit(page) for each watched page in [start, end). */
static void watch_each(struct space *space, uint64_t start, uint64_t end,
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
	mprotect(space->base + page * SPACE_PAGE, SPACE_PAGE, PROT_READ);
}

bool space_watched(const struct space *space, uint64_t address)
{
	const struct space_regions *regions = space->regions;

	return regions->watched_count &&
	       regions->watched[watch_slot(regions, address / SPACE_PAGE)];
}

static void unwatch_page(struct space *space, uint64_t page)
{
	uint64_t start = page * SPACE_PAGE;

	if (!watch_remove(space->regions, page))
		return;
	mprotect(space->base + start, SPACE_PAGE, PROT_READ | PROT_WRITE);
	space->code_generation++;
	if (space->code_changed)
		space->code_changed(space->code_owner, start,
				    start + SPACE_PAGE);
}

void space_unwatch(struct space *space, uint64_t address)
{
	unwatch_page(space, address / SPACE_PAGE);
}

static void forget_page(struct space *space, uint64_t page)
{
	watch_remove(space->regions, page);
}

/* Before the mapping or protection of a range changes. */
static void about_to_change(struct space *space, uint64_t start, uint64_t end)
{
	size_t at = region_from(space, start);
	const struct space_regions *regions = space->regions;

	for (; at < regions->count && regions->list[at].public.start < end;
	     at++)
		if (regions->list[at].public.protection & SPACE_EXECUTE) {
			space->code_generation++;
			if (space->code_changed)
				space->code_changed(space->code_owner, start,
						    end);
			break;
		}
	watch_each(space, start, end, forget_page);
}

/* ---- Growing ---- */

/* Moves host pages, all or none: 0 or -1. The host moves one mapping at a time
 * and does not tell where one ends: a range that is several is halved. */
static int move_pages(uint8_t *from, uint8_t *to, uint64_t size)
{
	uint64_t half = size / 2 / SPACE_PAGE * SPACE_PAGE;

	if (mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) !=
	    MAP_FAILED)
		return 0;
	if (!half || move_pages(from, to, half) != 0)
		return -1;
	if (move_pages(from + half, to + half, size - half) == 0)
		return 0;
	move_pages(to, from, half);
	return -1;
}

int space_grow(struct space *space, uint64_t size)
{
	const struct space_regions *regions = space->regions;
	uint8_t *base = reserve(size);

	if (base == MAP_FAILED)
		return -ENOMEM;
	for (size_t i = 0; i < regions->count; i++) {
		const struct space_region *region = &regions->list[i].public;

		if (move_pages(space->base + region->start,
			       base + region->start,
			       region->end - region->start) == 0)
			continue;
		while (i--) {
			region = &regions->list[i].public;
			move_pages(base + region->start,
				   space->base + region->start,
				   region->end - region->start);
		}
		munmap(base, size + GUARD);
		return -ENOMEM;
	}
	munmap(space->base, space->size + GUARD);
	space->base = base;
	space->size = size;
	return 0;
}

/* ---- Mapping ---- */

static bool range_valid(const struct space *space, uint64_t address,
			uint64_t size)
{
	return !(address % SPACE_PAGE) && !(size % SPACE_PAGE) && size &&
	       address < space->size && size <= space->size - address;
}

static void regions_clear(struct space *space, uint64_t start, uint64_t end)
{
	size_t from = region_split(space, start);
	size_t to = region_split(space, end);

	region_remove(space, from, to - from);
}

int space_map(struct space *space, uint64_t address, uint64_t size,
	      int protection, bool shared, int fd, uint64_t offset,
	      const char *name)
{
	struct space_region region = {
		.start = address, .end = address + size,
		.protection = protection, .shared = shared,
		.anonymous = fd < 0,
		.offset = fd < 0 ? 0 : offset, .name = name,
	};
	int flags = MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE);
	struct stat status;
	size_t at;

	if (!range_valid(space, address, size))
		return -EINVAL;
	if (fd < 0) {
		flags |= MAP_ANONYMOUS | MAP_NORESERVE;
	} else if (fstat(fd, &status) == 0) {
		region.device = status.st_dev;
		region.inode = status.st_ino;
	}
	about_to_change(space, address, address + size);
	if (mmap(space->base + address, size, host_protection(protection),
		 flags, fd, fd < 0 ? 0 : (off_t)offset) == MAP_FAILED)
		return -errno;
	regions_clear(space, address, address + size);
	at = region_from(space, address);
	region_insert(space, at, &region);
	region_merge(space, at ? at - 1 : 0, at + 1);
	return 0;
}

int space_unmap(struct space *space, uint64_t address, uint64_t size)
{
	if (!range_valid(space, address, size))
		return -EINVAL;
	about_to_change(space, address, address + size);
	if (mmap(space->base + address, size, PROT_NONE,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		 0) == MAP_FAILED)
		return -errno;
	regions_clear(space, address, address + size);
	return 0;
}

int space_move(struct space *space, uint64_t from, uint64_t old_size,
	       uint64_t to, uint64_t new_size)
{
	const struct space_region *found = space_region_at(space, from);
	uint64_t kept = old_size < new_size ? old_size : new_size;
	struct space_region region;
	int result = 0;
	size_t at;

	if (!range_valid(space, from, old_size) ||
	    !range_valid(space, to, new_size) || !found ||
	    from + old_size > found->end)
		return -EFAULT;
	region = *found;
	region.name = xstrdup(found->name);
	region.offset += region.anonymous ? 0 : from - region.start;
	region.start = to;
	region.end = to + new_size;
	about_to_change(space, from, from + old_size);
	about_to_change(space, to, to + new_size);
	/* Watched pages had a protection of their own. */
	mprotect(space->base + from, old_size,
		 host_protection(region.protection));
	if (mremap(space->base + from, kept, new_size,
		   MREMAP_MAYMOVE | MREMAP_FIXED,
		   space->base + to) == MAP_FAILED) {
		/* Several mappings to the host. */
		if (!region.anonymous ||
		    mmap(space->base + to, new_size, PROT_NONE,
			 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS |
				 MAP_NORESERVE, -1, 0) == MAP_FAILED ||
		    mprotect(space->base + to, new_size,
			     host_protection(region.protection)) ||
		    move_pages(space->base + from, space->base + to, kept))
			result = -ENOMEM;
	}
	if (!result) {
		regions_clear(space, to, to + new_size);
		at = region_from(space, to);
		region_insert(space, at, &region);
		region_merge(space, at ? at - 1 : 0, at + 1);
		result = space_unmap(space, from, old_size);
	}
	free((char *)region.name);
	return result;
}

int space_advise(struct space *space, uint64_t address, uint64_t size,
		 int advice)
{
	if (!range_valid(space, address, size))
		return -EINVAL;
	watch_each(space, address, address + size, unwatch_page);
	about_to_change(space, address, address + size);
	return madvise(space->base + address, size, advice) ? -errno : 0;
}

int space_protect(struct space *space, uint64_t address, uint64_t size,
		  int protection)
{
	struct space_regions *regions = space->regions;
	uint64_t end = address + size, reached = address;
	size_t from, to;

	if (!range_valid(space, address, size))
		return -EINVAL;
	about_to_change(space, address, end);
	from = region_split(space, address);
	to = region_split(space, end);
	for (size_t i = from; i < to; i++) {
		struct space_region *region = &regions->list[i].public;

		if (region->start != reached)
			break;
		if (mprotect(space->base + region->start,
			     region->end - region->start,
			     host_protection(protection)) != 0) {
			int result = -errno;

			region_merge(space, from ? from - 1 : 0, to);
			return result;
		}
		region->protection = protection;
		reached = region->end;
	}
	region_merge(space, from ? from - 1 : 0, to);
	return reached == end ? 0 : -ENOMEM;
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
		for (at = region_from(space, low); at < regions->count; at++) {
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
	for (at = region_from(space, high - 1) + 1; at-- > 0;) {
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
	for (at = region_from(space, address); at < regions->count; at++) {
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

/* ---- Copies ---- */

/* x86 pages that can be written or executed can be read. */
static bool readable(const struct space *space, uint64_t address,
		     uint64_t size)
{
	const struct space_regions *regions = space->regions;
	uint64_t end = address + size;
	size_t at;

	if (end < address || end > space->size)
		return false;
	for (at = region_from(space, address);
	     at < regions->count && address < end; at++) {
		const struct space_region *region = &regions->list[at].public;

		if (region->start > address || !region->protection)
			return false;
		address = region->end;
	}
	return address >= end;
}

/* memcpy whose guest side may fault (a file shorter than its mapping). */
static int guarded_copy(const struct space *space, void *to, const void *from,
			size_t size)
{
	struct host_fault fault;
	volatile int result = 0;

	host_fault_enter(&fault, space->base, space->size);
	if (sigsetjmp(fault.environment, 0))
		result = -1;
	else
		memcpy(to, from, size);
	host_fault_leave(&fault);
	return result;
}

int space_read(const struct space *space, uint64_t address, void *buffer,
	       size_t size)
{
	if (!readable(space, address, size))
		return -1;
	return guarded_copy(space, buffer, space->base + address, size);
}

int space_prepare_write(struct space *space, uint64_t address, uint64_t size)
{
	if (!space_check(space, address, size, SPACE_WRITE))
		return -1;
	watch_each(space, address, address + size, unwatch_page);
	return 0;
}

int space_write(struct space *space, uint64_t address, const void *buffer,
		size_t size)
{
	if (space_prepare_write(space, address, size))
		return -1;
	return guarded_copy(space, space->base + address, buffer, size);
}

long space_read_string(const struct space *space, uint64_t address,
		       char *buffer, size_t size)
{
	size_t length = 0;

	while (length < size) {
		size_t piece = SPACE_PAGE - (address + length) % SPACE_PAGE;
		char *end;

		if (piece > size - length)
			piece = size - length;
		if (space_read(space, address + length, buffer + length,
			       piece))
			return -1;
		end = memchr(buffer + length, 0, piece);
		if (end)
			return end - buffer;
		length += piece;
	}
	return -1;
}

/* ---- Looking ---- */

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
	size_t at = region_from(space, address);
	const struct region *region = space->regions->list + at;

	if (at == space->regions->count || region->public.start > address)
		return NULL;
	return &region->public;
}
