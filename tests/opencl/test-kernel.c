/* Kernels: arguments, queries, launches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opencl-rt/driver/work-size.h"
#include "opencl/support.h"

static const char source[] =
	"typedef struct { float4 scale; int add; } parameters;\n"
	"__constant float table[4] = { 1, 10, 100, 1000 };\n"
	"__kernel void add(__global const float *a, __global const float *b,\n"
	"                  __global float *c) {\n"
	"  int i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
	"__kernel void mixed(__global float4 *out, parameters p, char c,\n"
	"                    short s, float3 v, long l) {\n"
	"  out[get_global_id(0)] = p.scale * (float)p.add +\n"
	"     (float4)(v, (float)(c + s)) + (float)l; }\n"
	"__kernel void reverse(__global int *p, __local int *first,\n"
	"                      __local int4 *second) {\n"
	"  __local int own[64];\n"
	"  int i = get_local_id(0), n = get_local_size(0);\n"
	"  own[i] = p[get_global_id(0)]; first[i] = own[i] + 1;\n"
	"  second[i] = (int4)(own[i]);\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  p[get_global_id(0)] = own[n - 1 - i] + first[n - 1 - i] +\n"
	"     second[n - 1 - i].w; }\n"
	"__kernel void ids(__global uint *p) {\n"
	"  uint x = get_global_id(0) - get_global_offset(0);\n"
	"  uint y = get_global_id(1) - get_global_offset(1);\n"
	"  uint z = get_global_id(2) - get_global_offset(2);\n"
	"  uint i = x + get_global_size(0) * (y + get_global_size(1) * z);\n"
	"  p[i] = get_global_id(0) + 100 * get_global_id(1) +\n"
	"     10000 * get_global_id(2) + 1000000 * get_work_dim(); }\n"
	"__kernel void tables(__global float *p, __constant float *q) {\n"
	"  int i = get_global_id(0); p[i] = table[i & 3] + q[i & 3]; }\n"
	"__kernel void null(__global int *p, __global int *q) {\n"
	"  p[0] = q == 0; }\n"
	"__kernel void wild(__global int *p, int i) { p[i] = 1; }\n"
	"__kernel void deep(__global int *p, int i) {\n"
	"  __local int few[4]; few[i] = 1; p[0] = few[i + 1]; }\n"
	"__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
	"void fixed(__global int *p) { p[get_global_id(0)] = 1; }\n";

static cl_program program;

static void start(void)
{
	support_start();
	program = support_build(source, "-cl-kernel-arg-info");
}

static void stop(void)
{
	ASSERT_OK(clReleaseProgram(program));
	support_stop();
}

static cl_kernel get(const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);

	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	return kernel;
}

static cl_int launch(cl_kernel kernel, cl_uint dimensions, const size_t *offset,
		     const size_t *global, const size_t *local)
{
	return clEnqueueNDRangeKernel(support.queue, kernel, dimensions, offset,
				      global, local, 0, NULL, NULL);
}

static void test_add(void)
{
	enum { COUNT = 1000 };
	float a[COUNT], b[COUNT], c[COUNT];
	cl_mem buffers[3];
	size_t global = COUNT;
	cl_kernel kernel = get("add");

	for (int i = 0; i < COUNT; i++) {
		a[i] = (float)i;
		b[i] = 2.5f * (float)i;
	}
	buffers[0] = support_buffer(sizeof a, a);
	buffers[1] = support_buffer(sizeof b, b);
	buffers[2] = support_buffer(sizeof c, NULL);
	for (cl_uint i = 0; i < 3; i++)
		ASSERT_OK(clSetKernelArg(kernel, i, sizeof(cl_mem),
					 &buffers[i]));
	ASSERT_OK(launch(kernel, 1, NULL, &global, NULL));
	support_read(buffers[2], c, sizeof c);
	for (int i = 0; i < COUNT; i++)
		CU_ASSERT_EQUAL(c[i], a[i] + b[i]);
	CU_ASSERT_EQUAL(support.launches, 1);
	/* A buffer that is gone is no argument any more. */
	clReleaseMemObject(buffers[0]);
	CU_ASSERT_EQUAL(launch(kernel, 1, NULL, &global, NULL),
			CL_INVALID_KERNEL_ARGS);
	clReleaseMemObject(buffers[1]);
	clReleaseMemObject(buffers[2]);
	clReleaseKernel(kernel);
}

