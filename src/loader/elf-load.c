/* ELF images mapped into a space: segments straight from the file, copied
 * where the page does not fit; .bss behind them. */
#include "loader/elf-internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Pages that hold only zeros, after the end of what the file fills. */
static int map_zero(const struct elf_image *image, struct space *space,
		    uint64_t from, uint64_t to, int protection,
		    struct error *error)
{
	int result;

	if (from >= to)
		return 0;
	result = space_map(space, from, to - from, protection, false, -1, 0,
			   "");
	if (result)
		return error_set(error,
				 "%s: cannot map 0x%" PRIx64 " bytes at "
				 "0x%" PRIx64 ": %s", image->path, to - from,
				 from, strerror(-result));
	return 0;
}

/* A segment whose address and offset disagree within the page cannot be
 * mapped: its bytes are copied. */
static int copy_segment(const struct elf_image *image, struct space *space,
			const struct elf_segment *segment, uint64_t address,
			struct error *error)
{
	uint8_t *bytes = xmalloc(segment->file_size + 1);
	int result = -1;

	if (map_zero(image, space, elf_page_down(address),
		     elf_page_up(address + segment->memory_size),
		     SPACE_READ | SPACE_WRITE, error)) {
		free(bytes);
		return -1;
	}
	if (elf_read_exactly(image->file, bytes, segment->file_size,
			     segment->offset) ||
	    space_write(space, address, bytes, segment->file_size))
		error_set(error, "%s: cannot read a segment", image->path);
	else
		result = space_protect(space, elf_page_down(address),
				       elf_page_up(address +
						   segment->memory_size) -
					       elf_page_down(address),
				       segment->protection);
	free(bytes);
	return result ? -1 : 0;
}

static int map_segment(const struct elf_image *image, struct space *space,
		       const struct elf_segment *segment, uint64_t address,
		       struct error *error)
{
	uint64_t start = elf_page_down(address);
	uint64_t file_end = address + segment->file_size;
	uint64_t memory_end = elf_page_up(address + segment->memory_size);
	bool zeros = segment->memory_size > segment->file_size;
	int result;

	if (segment->file_size == 0)
		return map_zero(image, space, start, memory_end,
				segment->protection, error);
	result = space_map(space, start, elf_page_up(file_end) - start,
			   zeros ? segment->protection | SPACE_WRITE
				 : segment->protection,
			   false, image->file,
			   elf_page_down(segment->offset), image->path);
	if (result)
		return error_set(error,
				 "%s: cannot map a segment at 0x%" PRIx64
				 ": %s", image->path, start,
				 strerror(-result));
	if (!zeros)
		return 0;
	/* The rest of the last file page is part of .bss. */
	if (elf_page_up(file_end) > file_end) {
		static const uint8_t nothing[SPACE_PAGE];

		if (space_write(space, file_end, nothing,
				elf_page_up(file_end) - file_end))
			return error_set(error,
					 "%s: cannot clear .bss at "
					 "0x%" PRIx64, image->path, file_end);
	}
	if (!(segment->protection & SPACE_WRITE))
		space_protect(space, start, elf_page_up(file_end) - start,
			      segment->protection);
	return map_zero(image, space, elf_page_up(file_end), memory_end,
			segment->protection, error);
}

int elf_load(const struct elf_image *image, struct space *space,
	     uint64_t bias, FILE *log, struct error *error)
{
	if (image->high + bias > space->end || image->high + bias < bias)
		return error_set(error,
				 "%s: the program's addresses reach 0x%" PRIx64
				 ", beyond the end of the guest's address "
				 "space at 0x%" PRIx64,
				 image->path, image->high + bias,
				 space->end);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = image->segments + i;
		uint64_t address = segment->address + bias;
		int result;

		if (log)
			fprintf(log,
				"%s: segment 0x%" PRIx64 "-0x%" PRIx64
				" %s from offset 0x%" PRIx64
				", 0x%" PRIx64 " bytes\n",
				image->path, address,
				address + segment->memory_size,
				space_protection_text(segment->protection),
				segment->offset, segment->file_size);
		if ((segment->address ^ segment->offset) % SPACE_PAGE)
			result = copy_segment(image, space, segment, address,
					      error);
		else
			result = map_segment(image, space, segment, address,
					     error);
		if (result)
			return -1;
	}
	return 0;
}
