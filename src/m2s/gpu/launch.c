/* Launches of kernels: in functional or detailed mode, and what is counted and
 * reported of each. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/count/wavefront-stats.h"
#include "evergreen/emu/run/pool.h"
#include "evergreen/timing/account.h"
#include "evergreen/timing/estimate.h"
#include "evergreen/timing/timing.h"
#include "m2s/gpu/internal.h"
#include "memsys/memsys.h"
#include "report/annotate.h"
#include "report/hang.h"
#include "report/intervals.h"
#include "report/kernel-report.h"
#include "report/occupancy-report.h"
#include "report/wavefront-report.h"
#include "sim/event.h"

enum { FUNCTIONAL_BLOCK_SIZE = 64 };

static void add_stats(struct gpu *gpu, const struct evg_ndrange *ndrange)
{
	struct evg_stats *sum = &gpu->n.totals, now;
	uint64_t divergence[EVG_WAVEFRONT_SIZE + 1];

	evg_ndrange_stats(ndrange, &now);
	sum->work_groups += now.work_groups;
	sum->wavefronts += now.wavefronts;
	sum->work_items += now.work_items;
	sum->instructions += now.instructions;
	sum->lane_operations += now.lane_operations;
	sum->cf_instructions += now.cf_instructions;
	sum->alu_clauses += now.alu_clauses;
	sum->tex_clauses += now.tex_clauses;
	sum->global_writes += now.global_writes;
	sum->alu_groups += now.alu_groups;
	sum->alu_slots += now.alu_slots;
	sum->lds_instructions += now.lds_instructions;
	sum->fetches += now.fetches;
	for (int i = 0; i < 5; i++)
		sum->vliw_slots[i] += now.vliw_slots[i];
	evg_ndrange_divergence(ndrange, divergence);
	for (int i = 0; i <= EVG_WAVEFRONT_SIZE; i++)
		gpu->n.divergence[i] += divergence[i];
}

/* True: stop. */
static bool ask(void *owner, uint64_t done, uint64_t total)
{
	struct gpu *gpu = owner;

	gpu->done = done;
	gpu->total = total;
	if (gpu->options.stop)
		gpu->stopped = gpu->options.stop(gpu->options.stop_owner);
	return gpu->stopped != NULL;
}

static void describe(const void *owner, FILE *stream)
{
	const struct gpu *gpu = owner;

	evg_timing_describe(gpu->timing, stream);
	memsys_describe(gpu->memsys, stream);
}

static void sample(void *owner)
{
	struct gpu *gpu = owner;

	intervals_add(gpu->intervals, gpu->n.ndranges, gpu->kernel);
}

static int run_detailed(struct gpu *gpu, struct evg_ndrange *ndrange,
			struct error *error)
{
	struct evg_timing_limits limits = {
		.cycles = gpu->options.max_cycles,
		.instructions = gpu->options.max_instructions,
		.progress = ask,
		.sample_cycles = gpu->options.sample_cycles,
		.sample = sample,
		.owner = gpu,
		.launch = gpu->n.ndranges,
		.offset = gpu->shares ? 0 : gpu->elsewhere,
	};
	int status;

	if (gpu->shares) {
		limits.wait = gpu_wait;
		gpu_wait(gpu, gpu->elsewhere);
		gpu->follow.runs = true;
	}
	status = evg_timing_run(gpu->timing, ndrange, &limits, error);
	gpu->follow.runs = false;
	if (gpu->shares) {
		gpu->elsewhere = event_queue_now(gpu->events);
		gpu_return(gpu);
	}
	if (gpu->follow.abandoned)
		gpu->limit = "Abandoned";
	if (gpu->intervals)
		sample(gpu);
	if (status < 0 && evg_timing_hangs(gpu->timing))
		hang_write(gpu->options.hang_file, gpu->options.rules, describe,
			   gpu, error);
	gpu->n.cycles = evg_timing_cycles(gpu->timing);
	if (status == 1) {
		if (limits.cycles && gpu->n.cycles >= limits.cycles)
			gpu->limit = "EvergreenMaxCycles";
		else if (limits.instructions &&
			 evg_timing_instructions(gpu->timing) >=
				 limits.instructions)
			gpu->limit = "EvergreenMaxInst";
		else
			gpu->limit = gpu->stopped;
	}
	return status;
}

/* Called for every work-group, for a report. */
static bool counts_traffic(const struct gpu *gpu)
{
	return gpu->annotations || gpu->options.kernel_report;
}

static struct evg_occupancy_use occupancy_use(const struct evg_launch *launch)
{
	return (struct evg_occupancy_use){
		.work_items = launch->local_size[0] * launch->local_size[1] *
			      launch->local_size[2],
		.registers = launch->kernel->registers,
		.local_memory = launch->local_memory,
	};
}

/* For the estimate: a few work-groups tell what all touch, and cost little. */
enum { SAMPLED_GROUPS = 16 };

