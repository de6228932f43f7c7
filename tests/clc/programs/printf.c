/* Kernels that print: `printf formats` every conversion, from one work-item;
 * `printf order` several work-groups, and what printf returns when the buffer
 * is full. `printf source` prints the kernels. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
"constant char word[] = \"constant words\";\n"
"kernel void formats(global int *out, int n, float x)\n"
"{\n"
"	int r = printf(\"plain, 100%%\\n\");\n"
"	r |= printf(\"[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d]\\n\","
"			n, n, n, n, n, n, n);\n"
"	r |= printf(\"[%i] [%u] [%o] [%x] [%X] [%#o] [%#x] [%#X]\\n\","
"			-n, -n, n, n, n, n, n, n);\n"
"	r |= printf(\"[%hhd] [%hd] [%ld] [%lu] [%lx] [%hhu] [%hu]\\n\","
"			(char)(n * 100), (short)(n * 10000), (long)n << 40,"
"			-(ulong)n, (long)n << 36, (uchar)200, (ushort)65000);\n"
"	r |= printf(\"[%f] [%10.3f] [%-10.3f] [%+.0f] [%#.0f] [%010.2f]\\n\","
"			x, x, x, x, x, -x);\n"
"	r |= printf(\"[%e] [%.2E] [%g] [%G] [%g] [%a] [%A]\\n\","
"			x, x, x, x * 1e10f, x * 1e-10f, x, x);\n"
"	r |= printf(\"[%f] [%F] [%e] [%G]\\n\", INFINITY * x, -INFINITY * x,"
"			INFINITY, 0.0f * x);\n"
"	r |= printf(\"[%c] [%5c] [%-5c] [%s] [%10s] [%-10s] [%.3s]\\n\","
"			'a' + n, 'b', 'c', \"text\", \"right\", \"left\","
"			\"cut short\");\n"
"	r |= printf(\"[%s] [%s]\\n\", n > 5 ? \"yes\" : \"no\", word);\n"
"	r |= printf(\"[%v4hld] [%3v2hld] [%v3hld] [%v8hld] [%v16hld]\\n\", (int4)(n),"
"			(int2)(1, n), (int3)(1, 2, n), (int8)(3),"
"			(int16)(4));\n"
"	r |= printf(\"[%v4hlf] [%6.2v2hlf] [%v4hlg] [%v2hle]\\n\","
"			(float4)(x, 1, 2, 3), (float2)(x, -x), (float4)(x),"
"			(float2)(x));\n"
"	r |= printf(\"[%v4hhd] [%v4hhu] [%v2hd] [%v2hx] [%v2ld] [%#v4hhx]\\n\","
"			(char4)(-n, 1, 2, 3), (uchar4)(-n), (short2)(-n, n),"
"			(ushort2)(-n), (long2)(-n, n), (uchar4)(n));\n"
"	r |= printf(\"[%v4hld] [%v2hlx]\\n\", (int4)(-n, 0, 1, 2), (uint2)(-n));\n"
"	r |= printf(\"%d %f %s %c %ld %v2hlf|\\n\", n, x, \"mixed\", 'z',"
"			(long)-n, (float2)(x));\n"
"	out[0] = r;\n"
"}\n"
"kernel void order(global int *out, int repeat)\n"
"{\n"
"	int id = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
"	for (int i = 0; i < repeat; i++)\n"
"		if ((id + i) % 3)\n"
"			printf(\"%d: %d of group %d,%d\\n\", i, id,"
"				(int)get_group_id(0), (int)get_group_id(1));\n"
"}\n"
"kernel void full(global int *out)\n"
"{\n"
"	int failed = 0;\n"
"	for (int i = 0; i < 1000; i++)\n"
"		failed += printf(\"\", (int16)(i), (int16)(i), (int16)(i)) < 0;\n"
"	out[get_global_id(0)] = failed;\n"
"}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(const char *what, cl_int status)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", what, status);
	exit(1);
}

static void build(void)
{
	const char *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_int status;
	char log[8192];

	check("platform", clGetPlatformIDs(1, &platform, NULL));
	check("device", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device,
				       NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check("context", status);
	queue = clCreateCommandQueue(context, device, 0, &status);
	check("queue", status);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	check("program", status);
	status = clBuildProgram(program, 1, &device, "-w", NULL, NULL);
	if (status) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
				      sizeof log, log, NULL);
		fputs(log, stderr);
	}
	check("build", status);
}

static cl_kernel kernel(const char *name)
{
	cl_int status;
	cl_kernel result = clCreateKernel(program, name, &status);

	check(name, status);
	return result;
}

static void run(cl_kernel wanted, cl_uint dimensions, size_t x, size_t y)
{
	size_t global[] = { x, y }, local[] = { x / 2, y / 2 };

	if (x == 1)
		local[0] = local[1] = 1;
	check("run", clEnqueueNDRangeKernel(queue, wanted, dimensions, NULL,
					    global, local, 0, NULL, NULL));
	check("finish", clFinish(queue));
}

int main(int argc, char **argv)
{
	int zeros[256] = { -5 }, number = 7, repeat = 4;
	float real = 3.25f;
	cl_kernel one;
	cl_mem out;

	if (argc == 2 && !strcmp(argv[1], "source")) {
		fputs(source, stdout);
		return 0;
	}
	build();
	out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros,
			     zeros, NULL);
	if (argc == 2 && !strcmp(argv[1], "formats")) {
		one = kernel("formats");
		clSetKernelArg(one, 0, sizeof out, &out);
		clSetKernelArg(one, 1, sizeof number, &number);
		clSetKernelArg(one, 2, sizeof real, &real);
		run(one, 1, 1, 1);
		clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof zeros, zeros,
				    0, NULL, NULL);
		printf("results: %d\n", zeros[0]);
		return 0;
	}
	one = kernel("order");
	clSetKernelArg(one, 0, sizeof out, &out);
	clSetKernelArg(one, 1, sizeof repeat, &repeat);
	printf("before the kernel\n");
	run(one, 2, 16, 8);
	printf("after the kernel\n");
	one = kernel("full");
	clSetKernelArg(one, 0, sizeof out, &out);
	run(one, 1, 256, 1);
	clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof zeros, zeros, 0,
			    NULL, NULL);
	for (int i = 1; i < 256; i++)
		zeros[0] += zeros[i];
	printf("%d did not fit\n", zeros[0]);
	return 0;
}
