/* Builds one program twice, one that is no OpenCL C, and one with options. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static cl_context context;
static cl_device_id device;

static cl_int build(const char *source, const char *options)
{
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL,
						       NULL);

	return clBuildProgram(program, 1, &device, options, NULL, NULL);
}

int main(void)
{
	const char *two = "kernel void a(global int *p) { *p = N; }\n"
			  "kernel void b(global int *p) { *p = 2; }\n";
	const char *wrong = "kernel void c(global int *p) { *p = nowhere; }\n";
	cl_platform_id platform;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	return build(two, "-DN=1") || build(two, "-DN=1") || build(two, "-DN=2") ||
	       !build(wrong, NULL);
}
