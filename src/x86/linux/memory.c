/* The address space of a guest process: layout, fork, and the calls that
 * change it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* Where the stack ends: as a 64-bit kernel lays out an i386 process without
 * randomization; for x86-64 likewise at the end of what a space has at first. */
#define STACK_TOP_32 UINT64_C(0xffffe000)
#define STACK_TOP_64 ((UINT64_C(1) << SPACE_X86_64_BITS) - SPACE_PAGE)

/* The first address that no x86-64 program can ask for; and the first that it
 * does not get by a hint alone, since growing costs address space of ours. */
#define USER_END_64 ((UINT64_C(1) << 47) - SPACE_PAGE)
#define HINT_END_64 (UINT64_C(1) << 40)

enum { STACK_DEFAULT = 8 << 20, STACK_GAP = 1 << 20, MAP_LOWEST = 0x10000 };

static uint64_t page_up(uint64_t size)
{
	return (size + SPACE_PAGE - 1) & ~(uint64_t)(SPACE_PAGE - 1);
}

static uint64_t random_for_guest(void *owner)
{
	return random_next(owner);
}

static struct guest_memory *create(struct linux_system *system, bool abi32,
				   uint64_t size, struct error *error)
{
	struct guest_memory *memory = xcalloc(1, sizeof *memory);
	const struct linux_options *options = system->options;
	uint64_t top = abi32 ? STACK_TOP_32 : STACK_TOP_64;
	uint64_t stack = page_up(options->stack_size ? options->stack_size
						     : STACK_DEFAULT);

	memory->references = 1;
	memory->abi32 = abi32;
	if (!system->decoder[abi32])
		system->decoder[abi32] = x86_decoder_create(
			abi32 ? X86_MODE_32 : X86_MODE_64,
			abi32 ? options->model_i386 : options->model_x86_64,
			error);
	if (system->decoder[abi32])
		memory->space = space_create(size, error);
	if (memory->space)
		memory->emulator = x86_emulator_create_with(
			system->decoder[abi32], memory->space);
	if (memory->emulator)
		x86_emulator_set_random(memory->emulator, random_for_guest,
					system);
	if (!memory->emulator) {
		space_free(memory->space);
		free(memory);
		return NULL;
	}
	if (options->last_instruction_size)
		x86_last_instruction(memory->emulator,
				     options->last_instruction,
				     options->last_instruction_size);
	memory->stack_high = top;
	memory->stack_low = top - stack;
	memory->map_top = memory->stack_low - STACK_GAP;
	return memory;
}

struct guest_memory *memory_create(struct linux_system *system, bool abi32,
				   struct error *error)
{
	return create(system, abi32,
		      UINT64_C(1) << (abi32 ? 32 : SPACE_X86_64_BITS), error);
}

void memory_release(struct guest_memory *memory)
{
	if (!memory || --memory->references)
		return;
	x86_emulator_free(memory->emulator);
	space_free(memory->space);
	for (size_t i = 0; i < memory->shared_count; i++) {
		free(memory->shared[i].name);
		close(memory->shared[i].file);
	}
	free(memory->shared);
	free(memory->executable);
	free(memory->command_line);
	free(memory->environment);
	free(memory->auxiliary);
	free(memory);
}

const char *memory_share(struct guest_memory *memory, const char *name,
			 int file)
{
	struct shared_object *object;
	struct stat status = { 0 };
	bool taken = false;

	fstat(file, &status);
	for (size_t i = 0; i < memory->shared_count; i++) {
		object = memory->shared + i;
		if (object->device == status.st_dev &&
		    object->inode == status.st_ino &&
		    !strncmp(object->name, name, strlen(name)))
			return object->name;
		taken |= !strcmp(object->name, name);
	}
	ARRAY_GROW(memory->shared, memory->shared_count,
		   memory->shared_capacity);
	object = memory->shared + memory->shared_count++;
	/* Another file of that name: it was replaced in the meantime. */
	object->name = taken ? xasprintf("%s (%zu)", name,
					 memory->shared_count)
			     : xstrdup(name);
	object->device = status.st_dev;
	object->inode = status.st_ino;
	object->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
	return object->name;
}

/* ---- fork ---- */

/* Entries of /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst of
 * the kernel) that are read at once. */
enum { PAGEMAP_ENTRIES = 512 };
#define PAGEMAP_HERE (UINT64_C(3) << 62)  /* present, or swapped out */
#define PAGEMAP_FILE (UINT64_C(1) << 61)  /* still the file's */

