/* clCompileProgram and clLinkProgram: their errors, and what becomes of
 * programs. (That the products run is in parts.sh.) */
#include <stdlib.h>
#include <string.h>

#include "opencl/support.h"

static const char caller[] =
	"int twice(int x);\n"
	"__kernel void run(__global int *p) { p[0] = twice(p[0]); }\n";
static const char callee[] = "int twice(int x) { return 2 * x; }\n";

static cl_program from_source(const char *source)
{
	cl_int status;
	cl_program program;

	program = clCreateProgramWithSource(support.context, 1, &source, NULL,
					    &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	return program;
}

static cl_program compiled(const char *source)
{
	cl_program program = from_source(source);

	ASSERT_OK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL,
				   NULL));
	return program;
}

static cl_program linked(cl_uint count, const cl_program *parts,
			 const char *options, cl_int *status)
{
	return clLinkProgram(support.context, 0, NULL, options, count, parts,
			     NULL, NULL, status);
}

static cl_program_binary_type type_of(cl_program program)
{
	cl_program_binary_type type = 99;

	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BINARY_TYPE, sizeof type,
					&type, NULL));
	return type;
}

static unsigned char *binary_of(cl_program program, size_t *size)
{
	unsigned char *binary;

	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
				   sizeof *size, size, NULL));
	CU_ASSERT_FATAL(*size > 0);
	binary = malloc(*size);
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary,
				   &binary, NULL));
	return binary;
}

static cl_program from_binary(const unsigned char *binary, size_t size,
			      cl_int *status)
{
	return clCreateProgramWithBinary(support.context, 1, &support.device,
					 &size, &binary, NULL, status);
}

static cl_int compile_with(cl_program program, cl_uint count,
			   const cl_program *headers, const char **names)
{
	return clCompileProgram(program, 0, NULL, NULL, count, headers, names,
				NULL, NULL);
}

