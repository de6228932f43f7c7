/* A program that launches an empty kernel as often as it is told: run inside
 * m2s by reports.sh. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdlib.h>

static const char *source = "kernel void nothing(void) {}";

int main(int argc, char **argv)
{
	size_t one = 1;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;

	if (argc != 2)
		return 1;
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	clBuildProgram(program, 1, &device, "", NULL, NULL);
	kernel = clCreateKernel(program, "nothing", NULL);
	for (int i = atoi(argv[1]); i > 0; i--)
		if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one,
					   0, NULL, NULL) != CL_SUCCESS)
			return 2;
	return clFinish(queue) != CL_SUCCESS;
}
