/* What OpenCL itself costs on the host, without much of a kernel: builds,
 * launches, copies. Run by tests/bench-opencl, on m2s and beside it on PoCL. A
 * row is a name, a value and its unit. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, LAUNCHES = 100000, WARM = 1000 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", what, (int)status);
	exit(1);
}

static void row(const char *name, double value, const char *unit)
{
	printf("%-44s %12.4g %s\n", name, value, unit);
	fflush(stdout);
}

/* Kilobytes of memory that the process has in use. */
static double resident(void)
{
	long pages = 0, ignored;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%ld %ld", &ignored, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* The number makes it a program that no cache knows. */
static cl_program make(const char *text, unsigned long number)
{
	char source[1024];
	const char *pointer = source;
	cl_program program;
	cl_int status;

	snprintf(source, sizeof source, "/* %lu */ %s", number, text);
	program = clCreateProgramWithSource(context, 1, &pointer, NULL,
					    &status);
	check(status, "clCreateProgramWithSource");
	return program;
}

static const char empty[] = "__kernel void empty(void) {}";
static const char add[] =
	"__kernel void add(__global const float *a, __global const float *b,"
	" __global float *c) {"
	" size_t i = get_global_id(0); c[i] = a[i] + b[i]; }";
static unsigned long fresh;

static void build(cl_program program)
{
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
}

static double time_build(const char *text, unsigned long number)
{
	cl_program program = make(text, number);
	double start = seconds();

	build(program);
	start = seconds() - start;
	clReleaseProgram(program);
	return start;
}

static void *build_one(void *program)
{
	build(program);
	return NULL;
}

static void builds(void)
{
	double best = 1e9, start;
	cl_program programs[THREADS];
	pthread_t threads[THREADS];

	row("build, cold, empty kernel", time_build(empty, fresh) * 1e3, "ms");
	row("build, cold, vector addition", time_build(add, fresh) * 1e3, "ms");
	for (int i = 0; i < 10; i++) {
		double time = time_build(add, fresh);

		best = time < best ? time : best;
	}
	row("build, warm, vector addition", best * 1e3, "ms");
	for (int i = 0; i < THREADS; i++)
		programs[i] = make(add, fresh + 1 + (unsigned long)i);
	start = seconds();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, build_one, programs[i]))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	row("builds, cold, two at a time", (seconds() - start) * 1e3, "ms");
	for (int i = 0; i < THREADS; i++)
		clReleaseProgram(programs[i]);
}

static void launch(cl_kernel kernel, size_t items)
{
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0,
				     NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
}

static double time_launches(cl_kernel kernel, size_t items, int count)
{
	double start = seconds();

	for (int i = 0; i < count; i++)
		launch(kernel, items);
	return (seconds() - start) / count;
}

static void launches(void)
{
	cl_program program = make(empty, fresh);
	double memory, first, last;
	cl_kernel kernel;
	cl_int status;

	build(program);
	kernel = clCreateKernel(program, "empty", &status);
	check(status, "clCreateKernel");
	time_launches(kernel, 1, WARM);
	memory = resident();
	first = time_launches(kernel, 1, LAUNCHES / 10);
	time_launches(kernel, 1, LAUNCHES * 8 / 10);
	last = time_launches(kernel, 1, LAUNCHES / 10);
	row("empty kernel, enqueue to completion", first * 1e6, "us");
	row("the same, last of 100000", last * 1e6, "us");
	row("memory that they have added", resident() - memory, "KB");
	row("empty kernel, 65536 work-items",
	    time_launches(kernel, 65536, WARM) * 1e6, "us");
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

static void copies(void)
{
	const size_t size = 64 << 20;
	enum { ROUNDS = 8 };
	char *memory = malloc(size);
	double start;
	cl_int status;
	cl_mem buffer = clCreateBuffer(context, 0, size, NULL, &status);

	check(status, "clCreateBuffer");
	memset(memory, 1, size);
	for (int i = 0; i < 2; i++)
		check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size,
					   memory, 0, NULL, NULL), "write");
	start = seconds();
	for (int i = 0; i < ROUNDS; i++)
		check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size,
					   memory, 0, NULL, NULL), "write");
	row("write a buffer of 64 MB",
	    ROUNDS * (double)size / (seconds() - start) * 1e-9, "GB/s");
	start = seconds();
	for (int i = 0; i < ROUNDS; i++)
		check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size,
					  memory, 0, NULL, NULL), "read");
	row("read it", ROUNDS * (double)size / (seconds() - start) * 1e-9,
	    "GB/s");
	start = seconds();
	for (int i = 0; i < ROUNDS; i++) {
		void *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE,
					       CL_MAP_READ | CL_MAP_WRITE, 0,
					       size, 0, NULL, NULL, &status);

		check(status, "clEnqueueMapBuffer");
		check(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL,
					      NULL), "clEnqueueUnmapMemObject");
	}
	check(clFinish(queue), "clFinish");
	row("map and unmap it", (seconds() - start) / ROUNDS * 1e6, "us");
	clReleaseMemObject(buffer);
	free(memory);
}

static void copy_memory(void)
{
	const size_t size = 64 << 20;
	enum { ROUNDS = 8 };
	char *from = malloc(size), *to = malloc(size);
	double start;

	memset(from, 1, size);
	memset(to, 1, size);
	start = seconds();
	for (int i = 0; i < ROUNDS; i++) {
		from[0] = (char)i;
		memcpy(to, from, size);
		__asm__ volatile("" ::"r"(to) : "memory");
	}
	row("memcpy of 64 MB",
	    ROUNDS * (double)size / (seconds() - start) * 1e-9, "GB/s");
	free(from);
	free(to);
}

int main(void)
{
	double start = seconds();
	cl_platform_id platform;
	char name[128] = "";
	cl_int status;

	fresh = (unsigned long)time(NULL) * 1000 +
		(unsigned long)getpid() % 1000;
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "clCreateCommandQueue");
	clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
	printf("# %s\n", name);
	row("platform, device, context and queue", (seconds() - start) * 1e3,
	    "ms");
	builds();
	launches();
	copies();
	copy_memory();
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}
