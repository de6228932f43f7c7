/* Address spaces in a checkpoint and their regions. Pages are in save-pages.c
 * and load-pages.c.
 *
 * Shared regions hold no pages here: they are mapped again from their file or
 * memory object. Of private regions every page is saved that differs from
 * what a fresh mapping shows. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "memsys/space/host-fault.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/checkpoint/pages.h"
#include "x86/linux/memory/ldt.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/state.h"

static void region_add(void *owner, const struct space_region *region)
{
	struct saved_regions *regions = owner;
	struct saved_region *saved;

	ARRAY_GROW(regions->list, regions->count, regions->capacity);
	saved = regions->list + regions->count++;
	saved->region = *region;
	saved->name = xstrdup(region->name);
	saved->region.name = saved->name;
	saved->extent = (region->end - region->start) / SPACE_PAGE;
}

bool region_is_file(const struct space_region *region)
{
	return region->name[0] == '/';
}

/* Pages of a private file mapping that lie in the file. */
static uint64_t file_extent(const struct space_region *region)
{
	uint64_t pages = (region->end - region->start) / SPACE_PAGE, size;
	struct stat status;

	if (stat(region->name, &status) != 0 || !S_ISREG(status.st_mode))
		return pages;
	size = (uint64_t)status.st_size;
	if (size <= region->offset)
		return 0;
	size = (size - region->offset + SPACE_PAGE - 1) / SPACE_PAGE;
	return size < pages ? size : pages;
}

/* The object of a shared mapping: its index, or -1 after a failure. */
static int64_t collect_shared(struct checkpoint *checkpoint,
			      const struct shared_object *shared)
{
	int flags = fcntl(shared->file, F_GETFL);
	int64_t index = objects_of_mapping(checkpoint, shared->file,
					   (flags & O_ACCMODE) == O_RDWR);

	if (index < 0)
		archive_fail(checkpoint->archive, "a program has mapped %s, "
						  "which is not a regular "
						  "file, and which a "
						  "checkpoint cannot hold",
						  shared->name);
	return index;
}

void memories_collect(struct checkpoint *checkpoint)
{
	checkpoint->regions = xcalloc(checkpoint->memory_count + 1,
				      sizeof *checkpoint->regions);
	for (size_t i = 0; i < checkpoint->memory_count; i++) {
		const struct guest_memory *memory = checkpoint->memories[i];
		struct saved_regions *regions = checkpoint->regions + i;

		space_visit(memory->space, region_add, regions);
		for (size_t r = 0; r < regions->count; r++)
			if (region_is_file(&regions->list[r].region))
				regions->list[r].extent =
					file_extent(&regions->list[r].region);
		for (size_t s = 0; s < memory->shared_count; s++)
			collect_shared(checkpoint, memory->shared + s);
	}
}

/* ---- Shared objects ---- */

static void exchange_shared(struct checkpoint *checkpoint,
			    struct guest_memory *memory)
{
	struct archive *archive = checkpoint->archive;
	size_t count = archive_count(archive, memory->shared_count, 20,
				     "shared objects");

	for (size_t i = 0; i < count && !archive->failed; i++) {
		struct shared_object *shared, fresh = { .file = -1 };
		struct stat status;
		int64_t index = -1;
		uint32_t flags = 0;

		if (checkpoint->loading) {
			ARRAY_GROW(memory->shared, memory->shared_count,
				   memory->shared_capacity);
			memory->shared[memory->shared_count++] = fresh;
		}
		shared = memory->shared + i;
		if (!checkpoint->loading) {
			flags = (uint32_t)fcntl(shared->file, F_GETFL);
			index = collect_shared(checkpoint, shared);
		}
		archive_text(archive, &shared->name);
		index = archive_index(archive, index, checkpoint->object_count,
				      false, "object");
		ARCHIVE_VALUE(archive, flags, "flags");
		if (!checkpoint->loading)
			continue;
		if (!shared->name)
			shared->name = xstrdup("");
		if (archive->failed)
			return;
		shared->file = object_open(checkpoint,
					   checkpoint->objects + index, flags);
		if (shared->file < 0)
			archive_fail(archive, "cannot open %s again: %s",
				     shared->name, strerror(errno));
		else if (fstat(shared->file, &status) == 0) {
			shared->device = status.st_dev;
			shared->inode = status.st_ino;
		}
	}
}