static void test_compile_parameters(void)
{
	cl_program program = from_source(callee), header = from_source("\n");
	cl_device_id wrong = NULL;
	const char *name = "a.h", *none = NULL, *empty = "";

	CU_ASSERT_EQUAL(compile_with(NULL, 0, NULL, NULL), CL_INVALID_PROGRAM);
	CU_ASSERT_EQUAL(compile_with(program, 0, &header, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(compile_with(program, 1, NULL, &name),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(compile_with(program, 1, &header, &none),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(compile_with(program, 1, &header, &empty),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(compile_with(program, 1, (cl_program *)&none, &name),
			CL_INVALID_PROGRAM);
	CU_ASSERT_EQUAL(clCompileProgram(program, 1, &wrong, NULL, 0, NULL,
					 NULL, NULL, NULL),
			CL_INVALID_DEVICE);
	CU_ASSERT_EQUAL(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL,
					 NULL, program),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clCompileProgram(program, 0, NULL, "-create-library",
					 0, NULL, NULL, NULL, NULL),
			CL_INVALID_COMPILER_OPTIONS);
	CU_ASSERT_EQUAL(type_of(program), CL_PROGRAM_BINARY_TYPE_NONE);
	clReleaseProgram(program);
	clReleaseProgram(header);
}

/* Names with quotes, dots, folders and blanks; the first of two counts, and a
 * header comes before a file of the same name. */
static void test_headers(void)
{
	static const char *const texts[] = { "1", "+ 20", "+ 300", "+ 4000",
					     "#error second" };
	const char *names[] = { "/deep/down.h", "../up.h", "with blank's.h",
				"Makefile", "../up.h" };
	cl_program headers[5], program;
	cl_int status, value = 0;
	size_t one = 1;
	cl_kernel kernel;
	cl_mem buffer;

	for (int i = 0; i < 5; i++)
		headers[i] = from_source(texts[i]);
	program = from_source("__kernel void run(__global int *p) { p[0] =\n"
			      "#include \"/deep/down.h\"\n"
			      "#include \"../up.h\"\n"
			      "#include \"with blank's.h\"\n"
			      "#include \"Makefile\"\n"
			      "; }\n");
	ASSERT_OK(compile_with(program, 5, headers, names));
	for (int i = 0; i < 5; i++)
		clReleaseProgram(headers[i]);
	headers[0] = linked(1, &program, NULL, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	kernel = clCreateKernel(headers[0], "run", &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	buffer = support_buffer(4, NULL);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &one,
					 NULL, 0, NULL, NULL));
	support_read(buffer, &value, sizeof value);
	CU_ASSERT_EQUAL(value, 4321);
	clReleaseKernel(kernel);
	clReleaseMemObject(buffer);
	clReleaseProgram(program);
	clReleaseProgram(headers[0]);
}

/* A function in a header that a macro makes: clang leaves the header's text out of
 * the line numbers, which nothing in the log may tell of. */
static void test_macros_in_headers(void)
{
	const char *name = "twice.h";
	cl_program header = from_source(
		"#define TWICE(type) type type##_twice(type a) { return 2 * a; }\n"
		"TWICE(int)\n");
	cl_program program = from_source(
		"#include <twice.h>\n"
		"kernel void run(global int *p) { p[0] = int_twice(p[0]); }\n");
	cl_int status;
	char log[80] = "";
	cl_program whole;

	ASSERT_OK(compile_with(program, 1, &header, &name));
	whole = linked(1, &program, NULL, &status);
	ASSERT_OK(status);
	ASSERT_OK(clGetProgramBuildInfo(whole, support.device,
					CL_PROGRAM_BUILD_LOG, sizeof log, log,
					NULL));
	CU_ASSERT_STRING_EQUAL(log, "");
	clReleaseProgram(header);
	clReleaseProgram(program);
	clReleaseProgram(whole);
}

static void test_link_parameters(void)
{
	cl_program parts[2] = { compiled(caller), NULL };
	unsigned freed = support.handles_freed;
	cl_device_id wrong = NULL;
	cl_int status;

	CU_ASSERT_PTR_NULL(clLinkProgram(NULL, 0, NULL, NULL, 1, parts, NULL,
					 NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_CONTEXT);
	CU_ASSERT_PTR_NULL(linked(0, NULL, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(linked(1, NULL, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(linked(2, parts, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_PROGRAM);
	CU_ASSERT_PTR_NULL(clLinkProgram(support.context, 1, &wrong, NULL, 1,
					 parts, NULL, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_DEVICE);
	CU_ASSERT_PTR_NULL(clLinkProgram(support.context, 0, NULL, NULL, 1,
					 parts, NULL, parts, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(linked(1, parts, "-enable-link-options", &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_LINKER_OPTIONS);
	CU_ASSERT_PTR_NULL(linked(1, parts, "-DVALUE=1", &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_LINKER_OPTIONS);
	parts[1] = from_source(callee);
	CU_ASSERT_PTR_NULL(linked(2, parts, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_OPERATION);
	/* A program that runs is nothing to link. */
	ASSERT_OK(clBuildProgram(parts[1], 0, NULL, NULL, NULL, NULL));
	CU_ASSERT_PTR_NULL(linked(2, parts, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_OPERATION);
	/* The library freed the handles that came to nothing. */
	CU_ASSERT_EQUAL(support.handles_freed, freed);
	clReleaseProgram(parts[0]);
	clReleaseProgram(parts[1]);
}

/* A failure leaves a program with a log; the parts stay what they are. */
static void test_failure(void)
{
	cl_program parts[3] = { compiled(caller), compiled(callee),
				compiled(callee) };
	unsigned freed = support.handles_freed;
	cl_program program;
	char log[4096] = "";
	cl_int status;

	program = linked(3, parts, NULL, &status);
	CU_ASSERT_EQUAL(status, CL_LINK_PROGRAM_FAILURE);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	ASSERT_OK(clGetProgramBuildInfo(program, support.device,
					CL_PROGRAM_BUILD_LOG, sizeof log, log,
					NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(log, "twice"));
	CU_ASSERT_PTR_NOT_NULL(strstr(log, "input_programs[2]"));
	CU_ASSERT_EQUAL(type_of(program), CL_PROGRAM_BINARY_TYPE_NONE);
	ASSERT_OK(clReleaseProgram(program));
	CU_ASSERT_EQUAL(support.handles_freed, freed + 1);
	/* All options that there are, and twice the same program. */
	program = linked(2, parts, "-create-library -enable-link-options "
			 "-cl-denorms-are-zero -cl-no-signed-zeros "
			 "-cl-unsafe-math-optimizations -cl-finite-math-only "
			 "-cl-fast-relaxed-math", &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(type_of(program), CL_PROGRAM_BINARY_TYPE_LIBRARY);
	clReleaseProgram(program);
	for (int i = 0; i < 3; i++)
		clReleaseProgram(parts[i]);
}

/* What a program was made of decides what can become of it. */
static void test_origins(void)
{
	cl_program parts[2] = { compiled(caller), compiled(callee) }, program,
		   copy;
	unsigned char *binary;
	cl_kernel kernel;
	size_t size;
	cl_int status;
	char text[8];

	program = linked(2, parts, NULL, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(type_of(program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text,
				   text, &size));
	CU_ASSERT_EQUAL(size, 1);
	CU_ASSERT_EQUAL(clBuildProgram(program, 0, NULL, NULL, NULL, NULL),
			CL_INVALID_OPERATION);
	CU_ASSERT_EQUAL(compile_with(program, 0, NULL, NULL),
			CL_INVALID_OPERATION);
	clReleaseProgram(program);

	/* An object as a binary: not to be built, nor compiled. */
	binary = binary_of(parts[1], &size);
	copy = from_binary(binary, size, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(clBuildProgram(copy, 0, NULL, NULL, NULL, NULL),
			CL_INVALID_BINARY);
	CU_ASSERT_EQUAL(compile_with(copy, 0, NULL, NULL),
			CL_INVALID_OPERATION);
	CU_ASSERT_EQUAL(type_of(copy), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	clReleaseProgram(copy);
	for (size_t i = 0; i < size; i += size / 9 + 1) {
		binary[i] ^= 4;
		CU_ASSERT_PTR_NULL(from_binary(binary, size, &status));
		CU_ASSERT_EQUAL(status, CL_INVALID_BINARY);
		binary[i] ^= 4;
		CU_ASSERT_PTR_NULL(from_binary(binary, i + !i, &status));
		CU_ASSERT_EQUAL(status, CL_INVALID_BINARY);
	}
	free(binary);

	/* A compiled program can be built, and compiled again, but not while
	 * it has kernels. */
	program = parts[0];
	parts[0] = compiled("__kernel void run(__global int *p) { *p = 1; }");
	ASSERT_OK(clBuildProgram(parts[0], 0, NULL, NULL, NULL, NULL));
	CU_ASSERT_EQUAL(type_of(parts[0]), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	kernel = clCreateKernel(parts[0], "run", &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(compile_with(parts[0], 0, NULL, NULL),
			CL_INVALID_OPERATION);
	clReleaseKernel(kernel);
	ASSERT_OK(compile_with(parts[0], 0, NULL, NULL));
	CU_ASSERT_PTR_NULL(clCreateKernel(parts[0], "run", &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_PROGRAM_EXECUTABLE);
	clReleaseProgram(program);
	clReleaseProgram(parts[0]);
	clReleaseProgram(parts[1]);
}

static void test_no_compiler(void)
{
	cl_program program = compiled(callee), copy;
	unsigned char *binary;
	cl_bool has = CL_FALSE;
	size_t size;
	cl_int status;

	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_LINKER_AVAILABLE,
				  sizeof has, &has, NULL));
	CU_ASSERT_EQUAL(has, CL_TRUE);
	binary = binary_of(program, &size);
	clReleaseProgram(program);
	support_stop();
	support.compiler = "/nowhere/m2s-clc";
	support_start();
	program = from_source(callee);
	CU_ASSERT_EQUAL(compile_with(program, 0, NULL, NULL),
			CL_COMPILER_NOT_AVAILABLE);
	copy = from_binary(binary, size, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_PTR_NULL(linked(1, &copy, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_LINKER_NOT_AVAILABLE);
	clReleaseProgram(program);
	clReleaseProgram(copy);
	free(binary);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "compile parameters", test_compile_parameters },
		{ "headers", test_headers },
		{ "macros in headers", test_macros_in_headers },
		{ "link parameters", test_link_parameters },
		{ "failure and log", test_failure },
		{ "origins of programs", test_origins },
		{ "no compiler", test_no_compiler },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl link", NULL, NULL, support_start, support_stop,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
