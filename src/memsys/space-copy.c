/* Copies into and out of a guest's memory that are no executed instruction. */
#include "memsys/space-internal.h"

#include <string.h>

#include "memsys/host-fault.h"

/* memcpy whose guest side may fault (a file shorter than its mapping). */
static int guarded_copy(const struct space *space, void *to, const void *from,
			size_t size)
{
	struct host_fault fault;
	volatile int result = 0;

	host_fault_enter(&fault, space->base, space->size);
	if (sigsetjmp(fault.environment, 0))
		result = -1;
	else
		memcpy(to, from, size);
	host_fault_leave(&fault);
	return result;
}

int space_read(const struct space *space, uint64_t address, void *buffer,
	       size_t size)
{
	if (!space_readable(space, address, size))
		return -1;
	return guarded_copy(space, buffer, space->base + address, size);
}

int space_prepare_write(struct space *space, uint64_t address, uint64_t size)
{
	if (!space_check(space, address, size, SPACE_WRITE))
		return -1;
	space_watch_each(space, address, address + size, space_unwatch_page);
	return 0;
}

int space_write(struct space *space, uint64_t address, const void *buffer,
		size_t size)
{
	if (space_prepare_write(space, address, size))
		return -1;
	return guarded_copy(space, space->base + address, buffer, size);
}

long space_read_string(const struct space *space, uint64_t address,
		       char *buffer, size_t size)
{
	size_t length = 0;

	while (length < size) {
		size_t piece = SPACE_PAGE - (address + length) % SPACE_PAGE;
		char *end;

		if (piece > size - length)
			piece = size - length;
		if (space_read(space, address + length, buffer + length,
			       piece))
			return -1;
		end = memchr(buffer + length, 0, piece);
		if (end)
			return end - buffer;
		length += piece;
	}
	return -1;
}
