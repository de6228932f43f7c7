/* clEnqueueNDRangeKernel and clEnqueueTask. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/emu/stray.h"
#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/internal.h"
#include "opencl-rt/driver/work-size.h"

struct launch {
	struct command command;
	struct kernel *kernel;
	struct work_size size;
	uint8_t *constants;      /* constant buffer 0 up to the tail */
	uint32_t local_memory;   /* bytes per work-group */
	struct buffer **buffers; /* of the arguments, kept alive */
	uint32_t buffer_count;
	struct evg_bindings *bindings; /* NULL: neither images nor samplers */
};

static void launch_drop(struct opencl_driver *driver, struct command *command)
{
	struct launch *launch = (struct launch *)command;

	while (launch->buffer_count)
		object_drop(driver,
			    &launch->buffers[--launch->buffer_count]->object);
	free(launch->buffers);
	free(launch->constants);
	free(launch->bindings);
	object_drop(driver, &launch->kernel->object);
}

static void log_launch(const struct launch *launch, unsigned id, FILE *stream)
{
	const struct work_size *size = &launch->size;

	if (stream)
		fprintf(stream,
			"  ND-range %u: kernel %s, global size %u %u %u, local "
			"size %u %u %u, offset %u %u %u, local memory %u\n",
			id, launch->kernel->code->name, size->global[0],
			size->global[1], size->global[2], size->local[0],
			size->local[1], size->local[2], size->offset[0],
			size->offset[1], size->offset[2],
			launch->local_memory);
}

/* The buffers that the program holds itself: brought up to date before the
 * kernel runs, and stored after it. */
static int64_t fetch_buffers(struct opencl_driver *driver,
			     const struct launch *launch)
{
	struct buffer *buffer;

	for (uint32_t i = 0; i < launch->buffer_count; i++) {
		buffer = launch->buffers[i];
		if (!host_memory_fetch(driver, buffer, 0, buffer->size))
			return host_memory_failed(driver, buffer);
	}
	return CL_COMPLETE;
}

static int64_t store_buffers(struct opencl_driver *driver,
			     const struct launch *launch)
{
	struct buffer *buffer;

	for (uint32_t i = 0; i < launch->buffer_count; i++) {
		buffer = launch->buffers[i];
		if (!(buffer->flags & CL_MEM_READ_ONLY) &&
		    !host_memory_store(driver, buffer, 0, buffer->size))
			return host_memory_failed(driver, buffer);
	}
	return CL_COMPLETE;
}

/* Tells the machine which buffers are memory of the program. Images are not: the
 * device has them in its own order of texels. */
static void share_buffers(struct opencl_driver *driver,
			  const struct launch *launch)
{
	struct opencl_shared_buffer *list;
	size_t count = 0;

	if (!driver->machine.share)
		return;
	list = xcalloc(launch->buffer_count + 1, sizeof *list);
	for (uint32_t i = 0; i < launch->buffer_count; i++) {
		const struct buffer *buffer = launch->buffers[i];

		if (buffer->host_ptr && !buffer->image)
			list[count++] = (struct opencl_shared_buffer){
				buffer->address, buffer->host_ptr,
				buffer->size,
				!(buffer->flags & CL_MEM_READ_ONLY)
			};
	}
	driver->machine.share(driver->machine.owner, list, count);
	free(list);
}

static int run_whole(struct opencl_driver *driver,
		     struct evg_launch *description, struct error *error)
{
	const struct evg_kernel *kernel = description->kernel;
	struct evg_ndrange *ndrange;
	int failed;

	if (kernel->prints) {
		if (print_begin(driver, error))
			return 1;
		description->printf_buffer = driver->printf_buffer;
	}
	ndrange = evg_ndrange_create(description, error);
	if (!ndrange)
		return 1;
	failed = driver->machine.run(driver->machine.owner, ndrange, error);
	evg_ndrange_free(ndrange);
	if (!failed && kernel->prints)
		print_end(driver, kernel->name);
	return failed;
}

