/* Pages out of a checkpoint. */
#include <inttypes.h>
#include <string.h>

#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/checkpoint/pages.h"
#include "x86/linux/state.h"

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
		archive_fail(archive, "%" PRIu64 " pages expected, only %zu "
				      "bytes are left", count,
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
