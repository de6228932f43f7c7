/* An estimate of a launch's detailed time from the counts of a functional
 * run. */
#ifndef M2S_EVERGREEN_TIMING_ESTIMATE_H
#define M2S_EVERGREEN_TIMING_ESTIMATE_H

#include "evergreen/emu/emu.h"
#include "evergreen/isa/code.h"
#include "evergreen/timing/config.h"
#include "evergreen/timing/occupancy.h"

enum { EVG_ESTIMATE_BLOCK = 64 };

/* The estimate in cycles. `code`: of the kernel. `transactions`: blocks of EVG_ESTIMATE_BLOCK bytes
 * that all fetches and stores of the launch touch. The estimate is the longer
 * of two times: that of the wavefronts of a unit one after the other, each with
 * its latencies, and that of the busiest engine, the paths to the L2 or the
 * memory for all of them. Hits, banks and barriers are not part of it. */
uint64_t evg_estimate_cycles(const struct evg_config *config,
			     const struct evg_occupancy_use *use,
			     const struct evg_code *code,
			     const struct evg_stats *stats,
			     double transactions);

#endif
