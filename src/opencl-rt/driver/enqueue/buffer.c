/* clEnqueueReadBuffer, WriteBuffer, CopyBuffer, FillBuffer and
 * MigrateMemObjects: contiguous ranges. */
#include <string.h>

#include "opencl-rt/driver/internal.h"

cl_int enqueue_find_memory(struct opencl_driver *driver, uint64_t queue_handle,
			   uint64_t memory_handle, memory_finder *find,
			   struct queue **queue, struct buffer **memory)
{
	*queue = object_find(driver, queue_handle, OBJECT_QUEUE);
	*memory = find(driver, memory_handle);
	if (!*queue)
		return CL_INVALID_COMMAND_QUEUE;
	if (!*memory)
		return CL_INVALID_MEM_OBJECT;
	if ((*memory)->context != (*queue)->context)
		return CL_INVALID_CONTEXT;
	return CL_SUCCESS;
}

cl_int enqueue_find(struct opencl_driver *driver, uint64_t queue_handle,
		    uint64_t buffer_handle, struct queue **queue,
		    struct buffer **buffer)
{
	return enqueue_find_memory(driver, queue_handle, buffer_handle,
				   buffer_find, queue, buffer);
}

/* --- Read and write ----------------------------------------------------- */

struct transfer {
	struct command command;
	struct buffer *buffer;
	uint64_t offset, size, pointer;
};

static void transfer_drop(struct opencl_driver *driver, struct command *command)
{
	struct transfer *transfer = (struct transfer *)command;

	object_drop(driver, &transfer->buffer->object);
}

static void pass(struct opencl_driver *driver, const struct transfer *t,
		 enum opencl_direction direction)
{
	pass_transfer(driver, &(struct opencl_transfer){
				      .direction = direction,
				      .pointer = t->pointer, .bytes = t->size,
				      .address = t->buffer->address +
						 (uint32_t)t->offset });
}

static int64_t read_run(struct opencl_driver *driver, struct command *command)
{
	struct transfer *t = (struct transfer *)command;

	if (!host_memory_fetch(driver, t->buffer, t->offset, t->size))
		return host_memory_failed(driver, t->buffer);
	if (program_deliver(driver, t->pointer,
			    buffer_bytes(driver, t->buffer, t->offset, t->size),
			    t->size,
			    transfer_is_direct(driver, t->size, false)))
		return transfer_failed(driver, "clEnqueueReadBuffer",
				       t->pointer, t->size);
	pass(driver, t, OPENCL_FROM_DEVICE);
	return CL_COMPLETE;
}

static int64_t write_run(struct opencl_driver *driver, struct command *command)
{
	struct transfer *t = (struct transfer *)command;

	if (program_read(driver, t->pointer,
			 buffer_bytes(driver, t->buffer, t->offset, t->size),
			 t->size))
		return transfer_failed(driver, "clEnqueueWriteBuffer",
				       t->pointer, t->size);
	if (!host_memory_store(driver, t->buffer, t->offset, t->size))
		return host_memory_failed(driver, t->buffer);
	pass(driver, t, OPENCL_TO_DEVICE);
	return CL_COMPLETE;
}

/* What reads and writes of buffers have in common: the requests differ in
 * nothing but their names. */
struct transfer_kind {
	cl_command_type type;
	cl_mem_flags forbidden; /* by which the host may not do this */
	int64_t (*run)(struct opencl_driver *driver, struct command *command);
};

static cl_int enqueue_transfer(struct opencl_driver *driver,
			       const struct transfer_kind *kind,
			       const struct request_clEnqueueReadBuffer *request)
{
	struct transfer *transfer;
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->buffer, &queue,
			      &buffer);
	if (status != CL_SUCCESS)
		return status;
	if (!request->pointer || !request->size ||
	    !buffer_has_range(buffer, request->offset, request->size))
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	if (buffer->flags & kind->forbidden) {
		wait_list_drop(driver, &wait);
		return CL_INVALID_OPERATION;
	}
	transfer = command_create(driver, queue, kind->type, sizeof *transfer,
				  &wait, request->event);
	transfer->command.run = kind->run;
	transfer->command.drop = transfer_drop;
	transfer->buffer = buffer;
	object_use(&buffer->object);
	transfer->offset = request->offset;
	transfer->size = request->size;
	transfer->pointer = request->pointer;
	return command_submit(driver, &transfer->command, request->blocking);
}

