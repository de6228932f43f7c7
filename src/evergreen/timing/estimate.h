/* What a launch would take in detail, from the counts of a functional run. */
#ifndef M2S_EVERGREEN_TIMING_ESTIMATE_H
#define M2S_EVERGREEN_TIMING_ESTIMATE_H

#include "evergreen/emu/emu.h"
#include "evergreen/timing/config.h"
#include "evergreen/timing/occupancy.h"

enum { EVG_ESTIMATE_BLOCK = 64 };

/* Cycles; `transactions`: blocks of EVG_ESTIMATE_BLOCK bytes that all its
 * fetches and stores touch. The longer of what the wavefronts of a unit take one after the other,
 * each with its latencies, and what its busiest engine, the paths to the L2 or
 * the memory take for all of them. It knows neither hits nor banks nor
 * barriers. */
uint64_t evg_estimate_cycles(const struct evg_config *config,
			     const struct evg_occupancy_use *use,
			     const struct evg_stats *stats,
			     double transactions);

#endif