static void test_mixed_arguments(void)
{
	struct {
		cl_float4 scale;
		cl_int add;
	} parameters = { { { 1, 2, 3, 4 } }, 3 };
	cl_float3 v = { { 0.5f, 0.25f, 0.125f } };
	cl_kernel kernel = get("mixed");
	cl_mem out = support_buffer(64, NULL);
	cl_short s = -300;
	cl_long l = 1000;
	cl_char c = -5;
	size_t global = 4;
	float got[16];

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof out, &out));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof parameters, &parameters));
	ASSERT_OK(clSetKernelArg(kernel, 2, sizeof c, &c));
	ASSERT_OK(clSetKernelArg(kernel, 3, sizeof s, &s));
	ASSERT_OK(clSetKernelArg(kernel, 4, sizeof v, &v));
	ASSERT_OK(clSetKernelArg(kernel, 5, sizeof l, &l));
	ASSERT_OK(launch(kernel, 1, NULL, &global, NULL));
	support_read(out, got, sizeof got);
	for (int i = 0; i < 16; i += 4) {
		CU_ASSERT_EQUAL(got[i], 3 + 0.5f + 1000);
		CU_ASSERT_EQUAL(got[i + 1], 6 + 0.25f + 1000);
		CU_ASSERT_EQUAL(got[i + 2], 9 + 0.125f + 1000);
		CU_ASSERT_EQUAL(got[i + 3], 12 - 305 + 1000);
	}
	clReleaseMemObject(out);
	clReleaseKernel(kernel);
}

static void test_local_memory(void)
{
	cl_kernel kernel = get("reverse");
	size_t global = 128, local = 64;
	cl_ulong before, after;
	cl_mem buffer;
	int data[128];

	for (int i = 0; i < 128; i++)
		data[i] = i;
	buffer = support_buffer(sizeof data, data);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clGetKernelWorkGroupInfo(kernel, NULL,
					   CL_KERNEL_LOCAL_MEM_SIZE,
					   sizeof before, &before, NULL));
	CU_ASSERT_EQUAL(before, 256);
	ASSERT_OK(clSetKernelArg(kernel, 1, 4 * 64 + 1, NULL));
	ASSERT_OK(clSetKernelArg(kernel, 2, 16 * 64, NULL));
	ASSERT_OK(clGetKernelWorkGroupInfo(kernel, support.device,
					   CL_KERNEL_LOCAL_MEM_SIZE,
					   sizeof after, &after, NULL));
	CU_ASSERT_EQUAL(after, 256 + 272 + 1024); /* 257 aligned to int4 */
	ASSERT_OK(launch(kernel, 1, NULL, &global, &local));
	support_read(buffer, data, sizeof data);
	for (int i = 0; i < 128; i++)
		CU_ASSERT_EQUAL(data[i], 3 * (i / 64 * 64 + 63 - i % 64) + 1);
	ASSERT_OK(clSetKernelArg(kernel, 1, 32768, NULL));
	CU_ASSERT_EQUAL(launch(kernel, 1, NULL, &global, &local),
			CL_OUT_OF_RESOURCES);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

/* One to three dimensions, with offsets, with and without a local size. */
static void test_ids(void)
{
	static const size_t shapes[][9] = {
		/* dimensions, global, offset, local x */
		{ 1, 50, 1, 1, 0, 0, 0, 0 },  { 1, 50, 1, 1, 7, 0, 0, 10 },
		{ 2, 12, 6, 1, 3, 5, 0, 4 },  { 2, 12, 7, 1, 0, 0, 0, 0 },
		{ 3, 6, 5, 4, 1, 2, 3, 0 },   { 3, 8, 4, 2, 0, 9, 0, 2 },
	};
	cl_mem buffer = support_buffer(4096, NULL);
	cl_kernel kernel = get("ids");
	unsigned got[1024];

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		const size_t *shape = shapes[s], *g = shape + 1, *o = shape + 4;
		size_t local[3] = { shape[7], 1, 1 };
		unsigned i = 0;

		ASSERT_OK(launch(kernel, (cl_uint)shape[0], o, g,
				 shape[7] ? local : NULL));
		support_read(buffer, got, sizeof got);
		for (size_t z = 0; z < g[2]; z++)
			for (size_t y = 0; y < g[1]; y++)
				for (size_t x = 0; x < g[0]; x++, i++)
					CU_ASSERT_EQUAL(
						got[i],
						x + o[0] + 100 * (y + o[1]) +
							10000 * (z + o[2]) +
							1000000 * shape[0]);
	}
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

