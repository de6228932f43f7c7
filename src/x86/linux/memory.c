/* The address space of a guest process: layout, birth, fork, end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* Where the stack ends: as a 64-bit kernel lays out an i386 process without
 * randomization; for x86-64 likewise at the end of what a space has at first. */
#define STACK_TOP_32 UINT64_C(0xffffe000)
#define STACK_TOP_64 ((UINT64_C(1) << SPACE_X86_64_BITS) - SPACE_PAGE)

enum { STACK_DEFAULT = 8 << 20, STACK_GAP = 1 << 20 };

uint64_t page_up(uint64_t size)
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
