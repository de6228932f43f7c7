/* What an address space maps: brk, mmap, munmap, mprotect, mremap. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* The first address that no x86-64 program can ask for; and the first that it
 * does not get by a hint alone, since growing costs address space of ours. */
#define USER_END_64 ((UINT64_C(1) << 47) - SPACE_PAGE)
#define HINT_END_64 (UINT64_C(1) << 40)

enum { MAP_LOWEST = 0x10000 };

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

/* Makes [0, end) usable: 0 or a negative errno. */
static int reach(struct guest_memory *memory, uint64_t end)
{
	uint64_t size = memory->space->size;

	if (end <= size)
		return 0;
	if (memory->abi32 || end > USER_END_64)
		return -ENOMEM;
	while (size < end)
		size *= 2;
	return space_grow(memory->space, size);
}

/* `size` free bytes, as high as may be below the stack, or above it: their
 * address or 0. */
static uint64_t find_room(struct guest_memory *memory, uint64_t size)
{
	uint64_t address = space_find_gap(memory->space, MAP_LOWEST,
					  memory->map_top, size, true);

	if (address || memory->abi32)
		return address;
	address = space_find_gap(memory->space, memory->stack_high,
				 memory->space->size, size, false);
	if (address)
		return address;
	address = memory->space->size;
	return size < USER_END_64 && reach(memory, address + size) == 0
		       ? address : 0;
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
	if (!(flags & MAP_ANONYMOUS)) {
		struct file *file = file_get(context->process, descriptor);
		struct stat status;

		if (!file)
			return -EBADF;
		host = file->host;
		path_of_host(host, name, sizeof name);
		if (fstat(host, &status) == 0 && S_ISDIR(status.st_mode))
			return -ENODEV;
	}
	address = choose_address(memory, hint, size, flags);
	if (address < 0)
		return address;
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
	return result ? result : address;
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
				 ? context->cpu->space->size
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
	if (a[0] >= space->size)
		return 0; /* nothing is there */
	if (end > space->size)
		end = space->size;
	return space_unmap(space, a[0], end - a[0]);
}

int64_t call_mprotect(struct context *context, const uint64_t *a)
{
	if (a[0] % SPACE_PAGE)
		return -EINVAL;
	if (!a[1])
		return 0;
	if (!memory_range_valid(context, a[0], a[1]) ||
	    a[0] + page_up(a[1]) > context->cpu->space->size)
		return -ENOMEM;
	return space_protect(context->cpu->space, a[0], page_up(a[1]),
			     protection_of(a[2]));
}

/* A second mapping of a shared object. */
static int map_again(struct guest_memory *memory,
		     const struct space_region *region, uint64_t from,
		     uint64_t to, uint64_t size)
{
	for (size_t i = 0; i < memory->shared_count; i++)
		if (!strcmp(memory->shared[i].name, region->name))
			return space_map(memory->space, to, size,
					 region->protection, true,
					 memory->shared[i].file,
					 region->offset + from - region->start,
					 memory->shared[i].name);
	return -EFAULT;
}

/* Moves a mapping, or copies it when the old one shall stay. */
static int64_t move_mapping(struct guest_memory *memory,
			    const struct space_region *region, uint64_t from,
			    uint64_t old_size, uint64_t to, uint64_t new_size,
			    bool keep)
{
	struct space *space = memory->space;
	int result;

	if (!old_size) {
		result = map_again(memory, region, from, to, new_size);
	} else {
		result = space_move(space, from, old_size, to, new_size);
		if (!result && keep)
			result = space_map(space, from, old_size,
					   region->protection, false, -1, 0,
					   "");
	}
	return result ? result : (int64_t)to;
}

static bool can_extend(const struct guest_memory *memory,
		       const struct space_region *region, uint64_t end,
		       uint64_t new_end)
{
	return end == region->end && new_end <= memory->space->size &&
	       region->anonymous && !region->shared &&
	       space_find_gap(memory->space, end, new_end, new_end - end,
			      false) == end;
}

int64_t call_mremap(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;
	struct space *space = memory->space;
	uint64_t from = a[0], old_size = page_up(a[1]);
	uint64_t new_size = page_up(a[2]), to = 0, flags = a[3];
	const struct space_region *found = space_region_at(space, from);
	bool keep = flags & MREMAP_DONTUNMAP;
	struct space_region region;
	int64_t result;

	if (from % SPACE_PAGE || !new_size ||
	    (flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED |
				 MREMAP_DONTUNMAP)) ||
	    ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) &&
	     !(flags & MREMAP_MAYMOVE)) ||
	    (keep && old_size != new_size))
		return -EINVAL;
	if (flags & MREMAP_FIXED) {
		to = a[4];
		if (to % SPACE_PAGE || new_size > UINT64_MAX - to ||
		    (to < from + old_size && from < to + new_size))
			return -EINVAL;
		if (reach(memory, to + new_size))
			return -ENOMEM;
	}
	if (!found || (old_size && !memory_range_valid(context, from, old_size)))
		return -EFAULT;
	if (!old_size && !found->shared)
		return -EINVAL;
	if (!(flags & MREMAP_FIXED) && old_size && new_size <= old_size &&
	    !keep) {
		if (!space_check(space, from, old_size, 0))
			return -EFAULT;
		if (new_size < old_size)
			space_unmap(space, from + new_size,
				    old_size - new_size);
		return (int64_t)from;
	}
	if (from + old_size > found->end || (keep && found->shared))
		return keep && found->shared ? -EINVAL : -EFAULT;
	/* The name lives in the region list, which is about to change. */
	region = *found;
	region.name = xstrdup(region.name);
	if (flags & MREMAP_FIXED) {
		result = move_mapping(memory, &region, from, old_size, to,
				      new_size, keep);
	} else if (old_size && !keep &&
		   can_extend(memory, &region, from + old_size,
			      from + new_size)) {
		result = space_map(space, from + old_size,
				   new_size - old_size, region.protection,
				   false, -1, 0, region.name);
		result = result ? result : (int64_t)from;
	} else if (!(flags & MREMAP_MAYMOVE)) {
		result = -ENOMEM;
	} else {
		to = find_room(memory, new_size);
		result = to ? move_mapping(memory, &region, from, old_size,
					   to, new_size, keep)
			    : -ENOMEM;
	}
	free((char *)region.name);
	return result;
}