static void test_constants(void)
{
	const float more[4] = { 0.5f, 1.5f, 2.5f, 3.5f };
	static const float table[4] = { 1, 10, 100, 1000 };
	cl_mem out = support_buffer(64, NULL), q = support_buffer(16, more);
	cl_kernel kernel = get("tables");
	size_t global = 16;
	float got[16];

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof out, &out));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof q, &q));
	ASSERT_OK(launch(kernel, 1, NULL, &global, NULL));
	support_read(out, got, sizeof got);
	for (int i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(got[i], table[i & 3] + more[i & 3]);
	clReleaseMemObject(out);
	clReleaseMemObject(q);
	clReleaseKernel(kernel);
}

static void test_sub_buffer_argument(void)
{
	cl_mem whole = support_buffer(512, NULL), part, none = NULL;
	cl_buffer_region region = { 256, 256 };
	cl_kernel kernel = get("null");
	int got = 0;

	part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION,
				 &region, NULL);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof part, &part));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof none, &none));
	ASSERT_OK(clEnqueueTask(support.queue, kernel, 0, NULL, NULL));
	ASSERT_OK(clEnqueueReadBuffer(support.queue, whole, CL_TRUE, 256, 4,
				      &got, 0, NULL, NULL));
	CU_ASSERT_EQUAL(got, 1);
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof none, NULL));
	ASSERT_OK(clEnqueueTask(support.queue, kernel, 0, NULL, NULL));
	clReleaseMemObject(part);
	clReleaseMemObject(whole);
	clReleaseKernel(kernel);
}

/* A kernel sees what the program wrote since, and the program what the kernel
 * wrote. */
static void test_host_memory(void)
{
	static cl_int numbers[64];
	cl_kernel kernel = support_kernel(
		"kernel void add(global int *p) { p[get_global_id(0)]++; }",
		"add");
	size_t size = 64;
	cl_mem buffer;

	buffer = clCreateBuffer(support.context, CL_MEM_USE_HOST_PTR,
				sizeof numbers, numbers, NULL);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	for (int i = 0; i < 64; i++)
		numbers[i] = 100 * i;
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &size,
					 NULL, 0, NULL, NULL));
	ASSERT_OK(clFinish(support.queue));
	for (int i = 0; i < 64; i++)
		CU_ASSERT_EQUAL(numbers[i], 100 * i + 1);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

/* The last byte of a buffer is stored although its dword reaches beyond. */
static void test_odd_sizes(void)
{
	cl_kernel kernel = support_kernel(
		"kernel void last(global char *p, global short *q, int n) {"
		" p[n] = 7; q[n] = 8; }",
		"last");
	unsigned char bytes[6];
	cl_short shorts[5];
	size_t size = 1;
	cl_mem p, q;

	for (cl_int n = 0; n < 5; n++) {
		p = support_buffer((size_t)n + 1, NULL);
		q = support_buffer(2 * ((size_t)n + 1), NULL);
		ASSERT_OK(clSetKernelArg(kernel, 0, sizeof p, &p));
		ASSERT_OK(clSetKernelArg(kernel, 1, sizeof q, &q));
		ASSERT_OK(clSetKernelArg(kernel, 2, sizeof n, &n));
		ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL,
						 &size, NULL, 0, NULL, NULL));
		support_read(p, bytes, (size_t)n + 1);
		support_read(q, shorts, 2 * ((size_t)n + 1));
		CU_ASSERT_EQUAL(bytes[n], 7);
		CU_ASSERT_EQUAL(shorts[n], 8);
		clReleaseMemObject(p);
		clReleaseMemObject(q);
	}
	clReleaseKernel(kernel);
}

static void fill_numbers(cl_float *numbers, int count, int limit)
{
	unsigned state = 12345;

	for (int i = 0; i < count; i++) {
		state = state * 1664525 + 1013904223;
		numbers[i] = (cl_float)((state >> 16) % (unsigned)limit);
	}
}

