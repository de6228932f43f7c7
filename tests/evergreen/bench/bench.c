/* The functional Evergreen emulator against another OpenCL implementation
 * (Oclgrind, when run under it) on the same kernels, data and sizes: see
 * rows.def. Times are those inside evg_ndrange_run, and the processor time from
 * enqueueing to the end on the other side.
 *
 * Each configuration runs ROUNDS times (default 15), in turn, and the best
 * counts: what else the machine does can only make it slower. Figures with one
 * thread are of processor time, figures with two threads of time. "cpu"
 * is processor time with two threads over that with one: what a busy machine
 * leaves of the comparison. "counted" is processor time with transactions and
 * bank conflicts counted over that without, which runs just before it: what
 * comes after two threads takes some 20 to 30 us more, whatever it is.
 * "2 thrds" is two threads' rate
 * over one thread's, the best of each, when a launch takes LONG milliseconds
 * (default 150; 0: not measured): what is left when waking threads and warming
 * caches cost nothing. "allowed" is what the host had to give in the same
 * rounds: the rate of two processes side by side, each with one thread and that
 * launch for itself, over one's alone. Both also by processor time, as
 * if all had been busy for all of a launch: what it would be without other
 * programs. Then the ND-range is repeated along its third dimension
 * or, where memory counts, its first dimension and the buffers are made larger
 * (128 MiB at most). One thread and two must give the same results.
 * usage: bench [PATTERN] */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/run/pool.h"
#include "unit/random.h"

enum {
	ARGUMENTS_MAX = 8,
	ROUNDS_MAX = 99,
	CONFIGURATIONS = 5,
	/* More than the first while they have not taken `long_seconds`. */
	LONG_ROUNDS = 3,
	LONG_ROUNDS_MAX = 15,
};

static const double long_seconds = 2;

enum kind { COMPUTE, LOCAL, MEMORY, DIVERGENT, ATOMIC, DOUBLE, KINDS };
static const char *const kind_names[KINDS] = {
	"compute", "local memory", "memory", "divergent", "atomics", "double",
};

struct row {
	const char *name;
	enum kind kind;
	const char *file, *kernel;
	size_t global[2], local[2];
	const char *arguments;
	double tolerance;
};

static const struct row rows[] = {
#define ROW(name, kind, file, kernel, gx, gy, lx, ly, arguments, tolerance)    \
	{name, kind, file, kernel, {gx, gy}, {lx, ly}, arguments, tolerance},
#include "evergreen/bench/rows.def"
};

/* --- Arguments ---------------------------------------------------------- */

struct argument {
	char kind;      /* as in rows.def */
	size_t count;   /* elements, or bytes of local memory */
	size_t bytes;   /* of a buffer */
	uint8_t *input; /* of a buffer: what it holds at first */
	uint8_t *ours, *theirs;
	uint32_t value;
	uint32_t address;
	cl_mem buffer;
};

struct job {
	const struct row *row;
	unsigned scale; /* of dimension 0 and the buffers */
	uint32_t depth; /* size of dimension 2 */
	struct argument arguments[ARGUMENTS_MAX];
	unsigned count;
	struct evg_program *program;
	struct evg_memory *memory;
	struct evg_launch launch;
	uint8_t constants[4096];
};

static uint32_t random_bits(void)
{
	static uint64_t state = 1;

	return (uint32_t)random_draw(&state);
}

static bool is_buffer(const struct argument *argument)
{
	return strchr("fduFDU", argument->kind);
}

static void fill(struct argument *argument, uint64_t limit)
{
	for (size_t i = 0; i < argument->count; i++) {
		double real = random_bits() / 0x1p32;
		float single = (float)(real < 0.999 ? real : 0.999);
		uint32_t integer = (uint32_t)(real * (double)limit);

		if (argument->kind == 'd')
			memcpy(argument->input + 8 * i, &real, 8);
		else if (argument->kind == 'f')
			memcpy(argument->input + 4 * i, &single, 4);
		else if (argument->kind == 'u')
			memcpy(argument->input + 4 * i, &integer, 4);
	}
}

