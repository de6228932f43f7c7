/* Threads that use all of OpenCL at once on common objects: valid calls, and
 * calls on objects that another thread may have released. Built with the thread
 * sanitizer and run natively by check-native-threads; any number of threads,
 * rounds and a seed are arguments. Each thread checks the results of its own
 * kernels. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64, COUNT = 256 };

static const char source[] =
	"__kernel void scale(__global int *p, int factor) {\n"
	"  p[get_global_id(0)] *= factor; }\n"
	"__kernel void say(int number) {\n"
	"  if (!get_global_id(0)) printf(\"%d\\n\", number); }\n";

static cl_context context;
static cl_device_id device;
static cl_platform_id platform;
static cl_program program;
static cl_command_queue common; /* all threads use it */
static int rounds;
static atomic_int wrong, called;

struct worker {
	pthread_t thread;
	unsigned number;
	uint64_t random;
	cl_command_queue queue;
};

static unsigned draw(struct worker *worker, unsigned below)
{
	worker->random = worker->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	return (unsigned)(worker->random >> 33) % below;
}

static void expect(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	printf("%s: error %d\n", what, (int)status);
	wrong++;
}

static cl_command_queue any_queue(struct worker *worker)
{
	return draw(worker, 2) ? common : worker->queue;
}

static void CL_CALLBACK count_event(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
	called++;
}

/* Callbacks may call OpenCL. */
static void CL_CALLBACK look_at_event(cl_event event, cl_int status, void *data)
{
	cl_uint references;

	(void)status, (void)data;
	expect(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT,
			      sizeof references, &references, NULL),
	       "clGetEventInfo in a callback");
	called++;
}

static void CL_CALLBACK count_memory(cl_mem memory, void *data)
{
	(void)memory, (void)data;
	called++;
}

static void compute(struct worker *worker)
{
	int numbers[COUNT], factor = (int)draw(worker, 100);
	cl_command_queue queue = any_queue(worker);
	size_t size = COUNT, group = 64;
	cl_event events[2];
	cl_kernel kernel;
	cl_mem buffer;
	cl_int status;

	for (int i = 0; i < COUNT; i++)
		numbers[i] = i;
	buffer = clCreateBuffer(context,
				draw(worker, 2) ? CL_MEM_USE_HOST_PTR
						: CL_MEM_COPY_HOST_PTR,
				sizeof numbers, numbers, &status);
	expect(status, "clCreateBuffer");
	expect(clSetMemObjectDestructorCallback(buffer, count_memory, NULL),
	       "clSetMemObjectDestructorCallback");
	kernel = clCreateKernel(program, "scale", &status);
	expect(status, "clCreateKernel");
	expect(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
	expect(clSetKernelArg(kernel, 1, sizeof factor, &factor), "argument");
	expect(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, 0,
				      NULL, &events[0]), "launch");
	expect(clSetEventCallback(events[0], CL_COMPLETE,
				  draw(worker, 2) ? look_at_event : count_event,
				  NULL), "clSetEventCallback");
	expect(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers,
				   numbers, 1, events, &events[1]), "read");
	expect(clWaitForEvents(2, events), "clWaitForEvents");
	for (int i = 0; i < COUNT; i++)
		wrong += numbers[i] != i * factor;
	expect(clReleaseEvent(events[0]), "clReleaseEvent");
	expect(clReleaseEvent(events[1]), "clReleaseEvent");
	expect(clReleaseKernel(kernel), "clReleaseKernel");
	expect(clReleaseMemObject(buffer), "clReleaseMemObject");
}

