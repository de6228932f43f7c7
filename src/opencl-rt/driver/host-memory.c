/* Buffers whose bytes are in memory of the program, CL_MEM_USE_HOST_PTR.
 *
 * OpenCL allows such a buffer to be cached on the device, and asks programs
 * to map it before they touch the bytes. Many do not, and work where the GPU
 * reaches the host's memory. So the program's memory is what counts here: the
 * copy in device memory is made anew before each command that reads it, and
 * every command that writes it writes the program's memory, too. */
#include "opencl-rt/driver/internal.h"

bool host_memory_fetch(struct opencl_driver *driver, struct buffer *buffer,
		       uint64_t offset, uint64_t size)
{
	return !buffer->host_ptr ||
	       !program_read(driver, buffer->host_ptr + offset,
			     buffer_bytes(driver, buffer, offset, size), size);
}

bool host_memory_store(struct opencl_driver *driver, struct buffer *buffer,
		       uint64_t offset, uint64_t size)
{
	return !buffer->host_ptr ||
	       !program_write(driver, buffer->host_ptr + offset,
			      buffer_bytes(driver, buffer, offset, size),
			      size);
}

int64_t host_memory_failed(struct opencl_driver *driver,
			   const struct buffer *buffer)
{
	return transfer_failed(driver, "a buffer made with "
				       "CL_MEM_USE_HOST_PTR",
			       buffer->host_ptr, buffer->size);
}