/* Runs a kernel of 64 work-items on 64 floats in and out. */
static void run_floats(const char *text, const cl_float in[64],
		       cl_float out[64])
{
	cl_kernel kernel = support_kernel(text, "f");
	cl_mem from = support_buffer(64 * sizeof *in, in);
	cl_mem to = support_buffer(64 * sizeof *out, NULL);
	size_t size = 64;

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof from, &from));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof to, &to));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &size,
					 NULL, 0, NULL, NULL));
	support_read(to, out, 64 * sizeof *out);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
	clReleaseKernel(kernel);
}

static void test_square_roots(void)
{
	cl_float in[64], out[64];

	for (int i = 0; i < 64; i++)
		in[i] = (cl_float)(i * i) * (i % 2 ? 1 : 0x1p-20f);
	run_floats("kernel void f(global float *a, global float *b) {"
		   " int i = get_global_id(0); b[i] = sqrt(a[i]); }",
		   in, out);
	for (int i = 0; i < 64; i++)
		CU_ASSERT_EQUAL(out[i], (cl_float)i * (i % 2 ? 1 : 0x1p-10f));
	for (int i = 0; i < 64; i++)
		in[i] = (cl_float)(i * i);
	run_floats("kernel void f(global float4 *a, global float4 *b) {"
		   " int i = get_global_id(0); if (i < 16) b[i] = sqrt(a[i]) +"
		   " hypot(3 * sqrt(a[i]), 4 * sqrt(a[i])); }",
		   in, out);
	for (int i = 0; i < 64; i++)
		CU_ASSERT_EQUAL(out[i], 6 * (cl_float)i);
}

/* The reciprocals of some of these are below the normal numbers. */
static void test_large_divisors(void)
{
	static const char *const forms[] = {
		"b[i] = a[i ^ 1] / a[i];",
		"b[i] = (a[i ^ 1] / (float4)(a[i], 1, 2, 3)).x;",
	};
	cl_float in[64], out[64];
	char text[200];

	for (int i = 0; i < 64; i++)
		in[i] = (cl_float)(2 + i % 3) * (i < 4 ? 0x1p125f : 0x1p-60f);
	in[60] = 0;
	for (int form = 0; form < 2; form++) {
		snprintf(text, sizeof text,
			 "kernel void f(global float *a, global float *b) {"
			 " int i = get_global_id(0); %s }", forms[form]);
		run_floats(text, in, out);
		for (int i = 0; i < 60; i++) {
			cl_float exact = in[i ^ 1] / in[i];

			CU_ASSERT(fabsf(out[i] - exact) <= exact * 0x2.8p-24f);
		}
		CU_ASSERT(isinf(out[60]));
		CU_ASSERT_EQUAL(out[61], 0);
	}
}

/* A number out of range has no defined value as a char, but it may not change
 * its neighbours. */
static void test_conversions_out_of_range(void)
{
	cl_float in[64], out[64];
	cl_uint got;

	for (int i = 0; i < 64; i++)
		in[i] = (cl_float)i * 100 - 1000;
	run_floats("kernel void f(global float *a, global float *b) {"
		   " int i = get_global_id(0);"
		   " b[i] = as_float(convert_uchar4("
		   "  (float4)(a[i], 5, a[i], 6))); }",
		   in, out);
	for (int i = 0; i < 64; i++) {
		memcpy(&got, &out[i], sizeof got);
		CU_ASSERT_EQUAL(got & 0xff00ff00, 0x06000500);
		if (in[i] >= 0 && in[i] < 256)
			CU_ASSERT_EQUAL(got & 0xff, (cl_uint)in[i]);
	}
}

/* Elements counted by indexes of which some are equal: stores to an array in
 * registers and what follows them. */
static void count_digits(int elements)
{
	cl_float in[64], out[64];
	int counts[16];
	char text[400];

	fill_numbers(in, 64, elements);
	snprintf(text, sizeof text,
		 "kernel void f(global float4 *a, global float *b) {"
		 " int i = get_global_id(0), h[%d];"
		 " for (int q = 0; q < %d; q++) h[q] = 0;"
		 " int4 k = convert_int4(a[i & 15]);"
		 " h[k.x]++; h[k.y]++; h[k.z]++; h[k.w]++;"
		 " for (int q = 0; q < %d; q++)"
		 "  if (q == i / 16) b[i] = 100 * h[q] + h[k.y]; }",
		 elements, elements, elements);
	run_floats(text, in, out);
	for (int i = 0; i < 64; i++) {
		const cl_float *k = in + 4 * (i & 15);

		memset(counts, 0, sizeof counts);
		for (int c = 0; c < 4; c++)
			counts[(int)k[c]]++;
		CU_ASSERT_EQUAL(out[i], (cl_float)(100 * counts[i / 16] +
						   counts[(int)k[1]]));
	}
}

