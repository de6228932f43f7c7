/* How programs end, and what callbacks may do: the first argument says which
 * part runs. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem buffer;
static cl_event user, last;

static void expect(int fine, const char *what)
{
	if (!fine)
		printf("wrong: %s\n", what);
	fflush(stdout);
}

static void begin(void)
{
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	buffer = clCreateBuffer(context, 0, 4096, NULL, NULL);
}

/* In no sensible order. */
static void release_all(void)
{
	expect(!clReleaseContext(context), "clReleaseContext");
	expect(!clReleaseMemObject(buffer), "clReleaseMemObject");
	expect(!clReleaseCommandQueue(queue), "clReleaseCommandQueue");
	puts("released");
	fflush(stdout);
}

static void enqueue_held(void)
{
	cl_int one = 1;

	user = clCreateUserEvent(context, NULL);
	for (int i = 0; i < 100; i++)
		clEnqueueFillBuffer(queue, buffer, &one, sizeof one, 0, 4096, 1,
				    &user, i == 99 ? &last : NULL);
	clFlush(queue);
}

/* Commands still wait for an event that nobody completes. */
static void queued(void)
{
	begin();
	enqueue_held();
}

static void atexit_releases(void)
{
	atexit(release_all);
	begin();
}

static void late_atexit_releases(void)
{
	begin();
	atexit(release_all);
	enqueue_held();
}

static int destructor_releases;

__attribute__((destructor)) static void at_end(void)
{
	if (destructor_releases)
		release_all();
}

static void destructor(void)
{
	begin();
	destructor_releases = 1;
}

/* --- Threads that are there when the program ends ----------------------- */

static void *wait_for_ever(void *unused)
{
	(void)unused;
	clWaitForEvents(1, &last);
	return NULL;
}

static void *use_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		cl_mem more = clCreateBuffer(context, 0, 4096, NULL, NULL);

		clEnqueueCopyBuffer(queue, buffer, more, 0, 0, 4096, 0, NULL,
				    NULL);
		clReleaseMemObject(more);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread;

	begin();
	enqueue_held();
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, use_for_ever, NULL);
	usleep(50000);
}

/* --- Callbacks ----------------------------------------------------------- */

enum { CHAIN = 30000 };
static int chained;

/* Enqueues the next command, whose end calls this again. */
static void CL_CALLBACK chain_on(cl_event event, cl_int status, void *data)
{
	cl_event next;
	cl_int number = ++chained;

	expect(status == CL_COMPLETE, "status of a callback");
	expect(!clReleaseEvent(event), "release in a callback");
	if (chained == CHAIN)
		return;
	expect(!clEnqueueFillBuffer(queue, buffer, &number, sizeof number, 0,
				    sizeof number, 0, NULL, &next),
	       "enqueue in a callback");
	expect(!clSetEventCallback(next, CL_COMPLETE, chain_on, data),
	       "callback in a callback");
}

static void chain(void)
{
	cl_int number;
	cl_event event;

	begin();
	clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
	clSetEventCallback(event, CL_COMPLETE, chain_on, NULL);
	clFinish(queue);
	while (chained < CHAIN)
		clFinish(queue);
	clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof number, &number,
			    0, NULL, NULL);
	expect(number == CHAIN - 1, "what the chain wrote");
	release_all();
}

static int destroyed;

/* Each buffer's end releases the next. */
static void CL_CALLBACK release_next(cl_mem object, void *next)
{
	(void)object;
	destroyed++;
	if (next)
		expect(!clReleaseMemObject(next), "release in a destructor");
}

static void destructors(void)
{
	cl_mem next = NULL;

	begin();
	for (int i = 0; i < CHAIN / 4; i++) {
		cl_mem own = clCreateBuffer(context, 0, 64, NULL, NULL);

		clSetMemObjectDestructorCallback(own, release_next, next);
		next = own;
	}
	clReleaseMemObject(next);
	clFinish(queue);
	expect(destroyed == CHAIN / 4, "all are gone");
	release_all();
}

/* Completes an event that the command of another queue waits for, and waits for
 * that command, although a callback should not wait. */
static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
	expect(!clSetUserEventStatus(user, CL_COMPLETE), "gate in a callback");
	expect(!clWaitForEvents(1, &last), "wait in a callback");
}

