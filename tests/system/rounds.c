/* A program that computes on the processor between kernel launches, each of
 * which needs what the last one has left: run inside m2s by threads.sh. Prints
 * a line per round, and whether the results are those of plain C. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2048, ROUNDS = 4, GROUP = 64, BINS = 16 };

static const char source[] =
	"__kernel void mix(__global const uint *in, __global uint *out,\n"
	"                  uint n, uint factor) {\n"
	"  uint i = get_global_id(0);\n"
	"  out[i] = in[i] * factor + (in[(i + 17) % n] >> 3); }\n"
	"__kernel void tally(__global const uint *in, __global uint *bins) {\n"
	"  atomic_add(&bins[in[get_global_id(0)] >> 28], 1u); }\n";

static void check(cl_int code, const char *call)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, code);
	exit(2);
}

struct device {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel mix, tally;
	cl_mem in, out, bins;
};

static void device_open(struct device *device)
{
	const char *text = source;
	cl_platform_id platform;
	cl_device_id id;
	cl_int code;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &id, NULL),
	      "clGetDeviceIDs");
	device->context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
	check(code, "clCreateContext");
	device->queue = clCreateCommandQueue(device->context, id, 0, &code);
	check(code, "clCreateCommandQueue");
	device->program = clCreateProgramWithSource(device->context, 1, &text,
						    NULL, &code);
	check(code, "clCreateProgramWithSource");
	check(clBuildProgram(device->program, 1, &id, "", NULL, NULL),
	      "clBuildProgram");
	device->mix = clCreateKernel(device->program, "mix", &code);
	check(code, "clCreateKernel");
	device->tally = clCreateKernel(device->program, "tally", &code);
	check(code, "clCreateKernel");
	device->in = clCreateBuffer(device->context, CL_MEM_READ_WRITE,
				    COUNT * sizeof(uint32_t), NULL, &code);
	check(code, "clCreateBuffer");
	device->out = clCreateBuffer(device->context, CL_MEM_READ_WRITE,
				     COUNT * sizeof(uint32_t), NULL, &code);
	check(code, "clCreateBuffer");
	device->bins = clCreateBuffer(device->context, CL_MEM_READ_WRITE,
				      BINS * sizeof(uint32_t), NULL, &code);
	check(code, "clCreateBuffer");
}

static void launch(struct device *device, cl_kernel kernel, size_t count)
{
	size_t local = GROUP;

	check(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &count,
				     &local, 0, NULL, NULL),
	      "clEnqueueNDRangeKernel");
}

static void run(struct device *device, uint32_t count, uint32_t factor,
		const uint32_t *in, uint32_t *out, uint32_t *bins)
{
	size_t size = count * sizeof *in;
	uint32_t zero[BINS] = { 0 };

	check(clEnqueueWriteBuffer(device->queue, device->in, CL_FALSE, 0, size,
				   in, 0, NULL, NULL), "clEnqueueWriteBuffer");
	check(clEnqueueWriteBuffer(device->queue, device->bins, CL_TRUE, 0,
				   sizeof zero, zero, 0, NULL, NULL),
	      "clEnqueueWriteBuffer");
	clSetKernelArg(device->mix, 0, sizeof device->in, &device->in);
	clSetKernelArg(device->mix, 1, sizeof device->out, &device->out);
	clSetKernelArg(device->mix, 2, sizeof count, &count);
	clSetKernelArg(device->mix, 3, sizeof factor, &factor);
	clSetKernelArg(device->tally, 0, sizeof device->out, &device->out);
	clSetKernelArg(device->tally, 1, sizeof device->bins, &device->bins);
	launch(device, device->mix, count);
	launch(device, device->tally, count);
	check(clEnqueueReadBuffer(device->queue, device->out, CL_TRUE, 0, size,
				  out, 0, NULL, NULL), "clEnqueueReadBuffer");
	check(clEnqueueReadBuffer(device->queue, device->bins, CL_TRUE, 0,
				  sizeof zero, bins, 0, NULL, NULL),
	      "clEnqueueReadBuffer");
}

static uint32_t *reference(const uint32_t *in, uint32_t count, uint32_t factor,
			   uint32_t *bins)
{
	uint32_t *out = malloc(COUNT * sizeof *out);

	memset(bins, 0, BINS * sizeof *bins);
	for (uint32_t i = 0; i < count; i++) {
		out[i] = in[i] * factor + (in[(i + 17) % count] >> 3);
		bins[out[i] >> 28]++;
	}
	return out;
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

int main(void)
{
	struct device device;
	uint32_t in[COUNT], out[COUNT], bins[BINS], expected_bins[BINS];
	int status = 0;

	device_open(&device);
	for (uint32_t i = 0; i < COUNT; i++)
		in[i] = i * 2654435761u;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		/* Of another size each time. */
		uint32_t count = COUNT >> round, factor = round * 2 + 3;
		uint32_t *expected = reference(in, count, factor,
					       expected_bins);

		run(&device, count, factor, in, out, bins);
		if (memcmp(out, expected, count * sizeof *out) ||
		    memcmp(bins, expected_bins, sizeof bins))
			status = 1;
		free(expected);
		qsort(out, count, sizeof *out, compare);
		for (uint32_t i = 0; i < count; i++)
			in[i] = out[i] ^ bins[i % BINS] << 16;
		printf("round %u: median %u, first bin %u\n", round,
		       out[count / 2], bins[0]);
	}
	puts(status ? "WRONG" : "PASSED");
	return status;
}