static void test_arrays_in_registers(void)
{
	count_digits(4);
	count_digits(8);
	count_digits(16);
}

/* "inline" alone defines a function, however large. */
static void test_inline_functions(void)
{
	cl_float in[64], out[64];

	for (int i = 0; i < 64; i++)
		in[i] = (cl_float)i;
	run_floats("inline float twice(float x) { for (int i = 0; i < x; i++)"
		   "  if (i % 7 == 5) x += 1; return 2 * x; }"
		   "inline float four(float x) { return twice(twice(x)) -"
		   "  twice(x) + twice(x / 2); }"
		   "kernel void f(global float *a, global float *b) {"
		   " int i = get_global_id(0); b[i] = four(a[i]); }",
		   in, out);
	CU_ASSERT_EQUAL(out[1], 4 - 2 + 1);
}

static void test_argument_errors(void)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_kernel mixed = get("mixed"), reverse = get("reverse");
	size_t global = 4;
	cl_char c = 1;

	CU_ASSERT_EQUAL(clSetKernelArg(NULL, 0, 8, &buffer), CL_INVALID_KERNEL);
	CU_ASSERT_EQUAL(clSetKernelArg(mixed, 6, 8, &buffer),
			CL_INVALID_ARG_INDEX);
	CU_ASSERT_EQUAL(clSetKernelArg(mixed, 0, 4, &buffer),
			CL_INVALID_ARG_SIZE);
	CU_ASSERT_EQUAL(clSetKernelArg(mixed, 0, sizeof mixed, &mixed),
			CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(clSetKernelArg(mixed, 2, 2, &c), CL_INVALID_ARG_SIZE);
	CU_ASSERT_EQUAL(clSetKernelArg(mixed, 2, 1, NULL),
			CL_INVALID_ARG_VALUE);
	CU_ASSERT_EQUAL(clSetKernelArg(reverse, 1, 0, NULL),
			CL_INVALID_ARG_SIZE);
	CU_ASSERT_EQUAL(clSetKernelArg(reverse, 1, 16, &buffer),
			CL_INVALID_ARG_VALUE);
	CU_ASSERT_EQUAL(launch(mixed, 1, NULL, &global, NULL),
			CL_INVALID_KERNEL_ARGS);
	clReleaseMemObject(buffer);
	clReleaseKernel(mixed);
	clReleaseKernel(reverse);
}

static void test_launch_errors(void)
{
	size_t global[3] = { 64, 4, 1 }, local[3] = { 8, 4, 1 };
	size_t offset = 0xffffffff;
	cl_mem buffer = support_buffer(4096, NULL);
	cl_kernel kernel = get("ids"), fixed = get("fixed");
	cl_command_queue queue = support.queue;

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clSetKernelArg(fixed, 0, sizeof buffer, &buffer));
	CU_ASSERT_EQUAL(clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, global,
					       NULL, 0, NULL, NULL),
			CL_INVALID_COMMAND_QUEUE);
	CU_ASSERT_EQUAL(clEnqueueNDRangeKernel(queue, NULL, 1, NULL, global,
					       NULL, 0, NULL, NULL),
			CL_INVALID_KERNEL);
	CU_ASSERT_EQUAL(launch(kernel, 0, NULL, global, NULL),
			CL_INVALID_WORK_DIMENSION);
	CU_ASSERT_EQUAL(launch(kernel, 4, NULL, global, NULL),
			CL_INVALID_WORK_DIMENSION);
	CU_ASSERT_EQUAL(launch(kernel, 1, NULL, NULL, NULL),
			CL_INVALID_GLOBAL_WORK_SIZE);
	global[0] = 0;
	CU_ASSERT_EQUAL(launch(kernel, 1, NULL, global, NULL),
			CL_INVALID_GLOBAL_WORK_SIZE);
	global[0] = (size_t)1 << 32;
	CU_ASSERT_EQUAL(launch(kernel, 1, NULL, global, NULL),
			CL_INVALID_GLOBAL_WORK_SIZE);
	global[0] = 64;
	CU_ASSERT_EQUAL(launch(kernel, 1, &offset, global, NULL),
			CL_INVALID_GLOBAL_OFFSET);
	local[0] = 7;
	CU_ASSERT_EQUAL(launch(kernel, 2, NULL, global, local),
			CL_INVALID_WORK_GROUP_SIZE);
	local[0] = 0;
	CU_ASSERT_EQUAL(launch(kernel, 2, NULL, global, local),
			CL_INVALID_WORK_GROUP_SIZE);
	global[0] = local[0] = 512;
	CU_ASSERT_EQUAL(launch(kernel, 2, NULL, global, local),
			CL_INVALID_WORK_GROUP_SIZE);
	global[0] = 64;
	CU_ASSERT_EQUAL(launch(fixed, 2, NULL, global, NULL),
			CL_INVALID_WORK_GROUP_SIZE);
	local[0] = 4;
	CU_ASSERT_EQUAL(launch(fixed, 2, NULL, global, local),
			CL_INVALID_WORK_GROUP_SIZE);
	local[0] = 8;
	ASSERT_OK(launch(fixed, 2, NULL, global, local));
	CU_ASSERT_EQUAL(clEnqueueTask(queue, fixed, 0, NULL, NULL),
			CL_INVALID_WORK_GROUP_SIZE);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseKernel(fixed);
}

