/* Programs: from source, from binary, build options and logs. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl/support.h"

static const char two_kernels[] =
	"__kernel void first(__global int *p) { p[get_global_id(0)] = VALUE; }\n"
	"__kernel void second(__global int *p) { p[get_global_id(0)] += 2; }\n";

static cl_program from_source(const char *source)
{
	cl_int status;
	cl_program program;

	program = clCreateProgramWithSource(support.context, 1, &source, NULL,
					    &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	return program;
}

static cl_int run_first(cl_program program)
{
	size_t one = 1;
	cl_mem buffer = support_buffer(4, NULL);
	cl_int value = 0, status;
	cl_kernel kernel;

	kernel = clCreateKernel(program, "first", &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &one,
					 NULL, 0, NULL, NULL));
	support_read(buffer, &value, sizeof value);
	clReleaseKernel(kernel);
	clReleaseMemObject(buffer);
	return value;
}

static void test_source(void)
{
	const char *pieces[3] = { "ab", "cdXXX", "ef" };
	size_t lengths[3] = { 0, 2, 2 }, size;
	cl_program program;
	cl_int status;
	char text[64];

	CU_ASSERT_PTR_NULL(
		clCreateProgramWithSource(NULL, 3, pieces, lengths, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_CONTEXT);
	CU_ASSERT_PTR_NULL(clCreateProgramWithSource(support.context, 0, pieces,
						     lengths, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	pieces[1] = NULL;
	CU_ASSERT_PTR_NULL(clCreateProgramWithSource(support.context, 3, pieces,
						     lengths, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	pieces[1] = "cdXXX";
	program = clCreateProgramWithSource(support.context, 3, pieces, lengths,
					    &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text,
				   text, &size));
	CU_ASSERT_STRING_EQUAL(text, "abcdef");
	CU_ASSERT_EQUAL(size, 7);
	CU_ASSERT_PTR_NULL(clCreateKernel(program, "first", &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_PROGRAM_EXECUTABLE);
	CU_ASSERT_EQUAL(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS,
					 sizeof size, &size, NULL),
			CL_INVALID_PROGRAM_EXECUTABLE);
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
				   sizeof size, &size, NULL));
	CU_ASSERT_EQUAL(size, 0);
	clReleaseProgram(program);
}

static void test_build(void)
{
	cl_program program = from_source(two_kernels);
	cl_build_status build;
	cl_kernel kernel, both[2];
	cl_uint count = 0;
	cl_int status;
	char text[256];
	size_t size;

	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_STATUS, sizeof build,
					&build, NULL));
	CU_ASSERT_EQUAL(build, CL_BUILD_NONE);
	ASSERT_OK(clBuildProgram(program, 0, NULL, "-DVALUE=41", NULL, NULL));
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_STATUS, sizeof build,
					&build, NULL));
	CU_ASSERT_EQUAL(build, CL_BUILD_SUCCESS);
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_OPTIONS, sizeof text,
					text, NULL));
	CU_ASSERT_STRING_EQUAL(text, "-DVALUE=41");
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof size,
				   &size, NULL));
	CU_ASSERT_EQUAL(size, 2);
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
				   sizeof text, text, NULL));
	CU_ASSERT(!strcmp(text, "first;second") ||
		  !strcmp(text, "second;first"));
	CU_ASSERT_EQUAL(run_first(program), 41);

	CU_ASSERT_PTR_NULL(clCreateKernel(program, "third", &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_KERNEL_NAME);
	CU_ASSERT_PTR_NULL(clCreateKernel(program, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	kernel = clCreateKernel(program, "second", &status);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, "-DVALUE=42", NULL,
				       NULL),
			CL_INVALID_OPERATION);
	ASSERT_OK(clReleaseKernel(kernel));

	CU_ASSERT_EQUAL(clCreateKernelsInProgram(program, 1, both, NULL),
			CL_INVALID_VALUE);
	ASSERT_OK(clCreateKernelsInProgram(program, 0, NULL, &count));
	CU_ASSERT_EQUAL(count, 2);
	ASSERT_OK(clCreateKernelsInProgram(program, 2, both, NULL));
	ASSERT_OK(clReleaseKernel(both[0]));
	ASSERT_OK(clReleaseKernel(both[1]));

	ASSERT_OK(clBuildProgram(program, 0, NULL, "-DVALUE=42", NULL, NULL));
	CU_ASSERT_EQUAL(run_first(program), 42);
	clReleaseProgram(program);
}

/* A kernel outlives the handle of its program. */
static void test_lifetime(void)
{
	cl_program program = support_build(two_kernels, "-DVALUE=1"), found;
	unsigned freed = support.handles_freed;
	cl_kernel kernel;
	cl_uint count;

	kernel = clCreateKernel(program, "second", NULL);
	ASSERT_OK(clReleaseProgram(program));
	CU_ASSERT_EQUAL(support.handles_freed, freed);
	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof found,
				  &found, NULL));
	CU_ASSERT_PTR_EQUAL(found, program);
	ASSERT_OK(clRetainKernel(kernel));
	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT,
				  sizeof count, &count, NULL));
	CU_ASSERT_EQUAL(count, 2);
	ASSERT_OK(clReleaseKernel(kernel));
	ASSERT_OK(clReleaseKernel(kernel));
	CU_ASSERT_EQUAL(support.handles_freed, freed + 2);
}

