/* Calls for tests/opencl/calls.sh: one of each kind of argument, errors, a
 * blocking read that waits for another thread's user event, objects that are
 * never released. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char source[] =
	"kernel void fill(global int *a, int b, local int *c)\n"
	"{ a[get_global_id(0)] = b; }\n";

static void *complete(void *event)
{
	clSetUserEventStatus(event, CL_COMPLETE);
	return NULL;
}

int main(void)
{
	const char *text = source;
	size_t global[2] = { 32, 2 }, local[2] = { 32, 1 };
	cl_image_format format = { CL_RGBA, CL_FLOAT };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = 4,
			       .image_height = 4 };
	int result[64], seven = 7;
	short pattern[2] = { 1, 2 };
	char suffix[16];
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_mem buffer, image;
	cl_program program;
	cl_kernel kernel;
	cl_event user, done;
	pthread_t thread;

	clGetPlatformIDs(1, &platform, NULL);
	clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix,
			  suffix, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device,
				     CL_QUEUE_PROFILING_ENABLE, NULL);
	buffer = clCreateBuffer(context,
				CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, 256,
				NULL, NULL);
	image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL,
			      NULL);
	program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	clBuildProgram(program, 1, &device, "-D A=\"x\"", NULL, NULL);
	kernel = clCreateKernel(program, "fill", NULL);
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 1, sizeof seven, &seven);
	clSetKernelArg(kernel, 2, 64, NULL);
	clSetKernelArg(kernel, 3, sizeof seven, &seven);
	clEnqueueFillBuffer(queue, buffer, pattern, sizeof pattern, 0, 256, 0,
			    NULL, NULL);
	user = clCreateUserEvent(context, NULL);
	clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 1, &user,
			       &done);
	pthread_create(&thread, NULL, complete, user);
	clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0,
			    NULL, NULL);
	pthread_join(thread, NULL);
	clReleaseMemObject((cl_mem)program);
	clReleaseEvent(user);
	clReleaseMemObject(image);
	clReleaseProgram(program);
	printf("%d\n", result[63]);
	return 0;
}
