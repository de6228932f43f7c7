/* Double precision from a host program's point of view: what the device says of
 * it, and a matrix multiplication that must be right to the last bit. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 32, TILE = 8 };

static const char *const source =
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	"__kernel void multiply(__global double *c, __global const double *a,\n"
	"                       __global const double *b, double factor) {\n"
	"  __local double left[8][8], right[8][8];\n"
	"  int x = get_local_id(0), y = get_local_id(1);\n"
	"  int n = get_global_size(0), column = get_global_id(0);\n"
	"  int row = get_global_id(1);\n"
	"  double sum = 0;\n"
	"  for (int k = 0; k < n; k += 8) {\n"
	"    left[y][x] = a[row * n + k + x];\n"
	"    right[y][x] = b[(k + y) * n + column];\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (int i = 0; i < 8; i++)\n"
	"      sum = fma(left[y][i], right[i][x], sum);\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  }\n"
	"  c[row * n + column] = sum / factor;\n"
	"}\n";

static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	printf("%s: error %d\n", what, (int)status);
	exit(1);
}

static void describe(cl_device_id device)
{
	cl_device_fp_config config;
	char extensions[1024];
	cl_uint width;

	check(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config,
			      &config, NULL), "CL_DEVICE_DOUBLE_FP_CONFIG");
	check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions,
			      extensions, NULL), "CL_DEVICE_EXTENSIONS");
	check(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
			      sizeof width, &width, NULL), "vector width");
	printf("double: %s, width %u, config 0x%x\n",
	       strstr(extensions, "cl_khr_fp64") &&
			       strstr(extensions, "cl_amd_fp64")
		       ? "yes"
		       : "no",
	       (unsigned)width, (unsigned)config);
}

static int count_wrong(double factor)
{
	int wrong = 0;

	for (int row = 0; row < SIZE; row++)
		for (int column = 0; column < SIZE; column++) {
			double sum = 0;

			for (int k = 0; k < SIZE; k++)
				sum = fma(a[row * SIZE + k],
					  b[k * SIZE + column], sum);
			wrong += sum / factor != c[row * SIZE + column];
		}
	return wrong;
}

int main(void)
{
	size_t global[2] = { SIZE, SIZE }, local[2] = { TILE, TILE };
	double *const data[3] = { c, a, b }, factor = 3.0;
	cl_command_queue queue;
	cl_platform_id platform;
	cl_device_id device;
	cl_program program;
	cl_context context;
	cl_kernel kernel;
	cl_mem buffers[3];
	cl_int status;

	for (int i = 0; i < SIZE * SIZE; i++) {
		a[i] = 1.0 / (i + 1);
		b[i] = sin(i);
	}
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
	      "clGetDeviceIDs");
	describe(device);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "clCreateCommandQueue");
	program = clCreateProgramWithSource(context, 1,
					    (const char **)&source, NULL,
					    &status);
	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
	kernel = clCreateKernel(program, "multiply", &status);
	check(status, "clCreateKernel");
	for (cl_uint i = 0; i < 3; i++) {
		buffers[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
					    sizeof c, data[i], &status);
		check(status, "clCreateBuffer");
		check(clSetKernelArg(kernel, i, sizeof buffers[i],
				     &buffers[i]), "clSetKernelArg");
	}
	check(clSetKernelArg(kernel, 3, sizeof factor, &factor),
	      "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0,
				     NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof c, c,
				  0, NULL, NULL), "clEnqueueReadBuffer");
	printf("wrong: %d of %d\n", count_wrong(factor), SIZE * SIZE);
	return 0;
}
