/* Guest memory as a system call's arguments lead to it. */
#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

bool guest_grow(const struct context *context, uint64_t address, uint64_t size)
{
	struct guest_memory *memory = context->process->memory;
	uint64_t limit = context->process->limit[RLIMIT_STACK][0];
	const struct space_region *region =
		space_region_above(memory->space, address);

	while (region && region->start <= address && region->end > address &&
	       region->end - address < size) {
		size -= region->end - address;
		address = region->end;
		region = space_region_above(memory->space, address);
	}
	return (!region || region->start > address) &&
	       memory_grow_down(memory, address, limit);
}

int guest_get(const struct context *context, uint64_t address, void *buffer,
	      size_t size)
{
	struct space *space = context->cpu->space;

	return space_read(space, address, buffer, size) &&
			       !(guest_grow(context, address, size) &&
				 !space_read(space, address, buffer, size))
		       ? -EFAULT
		       : 0;
}

int guest_put(const struct context *context, uint64_t address,
	      const void *buffer, size_t size)
{
	struct space *space = context->cpu->space;

	return space_write(space, address, buffer, size) &&
			       !(guest_grow(context, address, size) &&
				 !space_write(space, address, buffer, size))
		       ? -EFAULT
		       : 0;
}

int guest_get_word(const struct context *context, uint64_t address,
		   uint64_t *value)
{
	*value = 0;
	return guest_get(context, address, value, context->abi32 ? 4 : 8);
}

int guest_put_word(const struct context *context, uint64_t address,
		   uint64_t value)
{
	return guest_put(context, address, &value, context->abi32 ? 4 : 8);
}

int guest_get_string(const struct context *context, uint64_t address,
		     char *buffer, size_t size)
{
	long length = space_read_string(context->cpu->space, address, buffer,
					size);

	return length >= 0 ? (int)length
	       : length == -1 ? -EFAULT
			      : -ENAMETOOLONG;
}

void *guest_bytes(const struct context *context, uint64_t address,
		  uint64_t *size, bool write)
{
	struct space *space = context->cpu->space;
	uint64_t end = address + *size, at = address;

	if (end < address || end > space->end)
		end = space->end;
	guest_grow(context, address, end - address);
	while (at < end) {
		const struct space_region *region = space_region_at(space, at);

		if (!region || !(write ? region->protection & SPACE_WRITE
				       : region->protection))
			break;
		at = region->end;
	}
	if (at > end)
		at = end;
	if (at <= address)
		return *size ? NULL : space->base;
	*size = at - address;
	if (write && space_prepare_write(space, address, *size))
		return NULL;
	return space_host(space, address, *size);
}

static int list_vectors(const struct context *context, uint64_t address,
			uint64_t count, bool write, struct iovec *list)
{
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t room = TRANSFER_MAX;
	int used = 0;

	if (count > IOV_MAX)
		return -EINVAL;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t base, size, whole;
		void *bytes;

		if (guest_get_word(context, address + 2 * i * word, &base) ||
		    guest_get_word(context, address + (2 * i + 1) * word,
				   &size))
			return -EFAULT;
		if (size > (context->abi32 ? INT32_MAX : INT64_MAX))
			return -EINVAL;
		if (size > room)
			size = room;
		if (!size)
			continue;
		room -= size;
		whole = size;
		bytes = guest_bytes(context, base, &size, write);
		if (!bytes)
			return used ? used : -EFAULT;
		list[used].iov_base = bytes;
		list[used++].iov_len = size;
		if (size < whole)
			break;
	}
	return used;
}

int guest_vectors(const struct context *context, uint64_t address,
		  uint64_t count, bool write, struct iovec *list)
{
	const struct space *space = context->cpu->space;
	uint64_t moves;
	int used;

	/* A later buffer may have moved an earlier one. */
	do {
		moves = space->moves;
		used = list_vectors(context, address, count, write, list);
	} while (space->moves != moves);
	return used;
}

int guest_get_time(const struct context *context, uint64_t address, bool wide,
		   int64_t *nanoseconds)
{
	int64_t seconds, fraction;

	if (wide || !context->abi32) {
		int64_t fields[2];

		if (guest_get(context, address, fields, sizeof fields))
			return -EFAULT;
		seconds = fields[0];
		/* On i386 the upper half of tv_nsec is padding. */
		fraction = context->abi32 ? (int32_t)fields[1] : fields[1];
	} else {
		int32_t fields[2];

		if (guest_get(context, address, fields, sizeof fields))
			return -EFAULT;
		seconds = fields[0];
		fraction = fields[1];
	}
	if (seconds < 0 || fraction < 0 || fraction > 999999999)
		return -EINVAL;
	if (seconds > TIME_END / 1000000000)
		seconds = TIME_END / 1000000000;
	*nanoseconds = seconds * 1000000000 + fraction;
	return 0;
}

int guest_put_time(const struct context *context, uint64_t address, bool wide,
		   int64_t nanoseconds)
{
	int64_t fields[2] = { nanoseconds / 1000000000,
			      nanoseconds % 1000000000 };

	if (!wide && context->abi32) {
		int32_t narrow[2] = { (int32_t)fields[0], (int32_t)fields[1] };

		return guest_put(context, address, narrow, sizeof narrow);
	}
	return guest_put(context, address, fields, sizeof fields);
}
