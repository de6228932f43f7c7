/* The host program of the labs: runs a kernel
 *	kernel void NAME(global const uint *in, global uint *out, uint p)
 * of a file over some work-items and prints a checksum of what they wrote, by
 * which variants of a kernel can be compared.
 *
 * gcc -O2 -o lab lab.c -lOpenCL; ./lab FILE NAME ITEMS GROUP P [BUILD-OPTIONS] */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS (1 << 18) /* of in; out has one for each work-item */

static void check(cl_int code, const char *call)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "lab: %s: error %d\n", call, code);
	exit(2);
}

static char *text_of(const char *path)
{
	static char text[65536];
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(2);
	}
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	return text;
}

static cl_kernel build(cl_context context, cl_device_id device,
		       const char *path, const char *name, const char *options)
{
	const char *text = text_of(path);
	cl_int code;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL,
						       &code);
	cl_kernel kernel;

	check(code, "clCreateProgramWithSource");
	if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
		static char log[65536];

		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
				      sizeof log, log, NULL);
		fprintf(stderr, "%s\n", log);
		exit(2);
	}
	kernel = clCreateKernel(program, name, &code);
	check(code, "clCreateKernel");
	return kernel;
}

int main(int argc, char **argv)
{
	static cl_uint in[WORDS];
	cl_platform_id platform;
	cl_device_id device;
	cl_int code;
	cl_uint sum = 0, random = 1;

	if (argc < 6) {
		fprintf(stderr, "lab FILE KERNEL ITEMS GROUP P [OPTIONS]\n");
		return 2;
	}
	size_t items = strtoul(argv[3], NULL, 0);
	size_t group = strtoul(argv[4], NULL, 0);
	cl_uint p = strtoul(argv[5], NULL, 0);
	cl_uint *out = malloc(items * sizeof *out);

	for (size_t i = 0; i < WORDS; i++) {
		random = random * 1664525 + 1013904223;
		in[i] = random >> 8;
	}
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL,
					     &code);
	check(code, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0,
						      &code);
	check(code, "clCreateCommandQueue");
	cl_kernel kernel = build(context, device, argv[1], argv[2],
				 argc > 6 ? argv[6] : "");
	cl_mem input = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in,
				      in, &code);
	check(code, "clCreateBuffer");
	cl_mem output = clCreateBuffer(context, 0, items * sizeof *out, NULL,
				       &code);
	check(code, "clCreateBuffer");

	clSetKernelArg(kernel, 0, sizeof input, &input);
	clSetKernelArg(kernel, 1, sizeof output, &output);
	clSetKernelArg(kernel, 2, sizeof p, &p);
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0,
				     NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0,
				  items * sizeof *out, out, 0, NULL, NULL),
	      "clEnqueueReadBuffer");
	for (size_t i = 0; i < items; i++)
		sum = sum * 31 + out[i];
	printf("%s p=%u: %08x\n", argv[2], p, sum);
	return 0;
}
