/* The cycle-level model of the GPU: when, never what.
 *
 *	dispatcher ─► compute unit 0..N-1
 *	                CF engine ─┬─► ALU engine ─► local memory
 *	                           ├─► TEX engine ─► global memory, reads
 *	                           └─► export      ─► global memory, writes
 *
 * The pipelines are modelled as stages reserved in time: an engine computes
 * when each instruction can pass each stage from when the stage is free and
 * when its inputs are ready, and is visited only in cycles in which it issues
 * something. What an instruction does is asked from the emulator at issue. */
#ifndef M2S_EVERGREEN_TIMING_TIMING_H
#define M2S_EVERGREEN_TIMING_TIMING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "evergreen/emu/emu.h"
#include "evergreen/timing/account.h"
#include "evergreen/timing/config.h"
#include "memsys/memsys.h"
#include "sim/event.h"
#include "stats/stats.h"

struct evg_timing;

/* The longest window, in picoseconds, in which compute units can be run side by
 * side: for memsys_options. */
picoseconds evg_timing_window(const struct evg_config *config);

/* Compute units run in the islands of their entry modules, the dispatcher in
 * `events`, the hub; memsys that is not spread over islands is run by one
 * thread, with the same results as if it were.
 *
 * `memsys` must have an entry for each compute unit of the configuration. All
 * arguments are kept, none is owned. */
struct evg_timing *evg_timing_create(const struct evg_config *config,
				     struct event_queue *events,
				     struct memsys *memsys,
				     struct error *error);
void evg_timing_free(struct evg_timing *timing);

struct evg_timing_limits {
	uint64_t cycles, instructions; /* for all runs together; 0: none */
	/* Called now and then with the work-groups finished; true stops. */
	bool (*progress)(void *owner, uint64_t done, uint64_t total);
	/* Called every `sample_cycles` cycles of all runs together, at the
	 * first event from then on; 0: never. */
	uint64_t sample_cycles;
	void (*sample)(void *owner);
	void *owner;
};

/* Runs one ND-range to its end, all writes drained. 0; 1 when a limit ended it
 * early, at the first event at or after it; -1 and *error when the kernel
 * failed or does not fit. After a limit or a failed kernel the GPU has stopped:
 * later runs return the same at once, and the ND-range may be freed. What was
 * in flight stays in the event queue, which needs `timing` until it is freed
 * itself. */
int evg_timing_run(struct evg_timing *timing, struct evg_ndrange *ndrange,
		   const struct evg_timing_limits *limits,
		   struct error *error);

/* Totals over all ND-ranges so far. */
uint64_t evg_timing_cycles(const struct evg_timing *timing);
uint64_t evg_timing_instructions(const struct evg_timing *timing);

/* Of a static instruction, over all executions of a run: cycles for which it
 * kept its engine (with bank conflicts), and for which wavefronts waited
 * between the end of their last instruction and its beginning. What a load
 * takes is waited for at the CF instruction behind its clause. */
struct evg_inst_cycles {
	uint64_t busy, stall;
};
/* To be called before the first run. */
void evg_timing_count_instructions(struct evg_timing *timing);
/* Of the last run, by address (64-bit units from the kernel's start); NULL when
 * they are not counted. The timing's. */
const struct evg_inst_cycles *
evg_timing_inst_cycles(const struct evg_timing *timing, size_t *count);

/* The state of the device now, also during a run: counts of all runs so far,
 * and what is in flight. */
struct evg_timing_snapshot {
	uint64_t cycles, instructions, lane_operations;
	uint64_t tail_cycles; /* after the last work-group: stores end */
	uint64_t work_groups; /* that ended */
	uint64_t wavefronts;  /* in flight */
	struct account account; /* of all compute units */
};
void evg_timing_snapshot(struct evg_timing *timing,
			 struct evg_timing_snapshot *snapshot);

/* Whether the last run failed because nothing went on: no event was left, or no
 * instruction was executed for [Device] WatchdogCycles. */
bool evg_timing_hangs(const struct evg_timing *timing);
/* Where each wavefront in flight is and what it waits for, as text. */
void evg_timing_describe(struct evg_timing *timing, FILE *stream);

/* Report "evergreen": Config.*, Device, ComputeUnit N. */
void evg_timing_register_stats(struct evg_timing *timing, struct stats *stats);

#endif
