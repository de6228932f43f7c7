/* clEnqueueMapBuffer and clEnqueueUnmapMemObject.
 *
 * A buffer lives in device memory; a mapping is a copy of its range in memory
 * of the program: what CL_MEM_USE_HOST_PTR gave, or storage that the library
 * allocated. Mapping copies out, unmapping copies back what may have been
 * written. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

struct map {
	struct command command;
	struct buffer *buffer;
	struct mapping mapping; /* as it was when the command was made */
};

static void map_drop(struct opencl_driver *driver, struct command *command)
{
	struct map *map = (struct map *)command;

	if (command->event->type == CL_COMMAND_UNMAP_MEM_OBJECT)
		mapping_end(driver, &map->mapping);
	object_drop(driver, &map->buffer->object);
}

static int64_t map_run(struct opencl_driver *driver, struct command *command)
{
	const struct map *map = (struct map *)command;
	const struct mapping *m = &map->mapping;

	if (m->flags & CL_MAP_WRITE_INVALIDATE_REGION)
		return CL_COMPLETE;
	/* What CL_MEM_USE_HOST_PTR gave is up to date. */
	if (m->owned &&
	    program_write(driver, m->pointer,
			  buffer_bytes(driver, map->buffer, m->offset, m->size),
			  m->size))
		return transfer_failed(driver, "clEnqueueMapBuffer", m->pointer,
				       m->size);
	time_pass(driver, cost_transfer(m->size));
	return CL_COMPLETE;
}

static int64_t unmap_run(struct opencl_driver *driver, struct command *command)
{
	const struct map *map = (struct map *)command;
	const struct mapping *m = &map->mapping;

	if (!(m->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
		return CL_COMPLETE;
	if (program_read(driver, m->pointer,
			 buffer_bytes(driver, map->buffer, m->offset, m->size),
			 m->size))
		return transfer_failed(driver, "clEnqueueUnmapMemObject",
				       m->pointer, m->size);
	time_pass(driver, cost_transfer(m->size));
	return CL_COMPLETE;
}

void mapping_end(struct opencl_driver *driver, const struct mapping *mapping)
{
	if (mapping->owned)
		notice_add(driver,
			   &(struct notice){
				   .kind = OPENCL_NOTICE_FREE_MAPPING,
				   .handle = mapping->pointer });
}

/* CL_INVALID_OPERATION: the program promised not to access the buffer so. */
static cl_int access_check(const struct buffer *buffer, uint64_t flags)
{
	uint64_t forbidden = CL_MEM_HOST_NO_ACCESS;

	if (flags & CL_MAP_READ)
		forbidden |= CL_MEM_HOST_WRITE_ONLY;
	if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
		forbidden |= CL_MEM_HOST_READ_ONLY;
	return buffer->flags & forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static bool valid_map_flags(uint64_t flags)
{
	const uint64_t copies = CL_MAP_READ | CL_MAP_WRITE;

	return !(flags & ~(copies | CL_MAP_WRITE_INVALIDATE_REGION)) &&
	       !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & copies));
}

cl_int serve_clEnqueueMapBuffer(struct opencl_driver *driver,
				struct request_clEnqueueMapBuffer *request)
{
	struct mapping *mapping;
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
	struct map *map;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->buffer, &queue,
			      &buffer);
	if (status != CL_SUCCESS)
		return status;
	if (!request->size || !valid_map_flags(request->flags) ||
	    !buffer_has_range(buffer, request->offset, request->size))
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	status = access_check(buffer, request->flags);
	if (status == CL_SUCCESS && !buffer->host_ptr && !request->storage)
		status = CL_MAP_FAILURE;
	if (status != CL_SUCCESS) {
		wait_list_drop(driver, &wait);
		return status;
	}
	mapping = xcalloc(1, sizeof *mapping);
	mapping->owned = !buffer->host_ptr;
	mapping->pointer = buffer->host_ptr
				   ? buffer->host_ptr + request->offset
				   : request->storage;
	mapping->offset = request->offset;
	mapping->size = request->size;
	mapping->flags = request->flags;
	mapping->next = buffer->mappings;
	buffer->mappings = mapping;
	buffer->map_count++;
	request->mapping = mapping->pointer;
	map = command_create(driver, queue, CL_COMMAND_MAP_BUFFER, sizeof *map,
			     &wait, request->event);
	map->command.run = map_run;
	map->command.drop = map_drop;
	map->buffer = buffer;
	object_use(&buffer->object);
	map->mapping = *mapping;
	return command_submit(driver, &map->command, request->blocking);
}

cl_int serve_clEnqueueUnmapMemObject(
	struct opencl_driver *driver,
	struct request_clEnqueueUnmapMemObject *request)
{
	struct mapping **place, *mapping;
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
	struct map *map;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->object, &queue,
			      &buffer);
	if (status != CL_SUCCESS)
		return status;
	place = &buffer->mappings;
	while (*place && (*place)->pointer != request->pointer)
		place = &(*place)->next;
	mapping = *place;
	if (!mapping)
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	*place = mapping->next;
	buffer->map_count--;
	map = command_create(driver, queue, CL_COMMAND_UNMAP_MEM_OBJECT,
			     sizeof *map, &wait, request->event);
	map->command.run = unmap_run;
	map->command.drop = map_drop;
	map->buffer = buffer;
	object_use(&buffer->object);
	map->mapping = *mapping;
	free(mapping);
	return command_submit(driver, &map->command, false);
}
