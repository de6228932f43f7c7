/* Random graphs of commands over queues in and out of order, held back by user
 * events; many buffers; many events at once. What may have run is computed
 * beside it. Arguments: commands, seed. Prints what was wrong, and the processor
 * time of each part in microseconds. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	QUEUES = 6,
	GATES = 16,  /* user events */
	WAITS = 4,   /* most events in a wait list */
	ROUNDS = 4,  /* of opening gates */
	SHARE = 64,  /* of buffers, bytes */
};

struct node {
	cl_event event;
	int queue;
	int waits[WAITS], wait_count; /* nodes, or ~gate */
	int is_barrier, is_marker, waits_for_all;
	int state;                    /* what it should be; 1: not ended */
};

static cl_context context;
static cl_device_id device;
static cl_command_queue queues[QUEUES];
static cl_event gates[GATES];
static int gate_state[GATES];         /* 1: shut */
static struct node *nodes;
static int count, wrong;
static uint64_t random_state;

static unsigned draw(unsigned below)
{
	random_state = random_state * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
	return (unsigned)(random_state >> 33) % below;
}

static void expect(int fine, const char *what, long number)
{
	if (fine)
		return;
	if (wrong++ < 10)
		printf("wrong: %s (%ld)\n", what, number);
}

static int is_out_of_order(int queue)
{
	return queue % 2;
}

static void make_gates(void)
{
	for (int i = 0; i < GATES; i++) {
		gates[i] = clCreateUserEvent(context, NULL);
		gate_state[i] = 1;
	}
}

/* Early commands mostly, or a gate. */
static int draw_wait(int node)
{
	if (!node || draw(8) == 0)
		return ~(int)draw(GATES);
	return draw(2) ? node - 1 - (int)draw(node < 50 ? node : 50)
		       : (int)draw((unsigned)node);
}

/* Command `i` writes i + 1 into its own place of the buffer. */
static void enqueue(int i, cl_mem buffer)
{
	struct node *node = &nodes[i];
	cl_event list[WAITS];
	cl_int status, number = i + 1;
	cl_uint waits;

	node->queue = (int)draw(QUEUES);
	node->wait_count = (int)draw(WAITS + 1);
	node->is_barrier = draw(64) == 0;
	node->is_marker = !node->is_barrier && draw(16) == 0;
	for (int w = 0; w < node->wait_count; w++) {
		int on = draw_wait(i);

		node->waits[w] = on;
		list[w] = on < 0 ? gates[~on] : nodes[on].event;
	}
	waits = (cl_uint)node->wait_count;
	node->waits_for_all = (node->is_barrier || node->is_marker) && !waits;
	if (node->is_barrier)
		status = clEnqueueBarrierWithWaitList(queues[node->queue],
			waits, waits ? list : NULL, &node->event);
	else if (node->is_marker)
		status = clEnqueueMarkerWithWaitList(queues[node->queue],
			waits, waits ? list : NULL, &node->event);
	else
		status = clEnqueueFillBuffer(queues[node->queue], buffer,
			&number, sizeof number, sizeof number * (size_t)i,
			sizeof number, waits, waits ? list : NULL,
			&node->event);
	expect(status == CL_SUCCESS, "enqueue", status);
}

static int wait_state(int on)
{
	return on < 0 ? gate_state[~on] : nodes[on].state;
}

/* What each command's state has to be, in the order of enqueueing: what holds a
 * command back was enqueued before it. */
static void compute_states(void)
{
	/* Of each queue: the last command, and the last barrier, that is still
	 * there. */
	int held[QUEUES] = { 0 }, barrier[QUEUES] = { 0 };

	for (int i = 0; i < count; i++) {
		struct node *node = &nodes[i];
		int q = node->queue, blocked, failed = 0;

		blocked = barrier[q] || (held[q] && (!is_out_of_order(q) ||
						     node->waits_for_all));
		for (int w = 0; w < node->wait_count; w++) {
			blocked |= wait_state(node->waits[w]) == 1;
			failed |= wait_state(node->waits[w]) < 0;
		}
		node->state = blocked  ? 1
			      : failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
				       : CL_COMPLETE;
		held[q] |= blocked;
		barrier[q] |= blocked && node->is_barrier;
	}
}

static void check_states(void)
{
	cl_int status = 99;

	compute_states();
	for (int i = 0; i < count; i++) {
		clGetEventInfo(nodes[i].event,
			       CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
			       &status, NULL);
		expect(nodes[i].state == 1 ? status > CL_COMPLETE
					   : status == nodes[i].state,
		       "state of command", i);
	}
}

static cl_ulong time_of(int i, cl_profiling_info which)
{
	cl_ulong value = 0;

	expect(!clGetEventProfilingInfo(nodes[i].event, which, sizeof value,
					&value, NULL), "profiling", i);
	return value;
}

/* Nothing began before what it waited for had ended. */
static void check_times(void)
{
	cl_ulong *start = calloc((size_t)count, sizeof *start);
	cl_ulong *end = calloc((size_t)count, sizeof *end);
	cl_ulong last[QUEUES] = { 0 }, barrier[QUEUES] = { 0 };

	for (int i = 0; i < count; i++) {
		struct node *node = &nodes[i];
		int q = node->queue;

		if (node->state != CL_COMPLETE)
			continue;
		start[i] = time_of(i, CL_PROFILING_COMMAND_START);
		end[i] = time_of(i, CL_PROFILING_COMMAND_END);
		for (int w = 0; w < node->wait_count; w++)
			expect(node->waits[w] < 0 ||
				       end[node->waits[w]] <= start[i],
			       "began before what it waits for", i);
		expect(barrier[q] <= start[i], "began before a barrier", i);
		expect((is_out_of_order(q) && !node->waits_for_all) ||
			       last[q] <= start[i],
		       "began before its queue's earlier commands", i);
		if (end[i] > last[q])
			last[q] = end[i];
		if (node->is_barrier)
			barrier[q] = end[i];
	}
	free(start);
	free(end);
}

