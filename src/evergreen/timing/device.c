/* The device as a whole: its compute units, and a run of an ND-range in windows
 * of time. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/inst-cycles.h"
#include "evergreen/timing/trace.h"

/* As long as all that crosses takes: see evg_timing_window. */
picoseconds evg_timing_window(const struct evg_config *config)
{
	picoseconds period = clock_period(config->frequency);
	uint32_t cycles = cf_store_distance(config);

	if (cycles > config->dispatch_latency)
		cycles = config->dispatch_latency;
	return cycles * period;
}

/* Further threads do nothing but steps. */
static void begin_thread(void)
{
	evg_float_mode_begin();
}

struct evg_timing *evg_timing_create(const struct evg_config *config,
				     struct event_queue *events,
				     struct memsys *memsys,
				     struct error *error)
{
	struct evg_timing *timing = xcalloc_aligned(sizeof *timing);

	timing->config = *config;
	timing->events = events;
	timing->memsys = memsys;
	timing->source = memsys_dispatcher_source(memsys);
	timing->islands = memsys_islands(memsys);
	if (!timing->islands) {
		timing->islands = islands_create(events);
		islands_set_window(timing->islands, evg_timing_window(config),
				   false);
		timing->owns_islands = true;
	}
	islands_set_settle(timing->islands, timing_settle, timing);
	islands_set_begin(timing->islands, begin_thread);
	timing->period = clock_period(config->frequency);
	timing->sub_wavefronts =
		(EVG_WAVEFRONT_SIZE + config->stream_cores - 1) /
		config->stream_cores;
	timing->bank_cycles = evg_bank_best();
	timing->units = xcalloc_aligned(config->compute_units *
					sizeof *timing->units);
	timing->raised = xcalloc_aligned(config->compute_units *
					 sizeof *timing->raised);
	timing->noted = xcalloc_aligned(config->compute_units *
					sizeof *timing->noted);
	timing->committed = xcalloc_aligned(config->compute_units *
					    sizeof *timing->committed);
	dispatcher_create(timing);
	for (unsigned i = 0; i < config->compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		cu->timing = timing;
		cu->id = i;
		cu->entry = memsys_entry(memsys, MEMSYS_EVERGREEN, i, 0);
		if (!cu->entry) {
			error_set(error, "compute unit %u has no entry in the "
				  "memory configuration", i);
			evg_timing_free(timing);
			return NULL;
		}
		cu->coherent = memsys_coherent_entry(memsys, i);
		cu->source = memsys_unit_source(memsys, i);
		assert(timing->source < cu->source); /* timing_note */
		cu->block_size = module_block_size(cu->entry);
		cf_create(cu);
		alu_create(cu);
		global_create(cu);
		local_memory_create(cu);
		cu->events = module_events(cu->entry);
		dispatcher_connect(cu);
		if (code_caches_create(cu, error)) {
			evg_timing_free(timing);
			return NULL;
		}
	}
	return timing;
}

static void free_unit(struct compute_unit *cu)
{
	free(cu->global.ring);
	unit_trace_free(cu);
	unit_pipeline_free(cu);
	evg_stores_free(&cu->stores);
	code_caches_free(cu);
	local_memory_free(cu);
	while (cu->groups) {
		struct resident_group *group = cu->groups;

		cu->groups = group->next_made;
		free(group->residents);
		free(group->wave_slots);
		free(group);
	}
	while (cu->memory_instructions) {
		struct memory_instruction *next =
			cu->memory_instructions->next_made;

		free(cu->memory_instructions);
		cu->memory_instructions = next;
	}
}

void evg_timing_free(struct evg_timing *timing)
{
	if (!timing)
		return;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		free_unit(&timing->units[i]);
	inst_cycles_free(timing);
	dispatcher_free(timing);
	if (timing->owns_islands)
		islands_free(timing->islands);
	free(timing->units);
	free(timing->raised);
	free(timing->noted);
	free(timing->committed);
	free(timing);
}

