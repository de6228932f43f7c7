#include "report/diagnosis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A resource that is in use for this share of the time sets the pace: what
 * waits for it cannot be shortened by more wavefronts. */
static const double BOUND = 60; /* % */
/* Below it, this share of idle compute units is the first thing to mend. */
static const double EMPTY = 50; /* % */
/* So is this share of the time after the last work-group. */
static const double TAIL = 50; /* % */
/* Wavefronts that wait at barriers for more than this share of their time
 * leave the engines to too few others. */
static const double BARRIER = 40; /* % */

void launch_timing_subtract(struct launch_timing *after,
			    const struct launch_timing *before)
{
	after->cycles -= before->cycles;
	after->tail_cycles -= before->tail_cycles;
	account_subtract(&after->account, &before->account);
	after->traffic.read_bytes -= before->traffic.read_bytes;
	after->traffic.written_bytes -= before->traffic.written_bytes;
	after->traffic.moved_bytes -= before->traffic.moved_bytes;
	after->traffic.busy -= before->traffic.busy;
	after->traffic.row_requests -= before->traffic.row_requests;
	after->traffic.row_hits -= before->traffic.row_hits;
	after->traffic.network_bytes -= before->traffic.network_bytes;
}

double launch_timing_share(const struct launch_timing *timing,
			   enum account_engine engine,
			   enum account_reason reason)
{
	uint64_t total = account_total(&timing->account, engine);

	return total ? 100.0 *
			       (double)timing->account.cycles[engine][reason] /
			       (double)total
		     : 0;
}

double launch_timing_wavefront_share(const struct launch_timing *timing,
				     enum account_reason place)
{
	uint64_t total = account_wavefront_total(&timing->account);

	return total ? 100.0 * (double)timing->account.spent[place] /
			       (double)total
		     : 0;
}

static double seconds(const struct launch_timing *timing)
{
	return (double)timing->cycles / (timing->megahertz * 1e6);
}

/* % of the time in which the memory channels move data. */
static double memory_part(const struct launch_timing *timing)
{
	double time = seconds(timing) * 1e12 * timing->traffic.channels;

	return time > 0 ? 100.0 * (double)timing->traffic.busy / time : 0;
}

double launch_timing_bandwidth(const struct launch_timing *timing)
{
	double time = seconds(timing);

	return time > 0 ? (double)timing->traffic.moved_bytes / time * 1e-9
			: 0;
}

static double row_hit_share(const struct launch_timing *timing)
{
	return timing->traffic.row_requests
		       ? 100.0 * (double)timing->traffic.row_hits /
				 (double)timing->traffic.row_requests
		       : 0;
}

/* The reason, other than their own work, for which the ALU engines wait
 * most. */
static enum account_reason largest_wait(const struct launch_timing *timing)
{
	enum account_reason largest = ACCOUNT_DEPENDENCE;

	for (enum account_reason i = ACCOUNT_DEPENDENCE; i < ACCOUNT_REASONS;
	     i++)
		if (launch_timing_share(timing, ENGINE_ALU, i) >
		    launch_timing_share(timing, ENGINE_ALU, largest))
			largest = i;
	return largest;
}

static const char *advice(enum account_reason wait)
{
	switch (wait) {
	case ACCOUNT_DATA:
		return "fetched data: more wavefronts, or more work between "
		       "fetches, would hide the latency";
	case ACCOUNT_ACKNOWLEDGE:
		return "the acknowledgement of stores or atomics";
	case ACCOUNT_EXPORT:
		return "room in the export buffer";
	case ACCOUNT_CLAUSE:
		return "instructions or constants of clauses";
	case ACCOUNT_BARRIER:
		return "barriers: more work-groups per compute unit would "
		       "hide them";
	case ACCOUNT_SYNC:
		return "device-wide synchronisation";
	case ACCOUNT_CF:
		return "control flow: clauses are short, or wavefronts few";
	case ACCOUNT_TEX:
		return "the TEX engine's address rate";
	case ACCOUNT_DRAIN:
		return "the last stores of work-groups";
	case ACCOUNT_DEPENDENCE:
		return "their last result: a second wavefront would fill the "
		       "other half of the slots";
	case ACCOUNT_LOCAL:
		return "values of local memory: more groups between a read "
		       "and the use of its value would hide the latency";
	case ACCOUNT_INSTRUCTION:
		return "instructions";
	default:
		return account_reason_docs[wait];
	}
}