/* The event's status. */
static int64_t count_failure(struct opencl_driver *driver, bool finished)
{
	struct opencl_failures *failures = driver->options.failures;

	if (failures) {
		failures->launches++;
		failures->unfinished += !finished;
	}
	return CL_OUT_OF_RESOURCES;
}

/* Tells once for each instruction what was outside of buffers, or in strict runs
 * each time. */
static int64_t tell_strays(struct opencl_driver *driver,
			   const struct evg_strays *strays)
{
	static const char hint[] = "reads gave 0, and writes were dropped "
				   "(--evg-strict makes the launch fail)";
	bool strict = driver->options.strict;

	for (size_t i = 0; i < evg_strays_count(strays); i++) {
		struct evg_stray stray = evg_strays_at(strays, i);

		if (strict)
			log_warning(driver->options.log,
				    "%s: %s; %" PRIu64 " such accesses in all: "
				    "the launch has failed (--evg-strict)",
				    stray.place, stray.text, stray.count);
		else
			log_warning_once(driver->options.log, stray.place,
					 "%s: %s; %" PRIu64 " such accesses in "
					 "this launch: %s", stray.place,
					 stray.text, stray.count, hint);
	}
	return strict && evg_strays_count(strays) ? count_failure(driver, true)
						  : CL_COMPLETE;
}

/* The event's status after a launch that returned `failed` and *error. */
static int64_t end_status(struct opencl_driver *driver, int failed,
			  const struct error *error,
			  const struct evg_strays *strays)
{
	if (failed < 0)
		return driver_fail(driver, error);
	if (!failed)
		return tell_strays(driver, strays);
	log_warning(driver->options.log, "%s: the launch has failed",
		    error->text);
	return count_failure(driver, false);
}

static bool runs_by_groups(const struct evg_kernel *kernel)
{
	return kernel->prints &&
	       kernel->program->convention == EVG_CONVENTION_CAL;
}

static int64_t launch_run(struct opencl_driver *driver,
			  struct command *command)
{
	const struct launch *launch = (struct launch *)command;
	const struct work_size *size = &launch->size;
	struct evg_launch description = {
		.kernel = launch->kernel->code,
		.memory = driver->memory,
		.text_address = launch->kernel->executable->text_address,
		.work_dim = size->dimensions,
		.arguments = launch->constants,
		.bindings = launch->bindings,
		.local_memory = launch->local_memory,
		.compute_units = driver->options.compute_units,
		.id = driver->launches++,
		.strays = evg_strays_create(),
		.log = driver->options.log,
	};
	picoseconds start;
	struct error error;
	int64_t status;
	int failed;

	status = fetch_buffers(driver, launch);
	if (status != CL_COMPLETE) {
		evg_strays_free(description.strays);
		return status;
	}
	log_launch(launch, description.id,
		   log_stream(driver->options.log, LOG_CL));
	memcpy(description.global_size, size->global, sizeof size->global);
	memcpy(description.local_size, size->local, sizeof size->local);
	memcpy(description.global_offset, size->offset, sizeof size->offset);
	share_buffers(driver, launch);
	start = time_now(driver);
	failed = runs_by_groups(description.kernel)
			 ? print_run_groups(driver, &description, &error)
			 : run_whole(driver, &description, &error);
	account_launch(driver->options.account, description.kernel->name,
		       (uint64_t)size->global[0] * size->global[1] *
			       size->global[2],
		       time_now(driver) - start);
	status = end_status(driver, failed, &error, description.strays);
	evg_strays_free(description.strays);
	return status == CL_COMPLETE ? store_buffers(driver, launch) : status;
}

/* The memory object of an argument; what it was when it was set must still be
 * there. NULL if not. */
static struct buffer *take_memory(struct opencl_driver *driver,
				  struct launch *launch,
				  const struct argument *argument)
{
	struct buffer *buffer = memory_find(driver, argument->buffer);

	if (!buffer || buffer->object.serial != argument->serial)
		return NULL;
	object_use(&buffer->object);
	launch->buffers[launch->buffer_count++] = buffer;
	return buffer;
}

