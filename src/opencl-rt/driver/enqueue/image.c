/* Commands on images, but for mapping. */
#include <string.h>

#include "opencl-rt/driver/internal.h"

/* One command: `image` and its box, and what is on the other side. */
struct image_command {
	struct command command;
	struct buffer *image, *other; /* other: NULL for the program */
	struct box box, other_box;
	uint64_t pointer, row, slice; /* in the program */
	uint64_t offset;              /* in another buffer */
	uint8_t element[IMAGE_ELEMENT_MAX];
};

static void image_drop(struct opencl_driver *driver, struct command *command)
{
	struct image_command *c = (struct image_command *)command;

	object_drop(driver, &c->image->object);
	if (c->other)
		object_drop(driver, &c->other->object);
}

/* Reads the wait list, which the specification checks after the rest, and
 * submits a copy of `made`. */
static cl_int
submit_copy(struct opencl_driver *driver, struct queue *queue,
	    const struct image_command *made, cl_command_type type,
	    int64_t (*run)(struct opencl_driver *, struct command *),
	    uint64_t wait_count, uint64_t wait_list, uint64_t event,
	    bool blocking)
{
	struct image_command *command;
	struct command base;
	struct wait_list wait;
	cl_int status = wait_list_read(driver, queue, wait_count, wait_list,
				       &wait);

	if (status != CL_SUCCESS)
		return status;
	command = command_create(driver, queue, type, sizeof *command, &wait,
				 event);
	base = command->command;
	*command = *made;
	command->command = base;
	command->command.run = run;
	command->command.drop = image_drop;
	if (type != CL_COMMAND_READ_IMAGE && type != CL_COMMAND_WRITE_IMAGE)
		command->command.launches = true;
	object_use(&made->image->object);
	if (made->other)
		object_use(&made->other->object);
	return command_submit(driver, &command->command, blocking);
}

#define SUBMIT(driver, queue, made, type, run, request, blocking)              \
	submit_copy(driver, queue, made, type, run, (request)->wait_count,     \
		    (request)->wait_list, (request)->event, blocking)

/* --- Read and write ----------------------------------------------------- */

static void pass(struct opencl_driver *driver, const struct image_command *c,
		 enum opencl_direction direction)
{
	pass_transfer(driver, &(struct opencl_transfer){
				      .direction = direction,
				      .pointer = c->pointer,
				      .bytes = image_box_size(c->image,
							      &c->box),
				      .address = c->image->address });
}

static int64_t read_run(struct opencl_driver *driver, struct command *command)
{
	struct image_command *c = (struct image_command *)command;

	if (!host_box_fetch(driver, c->image, &c->box))
		return host_memory_failed(driver, c->image);
	if (!image_to_program(driver, c->image, &c->box, c->pointer, c->row,
			      c->slice))
		return transfer_failed(driver, "clEnqueueReadImage", c->pointer,
				       image_box_size(c->image, &c->box));
	pass(driver, c, OPENCL_FROM_DEVICE);
	return CL_COMPLETE;
}

static int64_t write_run(struct opencl_driver *driver, struct command *command)
{
	struct image_command *c = (struct image_command *)command;

	if (!image_from_program(driver, c->image, &c->box, c->pointer, c->row,
				c->slice))
		return transfer_failed(driver, "clEnqueueWriteImage",
				       c->pointer,
				       image_box_size(c->image, &c->box));
	if (!host_box_store(driver, c->image, &c->box))
		return host_memory_failed(driver, c->image);
	pass(driver, c, OPENCL_TO_DEVICE);
	return CL_COMPLETE;
}

/* Both requests have the same fields. `forbidden`: flags by which the host may
 * not do this. */
static cl_int transfer_image(struct opencl_driver *driver,
			     const struct request_clEnqueueReadImage *request,
			     cl_command_type type, uint64_t forbidden,
			     int64_t (*run)(struct opencl_driver *,
					    struct command *))
{
	struct image_command made = { .pointer = request->pointer };
	struct queue *queue;
	cl_int status;

	status = enqueue_find_memory(driver, request->queue, request->image,
				     image_find, &queue, &made.image);
	if (status != CL_SUCCESS)
		return status;
	if (!request->pointer ||
	    image_box_read(driver, made.image, request->origin,
			   request->region, &made.box) ||
	    image_pitches(made.image, &made.box, request->row_pitch,
			  request->slice_pitch, &made.row, &made.slice))
		return CL_INVALID_VALUE;
	if (made.image->flags & (forbidden | CL_MEM_HOST_NO_ACCESS))
		return CL_INVALID_OPERATION;
	return SUBMIT(driver, queue, &made, type, run, request,
		      request->blocking);
}