static void test_build_error(void)
{
	cl_program program = from_source("__kernel void f() {\n  nonsense;\n}");
	cl_build_status build;
	char log[4096] = "";

	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, NULL, NULL, NULL),
			CL_BUILD_PROGRAM_FAILURE);
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_STATUS, sizeof build,
					&build, NULL));
	CU_ASSERT_EQUAL(build, CL_BUILD_ERROR);
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_LOG, sizeof log, log,
					NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(log, "nonsense"));
	CU_ASSERT_PTR_NOT_NULL(strstr(log, "-build1.cl:2:"));
	CU_ASSERT_PTR_NULL(strstr(log, "<stdin>"));
	/* Which program, and which of its builds. */
	clBuildProgram(program, 0, NULL, "-DX", NULL, NULL);
	clGetProgramBuildInfo(program, support.device, CL_PROGRAM_BUILD_LOG,
			      sizeof log, log, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(log, "-build2.cl:2:"));
	clReleaseProgram(program);
}

static void test_build_parameters(void)
{
	cl_program program = from_source(two_kernels);
	cl_device_id wrong = NULL;

	CU_ASSERT_EQUAL(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL),
			CL_INVALID_PROGRAM);
	CU_ASSERT_EQUAL(clBuildProgram(program, 1, NULL, NULL, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, &support.device, NULL, NULL,
				       NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clBuildProgram(program, 1, &wrong, NULL, NULL, NULL),
			CL_INVALID_DEVICE);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, NULL, NULL, program),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, "-no-such-option",
				       NULL, NULL),
			CL_INVALID_BUILD_OPTIONS);
	clReleaseProgram(program);
}

static int notified;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	CU_ASSERT_PTR_NOT_NULL(program);
	notified += *(int *)data;
}

static void test_notify(void)
{
	cl_program program = from_source(two_kernels);
	int three = 3;

	notified = 0;
	ASSERT_OK(clBuildProgram(program, 0, NULL, "-DVALUE=7", on_built,
				 &three));
	CU_ASSERT_EQUAL(notified, 3);
	clReleaseProgram(program);
}