static cl_int place_pointer(struct opencl_driver *driver,
			    struct launch *launch,
			    const struct argument *argument, uint8_t *place)
{
	uint32_t address = 0;

	if (argument->buffer) {
		struct buffer *buffer = take_memory(driver, launch, argument);

		if (!buffer)
			return CL_INVALID_KERNEL_ARGS;
		address = buffer->address;
	}
	memcpy(place, &address, sizeof address);
	return CL_SUCCESS;
}

static cl_int place_image(struct opencl_driver *driver, struct launch *launch,
			  const struct evg_argument *wanted,
			  const struct argument *argument, uint8_t *place)
{
	struct buffer *image = take_memory(driver, launch, argument);

	if (!image)
		return CL_INVALID_KERNEL_ARGS;
	binding_image(image,
		      wanted->access == EVG_ACCESS_WRITE_ONLY
			      ? &launch->bindings->rats[wanted->number]
			      : &launch->bindings->images[wanted->number]);
	binding_describe(image, place);
	return CL_SUCCESS;
}

static void place_sampler(struct launch *launch,
			  const struct evg_argument *wanted,
			  const struct argument *argument, uint8_t *place)
{
	uint32_t bits;

	memcpy(&bits, argument->bytes, sizeof bits);
	binding_sampler(bits, &launch->bindings->samplers[wanted->number]);
	memcpy(place, &bits, sizeof bits);
}

static bool needs_bindings(const struct kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (kernel->code->arguments[i].kind == EVG_ARGUMENT_IMAGE ||
		    kernel->code->arguments[i].kind == EVG_ARGUMENT_SAMPLER)
			return true;
	return kernel->code->sampler_count;
}

/* Copies the arguments to their places and binds images and samplers. */
static cl_int place_arguments(struct opencl_driver *driver,
			      struct launch *launch)
{
	const struct kernel *kernel = launch->kernel;
	cl_int status = CL_SUCCESS;

	if (needs_bindings(kernel))
		launch->bindings = xcalloc(1, sizeof *launch->bindings);
	for (uint32_t i = 0; !status && i < kernel->argument_count; i++) {
		const struct evg_argument *wanted = &kernel->code->arguments[i];
		const struct argument *argument = &kernel->arguments[i];
		uint8_t *place = launch->constants + wanted->offset;

		switch (wanted->kind) {
		case EVG_ARGUMENT_VALUE:
			memcpy(place, argument->bytes, wanted->size);
			break;
		case EVG_ARGUMENT_POINTER:
			if (wanted->address_space != EVG_LOCAL)
				status = place_pointer(driver, launch,
						       argument, place);
			break;
		case EVG_ARGUMENT_IMAGE:
			status = place_image(driver, launch, wanted, argument,
					     place);
			break;
		case EVG_ARGUMENT_SAMPLER:
			place_sampler(launch, wanted, argument, place);
			break;
		}
	}
	for (uint32_t i = 0; i < kernel->code->sampler_count; i++)
		binding_sampler(kernel->code->samplers[i].bits,
				&launch->bindings->samplers
					 [kernel->code->samplers[i].number]);
	return status;
}

static cl_int check_resources(struct opencl_driver *driver,
			      const struct evg_kernel *code,
			      uint64_t local_memory)
{
	if (kernel_max_group_size(driver, code) == 0) {
		log_warning(driver->options.log,
			    "kernel %s needs %u registers per work-item; a "
			    "compute unit has room for %u",
			    code->name, code->registers, driver->options.register_slots);
		return CL_OUT_OF_RESOURCES;
	}
	if (local_memory > device_local_memory(driver)) {
		log_warning(driver->options.log,
			    "kernel %s needs %llu bytes of local memory per "
			    "work-group; a compute unit has %u",
			    code->name, (unsigned long long)local_memory,
			    device_local_memory(driver));
		return CL_OUT_OF_RESOURCES;
	}
	return CL_SUCCESS;
}

