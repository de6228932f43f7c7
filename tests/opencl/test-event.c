/* Events: order, waiting, callbacks, errors, profiling. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "opencl/support.h"

static cl_int status_of(cl_event event)
{
	cl_int status = 99;

	ASSERT_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
				 sizeof status, &status, NULL));
	return status;
}

static cl_int first_byte(cl_mem buffer)
{
	unsigned char byte = 0;
	cl_command_queue queue;

	/* A queue of its own, for the others may be held back. */
	queue = clCreateCommandQueue(support.context, support.device, 0, NULL);
	ASSERT_OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 0,
				      NULL, NULL));
	ASSERT_OK(clReleaseCommandQueue(queue));
	return byte;
}

static void fill(cl_command_queue queue, cl_mem buffer, unsigned char value,
		 cl_uint count, const cl_event *wait, cl_event *event)
{
	ASSERT_OK(clEnqueueFillBuffer(queue, buffer, &value, 1, 0, 64, count,
				      wait, event));
}

static void test_info(void)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_command_queue queue;
	cl_context context;
	cl_event event;
	cl_uint number;

	fill(support.queue, buffer, 1, 0, NULL, &event);
	CU_ASSERT_EQUAL(status_of(event), CL_COMPLETE);
	ASSERT_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof number,
				 &number, NULL));
	CU_ASSERT_EQUAL(number, CL_COMMAND_FILL_BUFFER);
	ASSERT_OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue,
				 &queue, NULL));
	CU_ASSERT_PTR_EQUAL(queue, support.queue);
	ASSERT_OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context,
				 &context, NULL));
	CU_ASSERT_PTR_EQUAL(context, support.context);
	ASSERT_OK(clRetainEvent(event));
	ASSERT_OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT,
				 sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, 2);
	ASSERT_OK(clReleaseEvent(event));
	ASSERT_OK(clReleaseEvent(event));
	CU_ASSERT_EQUAL(clReleaseEvent(event), CL_INVALID_EVENT);
	clReleaseMemObject(buffer);
}

/* Commands behind a user event wait for it, in order. */
static void test_user_event(void)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_event gate, first, second;
	cl_int status;

	gate = clCreateUserEvent(support.context, &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(status_of(gate), CL_SUBMITTED);
	fill(support.queue, buffer, 1, 1, &gate, &first);
	fill(support.queue, buffer, 2, 0, NULL, &second);
	CU_ASSERT_EQUAL(status_of(first), CL_QUEUED);
	ASSERT_OK(clFlush(support.queue));
	CU_ASSERT_EQUAL(status_of(first), CL_SUBMITTED);
	CU_ASSERT_EQUAL(status_of(second), CL_SUBMITTED);
	CU_ASSERT_EQUAL(first_byte(buffer), 0);
	CU_ASSERT_EQUAL(clSetUserEventStatus(first, CL_COMPLETE),
			CL_INVALID_EVENT);
	CU_ASSERT_EQUAL(clSetUserEventStatus(gate, 1), CL_INVALID_VALUE);
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CU_ASSERT_EQUAL(clSetUserEventStatus(gate, CL_COMPLETE),
			CL_INVALID_OPERATION);
	CU_ASSERT_EQUAL(status_of(first), CL_COMPLETE);
	CU_ASSERT_EQUAL(status_of(second), CL_COMPLETE);
	CU_ASSERT_EQUAL(first_byte(buffer), 2);
	ASSERT_OK(clReleaseEvent(gate));
	ASSERT_OK(clReleaseEvent(first));
	ASSERT_OK(clReleaseEvent(second));
	clReleaseMemObject(buffer);
}

/* An error passes on to what waits for it, and nothing is executed. */
static void test_errors_pass_on(void)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_event gate, blocked;
	unsigned freed;
	char byte;

	gate = clCreateUserEvent(support.context, NULL);
	fill(support.queue, buffer, 1, 1, &gate, &blocked);
	ASSERT_OK(clSetUserEventStatus(gate, -5));
	CU_ASSERT_EQUAL(status_of(blocked),
			CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CU_ASSERT_EQUAL(first_byte(buffer), 0);
	CU_ASSERT_EQUAL(clWaitForEvents(1, &blocked),
			CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	ASSERT_OK(clReleaseEvent(blocked));

	/* A blocking call returns the error, and no event. */
	freed = support.handles_freed;
	blocked = NULL;
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    1, &byte, 1, &gate, &blocked),
			CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CU_ASSERT_PTR_NULL(blocked);
	CU_ASSERT_EQUAL(support.handles_freed, freed);
	ASSERT_OK(clReleaseEvent(gate));
	clReleaseMemObject(buffer);
}

