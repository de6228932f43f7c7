/* Writing a core file: an ELF header, the notes, and the memory that is the
 * process's own. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/core/core.h"
#include "x86/linux/core/notes.h"
#include "x86/linux/files/open.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/memory/peek.h"
#include "x86/linux/state.h"

enum { BATCH = 512 /* pages */ };

/* /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGE_HERE (UINT64_C(3) << 62) /* present, or swapped out */
#define PAGE_FILE (UINT64_C(1) << 61) /* still the file's, or shared */

struct core {
	struct guest_memory *memory;
	struct space_region *regions; /* without names */
	size_t count, capacity;
	uint64_t *sizes;              /* how much of each is in the file */
	int pagemap;                  /* the host's, or -1 */
	int file;
	uint64_t limit;               /* of the file's size */
};

/* ---- What is dumped ---- */

static void add_dumped_region(void *owner, const struct space_region *region)
{
	struct core *core = owner;

	ARRAY_GROW(core->regions, core->count, core->capacity);
	core->regions[core->count] = *region;
	core->regions[core->count++].name = NULL;
}

/* What the host says of pages; when it says nothing, all are touched. */
static void look(const struct core *core, const uint8_t *host, size_t pages,
		 uint64_t *entries)
{
	const uint64_t page = (uint64_t)(uintptr_t)host / SPACE_PAGE;
	const size_t size = pages * sizeof *entries;

	if (core->pagemap < 0 ||
	    pread(core->pagemap, entries, size,
		  (off_t)(page * sizeof *entries)) != (ssize_t)size)
		for (size_t i = 0; i < pages; i++)
			entries[i] = PAGE_HERE;
}

/* Calls visit(core, address, entry) for each page that the host has a place
 * for, while it returns true: what the last one returned. */
static bool each_page(struct core *core, const struct space_region *region,
		      bool (*visit)(struct core *core,
				    const struct space_region *region,
				    uint64_t address, uint64_t entry))
{
	const struct space *space = core->memory->space;
	uint64_t entries[BATCH], stop;

	for (uint64_t at = region->start; at < region->end; at = stop) {
		uint64_t end = region->end - at > BATCH * SPACE_PAGE
				       ? at + BATCH * SPACE_PAGE : region->end;
		const uint8_t *host = space_chunk(space, at, end, &stop);
		size_t pages = (size_t)(stop - at) / SPACE_PAGE;

		if (!host)
			continue;
		look(core, host, pages, entries);
		for (size_t i = 0; i < pages; i++)
			if (!visit(core, region, at + i * SPACE_PAGE,
				   entries[i]))
				return false;
	}
	return true;
}

static bool is_the_files(struct core *core, const struct space_region *region,
			 uint64_t address, uint64_t entry)
{
	(void)core;
	(void)region;
	(void)address;
	return !(entry & PAGE_HERE) || (entry & PAGE_FILE);
}

/* The choice of coredump_filter's default, 0x33: anonymous memory, private
 * mappings that were written, and the first page of an ELF file. */
static uint64_t dumped_size(struct core *core,
			    const struct space_region *region)
{
	uint8_t start[SELFMAG];

	if (region->flags & SPACE_DONT_DUMP)
		return 0;
	if (region->anonymous)
		return region->end - region->start;
	if (!region->shared && !each_page(core, region, is_the_files))
		return region->end - region->start;
	return !region->offset &&
			       memory_peek(core->memory, region->start, start,
					   sizeof start) == sizeof start &&
			       !memcmp(start, ELFMAG, SELFMAG)
		       ? SPACE_PAGE : 0;
}

/* ---- Writing ---- */