/* The first unit that failed, by time and number. */
static const struct compute_unit *failed_unit(const struct evg_timing *timing)
{
	const struct compute_unit *first = NULL;

	if (!timing->any_failed)
		return NULL;
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		const struct compute_unit *cu = &timing->units[i];

		if (cu->failed && (!first || cu->failed_at < first->failed_at))
			first = cu;
	}
	return first;
}

/* The time from which the limit on cycles is reached. */
static picoseconds last_time(const struct evg_timing *timing,
			     const struct evg_timing_limits *limits)
{
	picoseconds now = timing->start_cycle * timing->period;
	uint64_t left;

	if (!limits->cycles)
		return UINT64_MAX;
	left = limits->cycles > timing->n.cycles
		       ? limits->cycles - timing->n.cycles
		       : 0;
	return left > (UINT64_MAX - now) / timing->period
		       ? UINT64_MAX
		       : now + left * timing->period;
}

static void sample(struct evg_timing *timing,
		   const struct evg_timing_limits *limits)
{
	uint64_t cycles;

	/* The row at the end of the run is its caller's. */
	if (!limits->sample_cycles || timing->groups_done == timing->group_count)
		return;
	cycles = timing->n.cycles + timing_cycle(timing) -
		 timing->start_cycle;
	if (cycles < timing->next_sample)
		return;
	dispatcher_count(timing);
	if (timing->next_sample)
		limits->sample(limits->owner);
	timing->next_sample = (cycles / limits->sample_cycles + 1) *
			      limits->sample_cycles;
}

/* Stores that have not reached the memory outlive their work-groups. */
static bool stores_pending(const struct evg_timing *timing)
{
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timing->units[i].global.stores)
			return true;
	return false;
}

/* When the last work-group and the last store had ended. */
static picoseconds end_time(const struct evg_timing *timing)
{
	picoseconds end = timing->end;

	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (end < timing->units[i].global.stored)
			end = timing->units[i].global.stored;
	return end;
}

/* Whether the run comes to its end, or must look at its limit at once. */
static bool ends_soon(void *owner)
{
	const struct evg_timing *timing = owner;

	return timing->groups_done == timing->group_count ||
	       timing->any_failed || timing->looks_always;
}

/* The time at which the next row of intervals is due, if that comes before
 * `time`. */
static picoseconds sample_time(const struct evg_timing *timing,
			       const struct evg_timing_limits *limits,
			       picoseconds time)
{
	picoseconds due;

	if (!limits->sample_cycles)
		return time;
	due = (timing->next_sample + timing->start_cycle -
	       timing->n.cycles) * timing->period;
	return due < time ? due : time;
}

bool evg_timing_has_ended(const struct evg_timing *timing)
{
	return timing->any_failed ||
	       (timing->groups_done == timing->group_count &&
		!timing->noted_count && !stores_pending(timing));
}

/* The other model's time comes to `until`, or the run to its end. True: the run
 * is to stop. */
static bool follow(struct evg_timing *timing,
		   const struct evg_timing_limits *limits,
		   const struct islands_run *run)
{
	picoseconds until = run->rest < run->limit ? run->rest : run->limit;

	return limits->wait(limits->owner,
			    timing->looks_always
				    ? timing_now(timing) + timing->window
				    : until);
}

/* As islands_run(), in the float mode of the steps. */
static bool run_islands(struct evg_timing *timing,
			const struct islands_run *run)
{
	unsigned mode = evg_float_mode_begin();
	bool ran = islands_run(timing->islands, run);

	evg_float_mode_end(mode);
	return ran;
}

/* Runs windows until all work-groups and their stores are done. */
static int run_windows(struct evg_timing *timing,
		       const struct evg_timing_limits *limits,
		       struct error *error)
{
	enum { LOOK_WINDOWS = 256, BALANCE_LOOKS = 4 };
	picoseconds look = 0;
	struct islands_run run = {
		.limit = last_time(timing, limits),
		.until = ends_soon, .owner = timing, .serial = timing->serial,
	};
	uint64_t looks = 0;

