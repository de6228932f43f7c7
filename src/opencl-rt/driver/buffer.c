#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

static const uint64_t access_flags =
	CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
static const uint64_t host_access_flags =
	CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const uint64_t host_ptr_flags =
	CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static void storage_free(struct opencl_driver *driver, uint64_t storage)
{
	notice_add(driver, &(struct notice){
				   .kind = OPENCL_NOTICE_FREE_MAPPING,
				   .handle = storage });
}

void mapping_end(struct opencl_driver *driver, const struct mapping *mapping)
{
	if (mapping->owned)
		storage_free(driver, mapping->pointer);
}

void buffer_end(struct opencl_driver *driver, void *object)
{
	struct buffer *buffer = object;
	const struct callback *callback;

	/* Newest callback first, as the specification wants it. */
	for (callback = buffer->callbacks; callback; callback = callback->next)
		notice_add(driver, &(struct notice){
					   .kind = OPENCL_NOTICE_MEMORY,
					   .handle = buffer->object.handle,
					   .notify = callback->notify,
					   .user_data = callback->user_data });
	for (struct mapping *m = buffer->mappings; m; m = m->next)
		mapping_end(driver, m);
	if (buffer->lent)
		storage_free(driver, buffer->host_ptr);
	if (buffer->parent)
		object_drop(driver, &buffer->parent->object);
	else
		evg_memory_release(driver->memory, buffer->address);
	object_drop(driver, &buffer->context->object);
}

void buffer_free(void *object)
{
	struct buffer *buffer = object;
	struct mapping *next;

	if (buffer->image)
		evg_tiling_free(buffer->image->tiling);
	free(buffer->image);
	callbacks_free(buffer->callbacks);
	for (struct mapping *m = buffer->mappings; m; m = next) {
		next = m->next;
		free(m);
	}
	free(buffer);
}

struct buffer *memory_find(struct opencl_driver *driver, uint64_t handle)
{
	return object_find(driver, handle, OBJECT_BUFFER);
}

struct buffer *buffer_find(struct opencl_driver *driver, uint64_t handle)
{
	struct buffer *memory = memory_find(driver, handle);

	return memory && !memory->image ? memory : NULL;
}

struct buffer *image_find(struct opencl_driver *driver, uint64_t handle)
{
	struct buffer *memory = memory_find(driver, handle);

	return memory && memory->image ? memory : NULL;
}

uint8_t *buffer_bytes(struct opencl_driver *driver, struct buffer *buffer,
		      uint64_t offset, uint64_t size)
{
	return evg_memory_host(driver->memory,
			       buffer->address + (uint32_t)offset,
			       (uint32_t)size);
}

bool buffer_has_range(const struct buffer *buffer, uint64_t offset,
		      uint64_t size)
{
	return offset <= buffer->size && size <= buffer->size - offset;
}

static bool at_most_one(uint64_t flags)
{
	return !(flags & (flags - 1));
}