cl_int serve_clEnqueueReadImage(struct opencl_driver *driver,
				struct request_clEnqueueReadImage *request)
{
	return transfer_image(driver, request, CL_COMMAND_READ_IMAGE,
			      CL_MEM_HOST_WRITE_ONLY, read_run);
}

cl_int serve_clEnqueueWriteImage(struct opencl_driver *driver,
				 struct request_clEnqueueWriteImage *request)
{
	struct request_clEnqueueReadImage same;

	_Static_assert(sizeof same == sizeof *request,
		       "reads and writes have the same fields");
	memcpy(&same, request, sizeof same);
	return transfer_image(driver, &same, CL_COMMAND_WRITE_IMAGE,
			      CL_MEM_HOST_READ_ONLY, write_run);
}

/* --- Fill --------------------------------------------------------------- */

static int64_t fill_run(struct opencl_driver *driver, struct command *command)
{
	struct image_command *c = (struct image_command *)command;
	uint32_t size = c->image->image->format.size;

	for (uint64_t z = 0; z < c->box.region[2]; z++)
		for (uint64_t y = 0; y < c->box.region[1]; y++) {
			uint8_t *row = image_row(driver, c->image, &c->box, y,
						 z);

			for (uint64_t x = 0; x < c->box.region[0]; x++)
				memcpy(row + x * size, c->element, size);
		}
	if (!host_box_store(driver, c->image, &c->box))
		return host_memory_failed(driver, c->image);
	pass_copy(driver, image_box_size(c->image, &c->box));
	return CL_COMPLETE;
}

cl_int serve_clEnqueueFillImage(struct opencl_driver *driver,
				struct request_clEnqueueFillImage *request)
{
	struct image_command made = { .image = NULL };
	struct queue *queue;
	uint32_t color[4];
	cl_int status;

	status = enqueue_find_memory(driver, request->queue, request->image,
				     image_find, &queue, &made.image);
	if (status != CL_SUCCESS)
		return status;
	if (!request->color ||
	    program_read(driver, request->color, color, sizeof color) ||
	    image_box_read(driver, made.image, request->origin,
			   request->region, &made.box))
		return CL_INVALID_VALUE;
	image_format_pack(&made.image->image->format, color, made.element);
	return SUBMIT(driver, queue, &made, CL_COMMAND_FILL_IMAGE, fill_run,
		      request, false);
}

/* --- Copy --------------------------------------------------------------- */

static int64_t copy_run(struct opencl_driver *driver, struct command *command)
{
	struct image_command *c = (struct image_command *)command;
	uint64_t size = image_box_size(c->image, &c->box);
	uint64_t width = c->box.region[0] * c->image->image->format.size;

	if (!host_box_fetch(driver, c->image, &c->box))
		return host_memory_failed(driver, c->image);
	for (uint64_t z = 0; z < c->box.region[2]; z++)
		for (uint64_t y = 0; y < c->box.region[1]; y++)
			memcpy(image_row(driver, c->other, &c->other_box, y, z),
			       image_row(driver, c->image, &c->box, y, z),
			       width);
	if (!host_box_store(driver, c->other, &c->other_box))
		return host_memory_failed(driver, c->other);
	pass_copy(driver, 2 * size);
	return CL_COMPLETE;
}

static bool boxes_overlap(const struct box *a, const struct box *b)
{
	for (int i = 0; i < 3; i++)
		if (a->origin[i] + a->region[i] <= b->origin[i] ||
		    b->origin[i] + b->region[i] <= a->origin[i])
			return false;
	return true;
}

/* Whether both images are the same memory; two may lie over one buffer. */
static bool copy_overlaps(const struct image_command *c)
{
	uint64_t size = c->image->image->format.size;
	uint64_t from = c->image->address + c->box.origin[0] * size;
	uint64_t to = c->other->address + c->other_box.origin[0] * size;

	if (c->image == c->other)
		return boxes_overlap(&c->box, &c->other_box);
	if (!c->image->parent || !c->other->parent)
		return false;
	return from < to + c->box.region[0] * size &&
	       to < from + c->box.region[0] * size;
}

cl_int serve_clEnqueueCopyImage(struct opencl_driver *driver,
				struct request_clEnqueueCopyImage *request)
{
	struct image_command made = { .image = NULL };
	const cl_image_format *from, *to;
	struct queue *queue;
	cl_int status;

