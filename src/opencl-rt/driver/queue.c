#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

static const uint64_t known_properties =
	CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

void queue_end(struct opencl_driver *driver, void *object)
{
	struct queue *queue = object;

	object_drop(driver, &queue->context->object);
}

void queue_free(void *object)
{
	free(object);
}

static cl_int create_queue(struct opencl_driver *driver,
			   uint64_t context_handle, uint64_t device,
			   uint64_t properties, uint64_t handle)
{
	struct context *context = object_find(driver, context_handle,
					      OBJECT_CONTEXT);
	struct queue *queue;

	if (!context)
		return CL_INVALID_CONTEXT;
	if (!device_is_ours(driver, device))
		return CL_INVALID_DEVICE;
	if (properties & ~known_properties)
		return CL_INVALID_VALUE;
	queue = object_create(driver, OBJECT_QUEUE, sizeof *queue, handle);
	queue->context = context;
	queue->properties = properties;
	object_use(&context->object);
	return CL_SUCCESS;
}

cl_int serve_clCreateCommandQueue(struct opencl_driver *driver,
				  struct request_clCreateCommandQueue *request)
{
	return create_queue(driver, request->context, request->device,
			    request->properties, request->handle);
}

/* OpenCL 2.0's way to make the same queues. Its properties are pairs of
 * 64-bit numbers on every ABI. */
cl_int serve_clCreateCommandQueueWithProperties(
	struct opencl_driver *driver,
	struct request_clCreateCommandQueueWithProperties *request)
{
	uint64_t pair[2], properties = 0, address = request->properties;

	for (; address; address += sizeof pair) {
		if (program_read(driver, address, pair, sizeof *pair))
			return CL_INVALID_VALUE;
		if (!pair[0])
			break;
		if (program_read(driver, address, pair, sizeof pair))
			return CL_INVALID_VALUE;
		if (pair[0] != CL_QUEUE_PROPERTIES)
			return CL_INVALID_VALUE;
		/* On-device queues: valid, but not here. */
		if (pair[1] & ~known_properties)
			return CL_INVALID_QUEUE_PROPERTIES;
		properties = pair[1];
	}
	return create_queue(driver, request->context, request->device,
			    properties, request->handle);
}

static struct queue *find_queue(struct opencl_driver *driver, uint64_t handle)
{
	return object_find(driver, handle, OBJECT_QUEUE);
}

static bool changes_order(
	const struct queue *queue,
	const struct request_clSetCommandQueueProperty *request)
{
	uint64_t out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

	return (request->properties & out_of_order) &&
	       !(queue->properties & out_of_order) == !!request->enable;
}

/* A barrier: commands before the change of a queue's order and those behind it
 * are not mixed. */
static void hold_followers(struct opencl_driver *driver, struct queue *queue)
{
	struct wait_list nothing = { NULL, 0 };
	struct command *barrier;

	barrier = command_create(driver, queue, CL_COMMAND_BARRIER,
				 sizeof *barrier, &nothing, 0);
	barrier->waits_for_all = true;
	barrier->holds_all = true;
	command_submit(driver, barrier, false);
}

cl_int serve_clSetCommandQueueProperty(
	struct opencl_driver *driver,
	struct request_clSetCommandQueueProperty *request)
{
	struct queue *queue = find_queue(driver, request->queue);
	uint64_t old;

	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	if (request->properties & ~known_properties)
		return CL_INVALID_VALUE;
	old = queue->properties;
	if (changes_order(queue, request) && queue->first)
		hold_followers(driver, queue);
	if (request->enable)
		queue->properties |= request->properties;
	else
		queue->properties &= ~request->properties;
	if (request->old_properties)
		return program_write(driver, request->old_properties, &old,
				     sizeof old);
	return CL_SUCCESS;
}

cl_int serve_clRetainCommandQueue(struct opencl_driver *driver,
				  struct request_clRetainCommandQueue *request)
{
	return object_retain(driver, request->object, OBJECT_QUEUE);
}

/* Also a flush; commands that wait keep the queue alive. */
cl_int serve_clReleaseCommandQueue(
	struct opencl_driver *driver,
	struct request_clReleaseCommandQueue *request)
{
	struct queue *queue = find_queue(driver, request->object);

	if (queue)
		queue_flush(driver, queue);
	return object_release(driver, request->object, OBJECT_QUEUE);
}

cl_int serve_clGetCommandQueueInfo(
	struct opencl_driver *driver,
	struct request_clGetCommandQueueInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct queue *queue = find_queue(driver, request->queue);

	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	switch (request->param_name) {
	case CL_QUEUE_CONTEXT:
		return info_word(info, queue->context->object.handle);
	case CL_QUEUE_DEVICE:
		return info_word(info, driver->device->handle);
	case CL_QUEUE_REFERENCE_COUNT:
		return info_u32(info, queue->object.references);
	case CL_QUEUE_PROPERTIES:
		return info_u64(info, queue->properties);
	}
	return CL_INVALID_VALUE;
}

cl_int serve_clFlush(struct opencl_driver *driver,
		     struct request_clFlush *request)
{
	struct queue *queue = find_queue(driver, request->queue);

	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	queue_flush(driver, queue);
	return CL_SUCCESS;
}

/* Waits for a marker behind everything that is in the queue now. */
cl_int serve_clFinish(struct opencl_driver *driver,
		      struct request_clFinish *request)
{
	struct queue *queue = find_queue(driver, request->queue);
	struct wait_list nothing = { NULL, 0 };
	struct command *marker;

	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	queue_flush(driver, queue);
	if (!queue->first)
		return CL_SUCCESS;
	marker = command_create(driver, queue, CL_COMMAND_MARKER,
				sizeof *marker, &nothing, 0);
	marker->waits_for_all = true;
	return command_submit(driver, marker, true);
}