static void sample_traffic(const struct gpu *gpu, struct evg_ndrange *ndrange)
{
	struct evg_traffic_model model = {
		.block_size = EVG_ESTIMATE_BLOCK,
		.banks = gpu->config.local_banks,
		.window = gpu->config.local_window,
		.every = evg_ndrange_group_count(ndrange) / SAMPLED_GROUPS,
	};

	evg_ndrange_count_traffic(ndrange, &model);
}

/* Blocks that all work-groups touch. */
static double all_transactions(const struct gpu *gpu,
			       const struct evg_ndrange *ndrange,
			       const struct evg_stats *stats)
{
	uint64_t groups = evg_ndrange_group_count(ndrange);
	uint64_t every = groups / SAMPLED_GROUPS, sampled;

	if (counts_traffic(gpu) || every < 2)
		return (double)stats->transactions;
	sampled = (groups + every - 1) / every;
	return (double)stats->transactions * (double)groups / (double)sampled;
}

/* Functional mode has no clock; its simulated time is an estimate. */
static int run_functional(struct gpu *gpu, struct evg_ndrange *ndrange,
			  struct error *error)
{
	struct evg_run_options options = {
		.threads = gpu->options.threads,
		.pool = gpu->pool,
		.max_group_instructions = gpu->options.max_group_instructions,
		.progress = ask,
		.owner = gpu,
	};
	struct evg_occupancy_use use =
		occupancy_use(evg_ndrange_launch(ndrange));
	struct evg_stats stats;
	uint64_t cycles;
	int status;

	options.resident_groups = evg_occupancy_device(&gpu->config, &use);
	if (gpu->options.max_instructions)
		options.max_instructions = gpu->options.max_instructions -
					   gpu->n.totals.instructions;
	status = evg_ndrange_run_options(ndrange, &options, error);
	evg_ndrange_stats(ndrange, &stats);
	cycles = evg_estimate_cycles(&gpu->config, &use,
				     evg_ndrange_launch(ndrange)->kernel->code,
				     &stats,
				     all_transactions(gpu, ndrange, &stats));
	gpu->elsewhere += cycles * gpu->period;
	gpu->n.estimated_cycles += cycles;
	if (status == 1)
		gpu->limit = gpu->stopped ? gpu->stopped : "EvergreenMaxInst";
	return status;
}

/* --evg-calc, once for launches that are alike. */
static int report_occupancy(struct gpu *gpu, const struct evg_ndrange *ndrange,
			    struct error *error)
{
	const struct evg_launch *launch = evg_ndrange_launch(ndrange);
	struct evg_occupancy_use use = occupancy_use(launch);
	char name[32];

	for (size_t i = 0; i < gpu->shape_count; i++)
		if (!strcmp(gpu->shapes[i].kernel, launch->kernel->name) &&
		    !memcmp(&gpu->shapes[i].use, &use, sizeof use))
			return 0;
	ARRAY_GROW(gpu->shapes, gpu->shape_count, gpu->shape_capacity);
	gpu->shapes[gpu->shape_count++] = (struct launch_shape){
		xstrdup(launch->kernel->name), use
	};
	snprintf(name, sizeof name, "%llu",
		 (unsigned long long)gpu->n.ndranges);
	return occupancy_report_write(gpu->options.occupancy_prefix, name,
				      gpu->options.rules, &gpu->config, launch->kernel->name, &use,
				      error);
}

/* Blocks and banks as the configuration has them; functional mode has no
 * memory configuration and takes the default's blocks. */
static void count_traffic(struct gpu *gpu, struct evg_ndrange *ndrange)
{
	struct evg_traffic_model model = {
		.block_size = FUNCTIONAL_BLOCK_SIZE,
		.banks = gpu->config.local_banks,
		.window = gpu->config.local_window,
	};

	if (gpu->memsys)
		model.block_size = module_block_size(
			memsys_entry(gpu->memsys, MEMSYS_EVERGREEN, 0, 0));
	evg_ndrange_count_traffic(ndrange, &model);
}

/* The figures of all launches so far. */
static void read_timing(const struct gpu *gpu, struct launch_timing *timing)
{
	struct evg_timing_snapshot snapshot;

	memset(timing, 0, sizeof *timing);
	if (!gpu->timing)
		return;
	timing->megahertz = gpu->config.frequency;
	evg_timing_snapshot(gpu->timing, &snapshot);
	timing->cycles = snapshot.cycles;
	timing->tail_cycles = snapshot.tail_cycles;
	timing->launch = gpu->config.launch_latency * 1e-6;
	timing->account = snapshot.account;
	memsys_traffic(gpu->memsys, &timing->traffic);
}

/* What an operation needs and the device lacks; NULL: it has all. */
static const char *device_lacks(const struct evg_config *config,
				enum evg_alu_op op)
{
	const char *lacks = evg_chip_lacks((enum evg_chip)config->chip, op);
	bool doubles = evg_alu_info[op].takes_doubles ||
		       evg_alu_info[op].gives_double;