cl_int serve_clEnqueueReadBuffer(struct opencl_driver *driver,
				 struct request_clEnqueueReadBuffer *request)
{
	static const struct transfer_kind kind = {
		.type = CL_COMMAND_READ_BUFFER,
		.forbidden = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
		.run = read_run,
	};

	return enqueue_transfer(driver, &kind, request);
}

cl_int serve_clEnqueueWriteBuffer(struct opencl_driver *driver,
				  struct request_clEnqueueWriteBuffer *request)
{
	static const struct transfer_kind kind = {
		.type = CL_COMMAND_WRITE_BUFFER,
		.forbidden = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
		.run = write_run,
	};
	const struct request_clEnqueueReadBuffer same = {
		.queue = request->queue,
		.buffer = request->buffer,
		.blocking = request->blocking,
		.offset = request->offset,
		.size = request->size,
		.pointer = request->pointer,
		.wait_count = request->wait_count,
		.wait_list = request->wait_list,
		.event = request->event,
	};

	return enqueue_transfer(driver, &kind, &same);
}

/* --- Copy --------------------------------------------------------------- */

struct copy {
	struct command command;
	struct buffer *source, *target;
	uint64_t source_offset, target_offset, size;
};

static void copy_drop(struct opencl_driver *driver, struct command *command)
{
	struct copy *copy = (struct copy *)command;

	object_drop(driver, &copy->source->object);
	object_drop(driver, &copy->target->object);
}

static int64_t copy_run(struct opencl_driver *driver, struct command *command)
{
	struct copy *c = (struct copy *)command;

	if (!host_memory_fetch(driver, c->source, c->source_offset, c->size))
		return host_memory_failed(driver, c->source);
	memcpy(buffer_bytes(driver, c->target, c->target_offset, c->size),
	       buffer_bytes(driver, c->source, c->source_offset, c->size),
	       c->size);
	if (!host_memory_store(driver, c->target, c->target_offset, c->size))
		return host_memory_failed(driver, c->target);
	pass_copy(driver, 2 * c->size);
	return CL_COMPLETE;
}

cl_int serve_clEnqueueCopyBuffer(struct opencl_driver *driver,
				 struct request_clEnqueueCopyBuffer *request)
{
	struct buffer *source, *target;
	struct wait_list wait;
	struct queue *queue;
	uint64_t from, to;
	struct copy *copy;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->source, &queue,
			      &source);
	if (status == CL_SUCCESS)
		status = enqueue_find(driver, request->queue, request->target,
				      &queue, &target);
	if (status != CL_SUCCESS)
		return status;
	if (!request->size ||
	    !buffer_has_range(source, request->source_offset, request->size) ||
	    !buffer_has_range(target, request->target_offset, request->size))
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	/* Device addresses tell overlaps of sub-buffers, too. */
	from = source->address + request->source_offset;
	to = target->address + request->target_offset;
	if (from < to + request->size && to < from + request->size) {
		wait_list_drop(driver, &wait);
		return CL_MEM_COPY_OVERLAP;
	}
	copy = command_create(driver, queue, CL_COMMAND_COPY_BUFFER,
			      sizeof *copy, &wait, request->event);
	copy->command.run = copy_run;
	copy->command.drop = copy_drop;
	copy->command.launches = true;
	copy->source = source;
	copy->target = target;
	object_use(&source->object);
	object_use(&target->object);
	copy->source_offset = request->source_offset;
	copy->target_offset = request->target_offset;
	copy->size = request->size;
	return command_submit(driver, &copy->command, false);
}

/* --- Fill --------------------------------------------------------------- */

enum { MAX_PATTERN = 128 }; /* long16 */