static cl_int enqueue_kernel(struct opencl_driver *driver, struct queue *queue,
			     struct kernel *kernel,
			     const struct work_size *size, cl_command_type type,
			     struct wait_list *wait, uint64_t event)
{
	uint64_t local_memory = kernel_place_local(kernel, NULL);
	struct launch built = { .kernel = kernel };
	struct launch *launch;
	cl_int status;

	status = check_resources(driver, kernel->code, local_memory);
	if (status != CL_SUCCESS) {
		wait_list_drop(driver, wait);
		return status;
	}
	built.constants = xcalloc(1, kernel->code->tail_offset + 16);
	built.buffers = xcalloc(kernel->argument_count + 1,
				sizeof *built.buffers);
	object_use(&kernel->object);
	kernel_place_local(kernel, built.constants);
	status = place_arguments(driver, &built);
	if (status != CL_SUCCESS) {
		launch_drop(driver, &built.command);
		wait_list_drop(driver, wait);
		return status;
	}
	launch = command_create(driver, queue, type, sizeof *launch, wait,
				event);
	launch->command.run = launch_run;
	launch->command.drop = launch_drop;
	launch->command.launches = true;
	launch->kernel = kernel;
	launch->size = *size;
	launch->constants = built.constants;
	launch->local_memory = (uint32_t)local_memory;
	launch->buffers = built.buffers;
	launch->buffer_count = built.buffer_count;
	launch->bindings = built.bindings;
	return command_submit(driver, &launch->command, false);
}

/* The checks that come before those of the sizes. */
static cl_int find_kernel(struct opencl_driver *driver, uint64_t queue_handle,
			  uint64_t kernel_handle, struct queue **queue,
			  struct kernel **kernel)
{
	*queue = object_find(driver, queue_handle, OBJECT_QUEUE);
	*kernel = object_find(driver, kernel_handle, OBJECT_KERNEL);
	if (!*queue)
		return CL_INVALID_COMMAND_QUEUE;
	if (!*kernel)
		return CL_INVALID_KERNEL;
	if ((*kernel)->program->context != (*queue)->context)
		return CL_INVALID_CONTEXT;
	for (uint32_t i = 0; i < (*kernel)->argument_count; i++)
		if (!(*kernel)->arguments[i].set)
			return CL_INVALID_KERNEL_ARGS;
	return CL_SUCCESS;
}

cl_int serve_clEnqueueNDRangeKernel(
	struct opencl_driver *driver,
	struct request_clEnqueueNDRangeKernel *request)
{
	struct work_size size;
	struct wait_list wait;
	struct kernel *kernel;
	struct queue *queue;
	cl_int status;

	status = find_kernel(driver, request->queue, request->kernel, &queue,
			     &kernel);
	if (status == CL_SUCCESS)
		status = work_size_read(driver, kernel->code, request->work_dim,
					request->global_size,
					request->local_size,
					request->global_offset, &size);
	if (status == CL_SUCCESS)
		status = wait_list_read(driver, queue, request->wait_count,
					request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	return enqueue_kernel(driver, queue, kernel, &size,
			      CL_COMMAND_NDRANGE_KERNEL, &wait, request->event);
}

/* An ND-range of one work-item. */
cl_int serve_clEnqueueTask(struct opencl_driver *driver,
			   struct request_clEnqueueTask *request)
{
	struct work_size size = { 1, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	struct wait_list wait;
	struct kernel *kernel;
	struct queue *queue;
	cl_int status;

	status = find_kernel(driver, request->queue, request->kernel, &queue,
			     &kernel);
	if (status != CL_SUCCESS)
		return status;
	for (int i = 0; i < 3; i++)
		if (kernel->code->reqd_work_group_size[i] > 1)
			return CL_INVALID_WORK_GROUP_SIZE;
	status = wait_list_read(driver, queue, request->wait_count,
				request->wait_list, &wait);
	if (status != CL_SUCCESS)
		return status;
	return enqueue_kernel(driver, queue, kernel, &size, CL_COMMAND_TASK,
			      &wait, request->event);
}
