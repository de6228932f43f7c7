#include "m2s/gpu/gpu.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/run/pool.h"
#include "evergreen/timing/timing.h"
#include "m2s/gpu/internal.h"
#include "memsys/memsys.h"
#include "report/annotate.h"
#include "report/intervals.h"
#include "report/kernel-report.h"
#include "sim/event.h"

/* A memory of its own, spread over islands. */
static int create_memory(struct gpu *gpu, struct error *error)
{
	struct memsys_gpu shape;
	struct memsys_options options = {
		.gpu = &shape,
		.mem_config = gpu->options.mem_config,
		.net_config = gpu->options.net_config,
		.settings = gpu->options.built_in_memory
				    ? NULL
				    : gpu->options.settings,
		.compute_units = gpu->config.compute_units,
		.log = gpu->options.log,
	};

	gpu_memory_shape(&gpu->config, &shape);
	gpu->events = event_queue_create();
	gpu->islands = islands_create(gpu->events);
	if (gpu->options.threads_report)
		islands_check(gpu->islands);
	options.islands = gpu->islands;
	options.window = evg_timing_window(&gpu->config);
	evg_timing_together(&gpu->config, options.units_together);
	gpu->memsys = memsys_create(gpu->events, &options, error);
	return gpu->memsys ? 0 : -1;
}

void gpu_memory_shape(const struct evg_config *config, struct memsys_gpu *shape)
{
	*shape = (struct memsys_gpu){
		.classic = config->hierarchy == EVG_HIERARCHY_MULTI2SIM,
		.frequency = config->frequency,
		.l1 = config->l1_size,
		.channels = config->channels,
		.l2_slices = evg_config_slices(config),
		.l2_slice = config->l2_slice,
		.bandwidth = config->channel_bandwidth,
		.devices = (enum memsys_devices)config->memory_devices,
	};
}

static int create_detailed(struct gpu *gpu, struct error *error)
{
	gpu->shares = gpu->options.memsys;
	if (gpu->shares) {
		gpu->memsys = gpu->options.memsys;
		gpu->events = gpu->options.events;
	} else if (create_memory(gpu, error)) {
		return -1;
	}
	gpu->timing = evg_timing_create(&gpu->config, gpu->events, gpu->memsys,
					error);
	if (!gpu->timing)
		return -1;
	if (gpu->options.annotate)
		evg_timing_count_instructions(gpu->timing);
	if (gpu->options.timeline)
		evg_timing_trace(gpu->timing, gpu->options.timeline);
	if (gpu->options.pipeline)
		evg_timing_pipeline(gpu->timing, gpu->options.pipeline);
	evg_timing_register_stats(gpu->timing, gpu->options.stats);
	if (!gpu->shares) {
		memsys_register_stats(gpu->memsys, gpu->options.stats);
		islands_set_threads(gpu->islands, gpu->options.threads);
	}
	if (gpu->options.sample_cycles)
		gpu->intervals = intervals_create(gpu->options.sample_output,
						  gpu->timing, gpu->memsys,
						  gpu->config.frequency);
	return 0;
}

/* Emulator and timing have wavefronts of one size. */
static void warn_of_wavefronts(const struct gpu *gpu)
{
	const struct evg_chip_info *chip = &evg_chip_info[gpu->config.chip];

	if (chip->wavefront != EVG_WAVEFRONT_SIZE)
		log_warning(gpu->options.log, "%s: the chip's wavefronts have %u "
			    "work-items, those of the simulation %d: divergence, "
			    "occupancy and coalescing are those of the other "
			    "size, throughput is that of the stream cores",
			    chip->name, chip->wavefront, EVG_WAVEFRONT_SIZE);
}

struct gpu *gpu_create(const struct gpu_options *options, struct error *error)
{
	struct gpu *gpu = xcalloc(1, sizeof *gpu);

	gpu->options = *options;
	if (evg_config_read_preset(&gpu->config, options->evg_preset,
				   options->evg_config, options->settings,
				   error)) {
		gpu_free(gpu);
		return NULL;
	}
	warn_of_wavefronts(gpu);
	gpu->period = clock_period(gpu->config.frequency);
	if (options->detailed && create_detailed(gpu, error)) {
		gpu_free(gpu);
		return NULL;
	}
	if (!options->detailed)
		gpu->pool = evg_pool_create(options->threads);
	if (options->annotate)
		gpu->annotations = annotations_create();
	if (options->timeline)
		gpu_trace_create(gpu);
	gpu_register_totals(options->stats, options->detailed, &gpu->n);
	return gpu;
}

void gpu_free(struct gpu *gpu)
{
	if (!gpu)
		return;
	evg_pool_free(gpu->pool);
	evg_timing_free(gpu->timing);
	gpu_share_free(gpu);
	gpu_transfers_free(gpu);
	if (!gpu->shares) {
		memsys_free(gpu->memsys);
		islands_free(gpu->islands);
		event_queue_free(gpu->events);
	}
	annotations_free(gpu->annotations);
	intervals_free(gpu->intervals);
	timeline_buffer_free(gpu->trace);
	for (size_t i = 0; i < gpu->shape_count; i++)
		free(gpu->shapes[i].kernel);
	free(gpu->shapes);
	free(gpu);
}

const struct evg_config *gpu_config(const struct gpu *gpu)
{
	return &gpu->config;
}

const char *gpu_limit(const struct gpu *gpu)
{
	return gpu->limit;
}

void gpu_get_progress(const struct gpu *gpu, struct gpu_progress *progress)
{
	*progress = (struct gpu_progress){
		.running = gpu->kernel != NULL,
		.launch = gpu->n.ndranges + 1,
		.kernel = gpu->kernel,
		.done = gpu->done,
		.total = gpu->total,
		.seconds = host_seconds() - gpu->started,
		.cycles = gpu->events ? event_queue_now(gpu->events) /
						gpu->period
				      : 0,
	};
}

int gpu_write_annotations(const struct gpu *gpu, struct output *output,
			  bool csv, const char *partial, struct error *error)
{
	return annotations_write(gpu->annotations, output, csv, partial, error);
}

int gpu_write_threads(const struct gpu *gpu, struct output *output,
		      struct error *error)
{
	islands_report(gpu->islands, output->stream);
	return output_close(output, 0, error);
}

int gpu_write_intervals(struct gpu *gpu, const char *partial,
			struct error *error)
{
	struct intervals *intervals = gpu->intervals;

	gpu->intervals = NULL;
	return intervals ? intervals_close(intervals, partial, error) : 0;
}

picoseconds gpu_now(void *owner)
{
	const struct gpu *gpu = owner;

	return gpu->elsewhere + (gpu->events && !gpu->shares
					 ? event_queue_now(gpu->events)
					 : 0);
}

void gpu_advance(void *owner, enum opencl_time kind, uint64_t bytes,
		 picoseconds time)
{
	struct gpu *gpu = owner;

	gpu_trace_time(gpu, kind, bytes, gpu_now(gpu), time);
	gpu->elsewhere += time;
	gpu->n.time[kind] += time;
	gpu->n.bytes[kind] += bytes;
}

void gpu_reach(struct gpu *gpu, picoseconds time)
{
	if (gpu_now(gpu) < time)
		gpu->elsewhere += time - gpu_now(gpu);
}

void gpu_summarize(const struct gpu *gpu, struct gpu_summary *summary)
{
	*summary = gpu->n;
	summary->frequency = gpu->config.frequency;
	for (unsigned i = 0; gpu->memsys && i < 2; i++)
		memsys_cache_reads(gpu->memsys, i + 1, &summary->cache_hits[i],
				   &summary->cache_reads[i]);
}
