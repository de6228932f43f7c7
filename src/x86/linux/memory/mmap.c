/* What an address space maps: brk, mmap, munmap, mprotect, mremap. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

/* The first address that no x86-64 program can ask for; and the first that it
 * does not get by a hint alone, since growing costs address space of ours. */
#define USER_END_64 ((UINT64_C(1) << 47) - SPACE_PAGE)
#define HINT_END_64 (UINT64_C(1) << 40)

enum { MAP_LOWEST = 0x10000 };

/* Whether an address lies within a region, so that a change from there on
 * makes two of it. */
static bool splits(const struct space *space, uint64_t address)
{
	const struct space_region *region = space_region_at(space, address);

	return region && region->start < address;
}

/* Whether there may be no region more, which a change of [start, end) makes
 * necessary. */
static bool too_many(const struct context *context, uint64_t start,
		     uint64_t end)
{
	const struct space *space = context->process->memory->space;

	return space_region_count(space) >=
		       context->process->system->regions_max &&
	       (splits(space, start) || splits(space, end));
}

bool memory_sealed(const struct space *space, uint64_t start, uint64_t size)
{
	const struct space_region *region = space_region_above(space, start);

	for (; region && region->start < start + size;
	     region = space_region_above(space, region->end))
		if (region->flags & SPACE_SEALED)
			return true;
	return false;
}

int64_t call_brk(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;
	uint64_t old = page_up(memory->break_end), new = page_up(a[0]);

	if (a[0] < memory->break_start || a[0] >= memory->map_top)
		return (int64_t)memory->break_end;
	if (new > old) {
		/* Whatever lies above keeps its place. */
		if (space_find_gap(memory->space, old, new, new - old,
				   false) != old ||
		    space_map(memory->space, old, new - old,
			      SPACE_READ | SPACE_WRITE, false, -1, 0,
			      "[heap]"))
			return (int64_t)memory->break_end;
	} else if (new < old) {
		if (memory_sealed(memory->space, new, old - new))
			return (int64_t)memory->break_end;
		space_unmap(memory->space, new, old - new);
	}
	memory->break_end = a[0];
	return (int64_t)a[0];
}

static int protection_of(uint64_t flags)
{
	return (flags & PROT_READ ? SPACE_READ : 0) |
	       (flags & PROT_WRITE ? SPACE_WRITE : 0) |
	       (flags & PROT_EXEC ? SPACE_EXECUTE : 0);
}

/* Makes [0, end) usable: 0 or a negative errno. What is near is quicker to
 * access. */
static int reach(struct guest_memory *memory, uint64_t end)
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

/* `size` free bytes, as high as may be below the stack, or above it: their
 * address or 0. */
static uint64_t find_room(struct guest_memory *memory, uint64_t size)
{
	uint64_t address = find_below(memory, size);

	if (address || memory->abi32)
		return address;
	address = space_find_gap(memory->space, memory->stack_high, USER_END_64,
				 size, false);
	return address && reach(memory, address + size) == 0 ? address : 0;
}

/* Where a mapping goes: a negative errno or the address. */
static int64_t choose_address(struct guest_memory *memory, uint64_t hint,
			      uint64_t size, uint64_t flags)
{
	uint64_t limit = memory->abi32 ? memory->stack_high : USER_END_64;
	uint64_t address = 0;

	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (hint % SPACE_PAGE)
			return -EINVAL;
		if (hint >= limit || size > limit - hint ||
		    reach(memory, hint + size))
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
	    reach(memory, hint + size) == 0)
		address = space_find_gap(memory->space, hint, hint + size,
					 size, false);
	if (!address && (flags & MAP_32BIT))
		address = space_find_gap(memory->space, 0x40000000,
					 0x80000000, size, false);
	if (!address)
		address = find_room(memory, size);
	return address ? (int64_t)address : -ENOMEM;
}

int64_t memory_place(struct guest_memory *memory, uint64_t hint,
		     uint64_t size, uint64_t flags)
{
	return choose_address(memory, hint, size, flags);
}

#define KNOWN_FLAGS                                                            \
	(MAP_TYPE | MAP_FIXED | MAP_ANONYMOUS | MAP_32BIT | MAP_GROWSDOWN |    \
	 MAP_DENYWRITE | MAP_EXECUTABLE | MAP_LOCKED | MAP_NORESERVE |         \
	 MAP_POPULATE | MAP_NONBLOCK | MAP_STACK | MAP_HUGETLB |               \
	 MAP_FIXED_NOREPLACE)