/* Arguments are those of the time of the clEnqueue. */
static void test_arguments_are_captured(void)
{
	cl_mem a = support_buffer(64, NULL), b = support_buffer(64, NULL);
	cl_kernel kernel = get("wild");
	size_t one = 1;
	cl_event gate;
	int i = 3, got[16];

	gate = clCreateUserEvent(support.context, NULL);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof a, &a));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof i, &i));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &one,
					 NULL, 1, &gate, NULL));
	i = 5;
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof b, &b));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof i, &i));
	ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	support_read(a, got, sizeof got);
	CU_ASSERT_EQUAL(got[3], 1);
	CU_ASSERT_EQUAL(got[5], 0);
	support_read(b, got, sizeof got);
	CU_ASSERT_EQUAL(got[5], 0);
	clReleaseEvent(gate);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	clReleaseKernel(kernel);
}

static cl_int launch_far(const char *name)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_kernel kernel = get(name);
	size_t one = 1;
	int i = 1 << 20;
	cl_int status = 1;
	cl_event event;

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof i, &i));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &one,
					 NULL, 0, NULL, &event));
	ASSERT_OK(clFinish(support.queue));
	ASSERT_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
				 sizeof status, &status, NULL));
	clReleaseEvent(event);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	return status;
}

/* Of global memory it is dropped (stray.sh); of local memory the launch fails,
 * and others do not. */
static void test_wild_access(void)
{
	CU_ASSERT_EQUAL(launch_far("wild"), CL_COMPLETE);
	CU_ASSERT_EQUAL(launch_far("deep"), CL_OUT_OF_RESOURCES);
	CU_ASSERT_EQUAL(launch_far("wild"), CL_COMPLETE);
	CU_ASSERT_EQUAL(support.ended, 0);
}

static void test_info(void)
{
	cl_kernel kernel = get("add"), fixed = get("fixed");
	cl_program found;
	cl_context context;
	size_t size, sizes[3];
	cl_uint count;
	char text[64];

	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof text,
				  text, &size));
	CU_ASSERT_STRING_EQUAL(text, "add");
	CU_ASSERT_EQUAL(size, 4);
	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count,
				  &count, NULL));
	CU_ASSERT_EQUAL(count, 3);
	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof found,
				  &found, NULL));
	CU_ASSERT_PTR_EQUAL(found, program);
	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context,
				  &context, NULL));
	CU_ASSERT_PTR_EQUAL(context, support.context);
	ASSERT_OK(clGetKernelWorkGroupInfo(kernel, support.device,
					   CL_KERNEL_WORK_GROUP_SIZE,
					   sizeof size, &size, NULL));
	CU_ASSERT_EQUAL(size, 256);
	ASSERT_OK(clGetKernelWorkGroupInfo(
		kernel, support.device,
		CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size,
		&size, NULL));
	CU_ASSERT_EQUAL(size, 64);
	ASSERT_OK(clGetKernelWorkGroupInfo(fixed, support.device,
					   CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
					   sizeof sizes, sizes, NULL));
	CU_ASSERT(sizes[0] == 8 && sizes[1] == 4 && sizes[2] == 1);
	CU_ASSERT_EQUAL(clGetKernelWorkGroupInfo(kernel, support.device,
						 CL_KERNEL_GLOBAL_WORK_SIZE,
						 sizeof sizes, sizes, NULL),
			CL_INVALID_VALUE);
	clReleaseKernel(kernel);
	clReleaseKernel(fixed);
}