static void read_arguments(struct job *job)
{
	const char *text = job->row->arguments;
	int used;

	while (*text) {
		struct argument *argument = &job->arguments[job->count++];
		double value;
		float single;
		unsigned long long limit = 0;

		if (sscanf(text, " %c:%lf%n", &argument->kind, &value, &used) <
		    2)
			abort();
		text += used;
		if (sscanf(text, ":%llu%n", &limit, &used) == 1)
			text += used;
		argument->count = (size_t)value;
		argument->value = (uint32_t)value;
		single = (float)value;
		if (argument->kind == 'x')
			memcpy(&argument->value, &single, 4);
		if (!is_buffer(argument))
			continue;
		argument->count *= job->scale;
		argument->bytes = argument->count *
				  (tolower(argument->kind) == 'd' ? 8 : 4);
		argument->input = xcalloc(1, argument->bytes);
		argument->ours = xcalloc(1, argument->bytes);
		argument->theirs = xcalloc(1, argument->bytes);
		fill(argument, limit);
	}
}

/* --- Our side ----------------------------------------------------------- */

static struct evg_program *read_program(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct evg_program *program = NULL;
	uint8_t *bytes = xmalloc(1 << 20);
	struct error error;
	size_t size;

	if (!file)
		return NULL;
	size = fread(bytes, 1, 1 << 20, file);
	program = evg_program_read(path, bytes, size, &error);
	if (!program)
		fprintf(stderr, "%s\n", error.text);
	fclose(file);
	free(bytes);
	return program;
}

static char *source_path(const char *file)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/%s%s", top ? top : ".",
			 strncmp(file, "samples/", 8) ? "tests/evergreen/bench/"
						      : "",
			 file);
}

/* A program that m2s-clc cannot compile has a listing beside it, which the
 * script has assembled into $work. */
static struct evg_program *compile(const char *file)
{
	char *path = source_path(file);
	struct clc_result result = compile_file(path, "");
	struct evg_program *program = NULL;
	struct error error;

	if (result.binary) {
		program = evg_program_read(file, result.binary,
					   result.binary_size, &error);
	} else {
		const char *work = getenv("work");
		char *binary = xasprintf("%s/%.*s.bin", work ? work : ".",
					 (int)strcspn(file, "."), file);

		program = read_program(binary);
		free(binary);
	}
	if (!program)
		fprintf(stderr, "%s: %s", file, result.log ? result.log : "\n");
	clc_result_free(&result);
	free(path);
	return program;
}

/* Memory and arguments as the driver would place them. */
static void prepare(struct job *job)
{
	const struct evg_kernel *kernel =
		evg_program_find(job->program, job->row->kernel);
	struct error error;

	job->memory = evg_memory_create(1 << 28, &error);
	/* Else pages of one process would be those of another for a while. */
	madvise(evg_memory_base(job->memory), evg_memory_size(job->memory),
		MADV_DONTFORK);
	job->launch = (struct evg_launch){
		.kernel = kernel,
		.memory = job->memory,
		.work_dim = 3,
		.global_size = {(uint32_t)job->row->global[0] * job->scale,
				(uint32_t)job->row->global[1], job->depth},
		.local_size = {(uint32_t)job->row->local[0],
			       (uint32_t)job->row->local[1], 1},
		.local_memory = (kernel->local_size + 127) / 128 * 128,
		.arguments = job->constants,
	};
	for (unsigned i = 0; i < job->count; i++) {
		struct argument *argument = &job->arguments[i];
		uint32_t value = argument->value;

		if (is_buffer(argument)) {
			value = argument->address = evg_memory_allocate(
				job->memory, (uint32_t)argument->bytes, false,
				"buffer");
		} else if (argument->kind == 'l') {
			value = job->launch.local_memory;
			job->launch.local_memory += (uint32_t)argument->count;
		}
		memcpy(job->constants + kernel->arguments[i].offset, &value,
		       4);
	}
}

