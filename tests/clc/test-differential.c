/* Kernels on the simulated device and on a real OpenCL implementation (PoCL):
 * the same arguments must give the same memory. This covers the compiler, the
 * reader and the emulator at once. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "opencl-rt/clc/backend.h"
#include "unit/harness.h"
#include "unit/random.h"

enum { BUFFER_SIZE = 32768, LOCAL_SIZE = 4096, ARGUMENTS_MAX = 16 };

/* One launch. `tolerance` is relative, for elements of float buffers; 0:
 * exact. */
struct launch {
	const char *file, *kernel;
	unsigned dimensions;
	size_t global[3], local[3];
	double tolerance;
};

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

/* --- Data --------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t next_random(void)
{
	return (uint32_t)random_draw(&random_state);
}

static bool is_type(const struct evg_argument *argument, const char *type)
{
	return !strncmp(argument->type_name, type, strlen(type));
}

/* Size of an element of an integer type, or 0 for others. */
static unsigned integer_size(const struct evg_argument *argument)
{
	static const struct {
		const char *name;
		unsigned size;
	} types[] = {
		{ "char", 1 }, { "uchar", 1 }, { "u8", 1 },    { "short", 2 },
		{ "half", 2 }, { "ushort", 2 }, { "int", 4 },  { "uint", 4 },
		{ "void", 4 }, { "long", 8 },   { "ulong", 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (is_type(argument, types[i].name))
			return types[i].size;
	return 0;
}

static bool is_double(const struct evg_argument *argument)
{
	return is_type(argument, "double");
}

/* Positive numbers, small enough to serve as indices into a buffer. */
static void fill(const struct evg_argument *argument, uint8_t *bytes)
{
	unsigned size = integer_size(argument);

	for (size_t i = 0; i < BUFFER_SIZE; i += size ? size : 4) {
		uint64_t value = 1 + next_random() % 1000;
		float real = (float)value / 100;
		double wide = (double)value / 100;

		if (size == 1)
			value &= 127;
		if (is_type(argument, "half"))
			value = 0x3800 + value;
		if (size)
			memcpy(bytes + i, &value, size);
		else if (is_double(argument) && i % 8 == 0)
			memcpy(bytes + i, &wide, 8);
		else if (!is_double(argument))
			memcpy(bytes + i, &real, 4);
	}
}

static void fill_value(const struct evg_argument *argument, uint8_t *bytes)
{
	unsigned size = integer_size(argument);

	memset(bytes, 0, argument->size);
	for (uint32_t i = 0; i < argument->size; i += size ? size : 4) {
		float real = 3;

		if (size)
			bytes[i] = 5;
		else if (i + 4 <= argument->size)
			memcpy(bytes + i, &real, 4);
	}
}

/* --- The two devices ---------------------------------------------------- */

struct run {
	const struct launch *launch;
	const struct evg_kernel *kernel;
	/* Of global and constant arguments: before, and after on each. */
	uint8_t *before[ARGUMENTS_MAX];
	uint8_t *ours[ARGUMENTS_MAX];
	uint8_t *theirs[ARGUMENTS_MAX];
};

static bool is_buffer(const struct evg_argument *argument)
{
	return argument->kind == EVG_ARGUMENT_POINTER &&
	       argument->address_space != EVG_LOCAL;
}

static int set_our_arguments(struct run *run, struct evg_memory *memory,
			     uint8_t *bytes, uint32_t *addresses,
			     uint32_t *local)
{
	for (uint32_t i = 0; i < run->kernel->argument_count; i++) {
		const struct evg_argument *argument =
			&run->kernel->arguments[i];
		uint8_t *place = bytes + argument->offset;

		if (is_buffer(argument)) {
			addresses[i] = evg_memory_allocate(
				memory, BUFFER_SIZE, false, argument->name);
			if (!addresses[i])
				return -1;
			memcpy(evg_memory_host(memory, addresses[i],
					       BUFFER_SIZE),
			       run->before[i], BUFFER_SIZE);
			memcpy(place, &addresses[i], 4);
		} else if (argument->kind == EVG_ARGUMENT_POINTER) {
			*local = (*local + 127) / 128 * 128;
			memcpy(place, local, 4);
			*local += LOCAL_SIZE;
		} else {
			fill_value(argument, place);
		}
	}
	return 0;
}

/* Puts the program's text into memory as the driver does. */
static uint32_t load_text(const struct evg_program *program,
			  struct evg_memory *memory)
{
	uint32_t address = evg_memory_allocate(memory, program->text_size,
					       true, "text");
	uint8_t *host = evg_memory_host(memory, address, program->text_size);

	memcpy(host, program->text, program->text_size);
	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t word;

		memcpy(&word, host + program->relocations[i], 4);
		word += address;
		memcpy(host + program->relocations[i], &word, 4);
	}
	return address;
}

static int run_ours(struct run *run, struct error *error)
{
	struct evg_memory *memory = evg_memory_create(1 << 24, error);
	uint8_t bytes[4096] = { 0 };
	uint32_t addresses[ARGUMENTS_MAX] = { 0 };
	struct evg_launch launch = {
		.kernel = run->kernel,
		.memory = memory,
		.work_dim = run->launch->dimensions,
		.arguments = bytes,
		.local_memory = run->kernel->local_size,
	};
	struct evg_ndrange *ndrange;
	int status = -1;

	if (!memory)
		return -1;
	for (int d = 0; d < 3; d++) {
		launch.global_size[d] = (uint32_t)run->launch->global[d];
		launch.local_size[d] = (uint32_t)run->launch->local[d];
	}
	launch.text_address = load_text(run->kernel->program, memory);
	if (set_our_arguments(run, memory, bytes, addresses,
			      &launch.local_memory))
		return error_set(error, "no device memory");
	ndrange = evg_ndrange_create(&launch, error);
	if (ndrange)
		status = evg_ndrange_run(ndrange, 1, 10000000, error);
	if (status > 0)
		error_set(error, "did not end within 10 million instructions");
	evg_ndrange_free(ndrange);
	for (uint32_t i = 0; i < run->kernel->argument_count; i++)
		if (addresses[i])
			memcpy(run->ours[i],
			       evg_memory_host(memory, addresses[i],
					       BUFFER_SIZE),
			       BUFFER_SIZE);
	evg_memory_free(memory);
	return status;
}

static cl_int set_their_arguments(struct run *run, cl_kernel kernel,
				  cl_mem *buffers)
{
	cl_int status = CL_SUCCESS;

	for (uint32_t i = 0; !status && i < run->kernel->argument_count; i++) {
		const struct evg_argument *argument =
			&run->kernel->arguments[i];
		uint8_t value[256];

		if (is_buffer(argument)) {
			buffers[i] = clCreateBuffer(
				context, CL_MEM_COPY_HOST_PTR, BUFFER_SIZE,
				run->before[i], &status);
			if (!status)
				status = clSetKernelArg(kernel, i,
							sizeof buffers[i],
							&buffers[i]);
		} else if (argument->kind == EVG_ARGUMENT_POINTER) {
			status = clSetKernelArg(kernel, i, LOCAL_SIZE, NULL);
		} else {
			fill_value(argument, value);
			status = clSetKernelArg(kernel, i, argument->size,
						value);
		}
	}
	return status;
}

static cl_int run_theirs(struct run *run, cl_program program)
{
	cl_mem buffers[ARGUMENTS_MAX] = { NULL };
	const struct launch *launch = run->launch;
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, launch->kernel, &status);

	if (!status)
		status = set_their_arguments(run, kernel, buffers);
	if (!status)
		status = clEnqueueNDRangeKernel(queue, kernel,
						launch->dimensions, NULL,
						launch->global, launch->local,
						0, NULL, NULL);
	for (uint32_t i = 0; i < run->kernel->argument_count; i++) {
		if (!status && buffers[i])
			status = clEnqueueReadBuffer(queue, buffers[i],
						     CL_TRUE, 0, BUFFER_SIZE,
						     run->theirs[i], 0, NULL,
						     NULL);
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	}
	if (kernel)
		clReleaseKernel(kernel);
	return status;
}