/* What /proc/PID/exe leads to; gone, when it is not there any more. */
static void open_program_again(struct checkpoint *checkpoint,
			       struct guest_memory *memory)
{
	int host = checkpoint_open(checkpoint, memory->executable, O_PATH);

	if (host >= 0)
		memory_open_program(memory, host);
}

/* ---- Regions ---- */

static void check_region(struct archive *archive, const struct space *space,
			 const struct saved_region *saved, uint64_t before)
{
	const struct space_region *region = &saved->region;

	archive_expect(archive, region->start < region->end &&
		       region->start >= before && region->end <= space->end &&
		       !(region->start % SPACE_PAGE) &&
		       !(region->end % SPACE_PAGE), "start of a region",
		       region->start, "pages in order inside the space");
	archive_expect(archive, region->protection >= 0 &&
		       region->protection < 8, "protection",
		       (uint64_t)region->protection, "0 to 7");
	archive_expect(archive, !(region->offset % SPACE_PAGE) &&
		       region->offset <= INT64_MAX / 2, "offset",
		       region->offset, "a multiple of the page size");
	archive_expect(archive, saved->extent <= (region->end - region->start) /
		       SPACE_PAGE, "extent", saved->extent,
		       "at most the region's pages");
}

/* The file of a private mapping, if it is there and long enough. Its content
 * does not matter: all pages are in the checkpoint. */