static void *host(const struct job *job, const struct argument *argument)
{
	return evg_memory_host(job->memory, argument->address,
			       (uint32_t)argument->bytes);
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct configuration {
	const char *name;
	const struct evg_simd *simd;
	unsigned threads;
	bool counts_traffic;
	/* Helpers go when the launch ends, and do not look for more work, which
	 * would count as processor time. */
	bool own_threads;
	/* Processes that wait for each other before the launch, or NULL. */
	struct side *side;
};

struct figures {
	double time, processor;
	struct evg_stats stats;
};

enum { SIDES = 2 };

/* What processes side by side share. */
struct side {
	_Atomic int ready;
	bool done[SIDES];
	struct figures figures[SIDES];
};

static void meet(struct side *side)
{
	side->ready++;
	while (side->ready < SIDES)
		sched_yield();
}

static struct evg_pool *pool; /* helpers that stay, as in the driver */

static int run_ours(struct job *job, const struct configuration *how,
		    struct figures *figures)
{
	/* As the driver has them without a configuration. */
	const struct evg_traffic_model model = {
		.block_size = 64, .banks = 32, .window = 32,
	};
	const struct evg_run_options options = {
		.threads = how->threads,
		.pool = how->own_threads ? NULL : pool,
	};
	const clockid_t clock = how->threads > 1 ? CLOCK_PROCESS_CPUTIME_ID
						 : CLOCK_THREAD_CPUTIME_ID;
	struct evg_ndrange *ndrange;
	struct error error;
	int status;

	for (unsigned i = 0; i < job->count; i++)
		if (is_buffer(&job->arguments[i]))
			memcpy(host(job, &job->arguments[i]),
			       job->arguments[i].input,
			       job->arguments[i].bytes);
	ndrange = evg_ndrange_create_for(&job->launch, how->simd, &error);
	if (!ndrange) {
		fprintf(stderr, "%s: %s\n", job->row->name, error.text);
		return -1;
	}
	if (how->counts_traffic)
		evg_ndrange_count_traffic(ndrange, &model);
	if (how->side)
		meet(how->side);
	figures->processor = -seconds(clock);
	figures->time = -seconds(CLOCK_MONOTONIC);
	status = evg_ndrange_run_options(ndrange, &options, &error);
	figures->time += seconds(CLOCK_MONOTONIC);
	/* A helper's time is known when it has gone to sleep. */
	if (how->threads > 1)
		nanosleep(&(struct timespec){0, 3000000}, NULL);
	figures->processor += seconds(clock);
	evg_ndrange_stats(ndrange, &figures->stats);
	evg_ndrange_free(ndrange);
	if (status)
		fprintf(stderr, "%s: %s\n", job->row->name, error.text);
	for (unsigned i = 0; !how->side && i < job->count; i++)
		if (is_buffer(&job->arguments[i]))
			memcpy(job->arguments[i].ours,
			       host(job, &job->arguments[i]),
			       job->arguments[i].bytes);
	return status;
}

/* --- The other side ------------------------------------------------------ */

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static char platform_name[128];

static bool open_other(void)
{
	cl_platform_id platform;
	cl_int status;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return false;
	clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name,
			  platform_name, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	if (!status)
		queue = clCreateCommandQueue(context, device, 0, &status);
	return !status;
}

static cl_int set_arguments(struct job *job, cl_kernel kernel)
{
	cl_int status = 0;

	for (unsigned i = 0; !status && i < job->count; i++) {
		struct argument *argument = &job->arguments[i];

		if (is_buffer(argument)) {
			argument->buffer = clCreateBuffer(
				context, CL_MEM_COPY_HOST_PTR, argument->bytes,
				argument->input, &status);
			if (!status)
				status = clSetKernelArg(kernel, i,
							sizeof(cl_mem),
							&argument->buffer);
		} else if (argument->kind == 'l') {
			status = clSetKernelArg(kernel, i, argument->count,
						NULL);
		} else {
			status = clSetKernelArg(kernel, i, 4,
						&argument->value);
		}
	}
	return status;
}

static cl_kernel build_other(const struct row *row)
{
	char *path = source_path(row->file), *source = kernel_source(path);
	const char *text = source ? source : "";
	cl_int status;
	cl_program program =
		clCreateProgramWithSource(context, 1, &text, NULL, &status);
	cl_kernel kernel = NULL;

	if (!status)
		status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2",
					NULL, NULL);
	if (!status)
		kernel = clCreateKernel(program, row->kernel, &status);
	free(source);
	free(path);
	return kernel;
}

/* Seconds of processor time (Oclgrind is told to use one thread), or -1. */
static double run_other(struct job *job)
{
	const struct row *row = job->row;
	cl_kernel kernel = build_other(row);
	double time = -1;
	cl_int status;

	if (!kernel)
		return -1;
	status = set_arguments(job, kernel);
	if (!status) {
		time = -seconds(CLOCK_PROCESS_CPUTIME_ID);
		status = clEnqueueNDRangeKernel(queue, kernel, 2, NULL,
						row->global, row->local, 0,
						NULL, NULL);
		status |= clFinish(queue);
		time += seconds(CLOCK_PROCESS_CPUTIME_ID);
	}
	for (unsigned i = 0; !status && i < job->count; i++)
		if (is_buffer(&job->arguments[i]))
			status = clEnqueueReadBuffer(
				queue, job->arguments[i].buffer, CL_TRUE, 0,
				job->arguments[i].bytes,
				job->arguments[i].theirs, 0, NULL, NULL);
	for (unsigned i = 0; i < job->count; i++)
		if (job->arguments[i].buffer)
			clReleaseMemObject(job->arguments[i].buffer);
	clReleaseKernel(kernel);
	return status ? -1 : time;
}