static void gate(void)
{
	cl_command_queue other;
	cl_event marker;

	begin();
	enqueue_held();
	other = clCreateCommandQueue(context, device, 0, NULL);
	clEnqueueMarkerWithWaitList(other, 0, NULL, &marker);
	clSetEventCallback(marker, CL_COMPLETE, open_gate, NULL);
	clFinish(other);
	clFinish(queue);
	clReleaseEvent(marker);
	clReleaseEvent(user);
	clReleaseEvent(last);
	clReleaseCommandQueue(other);
	release_all();
}

static void CL_CALLBACK leave(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
	exit(9);
}

static void exit_in_callback(void)
{
	cl_event marker;

	begin();
	enqueue_held();
	clEnqueueMarkerWithWaitList(clCreateCommandQueue(context, device, 0,
							 NULL), 0, NULL,
				    &marker);
	clSetEventCallback(marker, CL_COMPLETE, leave, NULL);
	clWaitForEvents(1, &marker);
}

static int notified;

static void CL_CALLBACK built(cl_program program, void *data)
{
	cl_kernel kernel;
	cl_int status;

	(void)data;
	kernel = clCreateKernel(program, "f", &status);
	expect(status == CL_SUCCESS, "clCreateKernel in a callback");
	expect(!clReleaseKernel(kernel), "clReleaseKernel in a callback");
	expect(!clReleaseProgram(program), "clReleaseProgram in a callback");
	notified = 1;
}

static void build(void)
{
	const char *source = "kernel void f(global int *p) { *p = 1; }";
	cl_program program;

	begin();
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	expect(!clBuildProgram(program, 0, NULL, "", built, NULL),
	       "clBuildProgram");
	while (!notified)
		usleep(1000);
	release_all();
}

/* --- A kernel that fails ------------------------------------------------- */

static cl_int state_of(cl_event event)
{
	cl_int state = 1;

	clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
		       &state, NULL);
	return state;
}

static cl_int called_with;

static void CL_CALLBACK note_status(cl_event event, cl_int status, void *data)
{
	(void)event, (void)data;
	called_with = status;
}

static void launch(cl_kernel kernel, cl_int index, cl_event *event)
{
	size_t size = 64;

	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 1, sizeof index, &index);
	expect(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0,
				       NULL, event), "launch");
}

/* Its event, and those of commands that wait for it, tell. Whether later
 * launches work is printed. */
static void fault(void)
{
	static const char *source =
		"kernel void f(global int *p, int i) {\n"
		"  local int few[64]; int id = get_local_id(0);\n"
		"  few[id * i] = id; barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  p[id] = few[id] + 7; }\n";
	cl_event bad, behind, good;
	cl_int numbers[64], one = 1;
	cl_program program;
	cl_kernel kernel;

	begin();
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	clBuildProgram(program, 0, NULL, "", NULL, NULL);
	kernel = clCreateKernel(program, "f", NULL);
	launch(kernel, 100000, &bad);
	clEnqueueFillBuffer(queue, buffer, &one, sizeof one, 0, 256, 1, &bad,
			    &behind);
	clSetEventCallback(bad, CL_COMPLETE, note_status, NULL);
	expect(!clFinish(queue), "clFinish");
	expect(state_of(bad) == CL_OUT_OF_RESOURCES, "its event");
	expect(called_with == CL_OUT_OF_RESOURCES, "its callback");
	expect(clWaitForEvents(1, &bad) ==
		       CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
	       "clWaitForEvents");
	expect(state_of(behind) ==
		       CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
	       "what waits for it");
	clEnqueueFillBuffer(queue, buffer, &one, sizeof one, 0, 256, 0, NULL,
			    NULL);
	launch(kernel, 1, &good);
	expect(!clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers,
				    numbers, 0, NULL, NULL), "read");
	printf("later: %d, %d\n", (int)state_of(good), (int)numbers[63]);
	clReleaseEvent(bad);
	clReleaseEvent(behind);
	clReleaseEvent(good);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	release_all();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "queued", queued },
		{ "atexit", atexit_releases },
		{ "late-atexit", late_atexit_releases },
		{ "destructor", destructor },
		{ "threads", threads },
		{ "chain", chain },
		{ "destructors", destructors },
		{ "gate", gate },
		{ "exit-in-callback", exit_in_callback },
		{ "build", build },
		{ "fault", fault },
	};

	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			puts("end of main");
			return argc > 2 ? atoi(argv[2]) : 5;
		}
	return 2;
}