static void test_argument_info(void)
{
	cl_kernel kernel = get("add"), reverse = get("reverse");
	cl_kernel_arg_type_qualifier type;
	cl_uint number;
	char text[64];

	ASSERT_OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME,
				     sizeof text, text, NULL));
	CU_ASSERT_STRING_EQUAL(text, "a");
	ASSERT_OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME,
				     sizeof text, text, NULL));
	CU_ASSERT_STRING_EQUAL(text, "float*");
	ASSERT_OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER,
				     sizeof type, &type, NULL));
	CU_ASSERT_EQUAL(type, CL_KERNEL_ARG_TYPE_CONST);
	ASSERT_OK(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
				     sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, CL_KERNEL_ARG_ADDRESS_GLOBAL);
	ASSERT_OK(clGetKernelArgInfo(reverse, 1,
				     CL_KERNEL_ARG_ADDRESS_QUALIFIER,
				     sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, CL_KERNEL_ARG_ADDRESS_LOCAL);
	ASSERT_OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER,
				     sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, CL_KERNEL_ARG_ACCESS_NONE);
	CU_ASSERT_EQUAL(clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_NAME,
					   sizeof text, text, NULL),
			CL_INVALID_ARG_INDEX);
	CU_ASSERT_EQUAL(clGetKernelArgInfo(kernel, 0, 1, sizeof text, text,
					   NULL),
			CL_INVALID_VALUE);
	clReleaseKernel(kernel);
	clReleaseKernel(reverse);
}

/* What clGetKernelArgInfo says of each of its questions; CL_SUCCESS if it
 * answers all of them. */
static cl_int ask_argument(cl_program asked)
{
	cl_int status, first = CL_SUCCESS;
	cl_kernel kernel = clCreateKernel(asked, "k", &status);
	char answer[64];

	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME,
					   sizeof answer, answer, NULL),
			CL_INVALID_ARG_INDEX);
	CU_ASSERT_EQUAL(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME + 1,
					   sizeof answer, answer, NULL),
			CL_INVALID_VALUE);
	for (cl_kernel_arg_info info = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
	     info <= CL_KERNEL_ARG_NAME; info++) {
		status = clGetKernelArgInfo(kernel, 0, info, sizeof answer,
					    answer, NULL);
		if (info == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
			first = status;
		CU_ASSERT_EQUAL(status, first);
	}
	clReleaseKernel(kernel);
	return first;
}

