/* How long steps of many predictors take, each following a program of its own,
 * as in He, Zhang and Jiang's study: one row of values separated by commas for
 * each number of predictors. Called by tests/evaluation/predictors.
 *
 * usage: predictors ENGINE MIX ISSUE STEPS CORES,... TRACE...
 *
 * ENGINE: single (each by predict_unit, all after each other in every step),
 * batch (the batch engine, vectors and threads of the host), device (OpenCL, a
 * launch for each step), launch (OpenCL, one launch for all). A step is ISSUE
 * instructions of each program, most of which are no branches. MIX: 1, all
 * follow the same; 2, those of every second group of 64; 3, neighbours differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/timing/study/device.h"

enum { STREAMS = 64, GROUP = 64, MOST_TRACES = 8, SKIPPED = 20000,
       ROUNDS = 5 };

/* Instructions of a program. */
struct stream {
	struct branch_event *events; /* of each instruction; kind: see below */
	struct numbered *numbered;
	struct branch_event *branches; /* the branches alone */
	size_t branch_count;
};

struct bench {
	int mix;
	size_t issue, steps, length; /* instructions: issue * steps */
	struct predict_config config;
	struct stream streams[STREAMS];
	struct numbers numbers;
	/* What each stream's predictor must count. */
	struct predict_counts expected[STREAMS][BRANCH_KINDS];
};

static _Noreturn void die(const char *message)
{
	fprintf(stderr, "predictors: %s\n", message);
	exit(1);
}

/* Of all threads: the host may have other work, too. */
static double processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *or_die(void *pointer, const struct error *error)
{
	if (!pointer)
		die(error->text);
	return pointer;
}

/* Fills streams with the instructions that follow in a trace. */
static void fill_stream(struct bench *bench, struct stream *stream,
			struct branch_reader *reader)
{
	struct error error;
	size_t at = 0;
	uint64_t before = 0;

	stream->events = xcalloc(bench->length, sizeof *stream->events);
	stream->numbered = xcalloc(bench->length, sizeof *stream->numbered);
	stream->branches = xcalloc(bench->length, sizeof *stream->branches);
	while (at < bench->length) {
		struct branch_event event;

		if (branch_reader_read(reader, &event, 1, &error) != 1)
			die("a trace is too short");
		/* One that comes from another thread follows at once. */
		if (before && event.instruction > before &&
		    event.instruction - before < 1000)
			for (; ++before < event.instruction &&
			       at < bench->length; at++)
				stream->numbered[at].word[0] =
					(uint32_t)NUMBERED_NO_BRANCH
					<< NUMBERED_KIND;
		before = event.instruction;
		if (at == bench->length)
			break;
		stream->branches[stream->branch_count++] = event;
		stream->events[at] = event;
		stream->numbered[at++] = number_event(&bench->numbers, &event);
	}
}

static void fill_streams(struct bench *bench, char **traces, int count)
{
	struct branch_reader *readers[MOST_TRACES];
	struct error error;

	for (int i = 0; i < count; i++) {
		struct branch_event event;

		readers[i] = or_die(branch_reader_open(traces[i], &error),
				    &error);
		for (int k = 0; k < SKIPPED; k++)
			if (branch_reader_read(readers[i], &event, 1,
					       &error) != 1)
				die("a trace is too short");
	}
	for (int i = 0; i < STREAMS; i++)
		fill_stream(bench, &bench->streams[i], readers[i % count]);
	for (int i = 0; i < count; i++)
		branch_reader_free(readers[i]);
}

static size_t stream_of(const struct bench *bench, size_t lane, size_t cores)
{
	size_t group = cores / 2 < GROUP ? cores / 2 : GROUP;
	bool differs = bench->mix == 3 ||
		       (bench->mix == 2 && lane / group % 2);

	return differs ? lane % STREAMS : 0;
}

/* The simulator's loop: predicts and updates an instruction, if a branch. */
static inline void step_unit(struct predict_unit *unit,
			     const struct branch_event *event)
{
	struct predict_outcome outcome = { event->next, event->taken };
	struct predict_answer answer;

	if (!event->behind)
		return; /* no branch */
	answer = predict_unit_predict(unit, &event->branch, event->behind,
				      &outcome);
	predict_unit_resolve(unit, answer.checkpoint, &outcome);
	predict_unit_commit(unit);
}