	status = enqueue_find_memory(driver, request->queue, request->source,
				     image_find, &queue, &made.image);
	if (status == CL_SUCCESS)
		status = enqueue_find_memory(driver, request->queue,
					     request->target, image_find,
					     &queue, &made.other);
	if (status != CL_SUCCESS)
		return status;
	from = &made.image->image->format.name;
	to = &made.other->image->format.name;
	if (from->image_channel_order != to->image_channel_order ||
	    from->image_channel_data_type != to->image_channel_data_type)
		return CL_IMAGE_FORMAT_MISMATCH;
	if (image_box_read(driver, made.image, request->source_origin,
			   request->region, &made.box) ||
	    image_box_read(driver, made.other, request->target_origin,
			   request->region, &made.other_box))
		return CL_INVALID_VALUE;
	if (copy_overlaps(&made))
		return CL_MEM_COPY_OVERLAP;
	return SUBMIT(driver, queue, &made, CL_COMMAND_COPY_IMAGE, copy_run,
		      request, false);
}

/* --- Images and buffers ------------------------------------------------- */

static int64_t copy_buffer_run(struct opencl_driver *driver,
			       struct command *command)
{
	struct image_command *c = (struct image_command *)command;
	uint64_t size = image_box_size(c->image, &c->box);
	uint64_t width = c->box.region[0] * c->image->image->format.size;
	uint8_t *bytes = buffer_bytes(driver, c->other, c->offset, size);
	bool to_buffer = command->event->type ==
			 CL_COMMAND_COPY_IMAGE_TO_BUFFER;

	if (to_buffer ? !host_box_fetch(driver, c->image, &c->box)
		      : !host_memory_fetch(driver, c->other, c->offset, size))
		return host_memory_failed(driver,
					  to_buffer ? c->image : c->other);
	for (uint64_t z = 0; z < c->box.region[2]; z++)
		for (uint64_t y = 0; y < c->box.region[1]; y++) {
			uint8_t *row = image_row(driver, c->image, &c->box, y,
						 z);

			/* An image over the buffer may be what moves. */
			if (to_buffer)
				memmove(bytes, row, width);
			else
				memmove(row, bytes, width);
			bytes += width;
		}
	if (to_buffer ? !host_memory_store(driver, c->other, c->offset, size)
		      : !host_box_store(driver, c->image, &c->box))
		return host_memory_failed(driver,
					  to_buffer ? c->other : c->image);
	pass_copy(driver, 2 * size);
	return CL_COMPLETE;
}

/* Image and buffer of a copy from made->offset on, and the box at the
 * program's addresses `origin` and `region`. */
static cl_int find_both(struct opencl_driver *driver, uint64_t queue_handle,
			uint64_t image, uint64_t buffer, uint64_t origin,
			uint64_t region, struct queue **queue,
			struct image_command *made)
{
	cl_int status = enqueue_find_memory(driver, queue_handle, image,
					    image_find, queue, &made->image);

	if (status == CL_SUCCESS)
		status = enqueue_find(driver, queue_handle, buffer, queue,
				      &made->other);
	/* Not between an image and the buffer that it lies over. */
	if (status == CL_SUCCESS && made->image->parent == made->other)
		status = CL_INVALID_MEM_OBJECT;
	if (status != CL_SUCCESS)
		return status;
	if (image_box_read(driver, made->image, origin, region, &made->box) ||
	    !buffer_has_range(made->other, made->offset,
			      image_box_size(made->image, &made->box)))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

cl_int serve_clEnqueueCopyImageToBuffer(
	struct opencl_driver *driver,
	struct request_clEnqueueCopyImageToBuffer *request)
{
	struct image_command made = { .offset = request->offset };
	struct queue *queue;
	cl_int status = find_both(driver, request->queue, request->image,
				  request->buffer, request->origin,
				  request->region, &queue, &made);

	if (status != CL_SUCCESS)
		return status;
	return SUBMIT(driver, queue, &made, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
		      copy_buffer_run, request, false);
}

cl_int serve_clEnqueueCopyBufferToImage(
	struct opencl_driver *driver,
	struct request_clEnqueueCopyBufferToImage *request)
{
	struct image_command made = { .offset = request->offset };
	struct queue *queue;
	cl_int status = find_both(driver, request->queue, request->image,
				  request->buffer, request->origin,
				  request->region, &queue, &made);

	if (status != CL_SUCCESS)
		return status;
	return SUBMIT(driver, queue, &made, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
		      copy_buffer_run, request, false);
}
