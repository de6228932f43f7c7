/* The memory of the calling program. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/internal.h"

cl_int program_read(struct opencl_driver *driver, uint64_t address,
		    void *buffer, uint64_t size)
{
	if (!size)
		return CL_SUCCESS;
	return driver->machine.read(driver->machine.owner, address, buffer,
				    size) ? CL_INVALID_VALUE : CL_SUCCESS;
}

cl_int program_write(struct opencl_driver *driver, uint64_t address,
		     const void *buffer, uint64_t size)
{
	if (!size)
		return CL_SUCCESS;
	return driver->machine.write(driver->machine.owner, address, buffer,
				     size) ? CL_INVALID_VALUE : CL_SUCCESS;
}

cl_int program_deliver(struct opencl_driver *driver, uint64_t address,
		       const void *buffer, uint64_t size, bool direct)
{
	const struct opencl_machine *machine = &driver->machine;

	if (!size || !direct || !machine->deliver)
		return program_write(driver, address, buffer, size);
	return machine->deliver(machine->owner, address, buffer, size)
		       ? CL_INVALID_VALUE
		       : CL_SUCCESS;
}

cl_int program_read_words(struct opencl_driver *driver, uint64_t address,
			  uint64_t *words, uint64_t count)
{
	uint32_t small;

	for (uint64_t i = 0; i < count; i++) {
		if (driver->word == 8) {
			if (program_read(driver, address + 8 * i, &words[i], 8))
				return CL_INVALID_VALUE;
		} else {
			if (program_read(driver, address + 4 * i, &small, 4))
				return CL_INVALID_VALUE;
			words[i] = small;
		}
	}
	return CL_SUCCESS;
}

/* Little-endian on both sides: the low bytes are the word. */
cl_int program_write_word(struct opencl_driver *driver, uint64_t address,
			  uint64_t index, uint64_t word)
{
	return program_write(driver, address + index * driver->word, &word,
			     driver->word);
}

cl_int program_write_u32(struct opencl_driver *driver, uint64_t address,
			 uint32_t value)
{
	if (!address)
		return CL_SUCCESS;
	return program_write(driver, address, &value, sizeof value);
}

/* Reads piece by piece up to the next 64-byte boundary, so that it never
 * touches a page behind the string's end. */
char *program_string(struct opencl_driver *driver, uint64_t address)
{
	enum { PIECE = 64 };
	char *text = NULL;
	size_t used = 0, piece, capacity = 0;
	int64_t length;

	if (driver->machine.string_length) {
		length = driver->machine.string_length(driver->machine.owner,
						       address);
		return length < 0 ? NULL
				  : (char *)program_copy(driver, address,
							 (uint64_t)length);
	}
	do {
		piece = PIECE - (address + used) % PIECE;
		if (used + piece > capacity) {
			capacity = 2 * capacity + PIECE;
			text = xrealloc(text, capacity);
		}
		if (program_read(driver, address + used, text + used, piece)) {
			free(text);
			return NULL;
		}
		used += piece;
	} while (!memchr(text + used - piece, 0, piece));
	return text;
}

/* Grows as the bytes prove to be there, so that a wrong size costs nothing. */
uint8_t *program_copy(struct opencl_driver *driver, uint64_t address,
		      uint64_t size)
{
	uint64_t used = 0, piece = 1 << 20;
	uint8_t *bytes = xmalloc(1);

	for (; used < size; used += piece) {
		if (piece > size - used)
			piece = size - used;
		bytes = xrealloc(bytes, used + piece + 1);
		if (program_read(driver, address + used, bytes + used, piece)) {
			free(bytes);
			return NULL;
		}
	}
	bytes[used] = 0;
	return bytes;
}