/* --- Comparing ---------------------------------------------------------- */

static bool same_float(const uint8_t *a, const uint8_t *b, double tolerance)
{
	float x, y;

	memcpy(&x, a, 4);
	memcpy(&y, b, 4);
	if (!memcmp(a, b, 4) || (isnan(x) && isnan(y)) || x == y)
		return true;
	return fabs((double)x - y) <= tolerance * fmax(fabs(x), fabs(y));
}

static bool same_double(const uint8_t *a, const uint8_t *b, double tolerance)
{
	double x, y;

	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	if (!memcmp(a, b, 8) || (isnan(x) && isnan(y)) || x == y)
		return true;
	return fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y));
}

static bool same_buffers(const struct run *run)
{
	for (uint32_t i = 0; i < run->kernel->argument_count; i++) {
		const struct evg_argument *argument =
			&run->kernel->arguments[i];

		if (!is_buffer(argument))
			continue;
		for (size_t at = 0; at < BUFFER_SIZE; at += 4) {
			double tolerance = run->launch->tolerance;
			const uint8_t *a = run->ours[i] + at;
			const uint8_t *b = run->theirs[i] + at;
			uint32_t ours, theirs;

			/* Zeros of both signs differ as integers. */
			if (is_double(argument)
				    ? same_double(a - at % 8, b - at % 8,
						  tolerance)
			    : is_type(argument, "float")
				    ? same_float(a, b, tolerance)
				    : !memcmp(a, b, 4))
				continue;
			memcpy(&ours, a, 4);
			memcpy(&theirs, b, 4);
			printf("# %s: argument '%s' at byte %zu: 0x%08x here, "
			       "0x%08x there\n", run->launch->kernel,
			       argument->name, at, ours, theirs);
			return false;
		}
	}
	return true;
}