static void check_data(cl_mem buffer)
{
	cl_int *numbers = malloc(sizeof *numbers * (size_t)count);

	expect(!clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0,
				    sizeof *numbers * (size_t)count, numbers, 0,
				    NULL, NULL), "read", 0);
	for (int i = 0; i < count; i++) {
		int fills = !nodes[i].is_barrier && !nodes[i].is_marker;

		expect(numbers[i] == (fills && nodes[i].state == CL_COMPLETE
					      ? i + 1 : 0), "data", i);
	}
	free(numbers);
}

/* Opens the gates one by one; some fail. */
static void graph(void)
{
	cl_mem buffer = clCreateBuffer(context, 0, sizeof(cl_int) *
				       (size_t)count, NULL, NULL);
	cl_int zero = 0;

	clEnqueueFillBuffer(queues[0], buffer, &zero, sizeof zero, 0,
			    sizeof zero * (size_t)count, 0, NULL, NULL);
	clFinish(queues[0]);
	make_gates();
	for (int i = 0; i < count; i++)
		enqueue(i, buffer);
	for (int q = 0; q < QUEUES; q++)
		clFlush(queues[q]);
	for (int g = 0; g < GATES; g++) {
		if (g % (GATES / ROUNDS) == 0)
			check_states();
		gate_state[g] = draw(8) ? CL_COMPLETE : -5;
		expect(!clSetUserEventStatus(gates[g], gate_state[g]),
		       "clSetUserEventStatus", g);
	}
	for (int q = 0; q < QUEUES; q++)
		expect(!clFinish(queues[q]), "clFinish", q);
	check_states();
	check_times();
	check_data(buffer);
	for (int i = 0; i < count; i++)
		clReleaseEvent(nodes[i].event);
	for (int g = 0; g < GATES; g++)
		clReleaseEvent(gates[g]);
	clReleaseMemObject(buffer);
}

static int called;

static void CL_CALLBACK call(cl_event event, cl_int status, void *data)
{
	(void)event, (void)data;
	called += status == CL_COMPLETE;
}

/* A chain of user events and markers; one list, and one callback, for all. */
static void chain(void)
{
	cl_event *users = calloc((size_t)count, sizeof *users);
	cl_event *markers = calloc((size_t)count, sizeof *markers);
	cl_event all;
	cl_int status;

	called = 0;
	for (int i = 0; i < count; i++) {
		users[i] = clCreateUserEvent(context, NULL);
		clEnqueueMarkerWithWaitList(queues[1], 1, &users[i],
					    &markers[i]);
		clSetEventCallback(markers[i], CL_COMPLETE, call, NULL);
	}
	clEnqueueMarkerWithWaitList(queues[2], (cl_uint)count, markers, &all);
	for (int i = 0; i < count; i++)
		clSetEventCallback(all, CL_COMPLETE, call, NULL);
	for (int i = count; i--;)
		clSetUserEventStatus(users[i], CL_COMPLETE);
	expect(!clWaitForEvents((cl_uint)count, markers), "clWaitForEvents", 0);
	clGetEventInfo(all, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
		       &status, NULL);
	expect(status == CL_COMPLETE, "a marker for all", status);
	expect(called == 2 * count, "callbacks", called);
	for (int i = 0; i < count; i++) {
		clReleaseEvent(users[i]);
		clReleaseEvent(markers[i]);
	}
	clReleaseEvent(all);
	free(users);
	free(markers);
}

/* Buffers made and released in any order; each keeps its contents. */
static void buffers(void)
{
	cl_mem *made = calloc((size_t)count, sizeof *made), buffer;
	cl_int bytes[SHARE / sizeof(cl_int)], status;

	for (int i = 0; i < count; i++) {
		for (size_t k = 0; k < SHARE / sizeof *bytes; k++)
			bytes[k] = i;
		made[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
					 sizeof bytes, bytes, &status);
		expect(status == CL_SUCCESS, "clCreateBuffer", status);
		if (draw(4) == 0) {
			int other = (int)draw((unsigned)i + 1);

			if (made[other])
				clReleaseMemObject(made[other]);
			made[other] = NULL;
		}
	}
	for (int i = 0; i < count; i++) {
		buffer = made[i];
		if (!buffer)
			continue;
		clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, sizeof bytes,
				    bytes, 0, NULL, NULL);
		expect(bytes[0] == i && bytes[SHARE / sizeof *bytes - 1] == i,
		       "contents of buffer", i);
		clReleaseMemObject(buffer);
	}
	free(made);
}

static void timed(const char *name, void part(void))
{
	clock_t start = clock();

	part();
	printf("%s %ld\n", name,
	       (long)((clock() - start) * (1000000.0 / CLOCKS_PER_SEC)));
}

int main(int argc, char **argv)
{
	cl_platform_id platform;

	count = argc > 1 ? atoi(argv[1]) : 10000;
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	nodes = calloc((size_t)count, sizeof *nodes);
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	for (int q = 0; q < QUEUES; q++)
		queues[q] = clCreateCommandQueue(context, device,
			CL_QUEUE_PROFILING_ENABLE |
			(is_out_of_order(q) ?
			 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0), NULL);
	timed("graph", graph);
	timed("chain", chain);
	timed("buffers", buffers);
	for (int q = 0; q < QUEUES; q++)
		clReleaseCommandQueue(queues[q]);
	clReleaseContext(context);
	free(nodes);
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
