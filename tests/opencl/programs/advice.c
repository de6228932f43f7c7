/* Calls that programs get slightly wrong, each twice; prints the errors. */
#include <stdio.h>

#include <CL/cl.h>

static const char *const source =
	"kernel void shift(global float *p, float3 by)\n"
	"{ p[get_global_id(0)] += by.z; }\n";

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_kernel kernel;
	cl_uint space;
	cl_float3 by = { { 1, 2, 3 } };

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	program = clCreateProgramWithSource(context, 1,
					    (const char **)&source, NULL, NULL);
	for (int i = 0; i < 2; i++)
		printf("%d\n", clBuildProgram(program, 0, NULL,
					      "-cl-std=CL2.0", NULL, NULL));
	printf("%d\n", clBuildProgram(program, 0, NULL, "", NULL, NULL));
	kernel = clCreateKernel(program, "shift", NULL);
	for (int i = 0; i < 2; i++) {
		printf("%d\n", clSetKernelArg(kernel, 1, 12, &by));
		printf("%d\n", clGetKernelArgInfo(
				       kernel, 0,
				       CL_KERNEL_ARG_ADDRESS_QUALIFIER,
				       sizeof space, &space, NULL));
	}
	printf("%d\n", clSetKernelArg(kernel, 1, sizeof by, &by));
	return 0;
}
