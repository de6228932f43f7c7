/* An address space's life: reserving, growing, mapping, protecting. */
#include "memsys/space-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"

/* An access at the last address may run past the end: the pages behind it
 * are never accessible. */
enum { GUARD = 16 * SPACE_PAGE };

const char *space_protection_text(int protection)
{
	static const char texts[8][4] = { "---", "r--", "-w-", "rw-",
					  "--x", "r-x", "-wx", "rwx" };

	return texts[protection &
		     (SPACE_READ | SPACE_WRITE | SPACE_EXECUTE)];
}

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
	size_t from = space_region_split(space, start);
	size_t to = space_region_split(space, end);

	space_region_remove(space, from, to - from);
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
	space_about_to_change(space, address, address + size);
	if (mmap(space->base + address, size, host_protection(protection),
		 flags, fd, fd < 0 ? 0 : (off_t)offset) == MAP_FAILED)
		return -errno;
	regions_clear(space, address, address + size);
	at = space_region_from(space, address);
	space_region_insert(space, at, &region);
	space_region_merge(space, at ? at - 1 : 0, at + 1);
	return 0;
}

int space_unmap(struct space *space, uint64_t address, uint64_t size)
{
	if (!range_valid(space, address, size))
		return -EINVAL;
	space_about_to_change(space, address, address + size);
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
	space_about_to_change(space, from, from + old_size);
	space_about_to_change(space, to, to + new_size);
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
		at = space_region_from(space, to);
		space_region_insert(space, at, &region);
		space_region_merge(space, at ? at - 1 : 0, at + 1);
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
	space_watch_each(space, address, address + size, space_unwatch_page);
	space_about_to_change(space, address, address + size);
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
	space_about_to_change(space, address, end);
	from = space_region_split(space, address);
	to = space_region_split(space, end);
	for (size_t i = from; i < to; i++) {
		struct space_region *region = &regions->list[i].public;

		if (region->start != reached)
			break;
		if (mprotect(space->base + region->start,
			     region->end - region->start,
			     host_protection(protection)) != 0) {
			int result = -errno;

			space_region_merge(space, from ? from - 1 : 0, to);
			return result;
		}
		region->protection = protection;
		reached = region->end;
	}
	space_region_merge(space, from ? from - 1 : 0, to);
	return reached == end ? 0 : -ENOMEM;
}
