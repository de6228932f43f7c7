/* Address spaces in a checkpoint: regions, and the pages of private ones.
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
#include "memsys/host-fault.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/memory/ldt.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/state.h"

enum {
	PAGES_CHUNK = 1 << 20, /* bytes of a PAGE section, about */
	BATCH = 512,           /* pages looked at together */
};

/* What follows a run's address and count in a PAGE section. */
enum run_kind { RUN_DATA, RUN_ZERO };

struct saved_region {
	struct space_region region;
	char *name;
	uint64_t extent; /* pages from the start that could be read: a file
	                  * may be shorter than its mapping */
};

struct saved_regions {
	struct saved_region *list;
	size_t count, capacity;
};

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

static bool is_file(const struct space_region *region)
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
			     "which is no regular file: a checkpoint cannot "
			     "hold that", shared->name);
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
			if (is_file(&regions->list[r].region))
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
	    !is_file(&region))
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
		       memory->map_top, "an address");
	archive_expect(archive, memory->stack_low <= memory->stack_high &&
		       memory->stack_high <= size, "stack_high",
		       memory->stack_high, "an address");
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
		       "size of an address space", size, "one of that ABI");
	if (archive->failed)
		return;
	if (checkpoint->loading) {
		/* With one reference: the list's. */
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

/* ---- Saving pages ---- */

#define NO_RUN UINT64_MAX

struct page_saver {
	struct checkpoint_writer *writer;
	const struct space *space;
	uint64_t memory;     /* index */
	bool open;           /* a section has begun */
	size_t run;          /* where its last run begins in the archive */
	uint64_t next;       /* address after that run, or NO_RUN */
	uint32_t count, kind;
	int pagemap;
	bool failed;
};

static void flush(struct page_saver *saver)
{
	if (saver->open && writer_end(saver->writer))
		saver->failed = true;
	saver->open = false;
	saver->next = NO_RUN;
}

static void save_page(struct page_saver *saver, uint64_t address,
		      const uint8_t *bytes, enum run_kind kind)
{
	struct archive *archive = &saver->writer->archive;

	if (saver->open && archive->size >= PAGES_CHUNK)
		flush(saver);
	if (!saver->open) {
		writer_begin(saver->writer, "PAGE");
		ARCHIVE_VALUE(archive, saver->memory, "memory");
		saver->open = true;
	}
	if (saver->next != address || saver->kind != kind) {
		saver->kind = kind;
		saver->count = 0;
		ARCHIVE_VALUE(archive, address, "address");
		ARCHIVE_VALUE(archive, saver->kind, "kind");
		saver->run = archive->size;
		ARCHIVE_VALUE(archive, saver->count, "count");
	}
	saver->count++;
	memcpy(archive->bytes + saver->run, &saver->count,
	       sizeof saver->count);
	saver->next = address + SPACE_PAGE;
	if (kind == RUN_DATA)
		archive_bytes(archive, (void *)(uintptr_t)bytes, SPACE_PAGE);
}

/* memcpy out of guest memory that may fault. */
static bool copy_out(const struct space *space, const uint8_t *host,
		     uint8_t *to, size_t size)
{
	struct host_fault fault;
	volatile bool good = true;

	space_fault_enter(&fault, space);
	if (sigsetjmp(fault.environment, 0))
		good = false;
	else
		memcpy(to, host, size);
	host_fault_leave(&fault);
	return good;
}

static bool is_zero(const uint8_t *page)
{
	return !page[0] && !memcmp(page, page + 1, SPACE_PAGE - 1);
}

/* Entries of /proc/self/pagemap: whether a page was ever touched. */
static void find_touched(const struct page_saver *saver, const uint8_t *at,
			 size_t pages, uint64_t *entries)
{
	uint64_t host = (uint64_t)(uintptr_t)at;
	size_t size = pages * sizeof *entries;

	if (saver->pagemap < 0 ||
	    pread(saver->pagemap, entries, size,
		  (off_t)(host / SPACE_PAGE * sizeof *entries)) !=
		    (ssize_t)size)
		memset(entries, 0xff, size);
}

static void save_batch(struct page_saver *saver, uint64_t address,
		       const uint8_t *host, size_t pages, bool file)
{
	uint64_t touched[BATCH];
	uint8_t page[SPACE_PAGE];

	find_touched(saver, host, pages, touched);
	for (size_t i = 0; i < pages && !saver->failed; i++) {
		uint64_t at = address + i * SPACE_PAGE;

		/* Present or swapped out; anonymous memory that is neither
		 * reads as zeros, unless a fork has shared it. */
		if (!file && !(touched[i] >> 62) &&
		    !space_page_shared(saver->space, at))
			continue;
		if (!copy_out(saver->space, host + i * SPACE_PAGE, page,
			      sizeof page))
			continue;
		if (!is_zero(page))
			save_page(saver, at, page, RUN_DATA);
		else if (file)
			save_page(saver, at, page, RUN_ZERO);
	}
}

/* What the host has in one place. */
static void save_chunk(struct page_saver *saver, uint64_t start, uint64_t end,
		       uint8_t *host, const struct space_region *region)
{
	uint64_t size = end - start, done = 0;

	/* Data under PROT_NONE is still data. */
	if (!region->protection && mprotect(host, size, PROT_READ) != 0)
		return;
	while (done < size) {
		uint64_t pages = (size - done) / SPACE_PAGE;

		if (pages > BATCH)
			pages = BATCH;
		save_batch(saver, start + done, host + done, pages,
			   is_file(region));
		done += pages * SPACE_PAGE;
	}
	if (!region->protection)
		mprotect(host, size, PROT_NONE);
}

static void save_region(struct page_saver *saver,
			const struct saved_region *saved)
{
	const struct space_region *region = &saved->region;
	uint64_t end = region->start + saved->extent * SPACE_PAGE, stop;

	if (region->shared)
		return;
	saver->next = NO_RUN; /* a run lies in one region */
	for (uint64_t at = region->start; at < end; at = stop) {
		uint8_t *host = space_chunk(saver->space, at, end, &stop);

		if (host)
			save_chunk(saver, at, stop, host, region);
	}
}

int memories_save_pages(struct checkpoint *checkpoint,
			struct checkpoint_writer *writer)
{
	struct page_saver saver = {
		.writer = writer, .next = NO_RUN,
		.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC),
	};

	for (size_t i = 0; i < checkpoint->memory_count; i++) {
		const struct saved_regions *regions = checkpoint->regions + i;

		saver.space = checkpoint->memories[i]->space;
		saver.memory = i;
		for (size_t r = 0; r < regions->count && !saver.failed; r++)
			save_region(&saver, regions->list + r);
		flush(&saver);
	}
	if (saver.pagemap >= 0)
		close(saver.pagemap);
	return saver.failed ? -1 : 0;
}