static void test_binary(void)
{
	cl_program program = support_build(two_kernels, "-DVALUE=13"), copy;
	unsigned char *binary, *again;
	const unsigned char *given;
	cl_int status, of_binary;
	size_t size = 0;

	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
				   sizeof size, &size, NULL));
	CU_ASSERT_FATAL(size > 0);
	binary = malloc(size);
	again = malloc(size);
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary,
				   &binary, NULL));
	given = binary;
	copy = clCreateProgramWithBinary(support.context, 1, &support.device,
					 &size, &given, &of_binary, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(of_binary, CL_SUCCESS);
	ASSERT_OK(clBuildProgram(copy, 0, NULL, NULL, NULL, NULL));
	CU_ASSERT_EQUAL(run_first(copy), 13);
	ASSERT_OK(clGetProgramInfo(copy, CL_PROGRAM_BINARIES, sizeof again,
				   &again, NULL));
	CU_ASSERT_EQUAL(memcmp(again, binary, size), 0);
	clReleaseProgram(copy);

	/* Cut short, and nonsense. */
	for (size_t cut = 0; cut < size; cut += size / 7 + 1) {
		size_t length = cut ? cut : 1;

		CU_ASSERT_PTR_NULL(clCreateProgramWithBinary(
			support.context, 1, &support.device, &length, &given,
			&of_binary, &status));
		CU_ASSERT_EQUAL(status, CL_INVALID_BINARY);
		CU_ASSERT_EQUAL(of_binary, CL_INVALID_BINARY);
	}
	CU_ASSERT_PTR_NULL(clCreateProgramWithBinary(
		support.context, 0, &support.device, &size, &given, &of_binary,
		&status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	given = NULL;
	CU_ASSERT_PTR_NULL(clCreateProgramWithBinary(
		support.context, 1, &support.device, &size, &given, &of_binary,
		&status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	free(binary);
	free(again);
	clReleaseProgram(program);
}

/* Names of any length; structures that functions return in memory, for which
 * inlining leaves notes about aliases. */
static void test_long_names(void)
{
	static const char source[] =
		"struct large { int before[8]; int value[24]; };\n"
		"__attribute__((noinline)) struct large filled(int value) {\n"
		"    struct large all;\n"
		"    for (int i = 0; i < 24; i++)\n"
		"        all.value[i] = value + i;\n"
		"    all.before[value & 7] = value;\n"
		"    return all;\n"
		"}\n"
		"#define LONG(name) name##_and_a_name_that_no_compiler_of_the_"
		"language_C_would_have_to_tell_from_others_in_1999_and_that_"
		"is_longer_than_a_line\n"
		"kernel void LONG(some)(global int *p) { *p = 1; }\n"
		"kernel void LONG(other)(global int *p) {\n"
		"    volatile struct large all;\n"
		"    struct large got = filled(*p);\n"
		"    all.value[3] = got.value[*p & 7] + got.before[*p & 7];\n"
		"    *p = all.value[3];\n"
		"}\n";
	cl_program program = support_build(source, "");
	size_t one = 1;
	cl_int value = 5, status;
	cl_mem buffer = support_buffer(sizeof value, &value);
	cl_kernel kernel = clCreateKernel(
		program,
		"other_and_a_name_that_no_compiler_of_the_language_C_would_"
		"have_to_tell_from_others_in_1999_and_that_is_longer_than_a_"
		"line",
		&status);

	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &one,
					 NULL, 0, NULL, NULL));
	support_read(buffer, &value, sizeof value);
	CU_ASSERT_EQUAL(value, 5 + 5 + 5);
	clReleaseKernel(kernel);
	clReleaseMemObject(buffer);
	clReleaseProgram(program);
}

/* Without a compiler the program hears so. */
static void test_no_compiler(void)
{
	cl_program program;

	support_stop();
	support.compiler = "/nowhere/m2s-clc";
	support_start();
	program = from_source(two_kernels);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, NULL, NULL, NULL),
			CL_COMPILER_NOT_AVAILABLE);
	clReleaseProgram(program);
}

/* A compiler that something kills: a failure of the build, which says so. */
static void test_killed_compiler(void)
{
	char script[] = "/tmp/m2s-test-program.XXXXXX", log[4096] = "";
	static const char text[] = "#!/bin/sh\nkill -9 $$\n";
	cl_program program;
	cl_build_status state;
	cl_int status;
	int file = mkstemp(script);

	CU_ASSERT_EQUAL(write(file, text, strlen(text)),
			(ssize_t)strlen(text));
	fchmod(file, 0700);
	close(file);
	support_stop();
	support.compiler = script;
	support_start();
	program = from_source(two_kernels);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, NULL, NULL, NULL),
			CL_BUILD_PROGRAM_FAILURE);
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_LOG, sizeof log, log,
					NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(log, "killed by signal 9"));
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_STATUS, sizeof state,
					&state, NULL));
	CU_ASSERT_EQUAL(state, CL_BUILD_ERROR);
	clCreateKernel(program, "one", &status);
	CU_ASSERT_EQUAL(status, CL_INVALID_PROGRAM_EXECUTABLE);
	CU_ASSERT_EQUAL(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL,
					 NULL, NULL),
			CL_COMPILE_PROGRAM_FAILURE);
	clReleaseProgram(program);
	unlink(script);
}

static void test_reference_counts(void)
{
	cl_program program = from_source(two_kernels);

	for (int i = 0; i < 1000; i++)
		ASSERT_OK(clRetainProgram(program));
	for (int i = 0; i < 1001; i++)
		ASSERT_OK(clReleaseProgram(program));
	CU_ASSERT_EQUAL(clReleaseProgram(program), CL_INVALID_PROGRAM);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "source", test_source },
		{ "build and run", test_build },
		{ "kernels keep their program", test_lifetime },
		{ "long names, structures by value", test_long_names },
		{ "build error and log", test_build_error },
		{ "build parameters", test_build_parameters },
		{ "build notification", test_notify },
		{ "binary round trip", test_binary },
		{ "no compiler", test_no_compiler },
		{ "a killed compiler", test_killed_compiler },
		{ "reference counts", test_reference_counts },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl program", NULL, NULL, support_start, support_stop,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
