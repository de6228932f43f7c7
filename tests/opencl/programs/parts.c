/* A program in three parts, two headers and a library, which prints what each
 * call answers. Binaries of parts are loaded again before they are linked.
 * With an argument it only does what has to succeed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };

static const char curve_header[] =
	"#include \"inner/step.h\"\n"
	"int curve(int x);\n";
static const char step_header[] = "#define STEP 5\n";
static const char not_this[] = "#error not this one\n";
static const char kernel_text[] =
	"#include <curve.h>\n"
	"extern __constant int table[4];\n"
	"static int own(int x) { return x + 1; }\n"
	"__kernel void run(__global int *p) {\n"
	"  int i = get_global_id(0);\n"
	"  p[i] = own(curve(p[i])) + table[i & 3] * SCALE;\n"
	"}\n";
static const char curve_text[] =
	"#include \"curve.h\"\n"
	"static int own(int x) { return x * x; }\n"
	"int curve(int x) { return own(x) + max(x, STEP); }\n";
static const char table_text[] =
	"__constant int table[4] = { 1, 10, 100, 1000 };\n"
	"__kernel void clear(__global int *p) { p[get_global_id(0)] = 0; }\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS) {
		printf("%s: error %d\n", what, status);
		exit(1);
	}
}

static cl_program source(const char *text)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL,
						       &status);

	check(status, "clCreateProgramWithSource");
	return program;
}

static const char *type_name(cl_program_binary_type type)
{
	switch (type) {
	case CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT: return "object";
	case CL_PROGRAM_BINARY_TYPE_LIBRARY: return "library";
	case CL_PROGRAM_BINARY_TYPE_EXECUTABLE: return "executable";
	}
	return "nothing";
}

static void show(const char *name, cl_program program)
{
	cl_program_binary_type type = 99;
	cl_build_status status = 99;

	clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE,
			      sizeof type, &type, NULL);
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
			      sizeof status, &status, NULL);
	printf("%s: %s, build status %d\n", name, type_name(type), status);
}

/* Takes the program's binary and makes a program of that. */
static cl_program reload(cl_program program)
{
	unsigned char *binary;
	cl_int status, of_binary;
	size_t size = 0;
	cl_program copy;

	check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size,
			       &size, NULL),
	      "CL_PROGRAM_BINARY_SIZES");
	binary = malloc(size);
	check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary,
			       &binary, NULL),
	      "CL_PROGRAM_BINARIES");
	copy = clCreateProgramWithBinary(context, 1, &device, &size,
					 (const unsigned char **)&binary,
					 &of_binary, &status);
	check(status, "clCreateProgramWithBinary");
	free(binary);
	clReleaseProgram(program);
	return copy;
}

static void CL_CALLBACK on_done(cl_program program, void *data)
{
	*(int *)data += program != NULL;
}

static void run(cl_program program)
{
	size_t global = COUNT;
	int values[COUNT], wrong = 0;
	static const int table[4] = { 1, 10, 100, 1000 };
	cl_kernel kernel;
	cl_mem buffer;
	cl_int status;

	for (int i = 0; i < COUNT; i++)
		values[i] = i - 20;
	kernel = clCreateKernel(program, "run", &status);
	check(status, "clCreateKernel");
	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values,
				values, &status);
	check(status, "clCreateBuffer");
	check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0,
				     NULL, NULL),
	      "launch");
	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values,
				  values, 0, NULL, NULL),
	      "read");
	for (int i = 0; i < COUNT; i++) {
		int x = i - 20;
		int wanted = x * x + (x > 5 ? x : 5) + 1 + 3 * table[i & 3];

		wrong += values[i] != wanted;
	}
	printf("run: %d of %d wrong\n", wrong, COUNT);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

static void log_has(cl_program program, const char *word)
{
	char log[8192] = "";

	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof log, log, NULL);
	if (strstr(log, word))
		printf("log names %s\n", word);
	else
		printf("log without %s: %s\n", word, log);
}

/* What goes wrong, and what is said of it. */
static void errors(cl_program part, cl_program header)
{
	const char *name = "curve.h";
	cl_program bad = source("int f(int x) { return nonsense; }\n");
	cl_program alone = source(kernel_text), linked;
	cl_int status;

	printf("compiling nonsense: %d\n",
	       clCompileProgram(bad, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	log_has(bad, "nonsense");
	show("nonsense", bad);
	printf("header without names: %d\n",
	       clCompileProgram(bad, 0, NULL, NULL, 1, &header, NULL, NULL,
				NULL));
	printf("names without header: %d\n",
	       clCompileProgram(bad, 0, NULL, NULL, 0, NULL, &name, NULL,
				NULL));
	printf("compiler option: %d\n",
	       clCompileProgram(bad, 0, NULL, "-no-such-thing", 0, NULL, NULL,
				NULL, NULL));
	clLinkProgram(context, 0, NULL, NULL, 0, NULL, NULL, NULL, &status);
	printf("link nothing: %d\n", status);
	clLinkProgram(context, 0, NULL, NULL, 1, &alone, NULL, NULL, &status);
	printf("link what is not compiled: %d\n", status);
	linked = clLinkProgram(context, 0, NULL, "-no-such-thing", 1, &part,
			       NULL, NULL, &status);
	printf("linker option: %d\n", status);
	linked = clLinkProgram(context, 0, NULL, NULL, 1, &part, NULL, NULL,
			       &status);
	printf("undefined function: %d\n", status);
	if (linked) {
		log_has(linked, "curve");
		show("undefined", linked);
		clReleaseProgram(linked);
	}
	clCreateKernel(part, "run", &status);
	printf("kernel of an object: %d\n", status);
	clReleaseProgram(bad);
	clReleaseProgram(alone);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "curve.h", "inner/step.h",
					     "curve.h" };
	cl_program headers[3], parts[3], library, program;
	cl_platform_id platform;
	int done = 0;
	cl_int status;

	(void)argv;
	check(clGetPlatformIDs(1, &platform, NULL), "platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "context");
	queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "queue");
	headers[0] = source(curve_header);
	headers[1] = source(step_header);
	headers[2] = source(not_this);
	parts[0] = source(kernel_text);
	parts[1] = source(curve_text);
	parts[2] = source(table_text);
	check(clCompileProgram(parts[0], 0, NULL, "-DSCALE=3", 3, headers,
			       (const char **)names, on_done, &done),
	      "compiling the kernel");
	check(clCompileProgram(parts[1], 1, &device, "", 3, headers,
			       (const char **)names, NULL, NULL),
	      "compiling the function");
	check(clCompileProgram(parts[2], 0, NULL, NULL, 0, NULL, NULL, NULL,
			       NULL),
	      "compiling the table");
	printf("done: %d\n", done);
	show("kernel", parts[0]);
	if (argc == 1)
		errors(parts[0], headers[0]);
	for (int i = 0; i < 3; i++) {
		parts[i] = reload(parts[i]);
		show("part", parts[i]);
	}
	library = clLinkProgram(context, 0, NULL, "-create-library", 2,
				parts + 1, NULL, NULL, &status);
	check(status, "library");
	show("library", library);
	library = reload(library);
	show("library", library);
	parts[1] = library;
	program = clLinkProgram(context, 1, &device, NULL, 2,
				parts, on_done, &done, &status);
	check(status, "program");
	printf("done: %d\n", done);
	show("program", program);
	run(program);
	program = reload(program);
	check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
	show("program", program);
	run(program);
	return 0;
}