static cl_program from_binary_of(cl_program original)
{
	unsigned char *binary;
	cl_program copy;
	cl_int status;
	size_t size;

	ASSERT_OK(clGetProgramInfo(original, CL_PROGRAM_BINARY_SIZES,
				   sizeof size, &size, NULL));
	binary = malloc(size);
	ASSERT_OK(clGetProgramInfo(original, CL_PROGRAM_BINARIES,
				   sizeof binary, &binary, NULL));
	copy = clCreateProgramWithBinary(
		support.context, 1, &support.device, &size,
		(const unsigned char *[]){ binary }, NULL, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	free(binary);
	return copy;
}

static cl_program from_parts(const char *part, const char *options)
{
	const char *texts[] = { part, "int one(void) { return 1; }" };
	cl_program parts[2], whole;
	cl_int status;

	for (int i = 0; i < 2; i++) {
		parts[i] = clCreateProgramWithSource(support.context, 1,
						     &texts[i], NULL, &status);
		ASSERT_OK(clCompileProgram(parts[i], 0, NULL,
					   i ? NULL : options, 0, NULL, NULL,
					   NULL, NULL));
	}
	whole = clLinkProgram(support.context, 0, NULL, NULL, 2, parts, NULL,
			      NULL, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	for (int i = 0; i < 2; i++)
		clReleaseProgram(parts[i]);
	return whole;
}

/* Only for programs from source, built with an option (OpenCL 1.2,
 * section 5.7.3). */
static void test_no_argument_info(void)
{
	static const char text[] = "kernel void k(global int *p) { *p = 1; }";
	static const char wanted[] = "-w  -cl-kernel-arg-info";
	cl_program told = support_build(text, wanted);
	const struct {
		cl_program program;
		cl_int status;
	} known[] = {
		{ support_build(text, NULL), CL_KERNEL_ARG_INFO_NOT_AVAILABLE },
		{ support_build(text, "-D N=-cl-kernel-arg-info"),
		  CL_KERNEL_ARG_INFO_NOT_AVAILABLE },
		{ told, CL_SUCCESS },
		{ from_binary_of(told),
		  CL_KERNEL_ARG_INFO_NOT_AVAILABLE },
		{ from_parts(text, NULL), CL_KERNEL_ARG_INFO_NOT_AVAILABLE },
		{ from_parts(text, wanted), CL_SUCCESS },
	};

	ASSERT_OK(clBuildProgram(known[3].program, 0, NULL, wanted, NULL,
				 NULL));
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		CU_ASSERT_EQUAL(ask_argument(known[i].program),
				known[i].status);
		clReleaseProgram(known[i].program);
	}
}

static void choose(unsigned dimensions, unsigned gx, unsigned gy, unsigned gz,
		   unsigned x, unsigned y, unsigned z)
{
	struct work_size size = { dimensions, { gx, gy, gz }, { 0 }, { 0 } };

	work_size_choose(256, &size);
	CU_ASSERT_EQUAL(size.local[0], x);
	CU_ASSERT_EQUAL(size.local[1], y);
	CU_ASSERT_EQUAL(size.local[2], z);
}

static void test_chosen_local_size(void)
{
	choose(1, 1 << 20, 1, 1, 256, 1, 1);
	choose(1, 1000, 1, 1, 250, 1, 1);
	choose(1, 7, 1, 1, 7, 1, 1);
	choose(1, 65537, 1, 1, 1, 1, 1); /* a prime */
	choose(2, 1024, 1024, 1, 64, 4, 1);
	choose(2, 16, 1000, 1, 16, 8, 1);
	choose(3, 4, 4, 4, 4, 4, 4);
}

static void test_profiling(void)
{
	cl_mem buffer = support_buffer(64, NULL);
	cl_kernel kernel = get("wild");
	cl_ulong submit, start_time, end;
	size_t one = 1;
	cl_event event;
	cl_uint type;
	int i = 0;

	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clSetKernelArg(kernel, 1, sizeof i, &i));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &one,
					 NULL, 0, NULL, &event));
	ASSERT_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type,
				 &type, NULL));
	CU_ASSERT_EQUAL(type, CL_COMMAND_NDRANGE_KERNEL);
	ASSERT_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_SUBMIT,
					  sizeof submit, &submit, NULL));
	ASSERT_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
					  sizeof start_time, &start_time,
					  NULL));
	ASSERT_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
					  sizeof end, &end, NULL));
	/* The device's part of a launch; that of the host is before. */
	CU_ASSERT_EQUAL(start_time - submit, 95400);
	CU_ASSERT(end > start_time);
	clReleaseEvent(event);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "vector addition", test_add },
		{ "structs, vectors and small types", test_mixed_arguments },
		{ "local memory", test_local_memory },
		{ "ids, sizes and offsets", test_ids },
		{ "constant tables and arguments", test_constants },
		{ "sub-buffers and null pointers", test_sub_buffer_argument },
		{ "host memory as an argument", test_host_memory },
		{ "buffers of odd sizes", test_odd_sizes },
		{ "square roots are exact", test_square_roots },
		{ "large divisors", test_large_divisors },
		{ "conversions out of range", test_conversions_out_of_range },
		{ "arrays in registers", test_arrays_in_registers },
		{ "inline functions", test_inline_functions },
		{ "argument errors", test_argument_errors },
		{ "launch errors", test_launch_errors },
		{ "arguments are captured", test_arguments_are_captured },
		{ "wild accesses", test_wild_access },
		{ "queries", test_info },
		{ "argument queries", test_argument_info },
		{ "no argument information unless asked for",
		  test_no_argument_info },
		{ "chosen local sizes", test_chosen_local_size },
		{ "profiling", test_profiling },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl kernel", NULL, NULL, start, stop, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