/* ---- Loading pages ---- */

/* A page that a file's mapping already shows needs no copy of its own. */
static int load_page(struct space *space, uint64_t address,
		     const uint8_t *bytes, bool anonymous)
{
	uint8_t old[SPACE_PAGE];

	if (!anonymous && space_read(space, address, old, sizeof old) == 0 &&
	    !memcmp(old, bytes, sizeof old))
		return 0;
	return space_write(space, address, bytes, SPACE_PAGE);
}

static void load_run(struct checkpoint *checkpoint, struct space *space,
		     uint64_t address, uint64_t count, uint32_t kind)
{
	static const uint8_t zeros[SPACE_PAGE];
	struct archive *archive = checkpoint->archive;
	const struct space_region *region = space_region_at(space, address);
	const uint8_t *bytes = archive->bytes + archive->at;
	uint64_t size = count * SPACE_PAGE;
	int result = 0;

	if (!region || region->shared || address % SPACE_PAGE || !count ||
	    size > region->end - address) {
		archive_fail(archive, "%" PRIu64 " pages at 0x%" PRIx64
			     " are not inside a private region", count,
			     address);
		return;
	}
	if (kind == RUN_DATA && size > archive->size - archive->at) {
		archive_fail(archive, "%" PRIu64 " pages are expected, only "
			     "%zu bytes are left", count,
			     archive->size - archive->at);
		return;
	}
	if (kind == RUN_DATA && region->anonymous)
		result = space_write(space, address, bytes, size);
	for (uint64_t i = 0; i < count && !result; i++) {
		if (region->anonymous)
			break;
		result = load_page(space, address + i * SPACE_PAGE,
				   kind == RUN_ZERO ? zeros
						    : bytes + i * SPACE_PAGE,
				   region->anonymous);
	}
	if (result)
		archive_fail(archive, "cannot write the pages at 0x%" PRIx64,
			     address);
	if (kind == RUN_DATA)
		archive->at += size;
}

void memories_load_pages(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	uint64_t index = 0;

	ARCHIVE_VALUE(archive, index, "memory");
	archive_expect(archive, index < checkpoint->memory_count, "memory",
		       index, "one of the address spaces");
	while (!archive->failed && archive->at < archive->size) {
		uint64_t address = 0;
		uint32_t count = 0, kind = 0;

		ARCHIVE_VALUE(archive, address, "address");
		ARCHIVE_VALUE(archive, kind, "kind");
		ARCHIVE_VALUE(archive, count, "count");
		archive_expect(archive, kind <= RUN_ZERO, "kind of pages",
			       kind, "0 or 1");
		if (!archive->failed)
			load_run(checkpoint,
				 checkpoint->memories[index]->space, address,
				 count, kind);
	}
}

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
