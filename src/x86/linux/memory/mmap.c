/* Changing mappings: brk, mmap, munmap, mprotect. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

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

#define KNOWN_FLAGS                                                            \
	(MAP_TYPE | MAP_FIXED | MAP_ANONYMOUS | MAP_32BIT | MAP_GROWSDOWN |    \
	 MAP_DENYWRITE | MAP_EXECUTABLE | MAP_LOCKED | MAP_NORESERVE |         \
	 MAP_POPULATE | MAP_NONBLOCK | MAP_STACK | MAP_HUGETLB |               \
	 MAP_FIXED_NOREPLACE)

/* /dev/zero, whose mappings are anonymous memory in Linux too: what nobody
 * touches costs nothing, and forked processes share what is shared. */
static bool is_zero_device(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 5);
}

/* What a descriptor's mode (O_RDONLY ...) forbids, as the host says it for other
 * files: 0 or -EACCES. */
static int64_t mapping_denied(int mode, bool shared, uint64_t protection)
{
	return mode == O_WRONLY ||
	       (shared && (protection & PROT_WRITE) && mode != O_RDWR)
		       ? -EACCES : 0;
}

static int64_t map_memory(struct context *context, uint64_t hint, uint64_t size,
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
		if (fstat(host, &status) != 0)
			return -errno;
		if (S_ISDIR(status.st_mode))
			return -ENODEV;
		if (is_zero_device(&status)) {
			int mode = fcntl(host, F_GETFL) & O_ACCMODE;
			int64_t denied = mapping_denied(mode, shared,
							protection);

			if (denied)
				return denied;
			/* The host keeps one that may never become writable. */
			if (!shared || mode == O_RDWR)
				host = -1;
		}
	}
	if (space_region_count(memory->space) >
	    context->process->system->regions_max)
		return -ENOMEM;
	address = memory_place(memory, hint, size, flags);
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
	return map_memory(context, a[0], a[1], a[2], a[3], (int)a[4], a[5]);
}

int64_t call_mmap2(struct context *context, const uint64_t *a)
{
	return map_memory(context, a[0], a[1], a[2], a[3], (int)a[4],
			  a[5] * SPACE_PAGE);
}

int64_t call_old_mmap(struct context *context, const uint64_t *a)
{
	uint32_t b[6];

	if (guest_get(context, a[0], b, sizeof b))
		return -EFAULT;
	return map_memory(context, b[0], b[1], b[2], b[3], (int)b[4], b[5]);
}

int64_t call_munmap(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t end = a[0] + page_up(a[1]);

	if (!a[1] || !memory_range_valid(context, a[0], a[1]))
		return -EINVAL;
	if (a[0] >= space->end)
		return 0; /* nothing is mapped there */
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
