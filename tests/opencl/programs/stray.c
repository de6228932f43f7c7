/* Accesses outside of buffers, for tests/opencl/stray.sh: prints what the kernel
 * saw, and what the program is told. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 256 };

static cl_uint out[4 * ITEMS], far[8];

static const char source[] =
	"kernel void stray(global uint *out, global const uint4 *in,\n"
	"                  global uint *far)\n"
	"{\n"
	"    uint i = get_global_id(0);\n"
	"    uint4 wide = in[i % 3 ? i + 50000 : i];\n"
	"    uint narrow = ((global const uchar *)in)[i & 1 ? i : ~i];\n"
	"    uint old = atomic_add(i % 5 ? far + 3000000 + i : far, i);\n"
	"    out[i % 7 ? i : i + 7000000] = 1;\n"
	"    ((global uchar *)out)[i % 11 ? 4 * i + 1 : ~i] = 2;\n"
	"    ((global uint4 *)far)[i == 9 ? 1 : i + 40000] = i;\n"
	"    out[256 + i] = wide.x + wide.w;\n"
	"    out[512 + i] = narrow;\n"
	"    out[768 + i] = i % 5 ? old : 0;\n"
	"}\n"
	/* Elements that lie in a buffer in part: 1 and 2 dwords of 4. */
	"kernel void edge(global uint *out, global uint *in, global uint *far)\n"
	"{\n"
	"    uint i = get_global_id(0);\n"
	"    uint4 wide = vload4(0, i < 2 ? in + 1021 + i : in);\n"
	"    if (i < 2)\n"
	"        vstore4((uint4)(5, 6, 7, 8), 0, i ? far + 6 : far - 3);\n"
	"    out[i] = wide.x + wide.y;\n"
	"}\n";

/* Launches it, waits, and tells of the event. */
static void launch(cl_command_queue queue, cl_program program, const char *name,
		   const cl_mem buffer[3])
{
	size_t size = ITEMS, group = 64;
	cl_kernel kernel = clCreateKernel(program, name, NULL);
	cl_event event;
	cl_int status;

	for (cl_uint i = 0; i < 3; i++)
		clSetKernelArg(kernel, i, sizeof *buffer, &buffer[i]);
	clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, 0, NULL,
			       &event);
	clFinish(queue);
	clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
		       &status, NULL);
	fprintf(stderr, "status %d\n", status);
	clReleaseEvent(event);
	clReleaseKernel(kernel);
}

static cl_int read_back(cl_command_queue queue, const cl_mem buffer[3])
{
	return clEnqueueReadBuffer(queue, buffer[0], CL_TRUE, 0, sizeof out, out,
				   0, NULL, NULL) |
	       clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, sizeof far, far,
				   0, NULL, NULL);
}

int main(void)
{
	static cl_uint in[4 * ITEMS];
	const char *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem buffer[3];

	for (unsigned i = 0; i < 4 * ITEMS; i++)
		in[i] = i + 1;
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	buffer[0] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out,
				   out, NULL);
	buffer[1] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in,
				   NULL);
	buffer[2] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof far,
				   far, NULL);
	program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL))
		return 2;
	launch(queue, program, "stray", buffer);
	launch(queue, program, "stray", buffer);
	if (read_back(queue, buffer))
		return 3;
	for (unsigned i = 0; i < 4 * ITEMS; i++)
		printf("%u\n", out[i]);
	for (unsigned i = 0; i < 8; i++)
		printf("far %u\n", far[i]);
	launch(queue, program, "edge", buffer);
	if (read_back(queue, buffer))
		return 3;
	for (unsigned i = 0; i < 3; i++)
		printf("edge %u\n", out[i]);
	for (unsigned i = 0; i < 8; i++)
		printf("edge far %u\n", far[i]);
	return 0;
}