static int64_t map(struct context *context, uint64_t hint, uint64_t size,
		   uint64_t protection, uint64_t flags, int descriptor,
		   uint64_t offset)
{
	struct guest_memory *memory = context->process->memory;
	bool shared = (flags & MAP_TYPE) == MAP_SHARED ||
		      (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
	char name[PATH_MAX] = "";
	const char *shown = name;
	int host = -1, result, own = -1;
	unsigned marks = memory->lock_future;
	int64_t address;

	if (!(flags & MAP_ANONYMOUS) &&
	    !file_get(context->process, descriptor))
		return -EBADF;
	if (!size || offset % SPACE_PAGE ||
	    (!shared && (flags & MAP_TYPE) != MAP_PRIVATE))
		return -EINVAL;
	if ((flags & MAP_TYPE) == MAP_SHARED_VALIDATE &&
	    (flags & ~(uint64_t)KNOWN_FLAGS))
		return -EOPNOTSUPP;
	if (size > UINT64_MAX - SPACE_PAGE)
		return -ENOMEM;
	size = page_up(size);
	if (flags & MAP_GROWSDOWN) {
		if (shared || !(flags & MAP_ANONYMOUS))
			return -EINVAL;
		marks |= SPACE_GROWS_DOWN;
	}
	if (flags & MAP_LOCKED) {
		if (!memory_may_lock(context, size))
			return -EAGAIN;
		marks |= SPACE_LOCKED;
	}
	if (!(flags & MAP_ANONYMOUS)) {
		struct file *file = file_get(context->process, descriptor);
		struct stat status;

		if (!file)
			return -EBADF;
		if (proc_is_memory(file))
			return -ENODEV;
		host = file->host;
		path_of_host(host, name, sizeof name);
		if (fstat(host, &status) == 0 && S_ISDIR(status.st_mode))
			return -ENODEV;
	}
	if (space_region_count(memory->space) >
	    context->process->system->regions_max)
		return -ENOMEM;
	address = choose_address(memory, hint, size, flags);
	if (address < 0)
		return address;
	if (memory_sealed(memory->space, (uint64_t)address, size))
		return -EPERM;
	if (shared) {
		if (host < 0) {
			snprintf(name, sizeof name, "/dev/zero#%" PRIu64,
				 ++context->process->system->shared_serial);
			own = memfd_create("shared", MFD_CLOEXEC);
			if (own < 0 || ftruncate(own, (off_t)size) != 0) {
				if (own >= 0)
					close(own);
				return -ENOMEM;
			}
			host = own;
			offset = 0;
		}
		shown = memory_share(memory, name, host);
	}
	result = space_map(memory->space, (uint64_t)address, size,
			   protection_of(protection), shared, host, offset,
			   shown);
	if (own >= 0)
		close(own);
	if (result)
		return result;
	if (marks)
		space_set_flags(memory->space, (uint64_t)address, size, marks,
				0);
	return address;
}

int64_t call_mmap(struct context *context, const uint64_t *a)
{
	return map(context, a[0], a[1], a[2], a[3], (int)a[4], a[5]);
}

int64_t call_mmap2(struct context *context, const uint64_t *a)
{
	return map(context, a[0], a[1], a[2], a[3], (int)a[4],
		   a[5] * SPACE_PAGE);
}

int64_t call_old_mmap(struct context *context, const uint64_t *a)
{
	uint32_t b[6];

	if (guest_get(context, a[0], b, sizeof b))
		return -EFAULT;
	return map(context, b[0], b[1], b[2], b[3], (int)b[4], b[5]);
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

int64_t call_munmap(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t end = a[0] + page_up(a[1]);

	if (!a[1] || !memory_range_valid(context, a[0], a[1]))
		return -EINVAL;
	if (a[0] >= space->end)
		return 0; /* nothing is there */
	if (end > space->end)
		end = space->end;
	if (memory_sealed(space, a[0], end - a[0]))
		return -EPERM;
	/* Only in its middle does a region become two. */
	if (splits(space, end) && too_many(context, a[0], a[0]) &&
	    space_region_at(space, a[0]) == space_region_at(space, end))
		return -ENOMEM;
	return space_unmap(space, a[0], end - a[0]);
}

int64_t call_mprotect(struct context *context, const uint64_t *a)
{
	if (a[0] % SPACE_PAGE)
		return -EINVAL;
	if (!a[1])
		return 0;
	if (!memory_range_valid(context, a[0], a[1]) ||
	    a[0] + page_up(a[1]) > context->cpu->space->end)
		return -ENOMEM;
	if (memory_sealed(context->cpu->space, a[0], page_up(a[1])))
		return -EPERM;
	if (too_many(context, a[0], a[0] + page_up(a[1])))
		return -ENOMEM;
	return space_protect(context->cpu->space, a[0], page_up(a[1]),
			     protection_of(a[2]));
}

int64_t call_mseal(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t size = page_up(a[1]);

	if (a[2] || a[0] % SPACE_PAGE || size < a[1] || a[0] + size < a[0])
		return -EINVAL;
	if (!size)
		return 0;
	if (!space_check(space, a[0], size, 0))
		return -ENOMEM;
	return space_set_flags(space, a[0], size, SPACE_SEALED, 0);
}

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
	else if (region->anonymous && reach(memory, end + more) == 0)
		result = space_map(space, end, more, region->protection, false,
				   -1, 0, region->name);
	if (!result && region->flags)
		space_set_flags(space, end, more, region->flags, 0);
	return result ? result : (int64_t)remap->from;
}

/* What Linux says to the arguments, before it looks at what is mapped. */
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
		remap->to = find_room(memory, remap->new_size);
	if (!remap->to || reach(memory, remap->to + remap->new_size))
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