static cl_program build_theirs(const char *file)
{
	char *source = kernel_source(file);
	const char *text = source ? source : "";
	cl_int status;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL,
						       &status);

	free(source);
	/* No fused multiply-add: the device's MULADD rounds twice. */
	if (!status)
		status = clBuildProgram(program, 1, &device,
					"-cl-std=CL1.2 -w", NULL, NULL);
	if (status) {
		printf("# %s: the other compiler says %d\n", file, status);
		return NULL;
	}
	return program;
}

static bool compare(const struct launch *launch,
		    const struct evg_program *program, cl_program other)
{
	struct run run = {
		.launch = launch,
		.kernel = evg_program_find(program, launch->kernel),
	};
	struct error error;
	bool same = false;
	cl_int status;

	if (!run.kernel || run.kernel->argument_count > ARGUMENTS_MAX) {
		printf("# no kernel %s\n", launch->kernel);
		return false;
	}
	random_state = 2024;
	for (uint32_t i = 0; i < run.kernel->argument_count; i++) {
		run.before[i] = xmalloc(BUFFER_SIZE);
		run.ours[i] = xmalloc(BUFFER_SIZE);
		run.theirs[i] = xmalloc(BUFFER_SIZE);
		fill(&run.kernel->arguments[i], run.before[i]);
	}
	if (run_ours(&run, &error))
		printf("# %s: %s\n", launch->kernel, error.text);
	else if ((status = run_theirs(&run, other)))
		printf("# %s: the other device says %d\n", launch->kernel,
		       status);
	else
		same = same_buffers(&run);
	for (uint32_t i = 0; i < run.kernel->argument_count; i++) {
		free(run.before[i]);
		free(run.ours[i]);
		free(run.theirs[i]);
	}
	return same;
}

static int find_device(void)
{
	cl_platform_id platforms[8];
	cl_uint count = 0;

	clGetPlatformIDs(8, platforms, &count);
	for (cl_uint i = 0; i < count && i < 8; i++) {
		char name[128] = "";

		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name,
				  name, NULL);
		if (!strstr(name, "Portable Computing Language") ||
		    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1,
				   &device, NULL))
			continue;
		context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
		if (context)
			queue = clCreateCommandQueue(context, device, 0, NULL);
		return queue ? 0 : -1;
	}
	return -1;
}

/* --- The launches ------------------------------------------------------- */