/* --- Results ------------------------------------------------------------ */

static double element(const struct argument *argument, const uint8_t *bytes,
		      size_t i)
{
	double real;
	float single;
	uint32_t integer;

	switch (argument->kind) {
	case 'D':
		memcpy(&real, bytes + 8 * i, 8);
		return real;
	case 'F':
		memcpy(&single, bytes + 4 * i, 4);
		return (double)single;
	default:
		memcpy(&integer, bytes + 4 * i, 4);
		return integer;
	}
}

/* Elements that differ by more than the row's tolerance. */
static size_t differences(const struct job *job)
{
	size_t count = 0;

	for (unsigned i = 0; i < job->count; i++) {
		const struct argument *argument = &job->arguments[i];

		if (!is_buffer(argument) || islower(argument->kind))
			continue;
		for (size_t k = 0; k < argument->count; k++) {
			double a = element(argument, argument->ours, k);
			double b = element(argument, argument->theirs, k);

			if (a != b && !(isnan(a) && isnan(b)) &&
			    !(fabs(a - b) <= job->row->tolerance *
						     fmax(fabs(a), fabs(b))))
				count++;
		}
		if (argument->kind != 'U' && count < argument->count / 1000)
			count = 0;
	}
	return count;
}

static double least(const double *values, int count)
{
	double best = values[0];

	for (int i = 1; i < count; i++)
		best = fmin(best, values[i]);
	return best;
}

struct mean {
	double sum;
	int count;
};

static void mean_add(struct mean *mean, double value)
{
	if (value > 0) {
		mean->sum += log(value);
		mean->count++;
	}
}

static double mean_of(const struct mean *mean)
{
	return mean->count ? exp(mean->sum / mean->count) : 0;
}

/* What is printed of a row, or in the mean. */
enum figure {
	SLOT, THREADS, WASTE, COUNTING, OTHER, LONG, LONG_SIDE, LONG_CPU,
	LONG_SIDE_CPU, FIGURES
};
static const char *const figure_names[FIGURES] = {
	"ns/slot", "2 / 1", "cpu", "counted", "x other", "2 thrds", "allowed",
	"2 thrds", "allowed",
};

struct means {
	struct mean rate[CONFIGURATIONS], figures[FIGURES];
};

static void print_figures(const char *name, double work, double milliseconds,
			  const double rate[CONFIGURATIONS],
			  const double figures[FIGURES])
{
	if (work > 0)
		printf("%-16s %8.0f %7.2f", name, work, milliseconds);
	else
		printf("%-16s %8s %7s", name, "", "");
	for (int c = 0; c < CONFIGURATIONS; c++)
		printf(" %8.2f", rate[c]);
	for (int f = 0; f < FIGURES; f++)
		if (figures[f] > 0)
			printf(f == OTHER ? " %8.0f" : " %8.2f", figures[f]);
		else
			printf(" %8s", "-");
}

static size_t buffer_bytes(const struct job *job)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < job->count; i++)
		bytes += job->arguments[i].bytes;
	return bytes;
}

static void free_buffers(struct job *job)
{
	for (unsigned i = 0; i < job->count; i++) {
		free(job->arguments[i].input);
		free(job->arguments[i].ours);
		free(job->arguments[i].theirs);
	}
	evg_memory_free(job->memory);
}

/* One of two processes: `job` with memory of its own. */
static _Noreturn void be_side(struct job *job,
			      const struct configuration *how, int number)
{
	struct side *side = how->side;

	prepare(job);
	side->done[number] = !run_ours(job, how, &side->figures[number]);
	if (!side->done[number])
		side->ready = SIDES;
	_exit(0);
}

/* Runs `job` with one thread in each of two processes at a time. Returns
 * whether both did. */
