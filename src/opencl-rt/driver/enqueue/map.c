/* clEnqueueMapBuffer, clEnqueueMapImage and clEnqueueUnmapMemObject.
 *
 * Buffers and images live in device memory; a mapping is a copy of a range or
 * box in memory of the program: what CL_MEM_USE_HOST_PTR gave, or storage that
 * the library allocated. Mapping copies out, unmapping copies back what may
 * have been written. Where the program reaches device memory, a mapping of a
 * buffer is that memory, and nothing is copied. */
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

static uint64_t mapping_size(const struct map *map)
{
	return map->buffer->image
		       ? image_box_size(map->buffer, &map->mapping.box)
		       : map->mapping.size;
}

/* Mappings of such objects are in pinned memory, of others in any (AMD OpenCL
 * optimization guide, 1.3.2, table 1.1: without virtual memory). */
static bool is_pinned(const struct buffer *buffer)
{
	return buffer->flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR);
}

/* Brings the mapping up to date. */
static bool copy_out(struct opencl_driver *driver, const struct map *map)
{
	const struct mapping *m = &map->mapping;

	if (map->buffer->image)
		return image_to_program(driver, map->buffer, &m->box,
					m->pointer, m->row, m->slice);
	return !program_deliver(driver, m->pointer,
				buffer_bytes(driver, map->buffer, m->offset,
					     m->size),
				m->size,
				transfer_is_direct(driver, m->size,
						   is_pinned(map->buffer)));
}

static bool copy_back(struct opencl_driver *driver, const struct map *map)
{
	const struct mapping *m = &map->mapping;

	if (map->buffer->image)
		return image_from_program(driver, map->buffer, &m->box,
					  m->pointer, m->row, m->slice);
	return !program_read(driver, m->pointer,
			     buffer_bytes(driver, map->buffer, m->offset,
					  m->size),
			     m->size);
}

/* Nothing moves where kernels reach the program's memory. */
static void pass_mapping(struct opencl_driver *driver, const struct map *map,
			 enum opencl_direction direction)
{
	const struct buffer *buffer = map->buffer;

	if (!driver->machine.share || !buffer->host_ptr || buffer->image)
		pass_transfer(driver, &(struct opencl_transfer){
					      .direction = direction,
					      .pointer = map->mapping.pointer,
					      .bytes = mapping_size(map),
					      .address =
						      buffer->address +
						      (uint32_t)
							      map->mapping.offset,
					      .pinned = is_pinned(buffer) });
}

static int64_t map_run(struct opencl_driver *driver, struct command *command)
{
	const struct map *map = (struct map *)command;

	if (map->mapping.flags & CL_MAP_WRITE_INVALIDATE_REGION)
		return CL_COMPLETE;
	/* What CL_MEM_USE_HOST_PTR gave is up to date. */
	if (map->mapping.owned && !copy_out(driver, map))
		return transfer_failed(driver,
				       map->buffer->image
					       ? "clEnqueueMapImage"
					       : "clEnqueueMapBuffer",
				       map->mapping.pointer,
				       mapping_size(map));
	pass_mapping(driver, map, OPENCL_FROM_DEVICE);
	return CL_COMPLETE;
}