/* Writes as far as the limit allows. False when no more can be written. */
static bool write_at(const struct core *core, const void *bytes, size_t size,
		     uint64_t offset)
{
	const uint8_t *at = bytes;

	if (offset >= core->limit)
		return false;
	if (size > core->limit - offset)
		size = (size_t)(core->limit - offset);
	while (size) {
		ssize_t done = pwrite(core->file, at, size, (off_t)offset);

		if (done <= 0)
			return false;
		at += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

/* In what was never touched the file has holes. */
static bool write_page(const struct core *core, uint64_t address,
		       uint64_t offset)
{
	uint8_t page[SPACE_PAGE];

	if (memory_peek(core->memory, address, page, sizeof page) !=
		    sizeof page ||
	    (!page[0] && !memcmp(page, page + 1, sizeof page - 1)))
		return true;
	return write_at(core, page, sizeof page, offset);
}

static void write_region(struct core *core, const struct space_region *region,
			 uint64_t size, uint64_t offset)
{
	const struct space *space = core->memory->space;
	bool all = region->shared || !region->anonymous;
	uint64_t entries[BATCH], stop;

	for (uint64_t at = region->start, end = at + size; at < end;
	     at = stop) {
		uint64_t most = end - at > BATCH * SPACE_PAGE
					? at + BATCH * SPACE_PAGE : end;
		const uint8_t *host = space_chunk(space, at, most, &stop);

		if (!host)
			continue;
		look(core, host, (size_t)(stop - at) / SPACE_PAGE, entries);
		for (uint64_t page = at; page < stop; page += SPACE_PAGE) {
			if (!all &&
			    !(entries[(page - at) / SPACE_PAGE] & PAGE_HERE) &&
			    !space_page_shared(space, page))
				continue;
			if (!write_page(core, page,
					offset + (page - region->start)))
				return;
		}
	}
}

/* Segments come in the order of addresses, the notes first. */
static void put_segment(struct core_bytes *bytes, bool abi32, uint32_t type,
			uint32_t flags, uint64_t offset, uint64_t address,
			uint64_t file_size, uint64_t size)
{
	const uint64_t alignment = type == PT_LOAD ? SPACE_PAGE : 4;
	const Elf64_Phdr wide = {
		.p_type = type, .p_flags = flags, .p_offset = offset,
		.p_vaddr = address, .p_filesz = file_size, .p_memsz = size,
		.p_align = alignment,
	};
	const Elf32_Phdr narrow = {
		.p_type = type, .p_flags = flags,
		.p_offset = (uint32_t)offset, .p_vaddr = (uint32_t)address,
		.p_filesz = (uint32_t)file_size, .p_memsz = (uint32_t)size,
		.p_align = (uint32_t)alignment,
	};

	if (abi32)
		core_put(bytes, &narrow, sizeof narrow);
	else
		core_put(bytes, &wide, sizeof wide);
}

static void put_header(struct core_bytes *bytes, bool abi32, size_t segments)
{
	Elf64_Ehdr wide = {
		.e_type = ET_CORE, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_phoff = sizeof wide,
		.e_ehsize = sizeof wide, .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)segments,
	};
	Elf32_Ehdr narrow = {
		.e_type = ET_CORE, .e_machine = EM_386,
		.e_version = EV_CURRENT, .e_phoff = sizeof narrow,
		.e_ehsize = sizeof narrow, .e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = (uint16_t)segments,
	};
	uint8_t *identity = abi32 ? narrow.e_ident : wide.e_ident;

	memcpy(identity, ELFMAG, SELFMAG);
	identity[EI_CLASS] = abi32 ? ELFCLASS32 : ELFCLASS64;
	identity[EI_DATA] = ELFDATA2LSB;
	identity[EI_VERSION] = EV_CURRENT;
	if (abi32)
		core_put(bytes, &narrow, sizeof narrow);
	else
		core_put(bytes, &wide, sizeof wide);
}

static uint32_t segment_flags(int protection)
{
	return (protection & SPACE_READ ? PF_R : 0) |
	       (protection & SPACE_WRITE ? PF_W : 0) |
	       (protection & SPACE_EXECUTE ? PF_X : 0);
}

static void write_file(struct core *core, const struct core_bytes *notes)
{
	const bool abi32 = core->memory->abi32;
	const size_t entry = abi32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
	/* More than that a header cannot count. */
	const size_t count = core->count < PN_XNUM - 2 ? core->count
						       : PN_XNUM - 2;
	const uint64_t start = (abi32 ? sizeof(Elf32_Ehdr)
				      : sizeof(Elf64_Ehdr)) +
			       (count + 1) * entry;
	uint64_t data = page_up(start + notes->size), at = data;
	struct core_bytes head = { 0 };

	put_header(&head, abi32, count + 1);
	put_segment(&head, abi32, PT_NOTE, 0, start, 0, notes->size, 0);
	for (size_t i = 0; i < count; i++) {
		const struct space_region *region = core->regions + i;

		put_segment(&head, abi32, PT_LOAD,
			    segment_flags(region->protection), at,
			    region->start, core->sizes[i],
			    region->end - region->start);
		at += core->sizes[i];
	}
	write_at(core, head.list, head.size, 0);
	write_at(core, notes->list, notes->size, start);
	free(head.list);
	for (size_t i = 0; i < count; i++) {
		write_region(core, core->regions + i, core->sizes[i], data);
		data += core->sizes[i];
	}
	if (ftruncate(core->file,
		      (off_t)(at < core->limit ? at : core->limit)) != 0)
		return; /* shorter, as on a full disk */
}

/* RLIMIT_CORE, as far as files may grow at all; less than a page is too little
 * for a dump. */
static uint64_t size_limit(const struct process *process)
{
	uint64_t limit = process->limit[RLIMIT_CORE][0];

	if (limit > process->limit[RLIMIT_FSIZE][0])
		limit = process->limit[RLIMIT_FSIZE][0];
	if (limit > INT64_MAX)
		limit = INT64_MAX;
	return limit < SPACE_PAGE ? 0 : limit;
}

bool core_dump(struct context *context,
	       const struct signal_information *information)
{
	struct process *process = context->process;
	struct core core = { .memory = process->memory,
			     .limit = size_limit(process) };
	struct core_bytes notes = { 0 };
	char name[PATH_MAX];

	if (!core.limit || !process->dumpable ||
	    !core_name(context, information->number, name, sizeof name))
		return false;
	identity_enter(process->system, &process->system->own_identity);
	core.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	identity_enter(process->system, &process->credentials);
	core.file = path_make_anew(context, name, 0600);
	if (core.file < 0) {
		if (core.pagemap >= 0)
			close(core.pagemap);
		return false;
	}
	core_put_notes(&notes, context, information);
	space_visit(core.memory->space, add_dumped_region, &core);
	core.sizes = xcalloc(core.count, sizeof *core.sizes);
	for (size_t i = 0; i < core.count; i++)
		core.sizes[i] = dumped_size(&core, core.regions + i);
	write_file(&core, &notes);
	if (core.pagemap >= 0)
		close(core.pagemap);
	close(core.file);
	free(notes.list);
	free(core.regions);
	free(core.sizes);
	return true;
}
