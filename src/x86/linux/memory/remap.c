/* mremap() and remap_file_pages(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/state.h"

/* Maps a shared object again, from `offset` on. */
static int map_again(struct guest_memory *memory,
		     const struct space_region *region, uint64_t offset,
		     uint64_t to, uint64_t size)
{
	for (size_t i = 0; i < memory->shared_count; i++)
		if (!strcmp(memory->shared[i].name, region->name))
			return space_map(memory->space, to, size,
					 region->protection, true,
					 memory->shared[i].file, offset,
					 memory->shared[i].name);
	return -EFAULT;
}

int64_t call_remap_file_pages(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;
	uint64_t start = a[0] & ~(uint64_t)(SPACE_PAGE - 1);
	uint64_t size = a[1] & ~(uint64_t)(SPACE_PAGE - 1);
	const struct space_region *found =
		space_region_at(memory->space, start);
	struct space_region region;
	int result;

	if (a[2] || start + size <= start || !found || !found->shared ||
	    size > found->end - start ||
	    a[3] > UINT64_MAX / SPACE_PAGE - size / SPACE_PAGE)
		return -EINVAL;
	if (memory_sealed(memory->space, start, size))
		return -EPERM;
	region = *found;
	region.name = xstrdup(region.name);
	result = map_again(memory, &region, a[3] * SPACE_PAGE, start, size);
	free((char *)region.name);
	return result;
}

/* ---- mremap ---- */

struct remap {
	uint64_t from, old_size, to, new_size;
	bool may_move, fixed, keep;
};

static int64_t move_mapping(struct guest_memory *memory,
			    const struct space_region *region,
			    const struct remap *remap)
{
	struct space *space = memory->space;
	uint64_t offset = region->offset + (remap->from - region->start);
	int result;

	if (!remap->old_size || (remap->keep && region->shared))
		result = map_again(memory, region, offset, remap->to,
				   remap->new_size);
	else
		result = space_move(space, remap->from, remap->old_size,
				    remap->to, remap->new_size);
	if (!result && remap->keep && !region->shared)
		result = space_map(space, remap->from, remap->old_size,
				   region->protection, false, -1, 0, "");
	return result ? result : (int64_t)remap->to;
}

/* Makes a mapping larger where it is; -ENOMEM when there is no room. */
static int64_t extend_mapping(struct guest_memory *memory,
			      const struct space_region *region,
			      const struct remap *remap)
{
	struct space *space = memory->space;
	uint64_t end = remap->from + remap->old_size;
	uint64_t more = remap->new_size - remap->old_size;
	int result = -ENOMEM;

	if (end != region->end || more > USER_END_64 - end ||
	    end + more > space->end ||
	    space_find_gap(space, end, end + more, more, false) != end)
		return -ENOMEM;
	if (region->shared)
		result = map_again(memory, region,
				   region->offset + (end - region->start), end,
				   more);
	else if (region->anonymous && memory_reach(memory, end + more) == 0)
		result = space_map(space, end, more, region->protection, false,
				   -1, 0, region->name);
	if (!result && region->flags)
		space_set_flags(space, end, more, region->flags, 0);
	return result ? result : (int64_t)remap->from;
}

/* Linux's checks of the arguments, before it looks at the mappings. */
static int check_remap(const struct context *context, const struct remap *remap,
		       uint64_t flags)
{
	uint64_t limit = context->process->memory->abi32
				 ? context->cpu->space->end : USER_END_64;

	if ((flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED |
				 MREMAP_DONTUNMAP)) ||
	    ((remap->fixed || remap->keep) && !remap->may_move) ||
	    (remap->keep && remap->old_size != remap->new_size) ||
	    remap->from % SPACE_PAGE || !remap->new_size)
		return -EINVAL;
	if (remap->fixed &&
	    (remap->to % SPACE_PAGE || remap->new_size > limit ||
	     remap->to > limit - remap->new_size ||
	     (remap->to < remap->from + remap->old_size &&
	      remap->from < remap->to + remap->new_size)))
		return -EINVAL;
	return 0;
}

/* Once the mapping is known. */
static int64_t remap_region(struct context *context, struct remap *remap,
			    const struct space_region *region)
{
	struct guest_memory *memory = context->process->memory;
	int64_t result;

	if (!remap->old_size && !region->shared)
		return -EINVAL;
	if (remap->old_size > region->end - remap->from)
		return -EFAULT;
	if (remap->new_size > remap->old_size &&
	    (region->flags & SPACE_LOCKS) &&
	    !memory_may_lock(context, remap->new_size - remap->old_size))
		return -EAGAIN;
	if (!remap->fixed && !remap->keep) {
		result = remap->old_size ? extend_mapping(memory, region, remap)
					 : -ENOMEM;
		if (result != -ENOMEM || !remap->may_move)
			return result;
	}
	if (!remap->fixed)
		remap->to = memory_find_room(memory, remap->new_size);
	if (!remap->to || memory_reach(memory, remap->to + remap->new_size))
		return -ENOMEM;
	return move_mapping(memory, region, remap);
}

int64_t call_mremap(struct context *context, const uint64_t *a)
{
	struct space *space = context->process->memory->space;
	struct remap remap = {
		.from = a[0], .old_size = page_up(a[1]),
		.new_size = page_up(a[2]),
		.to = a[3] & MREMAP_FIXED ? a[4] : 0,
		.may_move = a[3] & MREMAP_MAYMOVE,
		.fixed = a[3] & MREMAP_FIXED, .keep = a[3] & MREMAP_DONTUNMAP,
	};
	const struct space_region *found = space_region_at(space, remap.from);
	struct space_region region;
	int64_t result = check_remap(context, &remap, a[3]);

	if (result)
		return result;
	if (!found)
		return -EFAULT;
	if ((found->flags & SPACE_SEALED) ||
	    (remap.fixed &&
	     (memory_sealed(space, remap.from, remap.old_size) ||
	      memory_sealed(space, remap.to, remap.new_size))))
		return -EPERM;
	if (remap.old_size > remap.new_size ||
	    (remap.old_size == remap.new_size && !remap.fixed && !remap.keep)) {
		uint64_t end = remap.from + remap.old_size;

		if (end < remap.from || end > space->end)
			return -EINVAL;
		if (remap.old_size > remap.new_size)
			space_unmap(space, remap.from + remap.new_size,
				    remap.old_size - remap.new_size);
		remap.old_size = remap.new_size;
		if (!remap.fixed)
			return (int64_t)remap.from;
		found = space_region_at(space, remap.from);
	}
	/* The name lives in the region list, which is about to change. */
	region = *found;
	region.name = xstrdup(region.name);
	result = remap_region(context, &remap, &region);
	free((char *)region.name);
	return result;
}
