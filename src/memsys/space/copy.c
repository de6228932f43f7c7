/* Copies into and out of a guest's memory that are no executed instruction. */
#include "memsys/space/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memsys/space/host-fault.h"
#include "memsys/space/layer.h"

static bool in_space(const void *space, const uint8_t *host)
{
	uint64_t address;

	return space_guest(space, host, &address);
}

void space_fault_enter(struct host_fault *fault, const struct space *space)
{
	host_fault_enter(fault, NULL, 0);
	fault->holds = in_space;
	fault->owner = space;
}

int space_copy(const struct space *space, void *to, const void *from,
	       size_t size)
{
	struct host_fault fault;
	volatile int result = 0;

	space_fault_enter(&fault, space);
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
	const uint8_t *host;

	if (!space_readable(space, address, size))
		return -1;
	if (!size)
		return 0;
	/* The host's side of a guest's memory is no part of its state. */
	host = space_host((struct space *)space, address, size);
	return host ? space_copy(space, buffer, host, size) : -1;
}

static int prepare(struct space *space, uint64_t address, uint64_t size,
		   bool buffer)
{
	if (!space_check(space, address, size, SPACE_WRITE))
		return -1;
	space_watch_each(space, address, address + size, space_unwatch_page);
	if (space->observer.written && size)
		space->observer.written(space->observer.owner, address,
					address + size, buffer);
	return 0;
}

int space_prepare_write(struct space *space, uint64_t address, uint64_t size)
{
	return prepare(space, address, size, true);
}

int space_write(struct space *space, uint64_t address, const void *buffer,
		size_t size)
{
	uint8_t *host;

	if (prepare(space, address, size, false))
		return -1;
	if (!size)
		return 0;
	host = space_host(space, address, size);
	return host ? space_copy(space, host, buffer, size) : -1;
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
	return -2;
}

/* ---- Into files ---- */

static int write_all(int file, const uint8_t *from, uint64_t size,
		     uint64_t offset)
{
	while (size) {
		ssize_t done = pwrite(file, from, size, (off_t)offset);

		if (done <= 0)
			return done ? -errno : -EIO;
		from += done;
		offset += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

static int write_chunks(const struct space *space, uint64_t start, uint64_t end,
			int file, uint64_t offset)
{
	uint64_t stop;
	int result = 0;

	for (uint64_t at = start; at < end && !result; at = stop) {
		const uint8_t *host = space_chunk(space, at, end, &stop);

		if (host)
			result = write_all(file, host, stop - at,
					   offset + (at - start));
	}
	return result;
}

int space_store_pages(const struct space *space, uint64_t start, uint64_t end,
		      int file, uint64_t offset)
{
	const struct region *region = space_region_from(space, start);
	int result = 0;

	for (uint64_t at = start; region && at < end && !result;
	     region = space_region_next(region)) {
		uint64_t stop = region->public.end < end ? region->public.end
							 : end;
		bool hidden = !region->public.protection;

		/* Data under PROT_NONE is still data. */
		if (hidden)
			space_host_protect(space, at, stop, PROT_READ);
		result = write_chunks(space, at, stop, file,
				      offset + (at - start));
		if (hidden)
			space_host_protect(space, at, stop, PROT_NONE);
		at = stop;
	}
	return result;
}
