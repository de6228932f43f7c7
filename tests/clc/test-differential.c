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
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "clc/launches.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "unit/harness.h"
#include "unit/random.h"

enum {
	BUFFER_SIZE = 32768,
	LOCAL_SIZE = 4096,
	ARGUMENTS_MAX = 16,
	ARGUMENT_BYTES = 2048,
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
		/* Members of a structure differ. */
		float real = 3 + (float)(i / 4);

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
	cl_int status; /* of the other device */
	/* Of global and constant arguments: before, and after on each. */
	uint8_t *before[ARGUMENTS_MAX];
	uint8_t *ours[ARGUMENTS_MAX];
	uint8_t *theirs[ARGUMENTS_MAX];
	uint32_t count; /* of arguments; 0: the other has not run yet */
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
	uint8_t bytes[2 * ARGUMENT_BYTES] = { 0 };
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
		uint8_t value[ARGUMENT_BYTES];

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

/* The other device's run is the same for all our ways: once. */
static void prepare(struct run *run, cl_program other)
{
	random_state = 2024;
	run->count = run->kernel->argument_count;
	for (uint32_t i = 0; i < run->count; i++) {
		run->before[i] = xmalloc(BUFFER_SIZE);
		run->ours[i] = xmalloc(BUFFER_SIZE);
		run->theirs[i] = xmalloc(BUFFER_SIZE);
		fill(&run->kernel->arguments[i], run->before[i]);
	}
	run->status = run_theirs(run, other);
}

static void free_run(struct run *run)
{
	for (uint32_t i = 0; i < run->count; i++) {
		free(run->before[i]);
		free(run->ours[i]);
		free(run->theirs[i]);
	}
}

static bool compare(struct run *run, const struct evg_program *program,
		    cl_program other)
{
	const char *name = run->launch->kernel;
	struct error error;

	run->kernel = evg_program_find(program, name);
	if (!run->kernel || run->kernel->argument_count > ARGUMENTS_MAX) {
		printf("# no kernel %s\n", name);
		return false;
	}
	if (!run->count)
		prepare(run, other);
	if (run->status)
		printf("# %s: the other device says %d\n", name, run->status);
	else if (run_ours(run, &error))
		printf("# %s: %s\n", name, error.text);
	else
		return same_buffers(run);
	return false;
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

/* Options that give other code: none, registers that are few, control flow block
 * by block, no optimization. */
static const char *const ways[] = {
	"", "--codegen-registers=24", "--codegen-without=structure",
	"-cl-opt-disable",
};

/* The launches of one file. */
struct subject {
	unsigned first, count;
	cl_program other;
	struct run *runs;
};

/* With the code that the options give. Failures. */
static int run_way(const struct subject *subject, const char *options)
{
	const char *file = launches[subject->first].file;
	struct evg_program *program = compile_program(file, options);
	int failed = 0;

	for (unsigned i = 0; i < subject->count; i++) {
		struct run *run = &subject->runs[i];
		bool same = program && subject->other &&
			    compare(run, program, subject->other);

		printf("%sok - same as PoCL: %s %s %s\n", same ? "" : "not ",
		       file, run->launch->kernel, options);
		failed += !same;
	}
	evg_program_free(program);
	return failed;
}

static int run_subject(struct subject *subject, const char *const *options,
		       unsigned count)
{
	const char *file = launches[subject->first].file;
	int failed = 0;

	subject->other = build_theirs(file);
	subject->runs = xcalloc(subject->count, sizeof *subject->runs);
	for (unsigned i = 0; i < subject->count; i++)
		subject->runs[i].launch = &launches[subject->first + i];
	for (unsigned i = 0; i < count; i++)
		failed += run_way(subject, options[i]);
	for (unsigned i = 0; i < subject->count; i++)
		free_run(&subject->runs[i]);
	free(subject->runs);
	if (subject->other)
		clReleaseProgram(subject->other);
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

/* --- Two processes -------------------------------------------------------- */

enum { PROCESSES = 2 };

static unsigned find_subjects(struct subject *subjects)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(launches); i++) {
		if (!i || strcmp(launches[i - 1].file, launches[i].file))
			subjects[count++] = (struct subject){ .first = i };
		subjects[count - 1].count++;
	}
	return count;
}

/* Those that take longest come first, so that both processes end together. */
static void put_long_ones_first(struct subject *subjects, unsigned count)
{
	static const char *const longest[] = {
		"scratch.cl", "structured.cl", "double-types.cl", "compare.cl",
		"pressure.cl", "narrow.cl", "sums.cl",
	};
	unsigned at = 0;

	for (size_t k = 0; k < ARRAY_SIZE(longest); k++)
		for (unsigned i = at; i < count; i++) {
			struct subject subject = subjects[i];

			if (strcmp(launches[subject.first].file, longest[k]))
				continue;
			subjects[i] = subjects[at];
			subjects[at++] = subject;
		}
}

static int run_some(unsigned *next, struct subject *subjects, unsigned count)
{
	int failed = 0;
	unsigned i;

	if (find_device()) {
		puts("not ok - PoCL's device is gone");
		return 1;
	}
	while ((i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < count)
		failed += run_subject(&subjects[i], ways,
				      ARRAY_SIZE(ways));
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return failed;
}

/* Two processes, since this takes longer than any other test: each takes one
 * file after the other. */
static int run_all(void)
{
	struct subject subjects[ARRAY_SIZE(launches)];
	unsigned count = find_subjects(subjects);
	unsigned *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t children[PROCESSES];
	int failed = 0;

	if (next == MAP_FAILED)
		return 1;
	put_long_ones_first(subjects, count);
	for (unsigned i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i])
			_exit(run_some(next, subjects, count) ? 1 : 0);
	}
	for (unsigned i = 0; i < PROCESSES; i++) {
		int status = 1;

		if (children[i] < 0 ||
		    waitpid(children[i], &status, 0) != children[i] || status)
			failed++;
	}
	munmap(next, sizeof *next);
	return failed;
}

/* With these options, in one process; `file`: only that one, or NULL. */
static int run_options(const char *options, const char *file)
{
	struct subject subjects[ARRAY_SIZE(launches)];
	unsigned count = find_subjects(subjects);
	int failed = 0;

	if (find_device())
		return 1;
	for (unsigned i = 0; i < count; i++)
		if (!file || !strcmp(file, launches[subjects[i].first].file))
			failed += run_subject(&subjects[i], &options, 1);
	return failed;
}

/* With an argument only with these options; with two also only one file. */
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
		return run_options(argv[1], argc > 2 ? argv[2] : NULL) ? 1 : 0;
	return run_all() ? 1 : 0;
}