/* Out of order: a command that can run does; a barrier holds the rest. */
static void test_out_of_order(void)
{
	cl_mem a = support_buffer(64, NULL), b = support_buffer(64, NULL);
	cl_command_queue queue;
	cl_event gate, slow, quick, marker, behind;

	queue = clCreateCommandQueue(support.context, support.device,
				     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
				     NULL);
	gate = clCreateUserEvent(support.context, NULL);
	fill(queue, a, 1, 1, &gate, &slow);
	fill(queue, b, 2, 0, NULL, &quick);
	CU_ASSERT_EQUAL(status_of(slow), CL_QUEUED);
	CU_ASSERT_EQUAL(status_of(quick), CL_COMPLETE);
	ASSERT_OK(clEnqueueMarker(queue, &marker));
	CU_ASSERT_NOT_EQUAL(status_of(marker), CL_COMPLETE);
	ASSERT_OK(clEnqueueBarrier(queue));
	fill(queue, b, 3, 0, NULL, &behind);
	CU_ASSERT_NOT_EQUAL(status_of(behind), CL_COMPLETE);
	CU_ASSERT_EQUAL(first_byte(b), 2);
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CU_ASSERT_EQUAL(status_of(marker), CL_COMPLETE);
	CU_ASSERT_EQUAL(status_of(behind), CL_COMPLETE);
	CU_ASSERT_EQUAL(first_byte(a), 1);
	CU_ASSERT_EQUAL(first_byte(b), 3);
	ASSERT_OK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
	ASSERT_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
	ASSERT_OK(clEnqueueWaitForEvents(queue, 1, &gate));
	CU_ASSERT_EQUAL(clEnqueueMarker(queue, NULL), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueWaitForEvents(queue, 0, NULL),
			CL_INVALID_VALUE);
	clReleaseEvent(gate);
	clReleaseEvent(slow);
	clReleaseEvent(quick);
	clReleaseEvent(marker);
	clReleaseEvent(behind);
	ASSERT_OK(clReleaseCommandQueue(queue));
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

/* Commands from before and after a change of the order are not mixed. */
static void test_order_changes(void)
{
	const cl_command_queue_properties out_of_order =
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	cl_mem buffer = support_buffer(64, NULL);
	cl_command_queue queue;
	cl_event gate, held, behind;

	queue = clCreateCommandQueue(support.context, support.device, 0, NULL);
	gate = clCreateUserEvent(support.context, NULL);
	fill(queue, buffer, 1, 1, &gate, &held);
	ASSERT_OK(clSetCommandQueueProperty(queue, out_of_order, CL_TRUE,
					    NULL));
	fill(queue, buffer, 2, 0, NULL, &behind);
	CU_ASSERT_NOT_EQUAL(status_of(behind), CL_COMPLETE);
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CU_ASSERT_EQUAL(status_of(behind), CL_COMPLETE);
	CU_ASSERT_EQUAL(first_byte(buffer), 2);
	clReleaseEvent(gate);
	clReleaseEvent(held);
	clReleaseEvent(behind);
	ASSERT_OK(clReleaseCommandQueue(queue));
	clReleaseMemObject(buffer);
}

/* A queue and its buffers live until their commands have run. */
static void test_release_before_run(void)
{
	cl_mem buffer = support_buffer(64, NULL), copy = support_buffer(64,
									 NULL);
	cl_command_queue queue;
	cl_event gate, event;
	unsigned freed;

	queue = clCreateCommandQueue(support.context, support.device, 0, NULL);
	gate = clCreateUserEvent(support.context, NULL);
	fill(queue, buffer, 5, 1, &gate, NULL);
	ASSERT_OK(clEnqueueCopyBuffer(queue, buffer, copy, 0, 0, 64, 0, NULL,
				      &event));
	freed = support.handles_freed;
	ASSERT_OK(clReleaseMemObject(buffer));
	ASSERT_OK(clReleaseCommandQueue(queue));
	CU_ASSERT_EQUAL(support.handles_freed, freed);
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CU_ASSERT_EQUAL(support.handles_freed, freed + 1); /* the buffer */
	ASSERT_OK(clWaitForEvents(1, &event));
	CU_ASSERT_EQUAL(first_byte(copy), 5);
	freed = support.handles_freed;
	ASSERT_OK(clReleaseEvent(event)); /* and with it the queue */
	CU_ASSERT_EQUAL(support.handles_freed, freed + 2);
	ASSERT_OK(clReleaseEvent(gate));
	clReleaseMemObject(copy);
}

static cl_int calls[8];
static int call_count;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	CU_ASSERT_PTR_NOT_NULL(event);
	CU_ASSERT_PTR_EQUAL(data, calls);
	if (call_count < 8)
		calls[call_count++] = status;
}

