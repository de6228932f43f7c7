#include "evergreen/timing/estimate.h"

#include <math.h>

/* Cycles of a read that no cache has, and of the first instructions of a
 * launch, which none has either: the rule of thumb of the AMD OpenCL guide
 * ("about 500", 300 to 600). */
static const double MEMORY_LATENCY = 500;
/* Bytes of the memory that a fetch or store takes, as if its work-items were
 * neighbours and its elements dwords: more is touched by others, but then again
 * and again, and found in caches. */
enum { ACCESS_BYTES = 4 * EVG_WAVEFRONT_SIZE };
/* What a slice of the L2 gives to the L1 caches each cycle (AMD OpenCL guide:
 * 435 GB/s of eight slices). */
enum { L2_BYTES = 64 };
/* Elements of stores that pass a slice each cycle (StoreElements of the built-in
 * hierarchy). */
enum { L2_STORES = 2 };

/* The first wavefront waits for each clause, and for each line of CF
 * instructions, in turn: for the L2 at least, where an earlier launch has left
 * them. */
static double code_cycles(const struct evg_config *config,
			  const struct evg_code *code)
{
	uint32_t line = config->code_line / 8, waits;

	if (!config->code_size)
		return 0;
	waits = (code->cf_count + line - 1) / line;
	for (uint32_t i = 0; i < code->cf_count; i++)
		waits += code->cf[i].size && code->cf[i].count;
	return (double)waits * config->code_latency;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

uint64_t evg_estimate_cycles(const struct evg_config *config,
			     const struct evg_occupancy_use *use,
			     const struct evg_code *code,
			     const struct evg_stats *stats,
			     double transactions)
{
	struct evg_occupancy occupancy = evg_occupancy_find(config, use);
	double all = (double)stats->wavefronts, path, busiest, accesses;
	double group = occupancy.group_wavefronts;
	uint64_t units = config->compute_units;
	double wavefronts, resident; /* of the fullest unit; at a time */

	if (!stats->wavefronts || !stats->work_groups)
		return 0;
	if (units > stats->work_groups)
		units = stats->work_groups;
	wavefronts = ceil((double)stats->work_groups / (double)units) * group;
	resident = occupancy.wavefronts;
	if (resident > wavefronts || resident < 1)
		resident = wavefronts;
	/* A wavefront by itself, then the next of those that found no room. */
	path = ((double)stats->cf_instructions * config->cf_step_latency +
		(double)stats->alu_groups * config->alu_latency +
		(double)stats->tex_clauses * MEMORY_LATENCY) / all *
	       (wavefronts / resident);
	/* The ALU and the TEX engine of a unit, and the memory of all. */
	busiest = (double)stats->alu_groups / all * wavefronts *
		  (EVG_WAVEFRONT_SIZE / (double)config->stream_cores);
	busiest = larger(busiest, (double)stats->fetches / all * wavefronts *
				  (EVG_WAVEFRONT_SIZE /
				   (double)config->tex_addresses));
	accesses = (double)(stats->fetches + stats->global_writes);
	busiest = larger(busiest,
			 accesses * ACCESS_BYTES * config->frequency /
				 (config->channels *
				  config->channel_bandwidth * 1e3));
	busiest = larger(busiest, transactions * EVG_ESTIMATE_BLOCK /
				  (L2_BYTES * evg_config_slices(config)));
	busiest = larger(busiest, (double)stats->global_writes *
					  EVG_WAVEFRONT_SIZE /
					  (L2_STORES * evg_config_slices(config)));
	return (uint64_t)(larger(path, busiest) + MEMORY_LATENCY +
			  code_cycles(config, code));
}
