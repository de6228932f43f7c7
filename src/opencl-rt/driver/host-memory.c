/* Buffers and images whose bytes are in memory of the program,
 * CL_MEM_USE_HOST_PTR.
 *
 * OpenCL allows such a buffer to be cached on the device, and asks programs
 * to map it before they touch the bytes. Many do not, and work where the GPU
 * reaches the host's memory. So the program's memory is what counts here: the
 * copy in device memory is made anew before each command that reads it, and
 * every command that writes it writes the program's memory, too. */
#include <string.h>

#include "opencl-rt/driver/internal.h"

uint64_t host_box_start(const struct buffer *image, const struct box *box)
{
	return image->host_ptr +
	       box->origin[0] * image->image->format.size +
	       box->origin[1] * image->image->host_row +
	       box->origin[2] * image->image->host_slice;
}

bool host_box_fetch(struct opencl_driver *driver, struct buffer *image,
		    const struct box *box)
{
	return !image->host_ptr ||
	       image_from_program(driver, image, box,
				  host_box_start(image, box),
				  image->image->host_row,
				  image->image->host_slice);
}

enum { CHUNK = 4096 };

/* Only what has changed is written: what a kernel has just read may be a file that
 * is mapped for reading, or read by another thread now. */
static bool store_changes(struct opencl_driver *driver, uint64_t pointer,
			  const uint8_t *bytes, uint64_t size)
{
	uint8_t copy[CHUNK];
	const uint8_t *old;
	uint64_t part;

	for (uint64_t at = 0; at < size; at += part) {
		part = size - at < CHUNK ? size - at : CHUNK;
		old = driver->machine.same_memory
			      ? (const uint8_t *)(uintptr_t)(pointer + at)
			      : copy;
		if (old == copy &&
		    program_read(driver, pointer + at, copy, part))
			return false;
		if (memcmp(old, bytes + at, part) &&
		    program_deliver(driver, pointer + at, bytes + at, part,
				    true))
			return false;
	}
	return true;
}

bool host_box_store(struct opencl_driver *driver, struct buffer *image,
		    const struct box *box)
{
	uint64_t start = host_box_start(image, box);
	uint64_t width = box->region[0] * image->image->format.size;

	if (!image->host_ptr)
		return true;
	for (uint64_t z = 0; z < box->region[2]; z++)
		for (uint64_t y = 0; y < box->region[1]; y++)
			if (!store_changes(driver,
					   start + y * image->image->host_row +
						   z * image->image->host_slice,
					   image_row(driver, image, box, y, z),
					   width))
				return false;
	return true;
}

static void set_whole(struct box *box, const struct buffer *image)
{
	memset(box, 0, sizeof *box);
	memcpy(box->region, image->image->extent, sizeof box->region);
}

bool host_memory_fetch(struct opencl_driver *driver, struct buffer *buffer,
		       uint64_t offset, uint64_t size)
{
	struct box box;

	if (buffer->image) {
		set_whole(&box, buffer);
		return host_box_fetch(driver, buffer, &box);
	}
	return !buffer->host_ptr ||
	       !program_read(driver, buffer->host_ptr + offset,
			     buffer_bytes(driver, buffer, offset, size), size);
}

bool host_memory_store(struct opencl_driver *driver, struct buffer *buffer,
		       uint64_t offset, uint64_t size)
{
	struct box box;

	if (buffer->image) {
		set_whole(&box, buffer);
		return host_box_store(driver, buffer, &box);
	}
	return !buffer->host_ptr ||
	       store_changes(driver, buffer->host_ptr + offset,
			     buffer_bytes(driver, buffer, offset, size), size);
}

int64_t host_memory_failed(struct opencl_driver *driver,
			   const struct buffer *buffer)
{
	return transfer_failed(driver, "a buffer or image made with "
				       "CL_MEM_USE_HOST_PTR",
			       buffer->host_ptr, buffer->size);
}

int64_t transfer_failed(struct opencl_driver *driver, const char *call,
			uint64_t pointer, uint64_t size)
{
	struct error error;

	error_set(&error, "%s: the program has no %llu bytes of memory at "
			  "0x%llx (outside the simulator it would crash)",
		  call, (unsigned long long)size, (unsigned long long)pointer);
	return driver_fail(driver, &error);
}
