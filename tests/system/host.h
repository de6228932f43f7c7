/* What the small OpenCL programs of these tests begin with: the device, a
 * queue, and one kernel. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

struct host {
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
};

/* The kernel `name` of the source `text`; 0, or 1 when it cannot be built. */
static int host_begin(struct host *host, const char *text, const char *name)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_program program;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	host->context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	host->queue = clCreateCommandQueue(host->context, device, 0, NULL);
	program = clCreateProgramWithSource(host->context, 1, &text, NULL,
					    NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL))
		return 1;
	host->kernel = clCreateKernel(program, name, NULL);
	return 0;
}