struct fill {
	struct command command;
	struct buffer *buffer;
	uint64_t offset, size, pattern_size;
	uint8_t pattern[MAX_PATTERN];
};

static void fill_drop(struct opencl_driver *driver, struct command *command)
{
	struct fill *fill = (struct fill *)command;

	object_drop(driver, &fill->buffer->object);
}

/* A copy for each pattern of 4 bytes would take 10 times as long. */
static void fill_bytes(uint8_t *bytes, const struct fill *f)
{
	uint8_t block[4096]; /* a multiple of every pattern */
	uint64_t filled = f->size < sizeof block ? f->size : sizeof block;

	for (uint64_t i = 0; i < filled; i += f->pattern_size)
		memcpy(block + i, f->pattern, f->pattern_size);
	for (uint64_t i = 0; i < f->size; i += filled) {
		if (filled > f->size - i)
			filled = f->size - i;
		memcpy(bytes + i, block, filled);
	}
}

static bool fills_zeros(const struct fill *f)
{
	for (uint64_t i = 0; i < f->pattern_size; i++)
		if (f->pattern[i])
			return false;
	return true;
}

static int64_t fill_run(struct opencl_driver *driver, struct command *command)
{
	struct fill *f = (struct fill *)command;

	if (fills_zeros(f))
		evg_memory_clear(driver->memory,
				 f->buffer->address + (uint32_t)f->offset,
				 (uint32_t)f->size);
	else
		fill_bytes(buffer_bytes(driver, f->buffer, f->offset, f->size),
			   f);
	if (!host_memory_store(driver, f->buffer, f->offset, f->size))
		return host_memory_failed(driver, f->buffer);
	pass_copy(driver, f->size);
	return CL_COMPLETE;
}

cl_int serve_clEnqueueFillBuffer(struct opencl_driver *driver,
				 struct request_clEnqueueFillBuffer *request)
{
	uint64_t pattern_size = request->pattern_size;
	uint8_t pattern[MAX_PATTERN];
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
	struct fill *fill;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->buffer, &queue,
			      &buffer);
	if (status != CL_SUCCESS)
		return status;
	if (!buffer_has_range(buffer, request->offset, request->size) ||
	    !request->pattern || !pattern_size || pattern_size > MAX_PATTERN ||
	    (pattern_size & (pattern_size - 1)) ||
	    request->offset % pattern_size || request->size % pattern_size ||
	    program_read(driver, request->pattern, pattern, pattern_size))
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	fill = command_create(driver, queue, CL_COMMAND_FILL_BUFFER,
			      sizeof *fill, &wait, request->event);
	fill->command.run = fill_run;
	fill->command.drop = fill_drop;
	fill->command.launches = true;
	fill->buffer = buffer;
	object_use(&buffer->object);
	fill->offset = request->offset;
	fill->size = request->size;
	fill->pattern_size = pattern_size;
	memcpy(fill->pattern, pattern, pattern_size);
	return command_submit(driver, &fill->command, false);
}

/* --- Migrate ------------------------------------------------------------ */

/* With one device everything is where it belongs already: only an order in
 * the queue, like a marker. */
cl_int serve_clEnqueueMigrateMemObjects(
	struct opencl_driver *driver,
	struct request_clEnqueueMigrateMemObjects *request)
{
	const uint64_t known = CL_MIGRATE_MEM_OBJECT_HOST |
			       CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
	struct command *command;
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
	uint64_t handle;
	cl_int status;

	queue = object_find(driver, request->queue, OBJECT_QUEUE);
	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	if (!request->count || !request->objects || (request->flags & ~known))
		return CL_INVALID_VALUE;
	for (uint64_t i = 0; i < request->count; i++) {
		if (program_read_words(driver,
				       request->objects + i * driver->word,
				       &handle, 1))
			return CL_INVALID_VALUE;
		status = enqueue_find_memory(driver, request->queue, handle,
					     memory_find, &queue, &buffer);
		if (status != CL_SUCCESS)
			return status;
	}
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	command = command_create(driver, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS,
				 sizeof *command, &wait, request->event);
	return command_submit(driver, command, false);
}