#define ONE 1, { 1, 1, 1 }, { 1, 1, 1 }
#define WAVE 1, { 64, 1, 1 }, { 64, 1, 1 }
#define MANY 1, { 512, 1, 1 }, { 64, 1, 1 }
#define ODD 1, { 300, 1, 1 }, { 100, 1, 1 }
/* Kernels whose work-items touch each other's data run with one. */
static const struct launch launches[] = {
	{ "bits.cl", "counted", MANY, 0 },
	{ "bits.cl", "overflows", MANY, 0 },
	{ "bits.cl", "pieces", MANY, 0 },
	{ "compare.cl", "nested_branches", MANY, 0 },
	{ "compare.cl", "returns", MANY, 0 },
	{ "compare.cl", "switches", ODD, 0 },
	{ "compare.cl", "nested_loops", MANY, 0 },
	{ "compare.cl", "signed_zeros", MANY, 0 },
	{ "compare.cl", "collatz", ODD, 0 },
	{ "compare.cl", "divisions", MANY, 0 },
	{ "compare.cl", "private_sort", MANY, 0 },
	{ "compare.cl", "tree_sum", 1, { 1024, 1, 1 }, { 256, 1, 1 }, 0 },
	{ "compare.cl", "scan", MANY, 0 },
	{ "compare.cl", "local_bytes", ODD, 0 },
	{ "compare.cl", "histogram", MANY, 0 },
	{ "compare.cl", "global_histogram", MANY, 0 },
	{ "compare.cl", "float_sum", MANY, 1e-4 },
	{ "compare.cl", "dimensions", 3, { 8, 6, 4 }, { 4, 3, 2 }, 0 },
	{ "compare.cl", "floats", MANY, 1e-5 },
	{ "compare.cl", "mandelbrot", 2, { 32, 32, 1 }, { 16, 8, 1 }, 0 },
	{ "compare.cl", "constants", ODD, 0 },
	{ "arguments.cl", "pointer_float4", ONE, 0 },
	{ "arguments.cl", "scalars", ONE, 0 },
	{ "arguments.cl", "char_vector", ONE, 0 },
	{ "arguments.cl", "structs", ONE, 0 },
	{ "arguments.cl", "wide", ONE, 0 },
	{ "atomics-local.cl", "local_atomics", ONE, 0 },
	{ "atomics-unused.cl", "unused", ONE, 0 },
	{ "atomics.cl", "results", ONE, 0 },
	{ "constants.cl", "table", ONE, 0 },
	{ "constants.cl", "literals", MANY, 0 },
	{ "constants.cl", "chosen", MANY, 0 },
	{ "constants.cl", "mixed", MANY, 0 },
	{ "constants.cl", "kinds", MANY, 0 },
	{ "structured.cl", "nested", WAVE, 0 },
	{ "structured.cl", "early", WAVE, 0 },
	{ "structured.cl", "choices", WAVE, 0 },
	{ "structured.cl", "rotating", WAVE, 0 },
	{ "structured.cl", "floats", WAVE, 1e-5 },
	{ "structured.cl", "vectors", WAVE, 0 },
	{ "structured.cl", "shared", 1, { 64, 1, 1 }, { 16, 1, 1 }, 0 },
	{ "control.cl", "branches", ONE, 0 },
	{ "control.cl", "loops", ONE, 0 },
	{ "control.cl", "barriers", 1, { 16, 1, 1 }, { 16, 1, 1 }, 0 },
	{ "double-types.cl", "vectors", MANY, 1e-12 },
	{ "double-types.cl", "values", MANY, 0 },
	{ "double-types.cl", "structures", MANY, 0 },
	{ "double-types.cl", "tables", MANY, 0 },
	{ "double-types.cl", "branches", ODD, 0 },
	{ "double-types.cl", "reduction", MANY, 0 },
	{ "double-types.cl", "matrix", 2, { 32, 32, 1 }, { 8, 8, 1 }, 0 },
	{ "double-types.cl", "bodies", 1, { 64, 1, 1 }, { 64, 1, 1 }, 1e-13 },
	{ "double-types.cl", "prices", MANY, 1e-12 },
	{ "double-types.cl", "mixed", MANY, 0 },
	{ "double-types.cl", "wide", MANY, 1e-12 },
	{ "double-types.cl", "longs", MANY, 0 },
	{ "fences.cl", "copies", 1, { 64, 1, 1 }, { 64, 1, 1 }, 0 },
	{ "fences.cl", "high", ONE, 0 },
	{ "helpers.cl", "uses_scale", MANY, 0 },
	{ "helpers.cl", "uses_rows", MANY, 0 },
	{ "id-vectors.cl", "ids", MANY, 0 },
	{ "id-vectors.cl", "sizes", ONE, 0 },
	{ "integers.cl", "quotients32", MANY, 0 },
	{ "integers.cl", "quotients64", MANY, 0 },
	{ "integers.cl", "shifts", MANY, 0 },
	{ "integers.cl", "orders", MANY, 0 },
	{ "integers.cl", "numbers", MANY, 0 },
	{ "integers.cl", "pieces", MANY, 0 },
	{ "integers.cl", "chosen_element", MANY, 0 },
	{ "kernel-calls.cl", "sum", MANY, 0 },
	{ "kernel-calls.cl", "doubled", MANY, 0 },
	{ "kernel-calls.cl", "everything", MANY, 0 },
	{ "narrow.cl", "char2_second", MANY, 0 },
	{ "narrow.cl", "char2_first", MANY, 0 },
	{ "narrow.cl", "char2_both", MANY, 0 },
	{ "narrow.cl", "char4_one", MANY, 0 },
	{ "narrow.cl", "uchar4_all", MANY, 0 },
	{ "narrow.cl", "char8_some", MANY, 0 },
	{ "narrow.cl", "uchar16_some", MANY, 0 },
	{ "narrow.cl", "short2_second", MANY, 0 },
	{ "narrow.cl", "ushort4_all", MANY, 0 },
	{ "narrow.cl", "short8_some", MANY, 0 },
	{ "narrow.cl", "ushort16_all", MANY, 0 },
	{ "narrow.cl", "ulong2_second", MANY, 0 },
	{ "narrow.cl", "long4_half", MANY, 0 },
	{ "narrow.cl", "int4_half", MANY, 0 },
	{ "narrow.cl", "char2_elements", MANY, 0 },
	{ "narrow.cl", "three", MANY, 0 },
	{ "narrow.cl", "unaligned", MANY, 0 },
	{ "narrow.cl", "bits", MANY, 0 },
	{ "narrow.cl", "in_local", MANY, 0 },
	{ "narrow.cl", "indexed", MANY, 0 },
	{ "narrow.cl", "private_char2", MANY, 0 },
	{ "narrow.cl", "private_char4", MANY, 0 },
	{ "narrow.cl", "private_char8", MANY, 0 },
	{ "narrow.cl", "private_short2", MANY, 0 },
	{ "narrow.cl", "private_short3", MANY, 0 },
	{ "narrow.cl", "private_short16", MANY, 0 },
	{ "narrow.cl", "private_int4", MANY, 0 },
	{ "pressure.cl", "doubles", MANY, 1e-13 },
	{ "pressure.cl", "turns", MANY, 0 },
	{ "pressure.cl", "kinds", MANY, 1e-5 },
	{ "private-arrays.cl", "histogram", 1, { 64, 1, 1 }, { 64, 1, 1 }, 0 },
	{ "private-arrays.cl", "bytes", ONE, 0 },
	{ "scratch.cl", "big", ODD, 1e-5 },
	{ "scratch.cl", "small", 1, { 64, 1, 1 }, { 64, 1, 1 }, 0 },
	{ "scratch.cl", "list", ODD, 0 },
	{ "scratch.cl", "pointers", ODD, 0 },
	{ "scratch.cl", "vectors", 1, { 64, 1, 1 }, { 64, 1, 1 }, 1e-5 },
	{ "scratch.cl", "copies", ODD, 0 },
	{ "scratch.cl", "pressure", ODD, 1e-3 },
	{ "scratch.cl", "mixed", ODD, 0 },
	{ "subvectors.cl", "widen", MANY, 0 },
	{ "subvectors.cl", "halves", MANY, 0 },
	{ "sums.cl", "doubles", MANY, 1e-13 },
	{ "sums.cl", "singles", MANY, 1e-5 },
	{ "tails.cl", "ends_in_barrier", ODD, 0 },
	{ "tails.cl", "ends_in_loop", ODD, 0 },
	{ "tails.cl", "ends_early", ODD, 0 },
	{ "types.cl", "narrow", ONE, 0 },
	{ "types.cl", "longs", ONE, 0 },
	{ "types.cl", "integers", ONE, 0 },
	{ "types.cl", "signs", MANY, 1e-6 },
	{ "types.cl", "convert", ONE, 1e-6 },
	{ "types.cl", "vectors", ONE, 1e-6 },
	{ "types.cl", "halves", ONE, 1e-3 },
	{ "types.cl", "booleans", ONE, 0 },
	{ "math.cl", "exact", ONE, 1e-5 },
	{ "math.cl", "native", ONE, 1e-3 },
	{ "math.cl", "geometry", ONE, 1e-5 },
};