static void test_callbacks(void)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_event gate, event;

	call_count = 0;
	gate = clCreateUserEvent(support.context, NULL);
	fill(support.queue, buffer, 1, 1, &gate, &event);
	ASSERT_OK(clSetEventCallback(event, CL_COMPLETE, on_event, calls));
	ASSERT_OK(clSetEventCallback(event, CL_RUNNING, on_event, calls));
	ASSERT_OK(clSetEventCallback(event, CL_SUBMITTED, on_event, calls));
	CU_ASSERT_EQUAL(clSetEventCallback(event, CL_QUEUED, on_event, calls),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clSetEventCallback(event, CL_COMPLETE, NULL, calls),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(call_count, 0);
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CU_ASSERT_EQUAL_FATAL(call_count, 3);
	CU_ASSERT_EQUAL(calls[0], CL_SUBMITTED);
	CU_ASSERT_EQUAL(calls[1], CL_RUNNING);
	CU_ASSERT_EQUAL(calls[2], CL_COMPLETE);
	/* Too late is at once. */
	ASSERT_OK(clSetEventCallback(event, CL_COMPLETE, on_event, calls));
	CU_ASSERT_EQUAL(call_count, 4);
	ASSERT_OK(clReleaseEvent(event));
	ASSERT_OK(clReleaseEvent(gate));

	/* An error takes the place of completion. */
	gate = clCreateUserEvent(support.context, NULL);
	ASSERT_OK(clSetEventCallback(gate, CL_COMPLETE, on_event, calls));
	ASSERT_OK(clSetUserEventStatus(gate, -3));
	CU_ASSERT_EQUAL_FATAL(call_count, 5);
	CU_ASSERT_EQUAL(calls[4], -3);
	ASSERT_OK(clReleaseEvent(gate));
	clReleaseMemObject(buffer);
}

static cl_mem nested_buffer;

/* A callback may call OpenCL, and release the last reference. */
static void CL_CALLBACK on_nested(cl_event event, cl_int status, void *data)
{
	(void)status, (void)data;
	fill(support.queue, nested_buffer, 8, 0, NULL, NULL);
	ASSERT_OK(clReleaseEvent(event));
}

static void test_nested_callback(void)
{
	unsigned freed;
	cl_event gate;

	nested_buffer = support_buffer(64, NULL);
	freed = support.handles_freed;
	gate = clCreateUserEvent(support.context, NULL);
	ASSERT_OK(clSetEventCallback(gate, CL_COMPLETE, on_nested, NULL));
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CU_ASSERT_EQUAL(support.handles_freed, freed + 1);
	CU_ASSERT_EQUAL(first_byte(nested_buffer), 8);
	CU_ASSERT_EQUAL(clReleaseEvent(gate), CL_INVALID_EVENT);
	clReleaseMemObject(nested_buffer);
}

static void *complete_later(void *event)
{
	usleep(20000);
	clSetUserEventStatus(event, CL_COMPLETE);
	return NULL;
}