	timing->looks_always = limits->instructions;
	hang_watch_start(timing);
	while (timing->groups_done < timing->group_count ||
	       timing->noted_count || stores_pending(timing)) {
		const struct compute_unit *failed;
		picoseconds now = timing_now(timing);

		if (now >= run.limit ||
		    (limits->instructions &&
		     evg_timing_instructions(timing) >= limits->instructions))
			return 1;
		if (now >= look)
			look = hang_watch_next(timing, now + LOOK_WINDOWS *
				islands_window(timing->islands));
		run.rest = sample_time(timing, limits, look);
		if (timing->follows) {
			if (follow(timing, limits, &run))
				return 1;
		} else if (!run_islands(timing, &run)) {
			return hang_no_event(timing, error);
		}
		unit_trace_write(timing, limits->offset);
		failed = failed_unit(timing);
		if (failed) {
			*error = failed->error;
			return -1;
		}
		sample(timing, limits);
		if (timing_now(timing) < look)
			continue;
		if (hang_watch(timing, error))
			return -1;
		if (++looks % BALANCE_LOOKS == 0)
			memsys_balance(timing->memsys);
		if (limits->progress &&
		    limits->progress(limits->owner, timing->groups_done,
				     timing->group_count))
			return 1;
	}
	return 0;
}

/* What is mapped stays so: its cycles count up to now. */
static void stop(struct evg_timing *timing)
{
	timing->stopped = true;
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		cu->stopped = true;
		if (cu->groups_here)
			cu->n.cycles += timing_cycle(timing) - cu->busy_since;
	}
}

static void close_accounts(struct evg_timing *timing, uint64_t end)
{
	memset(&timing->account, 0, sizeof timing->account);
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct account *account = &timing->units[i].account;

		account_close(account, end);
		account_add(&timing->account, account);
	}
}

int evg_timing_run(struct evg_timing *timing, struct evg_ndrange *ndrange,
		   const struct evg_timing_limits *limits, struct error *error)
{
	picoseconds now;
	uint64_t end;
	int status;

	if (timing->failed)
		return error_set(error, "kernel '%s': an earlier kernel has "
				 "failed, and the GPU has stopped",
				 evg_ndrange_launch(ndrange)->kernel->name);
	if (timing->stopped)
		return 1;
	timing->window = islands_window(timing->islands);
	dispatcher_prepare(timing, ndrange);
	if (dispatcher_check_fit(timing, error))
		return -1;
	/* All islands have come as far as this. */
	timing->follows = limits->wait;
	evg_ndrange_set_float_mode(ndrange, !timing->follows);
	evg_ndrange_compile_steps(ndrange);
	now = timing_now(timing);
	timing->start_cycle = (now + timing->period - 1) / timing->period;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		account_open(&timing->units[i].account, timing->start_cycle);
	unit_trace_start(timing, limits->launch);
	dispatcher_start(timing);
	inst_cycles_start(timing);
	status = run_windows(timing, limits, error);
	dispatcher_count(timing);
	if (status) {
		stop(timing);
		unit_trace_stop(timing);
		unit_trace_write(timing, limits->offset);
	}
	timing->failed = status < 0;
	end = status ? timing_cycle(timing)
		     : end_time(timing) / timing->period;
	close_accounts(timing, end);
	inst_cycles_end(timing);
	timing->n.cycles += end - timing->start_cycle;
	if (!status)
		timing->tail_cycles += end - timing->end / timing->period;
	timing->start_cycle = end;
	timing->n.ndranges++;
	if (!timing->follows)
		islands_meet(timing->islands);
	memsys_balance(timing->memsys);
	return status;
}

uint64_t evg_timing_cycles(const struct evg_timing *timing)
{
	return timing->n.cycles;
}
