/* What bounds a kernel launch, in words and numbers. */
#ifndef M2S_REPORT_DIAGNOSIS_H
#define M2S_REPORT_DIAGNOSIS_H

#include <stddef.h>

#include "evergreen/emu/emu.h"
#include "evergreen/timing/account.h"
#include "memsys/memsys.h"
#include "stats/stats.h"

/* Of one launch, or a part of it, in detailed mode. */
struct launch_timing {
	uint64_t cycles;         /* 0: functional mode, nothing is known */
	uint64_t tail_cycles;    /* of these: after the last work-group */
	double megahertz;
	double launch;           /* seconds from the enqueue to the start */
	struct account account;  /* of all compute units */
	struct memsys_traffic traffic;
};

/* after - before, both since the start of the simulation. */
void launch_timing_subtract(struct launch_timing *after,
			    const struct launch_timing *before);

/* % of the engine's cycles. */
double launch_timing_share(const struct launch_timing *timing,
			   enum account_engine engine,
			   enum account_reason reason);
/* % of the time of the wavefronts, from their coming to their end. */
double launch_timing_wavefront_share(const struct launch_timing *timing,
				     enum account_reason place);
/* GB/s that the memory channels moved. */
double launch_timing_bandwidth(const struct launch_timing *timing);

/* Adds the shares of the engines' cycles, memory bandwidth and one sentence
 * that says what bounds the launch. */
void diagnosis_add(struct stats_section *section,
		   const struct launch_timing *timing,
		   const struct evg_stats *stats);

/* The sentence alone. */
void diagnosis_describe(const struct launch_timing *timing,
			const struct evg_stats *stats, char *text,
			size_t size);

#endif