static int open_private(const struct checkpoint *checkpoint,
			const struct saved_region *saved)
{
	struct space_region region = saved->region;
	int file;

	if (checkpoint->source->detached || region.anonymous ||
	    !region_is_file(&region))
		return -1;
	file = checkpoint_open(checkpoint, saved->name, O_RDONLY | O_NONBLOCK);
	if (file >= 0 && file_extent(&region) >= saved->extent)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

static void map_region(struct checkpoint *checkpoint,
		       struct guest_memory *memory,
		       const struct saved_region *saved)
{
	const struct space_region *region = &saved->region;
	struct archive *archive = checkpoint->archive;
	int file = -1, result = -EINVAL;
	uint64_t size = region->end - region->start;

	if (region->shared) {
		for (size_t i = 0; i < memory->shared_count; i++)
			if (!strcmp(memory->shared[i].name, saved->name))
				file = memory->shared[i].file;
		if (checkpoint->source->detached)
			file = -1;
		if (file >= 0 || checkpoint->source->detached)
			result = space_map(memory->space, region->start, size,
					   region->protection, true, file,
					   region->offset, saved->name);
	} else {
		file = open_private(checkpoint, saved);
		result = space_map(memory->space, region->start, size,
				   SPACE_READ | SPACE_WRITE, false, file,
				   region->offset, saved->name);
		if (file >= 0)
			close(file);
	}
	if (!result && region->flags)
		space_set_flags(memory->space, region->start, size,
				region->flags, 0);
	if (result)
		archive_fail(archive, "cannot map %s at 0x%" PRIx64 ": %s",
			     saved->name[0] ? saved->name : "memory",
			     region->start, strerror(-result));
}

static void exchange_regions(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct guest_memory *memory = checkpoint->memories[index];
	struct saved_regions *regions = checkpoint->regions + index;
	size_t count = archive_count(archive, regions->count, 40, "regions");
	uint64_t before = 0;

	for (size_t i = 0; i < count && !archive->failed; i++) {
		struct saved_region *saved;
		struct space_region *region;

		if (checkpoint->loading) {
			ARRAY_GROW(regions->list, regions->count,
				   regions->capacity);
			regions->list[regions->count++] =
				(struct saved_region){ 0 };
		}
		saved = regions->list + i;
		region = &saved->region;
		ARCHIVE_VALUE(archive, region->start, "start");
		ARCHIVE_VALUE(archive, region->end, "end");
		ARCHIVE_VALUE(archive, region->protection, "protection");
		ARCHIVE_VALUE(archive, region->shared, "shared");
		ARCHIVE_VALUE(archive, region->anonymous, "anonymous");
		ARCHIVE_VALUE(archive, region->flags, "flags");
		ARCHIVE_VALUE(archive, region->offset, "offset");
		archive_text(archive, &saved->name);
		ARCHIVE_VALUE(archive, saved->extent, "extent");
		if (!checkpoint->loading)
			continue;
		if (!saved->name)
			saved->name = xstrdup("");
		region->name = saved->name;
		check_region(archive, memory->space, saved, before);
		before = region->end;
		if (!archive->failed)
			map_region(checkpoint, memory, saved);
	}
}

/* ---- Address spaces ---- */

static void check_memory(struct archive *archive,
			 const struct guest_memory *memory)
{
	uint64_t size = memory->space->size;

	archive_expect(archive, memory->break_start <= memory->break_end &&
		       memory->break_end < size, "break_end",
		       memory->break_end, "an address after the break's start");
	archive_expect(archive, memory->map_top <= size, "map_top",
		       memory->map_top,
		       "an address in the address space");
	archive_expect(archive, memory->stack_low <= memory->stack_high &&
		       memory->stack_high <= size, "stack_high",
		       memory->stack_high,
		       "an address in the space, after stack_low");
}

void exchange_memory(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct guest_memory *memory =
		checkpoint->loading ? NULL : checkpoint->memories[index];
	bool abi32 = memory && memory->abi32;
	uint64_t size = memory ? memory->space->size : 0;

	ARCHIVE_VALUE(archive, abi32, "abi32");
	ARCHIVE_VALUE(archive, size, "size");
	archive_expect(archive, abi32 ? size == UINT64_C(1) << 32
				      : size <= UINT64_C(1) << 48 &&
						!(size % SPACE_PAGE),
		       "size of an address space", size, "a size of the "
							 "process's ABI");
	if (archive->failed)
		return;
	if (checkpoint->loading) {
		/* The list has the only reference. */
		memory = memory_create(checkpoint->system, abi32,
				       checkpoint->error);
		if (!memory) {
			archive->failed = true;
			return;
		}
		ARRAY_GROW(checkpoint->memories, checkpoint->memory_count,
			   checkpoint->memory_capacity);
		checkpoint->regions = xrealloc(
			checkpoint->regions,
			(index + 1) * sizeof *checkpoint->regions);
		checkpoint->regions[index] = (struct saved_regions){ 0 };
		checkpoint->memories[checkpoint->memory_count++] = memory;
		if (size > memory->space->size &&
		    space_grow(memory->space, size) != 0)
			archive_fail(archive, "cannot reserve %" PRIu64
				     " GiB of address space", size >> 30);
	}
	exchange_guest_memory(archive, memory);
	check_memory(archive, memory);
	archive_text(archive, &memory->executable);
	if (archive->loading && memory->executable &&
	    !checkpoint->source->detached)
		open_program_again(checkpoint, memory);
	archive_blob(archive, &memory->command_line,
		     &memory->command_line_size);
	archive_blob(archive, &memory->environment, &memory->environment_size);
	archive_blob(archive, &memory->auxiliary, &memory->auxiliary_size);
	archive_blob(archive, &memory->ldt, &memory->ldt_size);
	ldt_apply(memory);
	exchange_shared(checkpoint, memory);
	if (!archive->failed)
		exchange_regions(checkpoint, index);
}

/* ---- The end ---- */

void memories_finish(struct checkpoint *checkpoint)
{
	for (size_t i = 0; i < checkpoint->memory_count; i++) {
		const struct saved_regions *regions = checkpoint->regions + i;

		for (size_t r = 0; r < regions->count; r++) {
			const struct space_region *region =
				&regions->list[r].region;
			int result = 0;

			if (!region->shared)
				result = space_protect(
					checkpoint->memories[i]->space,
					region->start,
					region->end - region->start,
					region->protection);
			if (result)
				archive_fail(checkpoint->archive,
					     "cannot protect the memory at 0x%"
					     PRIx64 ": %s", region->start,
					     strerror(-result));
		}
	}
}

void memories_free(struct checkpoint *checkpoint)
{
	for (size_t i = 0; checkpoint->regions &&
			   i < checkpoint->memory_count; i++) {
		for (size_t r = 0; r < checkpoint->regions[i].count; r++)
			free(checkpoint->regions[i].list[r].name);
		free(checkpoint->regions[i].list);
	}
	free(checkpoint->regions);
	if (checkpoint->loading)
		for (size_t i = 0; i < checkpoint->memory_count; i++)
			memory_release(checkpoint->memories[i]);
	free(checkpoint->memories);
}
