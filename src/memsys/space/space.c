/* An address space's life: reserving, mapping, protecting. */
#include "memsys/space/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "memsys/space/layer.h"

const char *space_protection_text(int protection)
{
	static const char texts[8][4] = { "---", "r--", "-w-", "rw-",
					  "--x", "r-x", "-wx", "rwx" };

	return texts[protection &
		     (SPACE_READ | SPACE_WRITE | SPACE_EXECUTE)];
}

struct space *space_create_far(uint64_t size, uint64_t end, struct error *error)
{
	struct space *space;
	uint8_t *base = space_reserve(size);

	if (!base) {
		error_set(error,
			  "cannot reserve %llu GiB of address space for the "
			  "guest: %s (see 'ulimit -v')",
			  (unsigned long long)(size >> 30), strerror(errno));
		return NULL;
	}
	space = xcalloc(1, sizeof *space);
	space->base = base;
	space->size = size;
	space->end = end;
	space->regions = xcalloc(1, sizeof *space->regions);
	space->layers = xcalloc(1, sizeof *space->layers);
	return space;
}

struct space *space_create(uint64_t size, struct error *error)
{
	return space_create_far(size, size, error);
}

void space_free(struct space *space)
{
	if (!space)
		return;
	space_tell(space, SPACE_GONE, 0, space->end);
	space_release(space->base, space->size);
	space_far_free(space);
	space_layers_free(space);
	space_region_clear(space, 0, UINT64_MAX);
	free(space->regions->watched);
	free(space->regions);
	free(space);
}

/* ---- Mapping ---- */

static bool range_valid(const struct space *space, uint64_t address,
			uint64_t size)
{
	return !(address % SPACE_PAGE) && !(size % SPACE_PAGE) && size &&
	       address < space->end && size <= space->end - address;
}

/* Maps on the host what the region says, but far anonymous memory only where
 * something is already. 0 or a negative errno. */
static int map_host(struct space *space, const struct space_region *region,
		    int file)
{
	int flags = MAP_FIXED | (region->shared ? MAP_SHARED : MAP_PRIVATE) |
		    (file < 0 ? MAP_ANONYMOUS | MAP_NORESERVE : 0);
	uint64_t stop;

	if ((file >= 0 || region->shared) &&
	    space_far_make_all(space, region->start, region->end) != 0) {
		space_far_trim(space, region->start, region->end);
		return -ENOMEM;
	}
	for (uint64_t at = region->start; at < region->end; at = stop) {
		uint8_t *host = space_chunk(space, at, region->end, &stop);
		uint64_t offset = region->offset + (at - region->start);

		if (host && mmap(host, stop - at,
				 space_host_protection(region->protection),
				 flags, file, file < 0 ? 0 : (off_t)offset) ==
				    MAP_FAILED)
			return -errno;
	}
	return 0;
}

int space_map_kept(struct space *space, const struct space_region *region,
		   int file, struct mapped_file *kept)
{
	uint64_t start = region->start, end = region->end;
	int result;

	space_about_to_change(space, start, end);
	space_tell(space, SPACE_UNMAPPED, start, end);
	result = map_host(space, region, file);
	if (result) {
		mapped_file_release(kept);
		return result;
	}
	space_layer_clear(space, start, end);
	space_region_clear(space, start, end);
	space_region_insert(space, region, kept);
	space_region_merge(space, start, end);
	return 0;
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
	struct mapped_file *kept = NULL;
	struct stat status;

	if (!range_valid(space, address, size))
		return -EINVAL;
	if (fd >= 0 && fstat(fd, &status) == 0) {
		region.device = status.st_dev;
		region.inode = status.st_ino;
		if (!shared)
			kept = space_region_file(space, &region, fd);
	}
	return space_map_kept(space, &region, fd, kept);
}

int space_unmap(struct space *space, uint64_t address, uint64_t size)
{
	struct space_region nothing = {
		.start = address, .end = address + size, .anonymous = true,
	};
	int result;

	if (!range_valid(space, address, size))
		return -EINVAL;
	space_about_to_change(space, address, address + size);
	space_tell(space, SPACE_UNMAPPED, address, address + size);
	result = map_host(space, &nothing, -1);
	if (result)
		return result;
	space_layer_clear(space, address, address + size);
	space_region_clear(space, address, address + size);
	space_far_trim(space, address, address + size);
	return 0;
}

static bool layered(const struct space *space, uint64_t address, uint64_t size)
{
	const struct extent *extent = space_extent_from(space, address);

	return extent && extent->interval.start < address + size;
}

