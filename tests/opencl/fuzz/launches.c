/* Launches, markers and barriers. */
#include "command.h"

/* --- Launches ------------------------------------------------------------ */

/* All arguments of kernel "one" or "two". */
static void set_arguments(struct slot *kernel, struct slot *buffer)
{
	int number = 3;

	EVERY_SIDE {
		cl_mem memory = buffer->handle[s];

		sides[s].d->clSetKernelArg(kernel->handle[s], 0, sizeof memory,
					   &memory);
		if (kernel->state)
			continue;
		sides[s].d->clSetKernelArg(kernel->handle[s], 1, sizeof number,
					   &number);
		sides[s].d->clSetKernelArg(kernel->handle[s], 2, 256, NULL);
	}
}

/* A kernel of the queue's context with its arguments, or NULL; fault 2: of another
 * context. */
static struct slot *kernel_for(const struct command *c)
{
	struct slot *kernel = c->fault == 2
				      ? stranger(KERNEL, c->queue->context)
				      : any(KERNEL, c->queue->context);
	struct slot *buffer = kernel ? any(BUFFER, kernel->context) : NULL;

	if (!buffer)
		return NULL;
	set_arguments(kernel, buffer);
	return kernel;
}

static void launch(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE,   CL_INVALID_KERNEL,
		CL_INVALID_CONTEXT,	    CL_INVALID_WORK_DIMENSION,
		CL_INVALID_WORK_DIMENSION,  CL_INVALID_GLOBAL_WORK_SIZE,
		CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_WORK_GROUP_SIZE,
		CL_INVALID_WORK_GROUP_SIZE,
	};
	size_t global[3] = { 16, 1, 1 }, local[3] = { 8, 1, 1 };
	struct command c;
	struct slot *kernel;

	if (!command_begin(&c, 9, 0))
		return;
	kernel = kernel_for(&c);
	if (!kernel)
		return;
	if (c.fault == 6)
		global[0] = 0;
	if (c.fault == 7)
		local[0] = 3;
	if (c.fault == 8)
		local[0] = 0;
	DO(clEnqueueNDRangeKernel, QUEUE_OF(c),
	   c.fault == 1 ? NULL : kernel->handle[s],
	   c.fault == 3 ? 0 : c.fault == 4 ? 4 : 1, NULL,
	   c.fault == 5 ? NULL : global, local, WAITS(c));
	command_end(&c, "clEnqueueNDRangeKernel", wants);
}

/* With a kernel of its own that has not got its arguments. */
static void launch_without(void)
{
	struct slot *kernel = any(KERNEL, NULL), *queue;
	size_t global = 16;

	queue = kernel ? any(QUEUE, kernel->context) : NULL;
	if (!queue)
		return;
	EVERY_SIDE {
		const cl_icd_dispatch *d = sides[s].d;
		cl_kernel fresh = d->clCreateKernel(kernel->parent->handle[s],
						    "one", NULL);

		got[s] = d->clEnqueueNDRangeKernel(queue->handle[s], fresh, 1,
						   NULL, &global, NULL, 0, NULL,
						   NULL);
		d->clReleaseKernel(fresh);
	}
	checked("clEnqueueNDRangeKernel", 100, CL_INVALID_KERNEL_ARGS);
}

static void task(void)
{
	static const cl_int wants[] = { CL_INVALID_COMMAND_QUEUE,
					CL_INVALID_KERNEL,
					CL_INVALID_CONTEXT };
	struct command c;
	struct slot *kernel;

	if (!command_begin(&c, 3, 0))
		return;
	kernel = kernel_for(&c);
	if (!kernel)
		return;
	DO(clEnqueueTask, QUEUE_OF(c), c.fault == 1 ? NULL : kernel->handle[s],
	   WAITS(c));
	command_end(&c, "clEnqueueTask", wants);
}

/* --- Markers and barriers ------------------------------------------------ */

static void marker(void)
{
	static const cl_int wants[] = { CL_INVALID_COMMAND_QUEUE };
	int is_barrier = draw(2);
	struct command c;

	if (!command_begin(&c, 1, 0))
		return;
	if (is_barrier)
		DO(clEnqueueBarrierWithWaitList, QUEUE_OF(c), WAITS(c));
	else
		DO(clEnqueueMarkerWithWaitList, QUEUE_OF(c), WAITS(c));
	command_end(&c, is_barrier ? "clEnqueueBarrierWithWaitList"
			   : "clEnqueueMarkerWithWaitList", wants);
}

static void old_marker(void)
{
	struct slot *queue = any(QUEUE, NULL), *event;
	void *handles[SIDES] = { NULL };
	int fault = draw_fault(2), fine;

	if (!queue)
		return;
	DO(clEnqueueMarker, fault ? queue->handle[s] : NULL,
	   fault == 1 ? NULL : (cl_event *)&handles[s]);
	fine = checked("clEnqueueMarker", fault,
		       fault < 0    ? CL_SUCCESS
		       : fault == 0 ? CL_INVALID_COMMAND_QUEUE
				    : CL_INVALID_VALUE);
	event = keep(EVENT, handles, queue->context, fine);
	if (event)
		event->state = queue->flags & CL_QUEUE_PROFILING_ENABLE
				       ? PROFILED
				       : COMMAND;
}

static void old_wait(void)
{
	static const cl_int wants[] = { CL_INVALID_COMMAND_QUEUE,
					CL_INVALID_VALUE, CL_INVALID_VALUE,
					CL_INVALID_EVENT, CL_INVALID_CONTEXT };
	struct slot *queue = any(QUEUE, NULL), *event;
	int fault = draw_fault(5);

	if (!queue)
		return;
	event = fault == 4 ? stranger(EVENT, queue->context)
			   : any(EVENT, queue->context);
	if (!event)
		return;
	EVERY_SIDE {
		cl_event list[] = { fault == 3 ? NULL : event->handle[s] };

		got[s] = sides[s].d->clEnqueueWaitForEvents(
			fault ? queue->handle[s] : NULL, fault != 1,
			fault == 2 ? NULL : list);
	}
	checked("clEnqueueWaitForEvents", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

const struct operation launch_operations[] = {
	{ "launch", launch, 16 },
	{ "launch without arguments", launch_without, 1 },
	{ "task", task, 4 },
	{ "marker", marker, 8 },
	{ "old marker", old_marker, 3 },
	{ "old wait", old_wait, 3 },
	{ NULL, NULL, 0 },
};
