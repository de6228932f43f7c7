/* Kernels and a thread that stream through memory, for tests/x86/fused.sh.
 * Arguments:
 *	kernel         a launch
 *	both           a launch beside a thread that walks until its end
 *	thread         a walk of a thread, whose cycles are printed
 *	thread-too     the same beside launches
 *	exit           the thread ends the process while a kernel runs
 *	copy KB        a copy to the device, and no launch
 * Prints what the last kernel has computed. What is simulated in detail lies
 * between Sniper's markers. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

enum { ITEMS = 1 << 12, LINES = 1 << 14, BYTES = 4 << 20 };

static const char source[] =
	"kernel void stream(global const int *a, global int *b)\n"
	"{\n"
	"	int i = get_global_id(0), sum = 0;\n"
	"	for (int step = 0; step < 8; step++)\n"
	"		sum += a[(step * 4096 + i) * 16 & 0xfffff];\n"
	"	b[i] = sum;\n"
	"}\n";

static volatile int goes_on = 1, ended, begun;
static volatile char memory[64 * LINES];
static char bytes[BYTES];

static void mark(unsigned long what)
{
	__asm__ volatile("xchg %%bx, %%bx" : : "a"(what));
}

static void *walk(void *counted)
{
	unsigned long long start = __rdtsc();

	begun = 1;
	do {
		for (int i = 0; i < LINES && (counted || goes_on); i += 4) {
			memory[64 * i];
			memory[64 * i + 64];
			memory[64 * i + 128];
			memory[64 * i + 192];
		}
	} while (!counted && goes_on);
	if (counted)
		printf("cycles %llu\n", __rdtsc() - start);
	ended = 1;
	return NULL;
}

static void *end_process(void *unused)
{
	begun = 1;
	for (int i = 0; i < 100000; i++)
		memory[0] = i;
	_exit(3);
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	int counted = !strncmp(what, "thread", 6), ends = !strcmp(what, "exit");
	int copy = argc > 2 ? atoi(argv[2]) * 1024 : 0;
	int launches = strcmp(what, "thread") && !copy;
	int runs_thread = strcmp(what, "kernel") && !copy;
	static int words[ITEMS];
	size_t size = ITEMS;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem a, b;
	pthread_t thread;
	const char *text = source;
	int one = 1;
	unsigned sum = 0;

	for (int i = 0; i < 64 * LINES; i += 4096)
		memory[i] = 1;
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	a = clCreateBuffer(context, 0, BYTES, NULL, NULL);
	b = clCreateBuffer(context, 0, sizeof words, NULL, NULL);
	if (copy) {
		mark(1);
		clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, copy, bytes, 0, NULL,
				     NULL);
		mark(2);
		return 0;
	}
	program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL))
		return 1;
	kernel = clCreateKernel(program, "stream", NULL);
	clEnqueueFillBuffer(queue, a, &one, sizeof one, 0, BYTES, 0, NULL,
			    NULL);
	clFinish(queue);
	clSetKernelArg(kernel, 0, sizeof a, &a);
	clSetKernelArg(kernel, 1, sizeof b, &b);
	mark(1);
	if (runs_thread) {
		pthread_create(&thread, NULL, ends ? end_process : walk,
			       counted ? &counted : NULL);
		while (!begun)
			_mm_pause();
	}
	while (launches) {
		clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0,
				       NULL, NULL);
		clFinish(queue);
		launches = counted && !ended;
	}
	goes_on = 0;
	if (runs_thread)
		pthread_join(thread, NULL);
	mark(2);
	clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof words, words, 0, NULL,
			    NULL);
	for (int i = 0; i < ITEMS; i++)
		sum += words[i];
	printf("%u\n", sum);
	return 0;
}
