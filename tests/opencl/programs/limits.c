/* Device memory is finite: what does not fit is refused, what there is goes on
 * working, and after releases everything is as before. Prints what was wrong. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, ROUNDS = 3 };

static const char source[] =
	"constant int table[64] = { 5, 4, 3, 2, 1 };\n"
	"kernel void last(global int *p, uint at) {\n"
	"  p[at] = table[get_global_id(0)] + 2; }\n"
	"kernel void deep(global int *p, uint at) {\n"
	"  int own[200]; for (int i = 0; i < 200; i++) own[i] = i * at;\n"
	"  for (int i = 0; i < 200; i++) p[i & 7] += own[p[i & 7] % 200]; }\n"
	"kernel void say(global int *p, uint at) { printf(\"%d\\n\", (int)at); }\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static int wrong;

static void expect(int fine, const char *what, long number)
{
	if (fine)
		return;
	wrong++;
	printf("wrong: %s (%ld)\n", what, number);
}

static cl_mem make(cl_ulong size, cl_int *status)
{
	return clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, status);
}

/* The event's status after a launch of one work-item, or the call's error. */
static cl_int launch(const char *name, cl_mem buffer, cl_uint at)
{
	cl_int status, state = 99;
	cl_kernel kernel = clCreateKernel(program, name, &status);
	size_t one = 1;
	cl_event event;

	if (status)
		return status;
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 1, sizeof at, &at);
	status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0,
					NULL, &event);
	clReleaseKernel(kernel);
	if (status)
		return status;
	clFinish(queue);
	clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
		       &state, NULL);
	clReleaseEvent(event);
	return state;
}

static cl_int element(cl_mem buffer, cl_ulong at)
{
	cl_int value = -1;

	expect(!clEnqueueReadBuffer(queue, buffer, CL_TRUE, at * sizeof value,
				    sizeof value, &value, 0, NULL, NULL),
	       "read", 0);
	return value;
}

static cl_program build(cl_int *status)
{
	const char *text = source;
	cl_program made = clCreateProgramWithSource(context, 1, &text, NULL,
						    NULL);

	*status = clBuildProgram(made, 0, NULL, "", NULL, NULL);
	return made;
}

/* With no room at all. */
static void use_full(cl_mem small)
{
	cl_image_format format = { CL_RGBA, CL_FLOAT };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = 512, .image_height = 512 };
	cl_buffer_region region = { 0, 64 };
	cl_program other;
	cl_int status, four = 4, *mapped;
	cl_mem part;

	clCreateImage(context, 0, &format, &desc, NULL, &status);
	expect(status == CL_MEM_OBJECT_ALLOCATION_FAILURE, "image", status);
	part = clCreateSubBuffer(small, 0, CL_BUFFER_CREATE_TYPE_REGION,
				 &region, &status);
	expect(status == CL_SUCCESS, "a sub-buffer needs no memory", status);
	clReleaseMemObject(part);
	expect(launch("last", small, 3) == CL_COMPLETE &&
		       element(small, 3) == 7, "launch", 0);
	expect(!clEnqueueFillBuffer(queue, small, &four, 4, 0, 4, 0, NULL,
				    NULL) && element(small, 0) == 4, "fill", 0);
	mapped = clEnqueueMapBuffer(queue, small, CL_TRUE, CL_MAP_READ, 0, 16,
				    0, NULL, NULL, &status);
	expect(!status && mapped[0] == 4, "map", status);
	clEnqueueUnmapMemObject(queue, small, mapped, 0, NULL, NULL);
	status = launch("deep", small, 1);
	expect(status == CL_OUT_OF_RESOURCES,
	       "a kernel that needs memory of its own", status);
	status = launch("say", small, 42);
	expect(status == CL_OUT_OF_RESOURCES, "a kernel that prints", status);
	other = build(&status);
	expect(status == CL_OUT_OF_RESOURCES, "a program that has constants",
	       status);
	clReleaseProgram(other);
	expect(launch("last", small, 2) == CL_COMPLETE &&
		       element(small, 2) == 7, "launch afterwards", 0);
}

/* Fills the memory; how much of it was given out. */
static cl_ulong fill(cl_ulong most, int full)
{
	static cl_mem buffers[MOST];
	cl_ulong sum = 0;
	cl_int status = CL_SUCCESS;
	int count = 0;

	for (cl_ulong size = most; size >= 64; size /= 2)
		while (count < MOST) {
			buffers[count] = make(size, &status);
			if (status)
				break;
			count++;
			sum += size;
		}
	expect(status == CL_MEM_OBJECT_ALLOCATION_FAILURE, "no more room",
	       status);
	if (full)
		use_full(buffers[count - 1]);
	while (count--)
		expect(!clReleaseMemObject(buffers[count]), "release", count);
	return sum;
}

int main(void)
{
	cl_ulong memory, most, sum, first = 0;
	cl_platform_id platform;
	cl_int status;
	cl_mem buffer;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	program = build(&status);
	expect(status == CL_SUCCESS, "build", status);
	clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory,
			&memory, NULL);
	clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most,
			&most, NULL);
	expect(most >= memory / 4 && most <= memory, "the limits", 0);
	make(most + 1, &status);
	expect(status == CL_INVALID_BUFFER_SIZE, "more than the most", status);
	make(memory + 1, &status);
	expect(status == CL_INVALID_BUFFER_SIZE, "more than all", status);
	for (int i = 0; i < ROUNDS; i++) {
		sum = fill(most, i == 0);
		expect(sum <= memory && sum > memory / 10 * 9, "what fits",
		       (long)(sum >> 20));
		expect(i < 2 || sum == first, "as much as before",
		       (long)(sum >> 20));
		first = sum;
		buffer = make(most, &status);
		expect(status == CL_SUCCESS, "the most", status);
		expect(launch("last", buffer, (cl_uint)(most / 4 - 1)) ==
			       CL_COMPLETE, "launch", 0);
		expect(element(buffer, most / 4 - 1) == 7, "its last element",
		       element(buffer, most / 4 - 1));
		expect(element(buffer, most / 8) == 0, "others", 0);
		expect(launch("deep", buffer, 1) == CL_COMPLETE, "deep", 0);
		expect(launch("say", buffer, 42) == CL_COMPLETE, "say", 0);
		clReleaseMemObject(buffer);
	}
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
