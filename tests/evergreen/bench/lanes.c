/* What a slot costs a wavefront by the number of its active lanes: in a loop
 * that only they go round, and in branches that each round of a loop takes
 * others into, where the mask changes twice a round. Lanes are next to each
 * other or spread evenly over the wavefront. The best of ROUNDS (default 15)
 * launches, processor time of one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "evergreen/emu/machine.h"

enum {
	ITEMS = 16384,
	GROUP = 256,
	LOOP_ROUNDS = 256,
	LANES = 64,
	WAYS = 4,
};

static const struct way {
	const char *name, *kernel;
	bool spread;
} ways[WAYS] = {
	{"loop, adjacent", "lanes_in_loop", false},
	{"loop, spread", "lanes_in_loop", true},
	{"branch, adjacent", "lanes_in_branch", false},
	{"branch, spread", "lanes_in_branch", true},
};

struct bench {
	struct evg_program *program;
	struct evg_memory *memory;
	uint32_t input, output;
	int rounds;
};

static void set(uint8_t *arguments, const struct evg_kernel *kernel,
		unsigned number, uint32_t value)
{
	memcpy(arguments + kernel->arguments[number].offset, &value, 4);
}

static double processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Nanoseconds of one launch for each slot of a wavefront, or -1. */
static double slot_time(const struct bench *bench, const struct way *way,
			const struct evg_simd *simd, uint32_t lanes)
{
	const struct evg_run_options options = {.threads = 1};
	const struct evg_kernel *kernel =
		evg_program_find(bench->program, way->kernel);
	uint8_t arguments[256] = {0};
	const struct evg_launch launch = {
		.kernel = kernel,
		.memory = bench->memory,
		.work_dim = 1,
		.global_size = {ITEMS, 1, 1},
		.local_size = {GROUP, 1, 1},
		.arguments = arguments,
	};
	struct evg_ndrange *ndrange;
	struct evg_stats stats;
	struct error error;
	double time;
	int status;

	set(arguments, kernel, 0, bench->input);
	set(arguments, kernel, 1, bench->output);
	set(arguments, kernel, 2, way->spread ? 1 : lanes);
	set(arguments, kernel, 3, LANES / lanes);
	set(arguments, kernel, 4, LOOP_ROUNDS);
	ndrange = evg_ndrange_create_for(&launch, simd, &error);
	if (!ndrange)
		return -1;
	time = -processor_seconds();
	status = evg_ndrange_run_options(ndrange, &options, &error);
	time += processor_seconds();
	evg_ndrange_stats(ndrange, &stats);
	evg_ndrange_free(ndrange);
	if (status) {
		fprintf(stderr, "%s: %s\n", way->kernel, error.text);
		return -1;
	}
	return time * 1e9 /
	       (double)(stats.alu_slots + stats.fetches + stats.global_writes);
}

static void print_curve(const struct bench *bench, const struct evg_simd *simd)
{
	double best[7][WAYS];
	int count = 0;

	for (int round = 0; round < bench->rounds; round++) {
		count = 0;
		for (uint32_t lanes = 1; lanes <= LANES; lanes *= 2, count++)
			for (int w = 0; w < WAYS; w++) {
				double time = slot_time(bench, &ways[w], simd,
							lanes);

				if (!round || time < best[count][w])
					best[count][w] = time;
			}
	}
	printf("\nns per slot, and over that of 64 lanes; host vectors of %u "
	       "bytes\n%6s", simd->vector_bytes, "lanes");
	for (int w = 0; w < WAYS; w++)
		printf("  %18s", ways[w].name);
	printf("\n");
	for (int i = 0; i < count; i++) {
		printf("%6d", 1 << i);
		for (int w = 0; w < WAYS; w++)
			printf("  %11.2f %6.2f", best[i][w],
			       best[i][w] / best[count - 1][w]);
		printf("\n");
	}
}

static bool prepare(struct bench *bench)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/tests/evergreen/bench/divergent.cl",
			       top ? top : ".");
	struct error error;
	float *values;

	bench->program = compile_program(path, "");
	free(path);
	bench->memory = evg_memory_create(1 << 20, &error);
	if (!bench->program || !bench->memory)
		return false;
	bench->input = evg_memory_allocate(bench->memory, 4 * ITEMS, false,
					   "input");
	bench->output = evg_memory_allocate(bench->memory, 4 * ITEMS, false,
					    "output");
	values = (float *)evg_memory_host(bench->memory, bench->input,
					  4 * ITEMS);
	for (int i = 0; i < ITEMS; i++)
		values[i] = (float)(i * 37 % 999) / 1000;
	return true;
}

int main(void)
{
	const struct evg_simd *best = evg_simd_best();
	const char *rounds = getenv("ROUNDS");
	struct bench bench = {.rounds = rounds ? atoi(rounds) : 15};

	if (!prepare(&bench))
		return 1;
	if (best == &evg_simd_v4)
		print_curve(&bench, &evg_simd_v3);
	print_curve(&bench, best);
	evg_memory_free(bench.memory);
	evg_program_free(bench.program);
	return 0;
}