struct copy {
	const struct guest_memory *from;
	struct guest_memory *to;
	int pagemap;
	uint64_t entry[PAGEMAP_ENTRIES]; /* of host pages from `first` on */
	uint64_t first, count;
	int result;
};

/* Whether a page has bytes of its own: it was touched, and if it is a file's
 * (which the copy maps, too: `file`) written. When the host does not tell,
 * yes. */
static bool page_differs(struct copy *copy, uint64_t address, bool file)
{
	uint64_t host = (uint64_t)(uintptr_t)(copy->from->space->base +
					      address) / SPACE_PAGE;
	uint64_t entry;

	if (copy->pagemap < 0)
		return true;
	if (host - copy->first >= copy->count) {
		ssize_t size = pread(copy->pagemap, copy->entry,
				     sizeof copy->entry,
				     (off_t)(host * sizeof entry));

		copy->first = host;
		copy->count = size > 0 ? (uint64_t)size / sizeof entry : 0;
		if (!copy->count)
			return true;
	}
	entry = copy->entry[host - copy->first];
	return (entry & PAGEMAP_HERE) && !(file && (entry & PAGEMAP_FILE));
}

/* Opens the file that a region maps; -1 when that is gone from its place. */
static int open_again(const struct space_region *region)
{
	int file = open(region->name, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (file >= 0 && fstat(file, &status) == 0 &&
	    status.st_dev == region->device && status.st_ino == region->inode)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

static void copy_region(void *owner, const struct space_region *region)
{
	struct copy *copy = owner;
	struct space *to = copy->to->space;
	uint64_t size = region->end - region->start;
	uint8_t page[SPACE_PAGE], old[SPACE_PAGE];
	bool from_file = region->name[0] == '/';
	int file = -1;

	if (copy->result)
		return;
	if (region->shared) {
		for (size_t i = 0; i < copy->to->shared_count; i++)
			if (!strcmp(copy->to->shared[i].name, region->name))
				copy->result = space_map(
					to, region->start, size,
					region->protection, true,
					copy->to->shared[i].file,
					region->offset, region->name);
		return;
	}
	if (from_file)
		file = open_again(region);
	copy->result = space_map(to, region->start, size,
				 SPACE_READ | SPACE_WRITE, false, file,
				 region->offset, region->name);
	if (file >= 0)
		close(file);
	if (copy->result)
		return;
	for (uint64_t at = region->start; at < region->end;
	     at += SPACE_PAGE) {
		if ((!from_file || file >= 0) &&
		    !page_differs(copy, at, from_file))
			continue;
		if (!region->protection) {
			/* Data under PROT_NONE is still data. */
			int changed = space_protect(copy->from->space, at,
						    SPACE_PAGE, SPACE_READ);

			if (changed ||
			    space_read(copy->from->space, at, page,
				       sizeof page))
				changed = 1;
			space_protect(copy->from->space, at, SPACE_PAGE, 0);
			if (changed)
				continue;
		} else if (space_read(copy->from->space, at, page,
				      sizeof page)) {
			continue; /* beyond the end of a mapped file */
		}
		if (file >= 0 && space_read(to, at, old, sizeof old) == 0 &&
		    !memcmp(page, old, sizeof page))
			continue;
		space_write(to, at, page, sizeof page);
	}
	copy->result = space_protect(to, region->start, size,
				     region->protection);
}

/* copy_region changes protections for a moment, so it must not run inside
 * space_visit: the regions are listed first. */
struct region_list {
	struct space_region *list;
	size_t count, capacity;
};

static void list_region(void *owner, const struct space_region *region)
{
	struct region_list *regions = owner;

	ARRAY_GROW(regions->list, regions->count, regions->capacity);
	regions->list[regions->count] = *region;
	regions->list[regions->count++].name = xstrdup(region->name);
}

struct guest_memory *memory_fork(struct linux_system *system,
				 const struct guest_memory *from,
				 struct error *error)
{
	struct guest_memory *to = create(system, from->abi32,
					 from->space->size, error);
	struct region_list regions = { 0 };
	struct copy copy = { .from = from, .to = to, .pagemap = -1 };

	if (!to)
		return NULL;
	to->break_start = from->break_start;
	to->break_end = from->break_end;
	to->map_top = from->map_top;
	to->stack_low = from->stack_low;
	to->stack_high = from->stack_high;
	to->sigreturn = from->sigreturn;
	to->executable = xstrdup(from->executable ? from->executable : "");
	to->command_line_size = from->command_line_size;
	to->command_line = xmalloc(from->command_line_size + 1);
	memcpy(to->command_line, from->command_line, from->command_line_size);
	to->environment_size = from->environment_size;
	to->environment = xmalloc(from->environment_size + 1);
	memcpy(to->environment, from->environment, from->environment_size);
	to->auxiliary_size = from->auxiliary_size;
	to->auxiliary = xmalloc(from->auxiliary_size + 1);
	memcpy(to->auxiliary, from->auxiliary, from->auxiliary_size);
	for (size_t i = 0; i < from->shared_count; i++)
		memory_share(to, from->shared[i].name, from->shared[i].file);
	copy.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	space_visit(from->space, list_region, &regions);
	for (size_t i = 0; i < regions.count; i++) {
		copy_region(&copy, regions.list + i);
		free((char *)regions.list[i].name);
	}
	free(regions.list);
	if (copy.pagemap >= 0)
		close(copy.pagemap);
	if (copy.result) {
		error_set(error, "cannot copy the memory of a process: %s",
			  strerror(-copy.result));
		memory_release(to);
		return NULL;
	}
	return to;
}

/* ---- Calls ---- */

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

/* The path behind a host descriptor. */
static void name_of(int host, char *name, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", host);
	length = readlink(link, name, size - 1);
	name[length > 0 ? length : 0] = 0;
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
		name_of(host, name, sizeof name);
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

static bool range_valid(const struct context *context, uint64_t address,
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

	if (!a[1] || !range_valid(context, a[0], a[1]))
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
	if (!range_valid(context, a[0], a[1]) ||
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
	uint64_t new_size = page_up(a[2]), to, flags = a[3];
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
	if (!found || (old_size && !range_valid(context, from, old_size)))
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

/* Advice that Linux knows and that needs nothing done here. */
static bool advice_harmless(int advice)
{
	switch (advice) {
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_WILLNEED:
	case MADV_MERGEABLE:
	case MADV_UNMERGEABLE:
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
	case MADV_DONTDUMP:
	case MADV_DODUMP:
	case MADV_COLD:
	case MADV_PAGEOUT:
	case 22: /* MADV_POPULATE_READ */
	case 23: /* MADV_POPULATE_WRITE */
		return true;
	default:
		return false;
	}
}

static int advise(struct space *space, const struct space_region *region,
		  uint64_t at, uint64_t stop, int advice)
{
	if (advice_harmless(advice))
		return 0;
	if (advice == MADV_FREE) {
		if (!region->anonymous || region->shared)
			return -EINVAL;
		advice = MADV_DONTNEED; /* the same now and for sure */
	}
	if (advice == MADV_REMOVE && !region->shared)
		return -EINVAL;
	return space_advise(space, at, stop - at, advice);
}

int64_t call_madvise(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t size = page_up(a[1]), end = a[0] + size;
	int advice = (int)a[2], result;
	bool hole = false;

	if (!advice_harmless(advice) && advice != MADV_DONTNEED &&
	    advice != MADV_FREE && advice != MADV_REMOVE)
		return -EINVAL;
	if (a[0] % SPACE_PAGE || size < a[1] || end < a[0])
		return -EINVAL;
	for (uint64_t at = a[0]; at < end;) {
		const struct space_region *region = space_region_at(space, at);
		uint64_t stop;

		if (!region) {
			hole = true;
			at += SPACE_PAGE;
			if (at >= space->size)
				break;
			continue;
		}
		stop = region->end < end ? region->end : end;
		result = advise(space, region, at, stop, advice);
		if (result)
			return result;
		at = stop;
	}
	return hole ? -ENOMEM : 0;
}

int64_t call_msync(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	const int known = MS_ASYNC | MS_INVALIDATE | MS_SYNC;

	if (a[0] % SPACE_PAGE || ((int)a[2] & ~known) ||
	    ((a[2] & MS_ASYNC) && (a[2] & MS_SYNC)))
		return -EINVAL;
	if (!a[1])
		return 0;
	if (!range_valid(context, a[0], a[1]) ||
	    !space_check(space, a[0], page_up(a[1]), 0))
		return -ENOMEM;
	if (msync(space->base + a[0], page_up(a[1]), (int)a[2]) != 0)
		return -errno;
	return 0;
}

int64_t call_mincore(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t pages = page_up(a[1]) / SPACE_PAGE;
	uint8_t resident[1024];

	if (a[0] % SPACE_PAGE)
		return -EINVAL;
	if (!range_valid(context, a[0], a[1]) ||
	    !space_check(space, a[0], page_up(a[1]), 0))
		return -ENOMEM;
	for (uint64_t at = 0; at < pages; at += sizeof resident) {
		size_t count = pages - at < sizeof resident
				       ? (size_t)(pages - at)
				       : sizeof resident;

		if (mincore(space->base + a[0] + at * SPACE_PAGE,
			    count * SPACE_PAGE, resident) != 0)
			return -errno;
		if (guest_put(context, a[2] + at, resident, count))
			return -EFAULT;
	}
	return 0;
}

/* Memory is never taken away from a guest: a lock only checks. */
int64_t call_mlock(struct context *context, const uint64_t *a)
{
	uint64_t start = a[0] & ~(uint64_t)(SPACE_PAGE - 1);
	uint64_t size = page_up(a[1] + (a[0] - start));

	if (!a[1])
		return 0;
	if (size < a[1] || start + size < start)
		return -EINVAL;
	if (!space_check(context->cpu->space, start, size, 0))
		return -ENOMEM;
	/* Makes the pages present, as far as they can be (22 reads, and 23
	 * writes them). */
	if (madvise(context->cpu->space->base + start, size, 23) != 0)
		madvise(context->cpu->space->base + start, size, 22);
	return 0;
}

int64_t call_mlock2(struct context *context, const uint64_t *a)
{
	return a[2] & ~UINT64_C(1) ? -EINVAL : call_mlock(context, a);
}

int64_t call_mlockall(struct context *context, const uint64_t *a)
{
	(void)context;
	return !a[0] || (a[0] & ~UINT64_C(7)) || a[0] == 4 ? -EINVAL : 0;
}

/* ---- Memory of other guest processes ---- */

static int64_t copy_other(struct context *context, const uint64_t *a,
			  bool write)
{
	struct process *other =
		process_find(context->process->system, (int)a[0]);
	unsigned word = context->abi32 ? 4 : 8;
	struct iovec *local = xcalloc(IOV_MAX, sizeof *local);
	int count = guest_vectors(context, a[1], a[2], !write, local), at = 0;
	int64_t done = 0, result = 0;
	size_t used = 0;

	if (count < 0)
		result = count;
	else if (a[5] || a[4] > IOV_MAX)
		result = -EINVAL;
	else if (!other || !other->memory)
		result = -ESRCH;
	for (uint64_t i = 0; !result && i < a[4]; i++) {
		uint64_t address, size;

		if (guest_get_word(context, a[3] + 2 * i * word, &address) ||
		    guest_get_word(context, a[3] + (2 * i + 1) * word, &size))
			result = -EFAULT;
		while (!result && size && at < count) {
			size_t piece = local[at].iov_len - used;
			uint8_t *bytes =
				(uint8_t *)local[at].iov_base + used;

			if (piece > size)
				piece = (size_t)size;
			if (write ? space_write(other->memory->space, address,
						bytes, piece)
				  : space_read(other->memory->space, address,
					       bytes, piece))
				result = -EFAULT;
			else
				done += (int64_t)piece;
			address += piece;
			size -= piece;
			used += piece;
			if (used == local[at].iov_len) {
				at++;
				used = 0;
			}
		}
	}
	free(local);
	return done ? done : result;
}

int64_t call_process_vm_readv(struct context *context, const uint64_t *a)
{
	return copy_other(context, a, false);
}

int64_t call_process_vm_writev(struct context *context, const uint64_t *a)
{
	return copy_other(context, a, true);
}

int64_t call_membarrier(struct context *context, const uint64_t *a)
{
	(void)context;
	/* Guest threads take turns: every barrier is already complete. */
	switch ((int)a[0]) {
	case 0: /* QUERY: GLOBAL, PRIVATE_EXPEDITED and its registration */
		return 1 | 8 | 16;
	case 1:
	case 8:
	case 16:
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t call_memfd_create(struct context *context, const uint64_t *a)
{
	char name[256];
	int length = guest_get_string(context, a[0], name, sizeof name);

	if (length < 0)
		return length == -ENAMETOOLONG ? -EINVAL : length;
	return file_install_host(
		context->process,
		memfd_create(name, (unsigned)a[1] | MFD_CLOEXEC),
		a[1] & MFD_CLOEXEC, false);
}