int space_move(struct space *space, uint64_t from, uint64_t old_size,
	       uint64_t to, uint64_t new_size)
{
	const struct space_region *found = space_region_at(space, from);
	uint64_t kept = old_size < new_size ? old_size : new_size;
	struct mapped_file *file;
	struct space_region region;
	uint8_t *source, *target;
	int result = 0;

	if (!range_valid(space, from, old_size) ||
	    !range_valid(space, to, new_size) || !found ||
	    from + old_size > found->end)
		return -EFAULT;
	if (!space_host(space, from, old_size) ||
	    !space_host(space, to, new_size))
		return -ENOMEM;
	source = space_at(space, from);
	target = space_at(space, to);
	file = mapped_file_hold(space_region_from(space, from)->file);
	region = *found;
	region.name = xstrdup(found->name);
	region.offset += region.anonymous ? 0 : from - region.start;
	region.start = to;
	region.end = to + new_size;
	space_about_to_change(space, from, from + old_size);
	space_tell(space, SPACE_UNMAPPED, from, from + old_size);
	space_about_to_change(space, to, to + new_size);
	space_tell(space, SPACE_UNMAPPED, to, to + new_size);
	/* Watched pages had a protection of their own. */
	mprotect(source, old_size, space_host_protection(region.protection));
	if (layered(space, from, kept) ||
	    mremap(source, kept, new_size, MREMAP_MAYMOVE | MREMAP_FIXED,
		   target) == MAP_FAILED) {
		/* Several mappings to the host. */
		if (!region.anonymous ||
		    mmap(target, new_size, PROT_NONE,
			 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS |
				 MAP_NORESERVE, -1, 0) == MAP_FAILED ||
		    mprotect(target, new_size,
			     space_host_protection(region.protection)) ||
		    space_move_pages(source, target, kept))
			result = -ENOMEM;
	}
	if (!result) {
		space_layer_clear(space, to, to + new_size);
		space_layer_moved(space, from, to, kept);
		space_region_clear(space, to, to + new_size);
		space_region_insert(space, &region, mapped_file_hold(file));
		space_region_merge(space, to, to + new_size);
		result = space_unmap(space, from, old_size);
	}
	mapped_file_release(file);
	free((char *)region.name);
	return result;
}

int space_advise(struct space *space, uint64_t address, uint64_t size,
		 int advice)
{
	uint64_t end = address + size, stop;
	int result;

	if (!range_valid(space, address, size))
		return -EINVAL;
	space_watch_each(space, address, address + size, space_unwatch_page);
	space_about_to_change(space, address, address + size);
	space_tell(space, SPACE_UNMAPPED, address, address + size);
	result = space_layer_zero(space, address, address + size);
	for (uint64_t at = address; at < end && !result; at = stop) {
		uint8_t *host = space_chunk(space, at, end, &stop);

		if (host && madvise(host, stop - at, advice) != 0)
			result = -errno;
	}
	return result;
}

int space_protect(struct space *space, uint64_t address, uint64_t size,
		  int protection)
{
	uint64_t end = address + size, reached = address;
	struct region *region;
	int result = 0;

	if (!range_valid(space, address, size))
		return -EINVAL;
	space_about_to_change(space, address, end);
	space_tell(space, SPACE_PROTECTED, address, end);
	region = space_region_split(space, address);
	space_region_split(space, end);
	while (region && region->public.start == reached && reached < end) {
		result = space_host_protect(space, reached, region->public.end,
					    space_host_protection(protection));
		if (result)
			break;
		region->public.protection = protection;
		reached = region->public.end;
		region = space_region_next(region);
	}
	space_region_merge(space, address, end);
	return result ? result : reached == end ? 0 : -ENOMEM;
}

int space_set_flags(struct space *space, uint64_t address, uint64_t size,
		    unsigned set, unsigned clear)
{
	uint64_t end = address + size, reached = address;
	struct region *region;

	if (!range_valid(space, address, size))
		return -ENOMEM;
	region = space_region_split(space, address);
	space_region_split(space, end);
	for (; region && region->public.start == reached && reached < end;
	     region = space_region_next(region)) {
		region->public.flags =
			(uint16_t)((region->public.flags & ~clear) | set);
		reached = region->public.end;
	}
	space_region_merge(space, address, end);
	return reached == end ? 0 : -ENOMEM;
}

int space_extend_down(struct space *space, uint64_t start, uint64_t new_start)
{
	const struct region *region = space_region_from(space, start);
	struct space_region lower = region->public;

	lower.start = new_start;
	lower.end = start;
	return space_map_kept(space, &lower, -1, NULL);
}
