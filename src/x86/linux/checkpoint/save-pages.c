/* Pages into a checkpoint: of private regions every one that differs from what
 * a fresh mapping shows. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memsys/space/host-fault.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/checkpoint/pages.h"
#include "x86/linux/state.h"

enum {
	PAGES_CHUNK = 1 << 20, /* bytes of a PAGE section, about */
	BATCH = 512,           /* pages looked at together */
};

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
static bool copy_page_out(const struct space *space, const uint8_t *host,
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
		if (!copy_page_out(saver->space, host + i * SPACE_PAGE, page,
				   sizeof page))
			continue;
		if (!is_zero(page))
			save_page(saver, at, page, RUN_DATA);
		else if (file)
			save_page(saver, at, page, RUN_ZERO);
	}
}

/* Saves pages that are contiguous on the host. */
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
			   region_is_file(region));
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