static void expect(struct bench *bench)
{
	for (int i = 0; i < STREAMS; i++) {
		struct predict_unit unit;

		predict_unit_init(&unit, &bench->config, 1);
		for (size_t k = 0; k < bench->length; k++)
			step_unit(&unit, &bench->streams[i].events[k]);
		memcpy(bench->expected[i], unit.counts, sizeof unit.counts);
		predict_unit_free(&unit);
	}
}

static bool as_expected(const struct bench *bench, size_t lane, size_t cores,
			const struct predict_counts *counts)
{
	return !memcmp(bench->expected[stream_of(bench, lane, cores)], counts,
		       sizeof bench->expected[0]);
}

static void print_row(const struct bench *bench, const char *engine,
		      size_t cores, double seconds, double kernels, size_t same)
{
	printf("%s,%d,%zu,%zu,%zu,%.4f,%.4f,%s\n", engine, bench->mix,
	       bench->issue, cores, bench->steps,
	       seconds * 1e6 / (double)bench->steps,
	       kernels * 1e6 / (double)bench->steps,
	       same == cores ? "identical" : "DIFFERENT");
	fflush(stdout);
	if (same != cores)
		die("counts differ");
}

static void step_units(const struct bench *bench, struct predict_unit *units,
		       size_t cores)
{
	for (size_t at = 0; at < bench->length; at += bench->issue)
		for (size_t i = 0; i < cores; i++) {
			const struct branch_event *events =
				bench->streams[stream_of(bench, i, cores)]
					.events + at;

			for (size_t k = 0; k < bench->issue; k++)
				step_unit(&units[i], &events[k]);
		}
}

/* The best of some times counts, without the first: memory is there by then. */
static void bench_single(const struct bench *bench, size_t cores)
{
	struct predict_unit *units = xcalloc(cores, sizeof *units);
	size_t same = 0;
	double best = 0;

	for (size_t i = 0; i < cores; i++)
		predict_unit_init(&units[i], &bench->config, 1);
	step_units(bench, units, cores);
	for (size_t i = 0; i < cores; i++)
		same += as_expected(bench, i, cores, units[i].counts);
	for (int i = 0; i < ROUNDS; i++) {
		double seconds = processor_seconds();

		step_units(bench, units, cores);
		seconds = processor_seconds() - seconds;
		best = i && best < seconds ? best : seconds;
	}
	for (size_t i = 0; i < cores; i++)
		predict_unit_free(&units[i]);
	free(units);
	print_row(bench, "single", cores, best, 0, same);
}

/* Those of one stream are a study. */
static void bench_batch(const struct bench *bench, size_t cores)
{
	struct study_options options = {
		.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
		.apart = true,
	};
	struct study_predictor *list = xcalloc(cores, sizeof *list);
	double start = processor_seconds();
	size_t same = 0;

	for (size_t s = 0; s < STREAMS; s++) {
		struct study_list study = { .list = list };
		struct study_totals totals;
		struct error error;

		for (size_t i = 0; i < cores; i++)
			if (stream_of(bench, i, cores) == s)
				list[study.count++] = (struct study_predictor){
					.config = bench->config
				};
		if (study.count &&
		    study_run_events(&study, bench->streams[s].branches,
				     bench->streams[s].branch_count, &options,
				     &totals, &error))
			die(error.text);
		for (size_t i = 0; i < study.count; i++)
			same += !memcmp(bench->expected[s], list[i].counts,
					sizeof bench->expected[s]);
	}
	free(list);
	print_row(bench, "batch", cores, processor_seconds() - start, 0, same);
}

static void run_steps(const struct bench *bench, struct study_batch *batch,
		      size_t cores)
{
	struct numbered *sent = xcalloc(bench->issue * cores, sizeof *sent);
	struct error error;

	for (size_t at = 0; at < bench->length; at += bench->issue) {
		for (size_t k = 0; k < bench->issue; k++)
			for (size_t i = 0; i < cores; i++)
				sent[k * cores + i] =
					bench->streams[stream_of(bench, i,
								 cores)]
						.numbered[at + k];
		if (study_batch_step(batch, sent, bench->issue, &error))
			die(error.text);
	}
	free(sent);
}