static bool run_side_by_side(struct job *job, struct configuration how,
			     struct figures figures[SIDES])
{
	struct side *side = mmap(NULL, sizeof *side, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool both = true;
	pid_t processes[SIDES];

	if (side == MAP_FAILED)
		return false;
	how.threads = 1;
	how.side = side;
	fflush(stdout);
	for (int i = 0; i < SIDES; i++) {
		processes[i] = fork();
		if (!processes[i])
			be_side(job, &how, i);
		if (processes[i] < 0)
			side->ready = SIDES;
	}
	for (int i = 0; i < SIDES; i++) {
		if (processes[i] > 0)
			waitpid(processes[i], NULL, 0);
		both = both && side->done[i];
		figures[i] = side->figures[i];
	}
	munmap(side, sizeof *side);
	return both;
}

/* Two threads' rate over one's for this launch, and two processes': LONG to
 * LONG_SIDE_CPU of `shown`, left alone when it cannot be said. */
static void speedup(struct job *job, const struct evg_simd *simd,
		    double shown[FIGURES])
{
	struct configuration how = {.simd = simd, .own_threads = true};
	double best[3] = {0, INFINITY, INFINITY};
	double processor[3] = {0, INFINITY, INFINITY};
	double side = 0, side_processor = 0; /* launches a second */
	double enough = seconds(CLOCK_MONOTONIC) + long_seconds;
	struct figures figures, sides[SIDES];
	size_t bad = 0;

	for (int round = 0;
	     round < LONG_ROUNDS ||
	     (round < LONG_ROUNDS_MAX && seconds(CLOCK_MONOTONIC) < enough);
	     round++) {
		for (how.threads = 1; how.threads <= 2; how.threads++) {
			if (run_ours(job, &how, &figures))
				return;
			processor[how.threads] = fmin(processor[how.threads],
						      figures.processor);
			best[how.threads] =
				fmin(best[how.threads], figures.time);
			for (unsigned i = 0; i < job->count; i++) {
				struct argument *a = &job->arguments[i];

				if (!is_buffer(a))
					continue;
				if (how.threads == 2)
					bad += !!memcmp(a->ours, a->theirs,
							a->bytes);
				memcpy(a->theirs, a->ours, a->bytes);
			}
		}
		if (!run_side_by_side(job, how, sides))
			continue;
		side = fmax(side, 1 / sides[0].time + 1 / sides[1].time);
		side_processor = fmax(side_processor,
				      1 / sides[0].processor +
					      1 / sides[1].processor);
	}
	if (bad)
		printf("%s: two threads give other results\n",
		       job->row->name);
	shown[LONG] = best[1] / best[2];
	shown[LONG_CPU] = 2 * processor[1] / processor[2];
	shown[LONG_SIDE] = best[1] * side;
	shown[LONG_SIDE_CPU] = processor[1] * side_processor;
}

/* The same for a launch of `times` as much work. */
static void long_speedup(const struct job *job, const struct evg_simd *simd,
			 double times, double shown[FIGURES])
{
	const double most = (double)(1 << 27);
	struct job longer = {
		.row = job->row,
		.scale = 1,
		.depth = 1,
		.program = job->program,
	};

	if (job->row->kind == MEMORY)
		longer.scale = (unsigned)fmax(
			1, fmin(times, most / (double)buffer_bytes(job)));
	else
		longer.depth = (uint32_t)times + 1;
	read_arguments(&longer);
	prepare(&longer);
	speedup(&longer, simd, shown);
	free_buffers(&longer);
}

static void bench(const struct row *row, int rounds, double milliseconds,
		  const struct configuration *configurations,
		  struct means *means)
{
	double time[CONFIGURATIONS][ROUNDS_MAX];
	double processor[CONFIGURATIONS][ROUNDS_MAX];
	double rate[CONFIGURATIONS], work, slots, one, other = -1;
	double shown[FIGURES] = {0};
	struct job job = {.row = row, .scale = 1, .depth = 1};
	struct figures figures = {0};

