/* A kernel that includes the file that the first argument names: whether it
 * is built, and what the compiler says. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	char text[4096] = "", log[4096] = "";
	const char *source = text;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_int status;

	snprintf(text, sizeof text,
		 "%s%s%s\nkernel void k(global int *a) { a[0] = 1; }\n",
		 argc > 1 ? "#include \"" : "", argc > 1 ? argv[1] : "",
		 argc > 1 ? "\"" : "");
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	status = clBuildProgram(program, 1, &device, "-I/ -I.", NULL, NULL);
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof log, log, NULL);
	printf("%d\n%s", status, log);
	return 0;
}
