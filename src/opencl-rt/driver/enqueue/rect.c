/* clEnqueueReadBufferRect, WriteBufferRect and CopyBufferRect: boxes of
 * bytes. */
#include <string.h>

#include "opencl-rt/driver/internal.h"

/* One side of a copy: where a box begins, and how far apart its rows and
 * slices are. */
struct side {
	uint64_t start, row, slice; /* bytes */
};

static bool sum(uint64_t *total, uint64_t factor, uint64_t size)
{
	uint64_t product;

	return !__builtin_mul_overflow(factor, size, &product) &&
	       !__builtin_add_overflow(*total, product, total);
}

/* Fills in a side from the parameters of a call; `*end` is one past the last
 * byte touched. CL_INVALID_VALUE as the specification has it. */
static cl_int side_make(const uint64_t origin[3], const uint64_t region[3],
			uint64_t row, uint64_t slice, struct side *side,
			uint64_t *end)
{
	uint64_t least = 0;

	if (!region[0] || !region[1] || !region[2])
		return CL_INVALID_VALUE;
	if (!row)
		row = region[0];
	if (row < region[0] || !sum(&least, region[1], row))
		return CL_INVALID_VALUE;
	if (!slice)
		slice = least;
	if (slice < least || slice % row)
		return CL_INVALID_VALUE;
	side->row = row;
	side->slice = slice;
	side->start = origin[0];
	if (!sum(&side->start, origin[1], row) ||
	    !sum(&side->start, origin[2], slice))
		return CL_INVALID_VALUE;
	*end = side->start;
	if (!sum(end, region[2] - 1, slice) || !sum(end, region[1] - 1, row) ||
	    !sum(end, region[0], 1))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

struct rect {
	struct command command;
	struct buffer *buffer, *target; /* target: of a copy */
	struct side side, other;        /* of `buffer`; of memory or target */
	uint64_t region[3];
	uint64_t pointer;
};

static void rect_drop(struct opencl_driver *driver, struct command *command)
{
	struct rect *rect = (struct rect *)command;

	object_drop(driver, &rect->buffer->object);
	if (rect->target)
		object_drop(driver, &rect->target->object);
}

static uint64_t row_start(const struct side *side, uint64_t y, uint64_t z)
{
	return side->start + y * side->row + z * side->slice;
}

/* The buffer that the command writes, or NULL. */
static struct buffer *rect_changes(const struct rect *rect)
{
	if (rect->target)
		return rect->target;
	return rect->command.event->type == CL_COMMAND_WRITE_BUFFER_RECT
		       ? rect->buffer
		       : NULL;
}

static int64_t rect_run(struct opencl_driver *driver, struct command *command)
{
	struct rect *r = (struct rect *)command;
	uint64_t width = r->region[0], pointer;
	uint64_t rows = r->region[1] * r->region[2];
	bool direct = transfer_is_direct(driver, width * rows, false);
	struct buffer *changed = rect_changes(r);
	uint8_t *bytes;

	/* Rows between those of the box are the same in both places. */
	if (!host_memory_fetch(driver, r->buffer, 0, r->buffer->size))
		return host_memory_failed(driver, r->buffer);
	if (r->target && !host_memory_fetch(driver, r->target, 0,
					    r->target->size))
		return host_memory_failed(driver, r->target);
	for (uint64_t z = 0; z < r->region[2]; z++) {
		for (uint64_t y = 0; y < r->region[1]; y++) {
			bytes = buffer_bytes(driver, r->buffer,
					     row_start(&r->side, y, z), width);
			pointer = r->pointer + row_start(&r->other, y, z);
			if (r->command.event->type ==
			    CL_COMMAND_COPY_BUFFER_RECT)
				memcpy(buffer_bytes(driver, r->target,
						    row_start(&r->other, y, z),
						    width),
				       bytes, width);
			else if (r->command.event->type ==
						 CL_COMMAND_READ_BUFFER_RECT
					 ? program_deliver(driver, pointer,
							   bytes, width, direct)
					 : program_read(driver, pointer, bytes,
							width))
				return transfer_failed(
					driver, "clEnqueue...BufferRect",
					pointer, width);
		}
	}
	if (changed && !host_memory_store(driver, changed, 0, changed->size))
		return host_memory_failed(driver, changed);
	width *= rows;
	if (r->target)
		pass_copy(driver, 2 * width);
	else
		pass_transfer(driver, &(struct opencl_transfer){
					      .direction =
						      changed ? OPENCL_TO_DEVICE
							      : OPENCL_FROM_DEVICE,
					      .pointer = r->pointer +
							 r->other.start,
					      .bytes = width,
					      .address = r->buffer->address +
							 (uint32_t)r->side.start });
	return CL_COMPLETE;
}

static cl_int read_box(struct opencl_driver *driver, uint64_t first,
		       uint64_t second, uint64_t region, uint64_t box[3][3])
{
	if (!first || !second || !region ||
	    program_read_words(driver, first, box[0], 3) ||
	    program_read_words(driver, second, box[1], 3) ||
	    program_read_words(driver, region, box[2], 3))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

/* Read and write have the same parameters; their requests are equal. */
static cl_int
transfer_rect(struct opencl_driver *driver,
	      const struct request_clEnqueueReadBufferRect *request,
	      cl_command_type type, uint64_t forbidden)
{
	uint64_t box[3][3], end, host_end;
	struct side side, other;
	struct wait_list wait;
	struct buffer *buffer;
	struct queue *queue;
	struct rect *rect;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->buffer, &queue,
			      &buffer);
	if (status != CL_SUCCESS)
		return status;
	if (!request->pointer ||
	    read_box(driver, request->buffer_origin, request->host_origin,
		     request->region, box) ||
	    side_make(box[0], box[2], request->buffer_row,
		      request->buffer_slice, &side, &end) ||
	    side_make(box[1], box[2], request->host_row, request->host_slice,
		      &other, &host_end) ||
	    end > buffer->size)
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	if (buffer->flags & (forbidden | CL_MEM_HOST_NO_ACCESS)) {
		wait_list_drop(driver, &wait);
		return CL_INVALID_OPERATION;
	}
	rect = command_create(driver, queue, type, sizeof *rect, &wait,
			      request->event);
	rect->command.run = rect_run;
	rect->command.drop = rect_drop;
	rect->buffer = buffer;
	object_use(&buffer->object);
	rect->side = side;
	rect->other = other;
	memcpy(rect->region, box[2], sizeof rect->region);
	rect->pointer = request->pointer;
	return command_submit(driver, &rect->command, request->blocking);
}

cl_int serve_clEnqueueReadBufferRect(
	struct opencl_driver *driver,
	struct request_clEnqueueReadBufferRect *request)
{
	return transfer_rect(driver, request, CL_COMMAND_READ_BUFFER_RECT,
			     CL_MEM_HOST_WRITE_ONLY);
}

cl_int serve_clEnqueueWriteBufferRect(
	struct opencl_driver *driver,
	struct request_clEnqueueWriteBufferRect *request)
{
	struct request_clEnqueueReadBufferRect same;

	_Static_assert(sizeof same == sizeof *request,
		       "reads and writes have the same fields");
	memcpy(&same, request, sizeof same);
	return transfer_rect(driver, &same, CL_COMMAND_WRITE_BUFFER_RECT,
			     CL_MEM_HOST_READ_ONLY);
}

/* Two boxes of the same shape in one memory, both with the same pitches: do
 * they share a byte? They do not if one lies behind the other, or beside it
 * in the rows, or beside it in the slices. */
static bool boxes_overlap(const struct side *a, const struct side *b,
			  const uint64_t region[3])
{
	uint64_t slice_bytes = (region[1] - 1) * a->row + region[0];
	uint64_t bytes = (region[2] - 1) * a->slice + slice_bytes;
	uint64_t ax = a->start % a->row, bx = b->start % a->row;
	uint64_t ay = a->start % a->slice, by = b->start % a->slice;

	if (a->start + bytes <= b->start || b->start + bytes <= a->start)
		return false;
	if ((bx >= ax + region[0] && bx + region[0] <= ax + a->row) ||
	    (ax >= bx + region[0] && ax + region[0] <= bx + a->row))
		return false;
	if ((by >= ay + slice_bytes && by + slice_bytes <= ay + a->slice) ||
	    (ay >= by + slice_bytes && ay + slice_bytes <= by + a->slice))
		return false;
	return true;
}

static bool copy_overlaps(const struct buffer *source,
			  const struct buffer *target, struct side from,
			  struct side to, const uint64_t region[3],
			  uint64_t from_end, uint64_t to_end)
{
	uint64_t source_end = source->address + from_end;
	uint64_t target_end = target->address + to_end;

	from.start += source->address;
	to.start += target->address;
	if (source_end <= to.start || target_end <= from.start)
		return false;
	if (from.row != to.row || from.slice != to.slice)
		return true;
	/* Rows are counted from where the lower buffer begins. */
	if (source->address < target->address) {
		from.start -= source->address;
		to.start -= source->address;
	} else {
		from.start -= target->address;
		to.start -= target->address;
	}
	return boxes_overlap(&from, &to, region);
}

cl_int serve_clEnqueueCopyBufferRect(
	struct opencl_driver *driver,
	struct request_clEnqueueCopyBufferRect *request)
{
	uint64_t box[3][3], source_end, target_end;
	struct buffer *source, *target;
	struct side from, to;
	struct wait_list wait;
	struct queue *queue;
	struct rect *rect;
	cl_int status;

	status = enqueue_find(driver, request->queue, request->source, &queue,
			      &source);
	if (status == CL_SUCCESS)
		status = enqueue_find(driver, request->queue, request->target,
				      &queue, &target);
	if (status != CL_SUCCESS)
		return status;
	if (read_box(driver, request->source_origin, request->target_origin,
		     request->region, box) ||
	    side_make(box[0], box[2], request->source_row,
		      request->source_slice, &from, &source_end) ||
	    side_make(box[1], box[2], request->target_row,
		      request->target_slice, &to, &target_end) ||
	    source_end > source->size || target_end > target->size)
		return CL_INVALID_VALUE;
	if (source == target && (from.row != to.row || from.slice != to.slice))
		return CL_INVALID_VALUE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	if (copy_overlaps(source, target, from, to, box[2], source_end,
			  target_end)) {
		wait_list_drop(driver, &wait);
		return CL_MEM_COPY_OVERLAP;
	}
	rect = command_create(driver, queue, CL_COMMAND_COPY_BUFFER_RECT,
			      sizeof *rect, &wait, request->event);
	rect->command.run = rect_run;
	rect->command.drop = rect_drop;
	rect->command.launches = true;
	rect->buffer = source;
	rect->target = target;
	object_use(&source->object);
	object_use(&target->object);
	rect->side = from;
	rect->other = to;
	memcpy(rect->region, box[2], sizeof rect->region);
	return command_submit(driver, &rect->command, false);
}