/* The ladder itself finds the ways that suit private variables in scratch
 * memory; the way that spills registers is seen with much of the rest. */
enum {
	ORDER_ATTEMPT = 2,
	SCALAR_ATTEMPT = 4,
	PLAIN_ATTEMPTS = 6,
	CONSTANTS_ATTEMPT = 9,
	SPILLING_ATTEMPT = 10,
	HALVES = 2,
};

static bool is_wanted(const char *file, unsigned attempt)
{
	/* Others take long to find out that they cannot. */
	if (!strcmp(file, "sums.cl"))
		return attempt <= ORDER_ATTEMPT;
	if (!strcmp(file, "kernel-calls.cl") || !strcmp(file, "integers.cl"))
		return attempt == 1;
	if (!strcmp(file, "narrow.cl"))
		return attempt == 1 || attempt == SCALAR_ATTEMPT;
	if (!strcmp(file, "pressure.cl"))
		return attempt == SPILLING_ATTEMPT;
	if (!strcmp(file, "scratch.cl"))
		return attempt == 1 || attempt == CONSTANTS_ATTEMPT ||
		       attempt == SPILLING_ATTEMPT ||
		       attempt == BACKEND_ATTEMPTS;
	if (attempt <= PLAIN_ATTEMPTS)
		return true;
	return attempt == SPILLING_ATTEMPT &&
	       (!strcmp(file, "compare.cl") || !strcmp(file, "types.cl") ||
		!strcmp(file, "double-types.cl") ||
		!strcmp(file, "private-arrays.cl"));
}