/* What bounds the kernel once it has begun. */
static void describe_kernel(const struct launch_timing *timing,
			    const struct evg_stats *stats, char *text,
			    size_t size)
{
	double issued = launch_timing_share(timing, ENGINE_ALU, ACCOUNT_ISSUED);
	double conflict = launch_timing_share(timing, ENGINE_ALU, ACCOUNT_CONFLICT);
	double fetch = launch_timing_share(timing, ENGINE_TEX, ACCOUNT_ISSUED);
	double memory = memory_part(timing);
	double empty = launch_timing_share(timing, ENGINE_ALU, ACCOUNT_EMPTY);
	double tail = 100.0 * (double)timing->tail_cycles /
		      (double)timing->cycles;
	double barrier = launch_timing_wavefront_share(timing, ACCOUNT_BARRIER);
	enum account_reason wait = largest_wait(timing);

	if (memory >= BOUND && memory >= issued + conflict &&
	    memory >= fetch) {
		snprintf(text, size, "bound by memory bandwidth: the channels "
			 "move data in %.0f %% of the time, %.1f GB/s; ALU "
			 "engines issue in %.0f %%", memory,
			 launch_timing_bandwidth(timing), issued);
	} else if (fetch >= BOUND && fetch >= issued + conflict) {
		snprintf(text, size, "bound by the TEX engines: they process "
			 "addresses in %.0f %% of the time; memory channels "
			 "are busy in %.0f %%", fetch, memory);
	} else if (issued + conflict >= BOUND && conflict > issued) {
		snprintf(text, size, "bound by bank conflicts in local "
			 "memory: they stall the ALU engines in %.0f %% of "
			 "the time", conflict);
	} else if (issued + conflict >= BOUND) {
		double slots = stats->alu_groups
				       ? (double)stats->alu_slots /
						 (double)stats->alu_groups
				       : 0;

		snprintf(text, size, "bound by the ALU engines: they issue in "
			 "%.0f %% of the time, %.2f of 5 slots filled; "
			 "conflicts in local memory take %.0f %%", issued,
			 slots, conflict);
	} else if (tail >= TAIL) {
		snprintf(text, size, "bound by stores or atomics: in %.0f %% "
			 "of the time all wavefronts have ended, and the last "
			 "of these are on their way; memory channels are busy "
			 "in %.0f %%, so that a busy address or slice is more "
			 "likely than bandwidth", tail, memory);
	} else if (empty >= EMPTY || wait == ACCOUNT_EMPTY) {
		snprintf(text, size, "too little parallelism: compute units "
			 "have no wavefront in %.0f %% of the time; there are "
			 "too few work-groups, or they end unevenly", empty);
	} else if (barrier >= BARRIER) {
		snprintf(text, size, "bound by barriers: wavefronts wait there "
			 "in %.0f %% of their time, and ALU engines issue in "
			 "%.0f %%; equal work for the wavefronts of a "
			 "work-group, or more work-groups per compute unit, "
			 "would help", barrier, issued);
	} else if (wait == ACCOUNT_DATA) {
		snprintf(text, size, "bound by latency: ALU engines wait in "
			 "%.0f %% of the time for %s; memory channels are busy "
			 "in %.0f %%",
			 launch_timing_share(timing, ENGINE_ALU, wait),
			 advice(wait), memory);
	} else {
		snprintf(text, size, "bound by latency: ALU engines wait in "
			 "%.0f %% of the time for %s",
			 launch_timing_share(timing, ENGINE_ALU, wait), advice(wait));
	}
}

void diagnosis_describe(const struct launch_timing *timing,
			const struct evg_stats *stats, char *text, size_t size)
{
	double launch = timing->launch, kernel = seconds(timing);
	size_t length;

	describe_kernel(timing, stats, text, size);
	length = strlen(text);
	if (launch > kernel)
		snprintf(text + length, size - length, ". The launch takes %.3g "
			 "us, this %.3g us: fewer and larger launches gain more",
			 launch * 1e6, kernel * 1e6);
}

void diagnosis_add(struct stats_section *section,
		   const struct launch_timing *timing,
		   const struct evg_stats *stats)
{
	struct stats_name name;
	char text[512];

	if (!timing->cycles)
		return;
	diagnosis_describe(timing, stats, text, sizeof text);
#define STATS_REGISTRATION
#define KERNEL_DIAGNOSIS
#include "report/kernel.stat.def"
	for (enum account_engine engine = 0; engine < ENGINE_COUNT; engine++)
		for (enum account_reason i = 0; i < ACCOUNT_REASONS; i++) {
			if (!account_applies(engine, i))
				continue;
#define STATS_REGISTRATION
#define KERNEL_ENGINE_SHARE
#include "report/kernel.stat.def"
		}
	for (enum account_reason i = ACCOUNT_WAITS; i < ACCOUNT_EMPTY; i++) {
#define STATS_REGISTRATION
#define KERNEL_WAVEFRONT_SHARE
#include "report/kernel.stat.def"
	}
#define STATS_REGISTRATION
#define KERNEL_CHANNELS
#include "report/kernel.stat.def"
}
