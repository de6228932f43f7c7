/* What a timeline has of the GPU as a whole: launches, and the commands beside
 * them. */
#include "m2s/gpu/internal.h"

#include "evergreen/timing/timing.h"

enum { TRACK_LAUNCHES, TRACK_COMMANDS };

static void name_track(char *name, size_t size, uint32_t track)
{
	snprintf(name, size, "%s",
		 track == TRACK_LAUNCHES ? "kernels" : "commands");
}

void gpu_trace_create(struct gpu *gpu)
{
	gpu->trace = timeline_buffer_create(gpu->options.timeline, TIMELINE_GPU,
					    "GPU", name_track);
}

static bool wants_launches(const struct gpu *gpu)
{
	return gpu->trace &&
	       timeline_window(gpu->options.timeline)->kind[TIMELINE_LAUNCHES];
}

void gpu_trace_launch(struct gpu *gpu, picoseconds start, picoseconds end,
		      uint64_t cycles)
{
	const struct timeline_window *window;
	bool detailed = gpu->options.detailed;
	struct timeline_event event = {
		.start = start, .end = end,
		.track = TRACK_LAUNCHES,
		.argument = { "launch",
			      detailed ? "cycles" : "estimated_cycles" },
		.value = { gpu->n.ndranges },
	};

	if (!wants_launches(gpu))
		return;
	window = timeline_window(gpu->options.timeline);
	if (!timeline_set_has(&window->launches, gpu->n.ndranges) ||
	    (detailed && (gpu->n.cycles <= window->cycles.from ||
			  cycles >= window->cycles.to)))
		return;
	if (detailed)
		event.end = start + (gpu->n.cycles - cycles) * gpu->period;
	event.value[1] = (event.end - start) / gpu->period;
	timeline_write_named(gpu->trace, gpu->kernel, &event);
}

void gpu_trace_time(struct gpu *gpu, enum opencl_time kind, uint64_t bytes,
		    picoseconds start, picoseconds time)
{
	static const char *const names[OPENCL_TIME_COUNT] = {
		[OPENCL_TIME_LAUNCH] = "launch latency",
		[OPENCL_TIME_TRANSFER] = "transfer",
		[OPENCL_TIME_COPY] = "copy in device memory",
	};
	struct timeline_event event = {
		.start = start, .end = start + time,
		.track = TRACK_COMMANDS,
		.argument = { kind == OPENCL_TIME_LAUNCH ? NULL : "bytes" },
		.value = { bytes },
	};

	if (time && wants_launches(gpu))
		timeline_write_named(gpu->trace, names[kind], &event);
}

int gpu_write_pipeline(struct gpu *gpu, struct output *output,
		       struct error *error)
{
	uint64_t left_out;

	if (!evg_timing_write_pipeline(gpu->timing, output->stream,
				       &left_out)) {
		error_set(error, "--evg-trace: no instruction was executed in "
				 "what --trace-cycles, --trace-launches and "
				 "--trace-units say");
		return output_close(output, -1, error);
	}
	if (left_out)
		log_warning(gpu->options.log, "--evg-trace: %llu instructions "
			    "are left out beyond %d: choose fewer compute "
			    "units or cycles (--trace-units, --trace-cycles)",
			    (unsigned long long)left_out, EVG_PIPELINE_MOST);
	return output_close(output, 0, error);
}
