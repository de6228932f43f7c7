/* Memory of a process as debuggers reach it, whatever its protection. */
#include "x86/linux/memory/peek.h"
#include "x86/linux/state.h"

static size_t in_page(uint64_t address, size_t size)
{
	size_t here = SPACE_PAGE - address % SPACE_PAGE;

	return size < here ? size : here;
}

/* Bytes within one page. Data under PROT_NONE is still data. */
static int read_piece(struct space *space, uint64_t address, void *buffer,
		      size_t size)
{
	const struct space_region *region = space_region_at(space, address);
	uint64_t page = address - address % SPACE_PAGE;
	int result;

	if (!region || region->protection)
		return space_read(space, address, buffer, size);
	if (space_protect(space, page, SPACE_PAGE, SPACE_READ))
		return -1;
	result = space_read(space, address, buffer, size);
	return space_protect(space, page, SPACE_PAGE, 0) ? -1 : result;
}

size_t memory_peek(struct guest_memory *memory, uint64_t address,
		   void *buffer, size_t size)
{
	size_t done = 0;

	while (memory && done < size) {
		size_t piece = in_page(address + done, size - done);

		if (read_piece(memory->space, address + done,
			       (uint8_t *)buffer + done, piece))
			break;
		done += piece;
	}
	return done;
}

/* Bytes within one page, which may be read-only or code. */
static int write_piece(struct space *space, uint64_t address,
		       const void *buffer, size_t size)
{
	const struct space_region *region = space_region_at(space, address);
	uint64_t page = address - address % SPACE_PAGE;
	int protection, result;

	if (!region || region->shared || region->protection & SPACE_WRITE)
		return space_write(space, address, buffer, size);
	protection = region->protection;
	if (space_protect(space, page, SPACE_PAGE, SPACE_READ | SPACE_WRITE))
		return -1;
	result = space_write(space, address, buffer, size);
	return space_protect(space, page, SPACE_PAGE, protection) ? -1
								   : result;
}

size_t memory_poke(struct guest_memory *memory, uint64_t address,
		   const void *buffer, size_t size)
{
	size_t done = 0;

	while (memory && done < size) {
		size_t piece = in_page(address + done, size - done);

		if (write_piece(memory->space, address + done,
				(const uint8_t *)buffer + done, piece))
			break;
		done += piece;
	}
	return done;
}
