/* A kernel that reads one buffer and writes another, for tests/x86/coherent.sh.
 * Arguments: where both lie, how many rounds, and the work that lies between
 * Sniper's markers.
 *	device | use | alloc    memory of the device, of the program, or of the
 *	                        program as CL_MEM_ALLOC_HOST_PTR gives it
 *	ROUNDS                  launches
 *	kernel | map            what is simulated in detail: the launches, or
 *	                        mapping both buffers and the next launch
 * Prints the sum of what the kernels wrote, and the cycles of the part. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

enum { ITEMS = 1 << 14, OFFSET = 20 };

static const char source[] =
	"kernel void copy(global const int *a, global int *b)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	b[i] += 3 * a[i] + i;\n"
	"}\n";

/* Not at a line's beginning. */
static char places[2][4 * ITEMS + 64] __attribute__((aligned(4096)));

static void mark(unsigned long what)
{
	__asm__ volatile("xchg %%bx, %%bx" : : "a"(what));
}

static int *map(cl_command_queue queue, cl_mem buffer)
{
	return clEnqueueMapBuffer(queue, buffer, CL_TRUE,
				  CL_MAP_READ | CL_MAP_WRITE, 0, 4 * ITEMS, 0,
				  NULL, NULL, NULL);
}

static void unmap(cl_command_queue queue, cl_mem buffer, int *words)
{
	clEnqueueUnmapMemObject(queue, buffer, words, 0, NULL, NULL);
	clFinish(queue);
}

static void fill(cl_command_queue queue, cl_mem buffer, int value)
{
	int *words = map(queue, buffer);

	for (int i = 0; i < ITEMS; i++)
		words[i] = value;
	unmap(queue, buffer, words);
}

static void launch(cl_command_queue queue, cl_kernel kernel)
{
	size_t size = ITEMS;

	clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL,
			       NULL);
	clFinish(queue);
}

int main(int argc, char **argv)
{
	int use = !strcmp(argv[1], "use"), rounds = atoi(argv[2]);
	int maps = !strcmp(argv[3], "map");
	cl_mem_flags flags = use ? CL_MEM_USE_HOST_PTR
			     : strcmp(argv[1], "alloc") ? 0
							: CL_MEM_ALLOC_HOST_PTR;
	unsigned long long start;
	cl_platform_id platform;
	cl_command_queue queue;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffer[2];
	const char *text = source;
	void *pointer = &text;
	unsigned sum = 0;
	int *words;

	(void)argc;
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL))
		return 1;
	kernel = clCreateKernel(program, "copy", NULL);
	for (int i = 0; i < 2; i++) {
		buffer[i] = clCreateBuffer(context, flags, 4 * ITEMS,
					   use ? places[i] + OFFSET : NULL,
					   NULL);
		clSetKernelArg(kernel, i, sizeof buffer[i], &buffer[i]);
	}
	clGetMemObjectInfo(buffer[0], CL_MEM_HOST_PTR, sizeof pointer, &pointer,
			   NULL);
	if (pointer != (use ? places[0] + OFFSET : NULL))
		return 1;
	fill(queue, buffer[0], 5);
	mark(1);
	/* Whose lines the core has. */
	fill(queue, buffer[1], 0);
	start = __rdtsc();
	for (int round = 0; round < rounds; round++)
		launch(queue, kernel);
	if (maps) {
		fill(queue, buffer[0], 7);
		launch(queue, kernel);
	}
	start = __rdtsc() - start;
	words = map(queue, buffer[1]);
	for (int i = 0; i < ITEMS; i++)
		sum += words[i];
	unmap(queue, buffer[1], words);
	mark(2);
	printf("%u\n%llu\n", sum, start);
	for (int i = 0; i < 2; i++)
		clReleaseMemObject(buffer[i]);
	return 0;
}