	return lacks || config->doubles || !doubles
		       ? lacks
		       : "double-precision units";
}

/* Whether there is anything that other devices have. */
static bool has_gaps(const struct evg_config *config)
{
	return !config->doubles || !evg_chip_info[config->chip].fma;
}

/* A kernel that was compiled for another chip may have what this one lacks. */
static int refuse_foreign(const struct gpu *gpu,
			  const struct evg_ndrange *ndrange,
			  struct error *error)
{
	const struct evg_kernel *kernel = evg_ndrange_launch(ndrange)->kernel;
	size_t count;
	const struct evg_inst_stats *rows =
		evg_ndrange_inst_stats(ndrange, &count);

	for (size_t i = 0; i < count; i++) {
		const struct evg_alu_group *group = rows[i].group;

		for (int slot = 0; group && slot < EVG_SLOT_COUNT; slot++) {
			enum evg_alu_op op = group->inst[slot].op;
			const char *lacks = group->slot_mask >> slot & 1
				? device_lacks(&gpu->config, op) : NULL;

			if (!lacks)
				continue;
			return error_set(
				error, "kernel '%s', compiled for %s: code "
				       "address 0x%x: %s needs %s, which the %s "
				       "lacks ([Device] Chip, DoublePrecision): "
				       "compile it for this chip (m2s-clc --chip "
				       "%s), or choose a device of the HD 5800 "
				       "series (--evg-preset)",
				kernel->name,
				evg_chip_info[kernel->program->chip].name,
				rows[i].address, evg_alu_info[op].name, lacks,
				evg_preset_chip(gpu->config.preset),
				evg_chip_info[gpu->config.chip].name);
		}
	}
	return 0;
}

/* After a kernel's failure, which leaves nothing behind in functional mode. The
 * timing model starts no other kernel, and says so each time; where it shares
 * its memory with cores, these would wait for what it has left there. */
static bool can_go_on(const struct gpu *gpu)
{
	return !gpu->limit && !gpu->shares &&
	       (!gpu->timing || !evg_timing_hangs(gpu->timing));
}

int gpu_run(void *owner, struct evg_ndrange *ndrange, struct error *error)
{
	struct gpu *gpu = owner;
	double start = host_seconds();
	struct launch_timing before, timing;
	picoseconds began = gpu_now(gpu);
	uint64_t cycles = gpu->n.cycles;
	size_t count;
	int status;

	if (has_gaps(&gpu->config) && refuse_foreign(gpu, ndrange, error))
		return -1;
	if (gpu->options.occupancy_prefix &&
	    report_occupancy(gpu, ndrange, error))
		return -1;
	if (counts_traffic(gpu))
		count_traffic(gpu, ndrange);
	else if (!gpu->options.detailed)
		sample_traffic(gpu, ndrange);
	if (gpu->options.wavefront_report)
		evg_ndrange_record_wavefronts(ndrange);
	read_timing(gpu, &before);
	gpu->kernel = evg_ndrange_launch(ndrange)->kernel->name;
	gpu->started = start;
	gpu->done = gpu->total = 0;
	status = gpu->options.detailed ? run_detailed(gpu, ndrange, error)
				       : run_functional(gpu, ndrange, error);
	gpu_trace_launch(gpu, began, gpu_now(gpu), cycles);
	gpu->kernel = NULL;
	gpu->n.host_seconds += host_seconds() - start;
	add_stats(gpu, ndrange);
	gpu->n.ndranges++;
	if (gpu->annotations)
		annotations_add(gpu->annotations, ndrange,
				gpu->timing ? evg_timing_inst_cycles(
						      gpu->timing, &count)
					    : NULL);
	if (gpu->options.kernel_report && status >= 0) {
		read_timing(gpu, &timing);
		launch_timing_subtract(&timing, &before);
		kernel_report_add(gpu->options.stats, ndrange,
				  gpu->n.ndranges - 1, &timing,
				  status ? gpu->limit : NULL);
		if (gpu->options.wavefront_report)
			wavefront_report_add(gpu->options.stats, ndrange,
					     gpu->n.ndranges - 1);
	}
	if (status < 0)
		return can_go_on(gpu) ? 1 : -1;
	if (!gpu->limit && gpu->options.max_kernels &&
	    gpu->n.ndranges >= gpu->options.max_kernels)
		gpu->limit = "EvergreenMaxKernels";
	/* An exhausted instruction limit ends the run after this launch: 0
	 * would mean "no limit" for the next one. */
	if (!gpu->limit && gpu->options.max_instructions &&
	    gpu->n.totals.instructions >= gpu->options.max_instructions)
		gpu->limit = "EvergreenMaxInst";
	if (gpu->limit) {
		*error = (struct error){ "" };
		return -1;
	}
	return 0;
}
