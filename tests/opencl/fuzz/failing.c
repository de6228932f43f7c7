/* User events that get an error: what waits for them fails, and what comes later
 * does not. Devices that are parts of others. */
#include <string.h>

#include "fuzz.h"

/* The events of one failure, on one side. */
struct failure {
	cl_event gate, command, behind;
};

static const char *const steps[] = {
	"clCreateUserEvent",
	"clEnqueueMarkerWithWaitList behind an open gate",
	"clEnqueueFillBuffer behind that",
	"clSetUserEventStatus, an error",
	"clSetUserEventStatus, again",
	"clWaitForEvents for the failed gate",
	"clWaitForEvents for a failed command",
	"clWaitForEvents for one behind that",
	"a blocking clEnqueueReadBuffer behind it",
	"clGetEventProfilingInfo of a failed command",
};
enum { STEPS = sizeof steps / sizeof *steps };

static cl_int run_step(int step, int s, struct failure *f, cl_command_queue queue,
		       cl_context context, cl_mem buffer, cl_int status)
{
	const cl_icd_dispatch *d = sides[s].d;
	cl_int code = CL_SUCCESS, pattern = 1;

	switch (step) {
	case 0:
		f->gate = d->clCreateUserEvent(context, &code);
		return code;
	case 1:
		return d->clEnqueueMarkerWithWaitList(queue, 1, &f->gate,
						      &f->command);
	case 2:
		return d->clEnqueueFillBuffer(queue, buffer, &pattern,
					      sizeof pattern, 0, 64, 1,
					      &f->command, &f->behind);
	case 3:
	case 4:
		return d->clSetUserEventStatus(f->gate, status);
	case 5:
		return d->clWaitForEvents(1, &f->gate);
	case 6:
		return d->clWaitForEvents(1, &f->command);
	case 7:
		return d->clWaitForEvents(1, &f->behind);
	case 8:
		return d->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64,
					      host_bytes[s], 1, &f->behind,
					      NULL);
	default:
		return d->clGetEventProfilingInfo(
			f->behind, CL_PROFILING_COMMAND_END, 8, host_bytes[s],
			NULL);
	}
}

static void fail(void)
{
	static const cl_int wants[STEPS] = {
		[4] = CL_INVALID_OPERATION,
		[5] = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		[6] = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		[7] = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		[8] = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		[9] = CL_PROFILING_INFO_NOT_AVAILABLE,
	};
	struct slot *queue = any(QUEUE, NULL), *buffer;
	struct failure failures[SIDES] = { { NULL, NULL, NULL } };
	cl_int status = -1 - (cl_int)draw(2000);
	cl_int codes[STEPS][SIDES];
	int step;

	draw_fault(0);
	if (!queue)
		return;
	buffer = any(BUFFER, queue->context);
	if (!buffer || buffer->flags & (CL_MEM_HOST_NO_ACCESS |
					CL_MEM_HOST_WRITE_ONLY))
		return;
	open_gates();
	EVERY_SIDE
		for (step = 0; step < STEPS; step++)
			codes[step][s] = run_step(step, s, &failures[s],
						  queue->handle[s],
						  queue->context->handle[s],
						  buffer->handle[s], status);
	/* Now that nothing waits: this makes other platforms finish. */
	for (step = 0; step < STEPS; step++) {
		memcpy(got, codes[step], sizeof codes[step]);
		checked(steps[step], NONE, wants[step]);
	}
	EVERY_SIDE {
		const struct failure *f = &failures[s];
		cl_event events[] = { f->gate, f->command, f->behind };

		for (int i = 0; i < 3; i++)
			if (events[i])
				sides[s].d->clReleaseEvent(events[i]);
	}
}

/* Only what is wrong everywhere: whether a device has parts is its own matter. */
static void split(void)
{
	static const cl_int wants[] = { CL_INVALID_DEVICE, CL_INVALID_VALUE,
					CL_INVALID_VALUE, CL_INVALID_VALUE };
	int fault = (int)draw(4);
	const cl_device_partition_property properties[] = {
		fault == 2 ? 0x7777 : CL_DEVICE_PARTITION_EQUALLY,
		fault == 3 ? 0 : 1, 0
	};
	cl_device_id parts[64];

	DO(clCreateSubDevices, fault ? sides[s].device : NULL,
	   fault == 1 ? NULL : properties, 64, parts, NULL);
	checked("clCreateSubDevices", fault, wants[fault]);
}

/* Of a device that is no part, it changes nothing. */
static void count_device(void)
{
	int fault = draw_fault(1);
	cl_int want = fault < 0 ? CL_SUCCESS : CL_INVALID_DEVICE;

	DO(clRetainDevice, fault ? sides[s].device : NULL);
	checked("clRetainDevice", fault, want);
	DO(clReleaseDevice, fault ? sides[s].device : NULL);
	checked("clReleaseDevice", fault, want);
}

const struct operation failing_operations[] = {
	{ "fail", fail, 3 },
	{ "split", split, 2 },
	{ "count device", count_device, 2 },
	{ NULL, NULL, 0 },
};