/* Each call that blocks waits for another thread's clSetUserEventStatus. */
static void test_threads(void)
{
	enum { WAIT, FINISH, READ, MAP, WAYS };
	cl_mem buffer = support_buffer(64, NULL);
	unsigned char byte, *map;
	cl_event gate, event;
	pthread_t thread;
	cl_int status;

	for (int way = 0; way < WAYS; way++) {
		byte = 0;
		gate = clCreateUserEvent(support.context, NULL);
		fill(support.queue, buffer, (unsigned char)(way + 1), 1, &gate,
		     &event);
		pthread_create(&thread, NULL, complete_later, gate);
		switch (way) {
		case WAIT:
			ASSERT_OK(clWaitForEvents(1, &event));
			break;
		case FINISH:
			ASSERT_OK(clFinish(support.queue));
			break;
		case READ:
			ASSERT_OK(clEnqueueReadBuffer(support.queue, buffer,
						      CL_TRUE, 0, 1, &byte, 0,
						      NULL, NULL));
			CU_ASSERT_EQUAL(byte, way + 1);
			break;
		case MAP:
			map = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE,
						 CL_MAP_READ, 0, 64, 0, NULL,
						 NULL, &status);
			CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
			CU_ASSERT_EQUAL(map[0], way + 1);
			ASSERT_OK(clEnqueueUnmapMemObject(support.queue, buffer,
							  map, 0, NULL, NULL));
			break;
		}
		CU_ASSERT_EQUAL(status_of(event), CL_COMPLETE);
		pthread_join(thread, NULL);
		clReleaseEvent(event);
		clReleaseEvent(gate);
	}
	clReleaseMemObject(buffer);
}

static void test_wait_errors(void)
{
	cl_event wrong = NULL;

	CU_ASSERT_EQUAL(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clWaitForEvents(0, &wrong), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clWaitForEvents(1, &wrong), CL_INVALID_EVENT);
	CU_ASSERT_PTR_NULL(clCreateUserEvent(NULL, NULL));
}

static void test_profiling(void)
{
	static char bytes[6000000];
	cl_mem buffer = support_buffer(sizeof bytes, NULL);
	cl_command_queue plain;
	cl_ulong time[4];
	cl_event event;

	ASSERT_OK(clEnqueueWriteBuffer(support.queue, buffer, CL_TRUE, 0,
				       sizeof bytes, bytes, 0, NULL, &event));
	for (cl_uint i = 0; i < 4; i++)
		ASSERT_OK(clGetEventProfilingInfo(
			event, CL_PROFILING_COMMAND_QUEUED + i, sizeof *time,
			&time[i], NULL));
	CU_ASSERT(time[0] <= time[1] && time[1] <= time[2]);
	/* No kernel, but profiled; 5 us, pages pinned at 16 bytes a nanosecond,
	 * and 5.39 on the bus. */
	CU_ASSERT_EQUAL(time[1] - time[0], 25000);
	CU_ASSERT_EQUAL(time[2], time[1]);
	CU_ASSERT_DOUBLE_EQUAL((double)(time[3] - time[2]),
			       5000 + sizeof bytes / 16.0 +
				       sizeof bytes / 5.39, 2);
	CU_ASSERT_EQUAL(clGetEventProfilingInfo(event, 1, sizeof *time, time,
						NULL),
			CL_INVALID_VALUE);
	clReleaseEvent(event);

	plain = clCreateCommandQueue(support.context, support.device, 0, NULL);
	fill(plain, buffer, 1, 0, NULL, &event);
	CU_ASSERT_EQUAL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
						sizeof *time, time, NULL),
			CL_PROFILING_INFO_NOT_AVAILABLE);
	clReleaseEvent(event);
	clReleaseCommandQueue(plain);
	event = clCreateUserEvent(support.context, NULL);
	CU_ASSERT_EQUAL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
						sizeof *time, time, NULL),
			CL_PROFILING_INFO_NOT_AVAILABLE);
	clReleaseEvent(event);
	clReleaseMemObject(buffer);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "queries and counts", test_info },
		{ "user events hold commands back", test_user_event },
		{ "errors pass on", test_errors_pass_on },
		{ "out of order", test_out_of_order },
		{ "the order changes", test_order_changes },
		{ "released before it has run", test_release_before_run },
		{ "callbacks", test_callbacks },
		{ "a callback that calls OpenCL", test_nested_callback },
		{ "threads wait for threads", test_threads },
		{ "waiting errors", test_wait_errors },
		{ "profiling in simulated time", test_profiling },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl event", NULL, NULL, support_start, support_stop,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
