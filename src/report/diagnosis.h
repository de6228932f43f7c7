/* What bounds a kernel launch, in words and numbers. */
#ifndef M2S_REPORT_DIAGNOSIS_H
#define M2S_REPORT_DIAGNOSIS_H

#include <stddef.h>

#include "evergreen/emu/emu.h"
#include "evergreen/timing/account.h"
#include "memsys/memsys.h"
#include "stats/stats.h"

/* The timing of one launch, or of a part of it, in detailed mode. */
struct launch_timing {
	uint64_t cycles;         /* 0: functional mode, no timing is known */
	uint64_t tail_cycles;    /* after the last work-group's end */
	double megahertz;
	double launch;           /* seconds from the enqueue to the start */
	struct account account;  /* of all compute units */
	struct memsys_traffic traffic;
};

/* Subtracts `before` from *after. Both count from the start of the simulation.
 * */
void launch_timing_subtract(struct launch_timing *after,
			    const struct launch_timing *before);

/* The share of the engine's cycles that it spent for a reason, in %. */
double launch_timing_share(const struct launch_timing *timing,
			   enum account_engine engine,
			   enum account_reason reason);
/* The share of the wavefronts' time, from dispatch to end, that they spent at a
 * place, in %. */
double launch_timing_wavefront_share(const struct launch_timing *timing,
				     enum account_reason place);
/* The bandwidth of all memory channels, in GB/s. */
double launch_timing_bandwidth(const struct launch_timing *timing);

/* Adds the shares of the engines' cycles, memory bandwidth and one sentence
 * that says what bounds the launch. */
void diagnosis_add(struct stats_section *section,
		   const struct launch_timing *timing,
		   const struct evg_stats *stats);

/* Writes that sentence alone into `text`. */
void diagnosis_describe(const struct launch_timing *timing,
			const struct evg_stats *stats, char *text,
			size_t size);

#endif