static int64_t unmap_run(struct opencl_driver *driver, struct command *command)
{
	const struct map *map = (struct map *)command;

	if (!(map->mapping.flags &
	      (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
		return CL_COMPLETE;
	if (!map->mapping.direct && !copy_back(driver, map))
		return transfer_failed(driver, "clEnqueueUnmapMemObject",
				       map->mapping.pointer,
				       mapping_size(map));
	pass_mapping(driver, map, OPENCL_TO_DEVICE);
	return CL_COMPLETE;
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

/* Notes the mapping with its memory object and submits the command. */
static cl_int submit_map(struct opencl_driver *driver, struct queue *queue,
			 struct buffer *buffer, const struct mapping *made,
			 cl_command_type type, struct wait_list *wait,
			 uint64_t event, bool blocking)
{
	struct mapping *mapping = xmalloc(sizeof *mapping);
	struct map *map;

	*mapping = *made;
	mapping->next = buffer->mappings;
	buffer->mappings = mapping;
	buffer->map_count++;
	map = command_create(driver, queue, type, sizeof *map, wait, event);
	map->command.run = map_run;
	map->command.drop = map_drop;
	map->buffer = buffer;
	object_use(&buffer->object);
	map->mapping = *mapping;
	return command_submit(driver, &map->command, blocking);
}

cl_int serve_clEnqueueMapBuffer(struct opencl_driver *driver,
				struct request_clEnqueueMapBuffer *request)
{
	struct mapping mapping = {
		.offset = request->offset,
		.size = request->size,
		.flags = request->flags,
	};
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
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
	mapping.direct = !buffer->host_ptr && driver->machine.same_memory;
	mapping.owned = !buffer->host_ptr && !mapping.direct;
	if (mapping.direct)
		mapping.pointer = (uintptr_t)buffer_bytes(
			driver, buffer, request->offset, request->size);
	else
		mapping.pointer = mapping.owned
					  ? request->storage
					  : buffer->host_ptr + request->offset;
	request->mapping = mapping.pointer;
	return submit_map(driver, queue, buffer, &mapping,
			  CL_COMMAND_MAP_BUFFER, &wait, request->event,
			  request->blocking);
}

/* Tells the program the pitches. Which it has to take depends on the type. */
static cl_int write_pitches(struct opencl_driver *driver,
			    const struct request_clEnqueueMapImage *request,
			    const struct buffer *image,
			    const struct mapping *mapping)
{
	cl_mem_object_type type = image->image->type;
	uint64_t slice = 0, row = mapping->row;

	if (type == CL_MEM_OBJECT_IMAGE3D ||
	    type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
		slice = mapping->slice;
	if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
		slice = mapping->row;
	if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY && !mapping->owned)
		row = image->image->row_pitch;
	if (!request->row_pitch || (slice && !request->slice_pitch) ||
	    program_write_word(driver, request->row_pitch, 0, row) ||
	    (request->slice_pitch &&
	     program_write_word(driver, request->slice_pitch, 0, slice)))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

cl_int serve_clEnqueueMapImage(struct opencl_driver *driver,
			       struct request_clEnqueueMapImage *request)
{
	struct mapping mapping = { .flags = request->flags };
	struct wait_list wait;
	struct buffer *image;
	struct queue *queue;
	cl_int status;

	status = enqueue_find_memory(driver, request->queue, request->image,
				     image_find, &queue, &image);
	if (status != CL_SUCCESS)
		return status;
	if (!valid_map_flags(request->flags) ||
	    image_box_read(driver, image, request->origin, request->region,
			   &mapping.box))
		return CL_INVALID_VALUE;
	mapping.owned = !image->host_ptr;
	if (mapping.owned) {
		mapping.pointer = request->storage;
		mapping.row = mapping.box.region[0] * image->image->format.size;
		mapping.slice = mapping.row * mapping.box.region[1];
	} else {
		mapping.pointer = host_box_start(image, &mapping.box);
		mapping.row = image->image->host_row;
		mapping.slice = image->image->host_slice;
	}
	status = write_pitches(driver, request, image, &mapping);
	if (status == CL_SUCCESS)
		status = access_check(image, request->flags);
	if (status == CL_SUCCESS && mapping.owned &&
	    (!request->storage || request->storage_size <
					  image_box_size(image, &mapping.box)))
		status = CL_MAP_FAILURE;
	if (status == CL_SUCCESS)
		status = wait_list_read(driver, queue, request->wait_count,
					request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	request->mapping = mapping.pointer;
	return submit_map(driver, queue, image, &mapping, CL_COMMAND_MAP_IMAGE,
			  &wait, request->event, request->blocking);
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

	status = enqueue_find_memory(driver, request->queue, request->object,
				     memory_find, &queue, &buffer);
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