static void run_launch(const struct bench *bench, struct study_batch *batch)
{
	size_t all = STREAMS * bench->length;
	struct numbered *sent = xcalloc(all, sizeof *sent);
	struct error error;

	for (size_t i = 0; i < STREAMS; i++)
		memcpy(sent + i * bench->length, bench->streams[i].numbered,
		       bench->length * sizeof *sent);
	if (study_batch_run(batch, sent, all, bench->length, &error))
		die(error.text);
	free(sent);
}

static void bench_device(const struct bench *bench, const char *engine,
			 struct study_device *device, size_t cores)
{
	const struct predict_config **list = xcalloc(cores, sizeof *list);
	uint32_t *streams = xcalloc(cores, sizeof *streams);
	struct predict_counts(*counts)[BRANCH_KINDS] =
		xcalloc(cores, sizeof *counts);
	double seconds, kernels;
	struct numbered *warm;
	struct study_batch *batch;
	struct error error;
	size_t same = 0;

	for (size_t i = 0; i < cores; i++) {
		list[i] = &bench->config;
		streams[i] = (uint32_t)(stream_of(bench, i, cores) *
					bench->length);
	}
	warm = xcalloc(cores, sizeof *warm);
	for (size_t i = 0; i < cores; i++)
		warm[i] = bench->streams[0].numbered[0];
	/* Devices such as PoCL compile a kernel when it is launched first. */
	batch = or_die(study_batch_create(device, list, streams, cores, &error),
		       &error);
	if (study_batch_step(batch, warm, 1, &error))
		die(error.text);
	study_batch_free(batch);
	seconds = study_device_seconds(device);
	kernels = study_device_kernel_seconds(device);
	batch = or_die(study_batch_create(device, list, streams, cores, &error),
		       &error);
	if (!strcmp(engine, "launch"))
		run_launch(bench, batch);
	else
		run_steps(bench, batch, cores);
	if (study_batch_counts(batch, counts, &error))
		die(error.text);
	for (size_t i = 0; i < cores; i++)
		same += as_expected(bench, i, cores, counts[i]);
	study_batch_free(batch);
	free(warm);
	free(counts);
	free(streams);
	free(list);
	print_row(bench, engine, cores, study_device_seconds(device) - seconds,
		  study_device_kernel_seconds(device) - kernels, same);
}

/* 2 bits, 2,048 entries; target buffer of 512 sets of 4; 8 return addresses. */
static void configure(struct predict_config *config)
{
	predict_config_defaults(config);
	config->kind = DIRECTION_bimodal;
	config->bimodal_size = 2048;
	config->btb_sets = 512;
	config->btb_ways = 4;
	config->btb2_sets = 0;
	config->ras_size = 8;
	config->indirect = TARGET_none;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	struct study_device *device = NULL;
	struct error error;

	if (argc < 7 || argc - 6 > MOST_TRACES)
		die("usage: predictors ENGINE MIX ISSUE STEPS CORES,... "
		    "TRACE...");
	bench.mix = atoi(argv[2]);
	bench.issue = (size_t)atol(argv[3]);
	bench.steps = (size_t)atol(argv[4]);
	bench.length = bench.issue * bench.steps;
	configure(&bench.config);
	fill_streams(&bench, argv + 6, argc - 6);
	expect(&bench);
	if (!strcmp(argv[1], "device") || !strcmp(argv[1], "launch"))
		device = or_die(study_device_open(NULL, &error), &error);
	for (char *text = strtok(argv[5], ","); text; text = strtok(NULL, ",")) {
		size_t cores = (size_t)atol(text);

		if (device)
			bench_device(&bench, argv[1], device, cores);
		else if (!strcmp(argv[1], "batch"))
			bench_batch(&bench, cores);
		else
			bench_single(&bench, cores);
	}
	study_device_close(device);
	return 0;
}
