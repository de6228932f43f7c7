/* A native program that ends in different ways: run by native-run.sh. Squares
 * numbers on the device and then does what its argument says. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1024, THREADS = 4 };

static const char *const source =
	"__kernel void square(__global int *p) {\n"
	"  int i = get_global_id(0); p[i] *= p[i]; }\n"
	"__kernel void add(__global float *p) {\n"
	"  p[0] += p[1]; p[2] *= p[3]; }\n"
	"__kernel void spin(__global volatile int *p) {\n"
	"  while (p[0] != 12345) p[1]++; }\n";

static cl_context context;
static cl_device_id device;
static cl_program program;

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	printf("%s: error %d\n", what, (int)status);
	exit(3);
}

static void open_device(void)
{
	const char *text = source;
	cl_platform_id platform;
	cl_int status;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	program = clCreateProgramWithSource(context, 1, &text, NULL,
					    &status);
	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
}

static void run(const char *name, int *numbers, size_t count)
{
	size_t size = count * sizeof *numbers;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_int status;
	cl_mem buffer;

	queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "clCreateCommandQueue");
	kernel = clCreateKernel(program, name, &status);
	check(status, "clCreateKernel");
	buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, size, numbers,
				&status);
	check(status, "clCreateBuffer");
	check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer),
	      "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0,
				     NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	check(clReleaseMemObject(buffer), "clReleaseMemObject");
	check(clReleaseKernel(kernel), "clReleaseKernel");
	check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

static void *square(void *argument)
{
	int first = *(int *)argument, numbers[COUNT];

	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < COUNT; i++)
			numbers[i] = first + i;
		run("square", numbers, COUNT);
		for (int i = 0; i < COUNT; i++)
			if (numbers[i] != (first + i) * (first + i)) {
				printf("wrong: %d\n", numbers[i]);
				exit(4);
			}
	}
	return NULL;
}

static void *spin(void *unused)
{
	int numbers[64] = { 0 };

	(void)unused;
	run("spin", numbers, 64);
	return NULL;
}

static void start(void *(*function)(void *), pthread_t *thread, int *first)
{
	if (pthread_create(thread, NULL, function, first))
		exit(5);
}

/* The program's floating-point environment is its own, and so is the device's. */
static void add_upwards(void)
{
	/* To nearest 1; the device has no denormal numbers of single
	 * precision, and the quotient is none. */
	float numbers[64] = { 1, 1e-9f, 0x1p-100f, 0x1p-20f };
	int seen[64];

	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_UPWARD);
	memcpy(seen, numbers, sizeof seen);
	run("add", seen, 64);
	memcpy(numbers, seen, sizeof numbers);
	printf("%a %a, %s, %s\n", numbers[0], numbers[2],
	       fegetround() == FE_UPWARD ? "upward" : "changed",
	       fetestexcept(FE_INEXACT) ? "inexact" : "no exception");
	fesetround(FE_TONEAREST);
}

/* Page faults of the processes that the build has started. */
static long build_number(long number)
{
	struct rusage before, after;
	const char *pointer;
	cl_program built;
	char text[128];

	snprintf(text, sizeof text, "__kernel void k(__global int *p) "
		 "{ *p = %ld; }", number);
	pointer = text;
	built = clCreateProgramWithSource(context, 1, &pointer, NULL, NULL);
	getrusage(RUSAGE_CHILDREN, &before);
	check(clBuildProgram(built, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
	getrusage(RUSAGE_CHILDREN, &after);
	check(clReleaseProgram(built), "clReleaseProgram");
	return after.ru_minflt - before.ru_minflt;
}

static void build_twice(void)
{
	long number = (long)time(NULL) % 100000 * 10000 + getpid() % 10000;
	long cold = build_number(number), warm = build_number(number);

	printf("%s, %s\n", cold > 0 ? "cold: processes" : "cold: none",
	       warm > 0 ? "warm: processes" : "warm: none");
}

/* Kilobytes of memory in use. */
static long resident(void)
{
	long pages = 0, ignored;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%ld %ld", &ignored, &pages) != 2)
		exit(6);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Many launches with their events need no more memory than a few. */
static void launch_often(void)
{
	enum { FEW = 1000, MANY = 20000 };
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_kernel kernel = clCreateKernel(program, "square", NULL);
	cl_mem buffer = clCreateBuffer(context, 0, 256, NULL, NULL);
	size_t count = 64;
	long before = 0;
	cl_event event;

	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	for (int i = 0; i < FEW + MANY; i++) {
		if (i == FEW)
			before = resident();
		check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count,
					     NULL, 0, NULL, &event), "launch");
		check(clWaitForEvents(1, &event), "clWaitForEvents");
		check(clReleaseEvent(event), "clReleaseEvent");
	}
	printf("%s\n", resident() - before < 512 ? "flat" : "grows");
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseCommandQueue(queue);
}

/* Nobody reads any more, as behind | head. */
static void write_nowhere(void)
{
	int ends[2];

	if (pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) < 0)
		exit(6);
}

static void close_device(void)
{
	clReleaseProgram(program);
	clReleaseContext(context);
}

int main(int argc, char **argv)
{
	const char *end = argc > 1 ? argv[1] : "return";
	pthread_t threads[THREADS];
	int first[THREADS] = { 1, 2, 3, 4 }, status;

	if (!strcmp(end, "pipe")) /* whoever started us may ignore it */
		signal(SIGPIPE, SIG_DFL);
	open_device();
	for (int i = 0; i < THREADS; i++)
		start(square, &threads[i], &first[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("squares are right\n");
	if (!strcmp(end, "quiet"))
		return 0;
	if (!strcmp(end, "rounds"))
		add_upwards();
	if (!strcmp(end, "builds"))
		build_twice();
	if (!strcmp(end, "often"))
		launch_often();
	if (!strcmp(end, "_exit") || !strcmp(end, "quick_exit")) {
		fflush(stdout);
		if (!vfork())
			_exit(9);
		if (!strcmp(end, "_exit"))
			_exit(8);
		quick_exit(8);
	}
	if (!strcmp(end, "exit"))
		exit(7);
	if (!strcmp(end, "spin") || !strcmp(end, "main-ends")) {
		fflush(stdout);
		start(spin, threads, NULL);
		if (!strcmp(end, "spin"))
			pthread_join(threads[0], NULL);
		usleep(100000);
		return 0;
	}
	if (!strcmp(end, "raise"))
		raise(SIGTERM);
	if (!strcmp(end, "pipe"))
		write_nowhere();
	if (!strcmp(end, "abort"))
		abort();
	if (!strcmp(end, "pointer"))
		clGetDeviceInfo(device, CL_DEVICE_NAME, 64,
				(void *)(uintptr_t)source, NULL);
	if (!strcmp(end, "fault"))
		*(volatile int *)argv[argc] = 1;
	if (!strcmp(end, "fork")) {
		fflush(stdout);
		if (!fork()) {
			/* What the parent made is not the child's. */
			printf("child: %d\n", clReleaseProgram(program));
			open_device();
			square(first);
			close_device();
			return 0;
		}
		wait(&status);
		printf("child ended with %d\n", WEXITSTATUS(status));
	}
	close_device();
	return 0;
}