cl_int buffer_flags_check(uint64_t flags)
{
	if (flags & ~(access_flags | host_access_flags | host_ptr_flags) ||
	    !at_most_one(flags & access_flags) ||
	    !at_most_one(flags & host_access_flags) ||
	    ((flags & CL_MEM_USE_HOST_PTR) &&
	     (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

cl_int serve_clCreateBuffer(struct opencl_driver *driver,
			    struct request_clCreateBuffer *request)
{
	const uint64_t needs_pointer = CL_MEM_USE_HOST_PTR |
				       CL_MEM_COPY_HOST_PTR;
	struct context *context = object_find(driver, request->context,
					      OBJECT_CONTEXT);
	uint64_t flags = request->flags;
	struct buffer *buffer;
	uint32_t address;

	if (!context)
		return CL_INVALID_CONTEXT;
	if (buffer_flags_check(flags))
		return CL_INVALID_VALUE;
	if (!request->size || request->size > device_max_allocation(driver))
		return CL_INVALID_BUFFER_SIZE;
	if (!request->host_ptr != !(flags & needs_pointer))
		return CL_INVALID_HOST_PTR;
	address = evg_memory_allocate(driver->memory, (uint32_t)request->size,
				      false, "buffer");
	if (!address)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (request->host_ptr) {
		if (program_read(driver, request->host_ptr,
				 evg_memory_host(driver->memory, address,
						 (uint32_t)request->size),
				 request->size)) {
			evg_memory_release(driver->memory, address);
			return CL_INVALID_HOST_PTR;
		}
		if (!driver->machine.share || !(flags & CL_MEM_USE_HOST_PTR))
			pass_transfer(driver,
				      &(struct opencl_transfer){
					      .direction = OPENCL_TO_DEVICE,
					      .pointer = request->host_ptr,
					      .bytes = request->size,
					      .address = address });
	}
	buffer = object_create(driver, OBJECT_BUFFER, sizeof *buffer,
			       request->handle);
	buffer->context = context;
	object_use(&context->object);
	buffer->flags = flags & access_flags ? flags
					     : flags | CL_MEM_READ_WRITE;
	buffer->size = request->size;
	buffer->address = address;
	if (flags & CL_MEM_USE_HOST_PTR)
		buffer->host_ptr = request->host_ptr;
	return CL_SUCCESS;
}

cl_int serve_lend(struct opencl_driver *driver, struct request_lend *request)
{
	struct buffer *buffer = buffer_find(driver, request->buffer);

	if (!driver->machine.share || !buffer || buffer->host_ptr ||
	    program_write(driver, request->storage,
			  buffer_bytes(driver, buffer, 0, buffer->size),
			  buffer->size))
		return CL_INVALID_OPERATION;
	buffer->host_ptr = request->storage;
	buffer->lent = true;
	return CL_SUCCESS;
}

cl_int buffer_flags_inherit(uint64_t parent, uint64_t *flags)
{
	uint64_t own = *flags & access_flags;
	uint64_t own_host = *flags & host_access_flags;

	if (buffer_flags_check(*flags) || (*flags & host_ptr_flags))
		return CL_INVALID_VALUE;
	if (((parent & CL_MEM_WRITE_ONLY) &&
	     (own & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
	    ((parent & CL_MEM_READ_ONLY) &&
	     (own & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
	    ((parent & CL_MEM_HOST_WRITE_ONLY) &&
	     (own_host & CL_MEM_HOST_READ_ONLY)) ||
	    ((parent & CL_MEM_HOST_READ_ONLY) &&
	     (own_host & CL_MEM_HOST_WRITE_ONLY)) ||
	    ((parent & CL_MEM_HOST_NO_ACCESS) &&
	     (own_host & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
		return CL_INVALID_VALUE;
	if (!own)
		own = parent & access_flags;
	if (!own_host)
		own_host = parent & host_access_flags;
	*flags = own | own_host | (parent & host_ptr_flags);
	return CL_SUCCESS;
}

cl_int serve_clCreateSubBuffer(struct opencl_driver *driver,
			       struct request_clCreateSubBuffer *request)
{
	struct buffer *parent = buffer_find(driver, request->buffer), *buffer;
	uint64_t flags = request->flags, region[2]; /* origin, size */

	if (!parent || parent->parent)
		return CL_INVALID_MEM_OBJECT;
	if (buffer_flags_inherit(parent->flags, &flags) ||
	    request->type != CL_BUFFER_CREATE_TYPE_REGION || !request->info ||
	    program_read_words(driver, request->info, region, 2))
		return CL_INVALID_VALUE;
	if (!region[1])
		return CL_INVALID_BUFFER_SIZE;
	if (!buffer_has_range(parent, region[0], region[1]))
		return CL_INVALID_VALUE;
	if (region[0] % BASE_ALIGNMENT)
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	buffer = object_create(driver, OBJECT_BUFFER, sizeof *buffer,
			       request->handle);
	buffer->context = parent->context;
	object_use(&parent->context->object);
	buffer->parent = parent;
	object_use(&parent->object);
	buffer->flags = flags;
	buffer->origin = region[0];
	buffer->size = region[1];
	buffer->address = parent->address + (uint32_t)region[0];
	if (parent->host_ptr)
		buffer->host_ptr = parent->host_ptr + region[0];
	return CL_SUCCESS;
}

cl_int serve_clRetainMemObject(struct opencl_driver *driver,
			       struct request_clRetainMemObject *request)
{
	return object_retain(driver, request->object, OBJECT_BUFFER);
}

cl_int serve_clReleaseMemObject(struct opencl_driver *driver,
				struct request_clReleaseMemObject *request)
{
	return object_release(driver, request->object, OBJECT_BUFFER);
}

cl_int serve_clSetMemObjectDestructorCallback(
	struct opencl_driver *driver,
	struct request_clSetMemObjectDestructorCallback *request)
{
	struct buffer *buffer = memory_find(driver, request->object);
	struct callback *callback;

	if (!buffer)
		return CL_INVALID_MEM_OBJECT;
	if (!request->notify)
		return CL_INVALID_VALUE;
	callback = xcalloc(1, sizeof *callback);
	callback->notify = request->notify;
	callback->user_data = request->user_data;
	callback->next = buffer->callbacks;
	buffer->callbacks = callback;
	return CL_SUCCESS;
}

cl_int serve_clGetMemObjectInfo(struct opencl_driver *driver,
				struct request_clGetMemObjectInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct buffer *buffer = memory_find(driver, request->object);

	if (!buffer)
		return CL_INVALID_MEM_OBJECT;
	switch (request->param_name) {
	case CL_MEM_TYPE:
		return info_u32(info, buffer->image ? buffer->image->type
						    : CL_MEM_OBJECT_BUFFER);
	case CL_MEM_FLAGS:
		return info_u64(info, buffer->flags);
	case CL_MEM_SIZE:
		return info_word(info, buffer->size);
	case CL_MEM_HOST_PTR:
		return info_word(info, buffer->flags & CL_MEM_USE_HOST_PTR
					       ? buffer->host_ptr
					       : 0);
	case CL_MEM_MAP_COUNT:
		return info_u32(info, buffer->map_count);
	case CL_MEM_REFERENCE_COUNT:
		return info_u32(info, buffer->object.references);
	case CL_MEM_CONTEXT:
		return info_word(info, buffer->context->object.handle);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return info_word(info, buffer->parent
					       ? buffer->parent->object.handle
					       : 0);
	case CL_MEM_OFFSET:
		return info_word(info, buffer->origin);
	}
	return CL_INVALID_VALUE;
}