static void map(struct worker *worker)
{
	cl_command_queue queue = any_queue(worker);
	cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, NULL);
	cl_int status, pattern = (cl_int)draw(worker, 1000);
	int *numbers;

	expect(clEnqueueFillBuffer(queue, buffer, &pattern, sizeof pattern, 0,
				   4096, 0, NULL, NULL), "fill");
	numbers = clEnqueueMapBuffer(queue, buffer, CL_TRUE,
				     CL_MAP_READ | CL_MAP_WRITE, 0, 4096, 0,
				     NULL, NULL, &status);
	expect(status, "clEnqueueMapBuffer");
	for (int i = 0; numbers && i < 1024; i++)
		wrong += numbers[i]++ != pattern;
	expect(clEnqueueUnmapMemObject(queue, buffer, numbers, 0, NULL, NULL),
	       "clEnqueueUnmapMemObject");
	expect(clFinish(queue), "clFinish");
	expect(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* A command that waits for an event which another call completes. */
static void wait_for_user(struct worker *worker)
{
	cl_int status, failure = draw(worker, 2) ? CL_COMPLETE : -1;
	cl_event user = clCreateUserEvent(context, &status), marker;

	expect(status, "clCreateUserEvent");
	expect(clEnqueueMarkerWithWaitList(worker->queue, 1, &user, &marker),
	       "clEnqueueMarkerWithWaitList");
	expect(clSetEventCallback(marker, CL_COMPLETE, count_event, NULL),
	       "clSetEventCallback");
	expect(clSetUserEventStatus(user, failure), "clSetUserEventStatus");
	status = clWaitForEvents(1, &marker);
	if ((status == CL_SUCCESS) != (failure == CL_COMPLETE)) {
		printf("clWaitForEvents: error %d\n", (int)status);
		wrong++;
	}
	/* An event that failed is gone for whoever waited. */
	if (failure == CL_COMPLETE)
		expect(clReleaseEvent(marker), "clReleaseEvent");
	else
		clReleaseEvent(marker);
	expect(clReleaseEvent(user), "clReleaseEvent");
}

static void build(struct worker *worker)
{
	const char *text = source;
	cl_program own;
	cl_int status;
	char log[1024];

	if (draw(worker, 4)) {
		/* Others build, launch and release meanwhile. */
		own = clCreateProgramWithSource(context, 1, &text, NULL,
						&status);
		expect(status, "clCreateProgramWithSource");
		expect(clBuildProgram(own, 1, &device, "", NULL, NULL),
		       "clBuildProgram");
	} else {
		text = "__kernel void broken(";
		own = clCreateProgramWithSource(context, 1, &text, NULL,
						&status);
		if (clBuildProgram(own, 1, &device, "", NULL, NULL) !=
		    CL_BUILD_PROGRAM_FAILURE)
			wrong++;
	}
	expect(clGetProgramBuildInfo(own, device, CL_PROGRAM_BUILD_LOG,
				     sizeof log, log, NULL), "build log");
	expect(clReleaseProgram(own), "clReleaseProgram");
}

/* One program that all build at once: one builds, the others are told so. */
static void build_together(cl_program shared)
{
	cl_int status = clBuildProgram(shared, 1, &device, "", NULL, NULL);
	cl_build_status state;

	if (status != CL_SUCCESS && status != CL_INVALID_OPERATION)
		expect(status, "clBuildProgram of a shared program");
	expect(clGetProgramBuildInfo(shared, device, CL_PROGRAM_BUILD_STATUS,
				     sizeof state, &state, NULL),
	       "build status");
}

static void query(struct worker *worker)
{
	char text[256];
	cl_uint number;

	expect(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text,
				 NULL), "clGetPlatformInfo");
	expect(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text,
			       NULL), "clGetDeviceInfo");
	expect(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT,
				sizeof number, &number, NULL),
	       "clGetContextInfo");
	expect(clRetainContext(context), "clRetainContext");
	expect(clReleaseContext(context), "clReleaseContext");
	expect(clFlush(any_queue(worker)), "clFlush");
}

static void print(struct worker *worker)
{
	cl_kernel kernel = clCreateKernel(program, "say", NULL);
	cl_int number = (cl_int)worker->number;

	expect(clSetKernelArg(kernel, 0, sizeof number, &number), "argument");
	expect(clEnqueueTask(any_queue(worker), kernel, 0, NULL, NULL),
	       "clEnqueueTask");
	expect(clFinish(common), "clFinish");
	expect(clReleaseKernel(kernel), "clReleaseKernel");
}

static cl_program shared_program;

static void *work(void *argument)
{
	struct worker *worker = argument;
	cl_int status;

	worker->queue = clCreateCommandQueue(
		context, device,
		worker->number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
		&status);
	expect(status, "clCreateCommandQueue");
	build_together(shared_program);
	for (int i = 0; i < rounds; i++)
		switch (draw(worker, 16)) {
		case 0:
			build(worker);
			break;
		case 1: case 2:
			print(worker);
			break;
		case 3: case 4: case 5:
			wait_for_user(worker);
			break;
		case 6: case 7: case 8:
			map(worker);
			break;
		case 9: case 10: case 11:
			query(worker);
			break;
		default:
			compute(worker);
		}
	expect(clReleaseCommandQueue(worker->queue), "clReleaseCommandQueue");
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 8;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	static struct worker workers[MOST_THREADS];
	const char *text = source;
	cl_int status;

	rounds = argc > 2 ? atoi(argv[2]) : 100;
	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	expect(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	       "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	expect(status, "clCreateContext");
	common = clCreateCommandQueue(context, device, 0, &status);
	expect(status, "clCreateCommandQueue");
	program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	expect(status, "clCreateProgramWithSource");
	expect(clBuildProgram(program, 1, &device, "", NULL, NULL),
	       "clBuildProgram");
	shared_program = clCreateProgramWithSource(context, 1, &text, NULL,
						   &status);
	if (wrong)
		return 1;
	for (unsigned i = 0; i < threads; i++) {
		workers[i].number = i;
		workers[i].random = seed * 1000 + i;
		if (pthread_create(&workers[i].thread, NULL, work,
				   &workers[i]))
			return 2;
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	clReleaseProgram(shared_program);
	clReleaseProgram(program);
	clReleaseCommandQueue(common);
	clReleaseContext(context);
	fprintf(stderr, "%u threads, %d rounds: %d wrong, %s\n", threads, rounds,
		(int)wrong, called ? "callbacks ran" : "no callback");
	return wrong != 0;
}