/* Whether our generator compiled it: the compiler names what it did not. */
static bool is_ours(const struct launch *launch, const char *messages)
{
	char *note = xasprintf("compiles kernel '%s'", launch->kernel);
	bool ours = messages && !strstr(messages, note);

	printf("%sok - compiled by our generator: %s %s\n",
	       ours ? "" : "not ", launch->file, launch->kernel);
	free(note);
	return ours;
}

/* Every launch with the code of one of the compiler's ways. Failures. */
static int run_attempt(unsigned attempt, const char *codegen)
{
	struct evg_program *program = NULL;
	cl_program other = NULL;
	const char *file = "";
	char *messages = NULL;
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(launches); i++) {
		const struct launch *launch = &launches[i];
		bool same;

		if (!is_wanted(launch->file, attempt))
			continue;
		if (strcmp(file, launch->file)) {
			file = launch->file;
			evg_program_free(program);
			if (other)
				clReleaseProgram(other);
			free(messages);
			messages = NULL;
			program = compile_attempt(file, attempt, codegen,
						  &messages);
			other = build_theirs(file);
		}
		same = program && other && compare(launch, program, other);
		printf("%sok - same as PoCL: %s %s, attempt %u, %s\n",
		       same ? "" : "not ", launch->file, launch->kernel,
		       attempt, codegen);
		failed += !same;
		if (!strcmp(codegen, "auto"))
			failed += !is_ours(launch, messages);
	}
	free(messages);
	evg_program_free(program);
	if (other)
		clReleaseProgram(other);
	return failed;
}

/* In a process of its own: where PoCL cannot read /sys it ends the program. */
static bool has_device(void)
{
	pid_t child = fork();
	int status = 1;

	if (!child)
		_exit(find_device() ? 1 : 0);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* Every HALVES-th way of compiling from one on. Failures. */
static int run_half(unsigned half)
{
	static const struct {
		unsigned attempt;
		const char *codegen;
	} others[] = {
		{ 1, "resched" }, { 1, "auto" }, { SPILLING_ATTEMPT, "resched" },
	};
	int failed = 0;

	if (find_device()) {
		puts("not ok - PoCL's device is gone");
		return 1;
	}
	for (unsigned i = half; i < BACKEND_ATTEMPTS; i += HALVES)
		failed += run_attempt(i + 1, "llvm");
	for (unsigned i = half; i < ARRAY_SIZE(others); i += HALVES)
		failed += run_attempt(others[i].attempt, others[i].codegen);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return failed;
}

/* Two processes, since this takes longer than any other test. */
static int run_halves(void)
{
	pid_t children[HALVES];
	int failed = 0;

	for (unsigned half = 0; half < HALVES; half++) {
		children[half] = fork();
		if (!children[half])
			_exit(run_half(half) ? 1 : 0);
	}
	for (unsigned half = 0; half < HALVES; half++) {
		int status = 1;

		if (children[half] < 0 ||
		    waitpid(children[half], &status, 0) != children[half] ||
		    status)
			failed++;
	}
	return failed;
}

/* With an argument only that kind of --codegen. */
int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* PoCL keeps the local variables of a kernel that another kernel
	 * calls once for all its threads, so work-groups on several overwrite
	 * each other's (one launch in sixty of kernel-calls.cl's
	 * `everything`). */
	setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
	if (!has_device()) {
		puts("ok - differential # SKIP no PoCL device (Debian package "
		     "pocl-opencl-icd)");
		return 0;
	}
	if (argc > 1)
		return find_device() || run_attempt(1, argv[1]);
	return run_halves() ? 1 : 0;
}