	read_arguments(&job);
	job.program = compile(row->file);
	if (!job.program) {
		printf("%-16s cannot be compiled\n", row->name);
		return;
	}
	prepare(&job);
	for (int round = 0; round < rounds; round++)
		for (int c = 0; c < CONFIGURATIONS; c++) {
			if (run_ours(&job, &configurations[c], &figures))
				return;
			time[c][round] = figures.time;
			processor[c][round] = figures.processor;
		}
	work = (double)figures.stats.lane_operations;
	slots = (double)(figures.stats.alu_slots + figures.stats.fetches +
			 figures.stats.global_writes);
	for (int c = 0; c < CONFIGURATIONS; c++)
		rate[c] = work * 1e-9 /
			  least(configurations[c].threads > 1 ? time[c]
							      : processor[c],
				rounds);
	one = least(processor[2], rounds);
	shown[SLOT] = one / slots * 1e9;
	shown[THREADS] = least(time[2], rounds) / least(time[4], rounds);
	shown[WASTE] = least(processor[4], rounds) / one;
	shown[COUNTING] = least(processor[3], rounds) / one;
	if (milliseconds > 0)
		long_speedup(&job, configurations[2].simd,
			     milliseconds / (one * 1e3), shown);
	if (queue)
		other = run_other(&job);
	shown[OTHER] = other / one;
	print_figures(row->name, work * 1e-6, one * 1e3, rate, shown);
	if (other > 0 && differences(&job))
		printf("  %zu results differ", differences(&job));
	else if (queue && other < 0)
		printf("  does not run there");
	printf("\n");
	fflush(stdout);
	for (int c = 0; c < CONFIGURATIONS; c++)
		mean_add(&means->rate[c], rate[c]);
	for (int f = 0; f < FIGURES; f++)
		mean_add(&means->figures[f], shown[f]);
	free_buffers(&job);
	evg_program_free(job.program);
}

static void print_means(const char *name, const struct means *means)
{
	double rate[CONFIGURATIONS], figures[FIGURES];

	for (int c = 0; c < CONFIGURATIONS; c++)
		rate[c] = mean_of(&means->rate[c]);
	for (int f = 0; f < FIGURES; f++)
		figures[f] = mean_of(&means->figures[f]);
	print_figures(name, 0, 0, rate, figures);
	printf("\n");
}

int main(int argc, char **argv)
{
	const char *pattern = argc > 1 ? argv[1] : "*";
	const struct evg_simd *best = evg_simd_best();
	const struct evg_simd *middle =
		best == &evg_simd_v2 ? &evg_simd_v2 : &evg_simd_v3;
	const struct configuration configurations[CONFIGURATIONS] = {
		{.name = "SSE4", .simd = &evg_simd_v2, .threads = 1},
		{.name = "AVX2", .simd = middle, .threads = 1},
		{.name = "best", .simd = best, .threads = 1},
		{.name = "counted", .simd = best, .threads = 1,
		 .counts_traffic = true},
		{.name = "best x2", .simd = best, .threads = 2},
	};
	struct means all = {0}, kinds[KINDS] = {0};
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 15;
	double milliseconds = getenv("LONG") ? atof(getenv("LONG")) : 150;
	double load[1] = {0};

	if (rounds < 1 || rounds > ROUNDS_MAX)
		rounds = 15;
	pool = evg_pool_create(2);
	getloadavg(load, 1);
	if (!open_other())
		queue = NULL;
	printf("Host vectors: %u bytes; processors: %ld; load average: %.1f; "
	       "compared with: %s\n", best->vector_bytes,
	       sysconf(_SC_NPROCESSORS_ONLN), load[0],
	       queue ? platform_name : "nothing");
	printf("%-16s %8s %7s %44s %44s %17s %17s\n", "", "", "",
	       "- Glane-op/s: 1 thread, traffic counted, 2 -", "",
	       "- long: time -", "- by cpu -");
	printf("%-16s %8s %7s", "", "Mlane-op", "ms");
	for (int c = 0; c < CONFIGURATIONS; c++)
		printf(" %8s", configurations[c].name);
	for (int f = 0; f < FIGURES; f++)
		printf(" %8s", figure_names[f]);
	printf("\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct means now = {0};

		if (fnmatch(pattern, rows[i].name, 0) &&
		    strcmp(pattern, kind_names[rows[i].kind]))
			continue;
		bench(&rows[i], rounds, milliseconds, configurations, &now);
		for (struct means *m = &all; m;
		     m = m == &all ? &kinds[rows[i].kind] : NULL) {
			for (int c = 0; c < CONFIGURATIONS; c++) {
				m->rate[c].sum += now.rate[c].sum;
				m->rate[c].count += now.rate[c].count;
			}
			for (int f = 0; f < FIGURES; f++) {
				m->figures[f].sum += now.figures[f].sum;
				m->figures[f].count += now.figures[f].count;
			}
		}
	}
	printf("Geometric means:\n");
	for (int k = 0; k < KINDS; k++)
		if (kinds[k].figures[SLOT].count)
			print_means(kind_names[k], &kinds[k]);
	print_means("all", &all);
	evg_pool_free(pool);
	getloadavg(load, 1);
	printf("Load average at the end: %.1f\n", load[0]);
	return 0;
}
