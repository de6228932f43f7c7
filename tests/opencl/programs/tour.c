/* A program that uses a bit of everything in OpenCL 1.2 and prints what it
 * sees, the same on every ABI: run inside m2s by guest.sh. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source[] = {
	"__kernel void scale(__global float *p, float factor) {\n",
	"  p[get_global_id(0)] *= factor; }\n",
	"__kernel void sum(__global const int *in, __global int *out,\n"
	"                  __local int *part) {\n"
	"  int i = get_local_id(0);\n"
	"  part[i] = in[get_global_id(0)];\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int n = get_local_size(0) / 2; n > 0; n /= 2) {\n"
	"    if (i < n) part[i] += part[i + n];\n"
	"    barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"  if (i == 0) out[get_group_id(0)] = part[0]; }\n"
	"__kernel void count(__global int *p) {\n"
	"  atomic_add(p, get_global_id(0) + get_global_id(1)); }\n",
};

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	printf("%s: error %d\n", what, (int)status);
	exit(1);
}

static void set_up(void)
{
	char text[256];
	cl_int status;

	status = clGetPlatformIDs(1, &platform, NULL);
	if (status == CL_PLATFORM_NOT_FOUND_KHR) {
		puts("no platform");
		exit(3);
	}
	check(status, "clGetPlatformIDs");
	check(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text,
				text, NULL), "clGetPlatformInfo");
	printf("platform %s\n", text);
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
	      "clGetDeviceIDs");
	check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL),
	      "clGetDeviceInfo");
	printf("device %s\n", text);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE,
				     &status);
	check(status, "clCreateCommandQueue");
}

static void build(void)
{
	cl_kernel kernels[4];
	cl_uint count;
	char name[64];
	cl_int status;

	program = clCreateProgramWithSource(context, 3, (const char **)source,
					    NULL, &status);
	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "-cl-mad-enable", NULL, NULL),
	      "clBuildProgram");
	check(clCreateKernelsInProgram(program, 4, kernels, &count),
	      "clCreateKernelsInProgram");
	for (cl_uint i = 0; i < count; i++) {
		check(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME,
				      sizeof name, name, NULL),
		      "clGetKernelInfo");
		printf("kernel %s\n", name);
		check(clReleaseKernel(kernels[i]), "clReleaseKernel");
	}
}

static cl_kernel get(const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);

	check(status, name);
	return kernel;
}

static void scale(void)
{
	float data[100], factor = 1.5f, *map;
	cl_ulong start, end;
	size_t global = 100;
	cl_kernel kernel = get("scale");
	cl_event event;
	cl_mem buffer;
	cl_int status;

	for (int i = 0; i < 100; i++)
		data[i] = (float)i;
	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data,
				data, &status);
	check(status, "clCreateBuffer");
	check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument 0");
	check(clSetKernelArg(kernel, 1, sizeof factor, &factor), "argument 1");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0,
				     NULL, &event), "clEnqueueNDRangeKernel");
	check(clWaitForEvents(1, &event), "clWaitForEvents");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
				      sizeof start, &start, NULL), "start");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
				      sizeof end, &end, NULL), "end");
	printf("profiled %s\n", end > start ? "yes" : "no");
	map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0,
				 sizeof data, 0, NULL, NULL, &status);
	check(status, "clEnqueueMapBuffer");
	printf("scaled %g %g %g\n", map[1], map[50], map[99]);
	check(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL),
	      "clEnqueueUnmapMemObject");
	clReleaseEvent(event);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

static void sum(void)
{
	cl_int in[256], out[4] = { 0 };
	size_t global = 256, local = 64;
	cl_kernel kernel = get("sum");
	cl_mem buffers[2];

	for (int i = 0; i < 256; i++)
		in[i] = i;
	buffers[0] = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof in, in,
				    NULL);
	buffers[1] = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out,
				    NULL, NULL);
	check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), "in");
	check(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]), "out");
	check(clSetKernelArg(kernel, 2, local * sizeof(cl_int), NULL), "local");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0,
				     NULL, NULL), "sum");
	check(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof out,
				  out, 0, NULL, NULL), "clEnqueueReadBuffer");
	printf("sums %d %d %d %d\n", out[0], out[1], out[2], out[3]);
	clReleaseMemObject(buffers[0]);
	clReleaseMemObject(buffers[1]);
	clReleaseKernel(kernel);
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event;
	printf("callback %s %d\n", (const char *)data, (int)status);
}

static void *open_gate(void *gate)
{
	check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
	return NULL;
}

/* A thread opens the gate that a kernel waits for. */
static void count(void)
{
	size_t global[2] = { 16, 8 }, offset[2] = { 1, 2 };
	cl_kernel kernel = get("count");
	cl_int total = 1000;
	cl_event gate, event;
	pthread_t thread;
	cl_mem buffer;

	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof total,
				&total, NULL);
	gate = clCreateUserEvent(context, NULL);
	check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
	check(clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, NULL, 1,
				     &gate, &event), "count");
	check(clSetEventCallback(event, CL_COMPLETE, on_event, "count"),
	      "clSetEventCallback");
	pthread_create(&thread, NULL, open_gate, gate);
	check(clFinish(queue), "clFinish");
	pthread_join(thread, NULL);
	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof total,
				  &total, 0, NULL, NULL), "read");
	printf("total %d\n", total);
	clReleaseEvent(event);
	clReleaseEvent(gate);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

/* A 2x2 box of a 4x4 matrix into a sub-buffer, pitches in this ABI's size_t. */
static void rectangle(void)
{
	const size_t from[3] = { 1, 1, 0 }, to[3] = { 0, 0, 0 };
	const size_t region[3] = { 2, 2, 1 };
	cl_buffer_region part = { 256, 256 };
	char matrix[17] = "abcdefghijklmnop", got[5] = "";
	cl_mem buffer, sub;
	cl_int status;

	buffer = clCreateBuffer(context, 0, 512, NULL, NULL);
	sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part,
				&status);
	check(status, "clCreateSubBuffer");
	check(clEnqueueWriteBufferRect(queue, sub, CL_TRUE, to, from, region, 2,
				       0, 4, 0, matrix, 0, NULL, NULL), "rect");
	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 256, 4, got, 0, NULL,
				  NULL), "read");
	printf("box %s\n", got);
	clReleaseMemObject(sub);
	clReleaseMemObject(buffer);
}

static void errors(void)
{
	const char *wrong = "__kernel void f() { this is wrong; }";
	cl_program broken;
	cl_int status;

	clCreateBuffer(context, 0, 0, NULL, &status);
	printf("empty buffer %d\n", (int)status);
	printf("stale handle %d\n",
	       (int)clReleaseMemObject((cl_mem)(void *)queue));
	broken = clCreateProgramWithSource(context, 1, &wrong, NULL, &status);
	printf("broken program %d\n",
	       (int)clBuildProgram(broken, 0, NULL, NULL, NULL, NULL));
	clReleaseProgram(broken);
}

int main(void)
{
	set_up();
	build();
	scale();
	sum();
	count();
	rectangle();
	errors();
	check(clReleaseProgram(program), "clReleaseProgram");
	check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
	check(clReleaseContext(context), "clReleaseContext");
	puts("done");
	return 0;
}
