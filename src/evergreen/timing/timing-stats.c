/* What the GPU model reports: Config.*, Device, ComputeUnit N. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"

static void register_account(struct stats_section *section,
			     const struct account *count)
{
#define STATS_REGISTRATION
#include "evergreen/timing/account.stat.def"
}

static void register_unit(struct stats *stats, struct compute_unit *cu)
{
	char *name = xasprintf("ComputeUnit %u", cu->id);
	struct stats_section *section = stats_section(stats, "evergreen", name);
	const struct compute_unit_stats *count = &cu->n;

	free(name);
#define STATS_REGISTRATION
#include "evergreen/timing/compute-unit.stat.def"
	register_account(section, &cu->account);
}

picoseconds timing_now(const struct evg_timing *timing)
{
	return timing->follows ? event_queue_now(timing->events)
			       : islands_now(timing->islands);
}

uint64_t timing_cycle(const struct evg_timing *timing)
{
	return timing_now(timing) / timing->period;
}

uint64_t evg_timing_instructions(const struct evg_timing *timing)
{
	uint64_t instructions = 0;

	for (unsigned i = 0; i < timing->config.compute_units; i++)
		instructions += timing->units[i].n.instructions;
	return instructions;
}

static double instructions(void *owner)
{
	return (double)evg_timing_instructions(owner);
}

static double instructions_per_cycle(void *owner)
{
	const struct evg_timing *timing = owner;

	return timing->n.cycles
		       ? instructions(owner) / (double)timing->n.cycles
		       : 0;
}

void evg_timing_register_stats(struct evg_timing *timing, struct stats *stats)
{
	const struct device_stats *count = &timing->n;
	struct evg_timing *owner = timing;
	struct stats_section *section;

	evg_config_register(&timing->config, stats);
	section = stats_section(stats, "evergreen", "Device");
#define STATS_REGISTRATION
#include "evergreen/timing/device.stat.def"
	register_account(section, &timing->account);
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		register_unit(stats, &timing->units[i]);
}

void evg_timing_snapshot(struct evg_timing *timing,
			 struct evg_timing_snapshot *snapshot)
{
	/* Between runs, the end of the last one: its last window went on. */
	bool runs = timing->groups_done < timing->group_count &&
		    !timing->stopped;
	uint64_t now = runs ? timing_cycle(timing)
			    : timing->start_cycle;

	*snapshot = (struct evg_timing_snapshot){
		.cycles = timing->n.cycles + now - timing->start_cycle,
		.instructions = evg_timing_instructions(timing),
		.tail_cycles = timing->tail_cycles,
		.wavefronts = timing->wavefronts,
	};
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];
		const struct unit_load *load = timing_load(timing, i);

		account_settle(&cu->account, now);
		account_add(&snapshot->account, &cu->account);
		snapshot->lane_operations += cu->n.lane_operations;
		snapshot->work_groups += load->all_work_groups -
					 load->work_groups;
	}
}
