/* The cycle-level model of the GPU: when, never what.
 *
 *	dispatcher ─► compute unit 0..N-1
 *	                CF engine ─┬─► ALU engine ─► local memory
 *	                           ├─► TEX engine ─► global memory, reads
 *	                           └─► export      ─► global memory, writes
 *
 * The pipelines are modelled as stages that are reserved in time. An engine
 * computes the time at which an instruction passes each stage from the times at
 * which the stage is free and the inputs are ready. It is visited only in
 * cycles in which it issues something. At issue the emulator executes the
 * instruction. */
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

/* The longest window, in picoseconds, in which compute units can run side by
 * side; for memsys_options. */
picoseconds evg_timing_window(const struct evg_config *config);
/* How many neighbouring compute units share a cache of code, and one of
 * constants; for memsys_options. */
void evg_timing_together(const struct evg_config *config, unsigned together[2]);

/* Compute units run in the islands of their entry modules, the dispatcher in
 * `events`, the hub. A memsys that is not spread over islands is run by one
 * thread, with the same results.
 *
 * `memsys` must have an entry for each compute unit of the configuration. All
 * arguments must outlive the timing model. */
struct evg_timing *evg_timing_create(const struct evg_config *config,
				     struct event_queue *events,
				     struct memsys *memsys,
				     struct error *error);
void evg_timing_free(struct evg_timing *timing);

struct evg_timing_limits {
	uint64_t cycles, instructions; /* for all runs together; 0: none */
	/* Called now and then with the number of finished work-groups; true
	 * stops the run. */
	bool (*progress)(void *owner, uint64_t done, uint64_t total);
	/* Another model's time is the event queue's, too, and the caller runs
	 * both: returns when the queue's time is `until`, or when
	 * evg_timing_has_ended(); true stops the run. NULL: the run itself runs
	 * the queue. Not with a memsys that is spread over islands. */
	bool (*wait)(void *owner, picoseconds until);
	/* Called every `sample_cycles` cycles of all runs together, at the
	 * first event from then on; 0: never. */
	uint64_t sample_cycles;
	void (*sample)(void *owner);
	void *owner;
	/* For the timeline: the number of this run, and what its times are
	 * later by than the event queue's. */
	uint64_t launch;
	picoseconds offset;
};

/* Runs one ND-range to its end, until all its writes have ended. Returns 0; 1
 * when a limit ended the run early, at the first event at or after the limit;
 * -1 and *error when the kernel failed or does not fit. After a limit or a
 * failed kernel the GPU has stopped: later runs return the same result at once,
 * and the ND-range may be freed. Events of that run stay in the event queue,
 * which needs `timing` until the queue is freed. */
int evg_timing_run(struct evg_timing *timing, struct evg_ndrange *ndrange,
		   const struct evg_timing_limits *limits,
		   struct error *error);

/* Buffers that are memory of a program: what they have of the device's addresses,
 * the place of the first byte in its page, and the addresses of the pages in the
 * memory that the GPU shares. */
enum { EVG_SHARED_PAGE_BITS = 12 };
struct evg_shared_memory {
	uint32_t address, size, offset;
	const uint64_t *pages;
};
/* Accesses of the next runs to these buffers take the coherent way, if there is
 * one. `shared` must stay valid until the next call. */
void evg_timing_share(struct evg_timing *timing,
		      const struct evg_shared_memory *shared, size_t count);

/* During a run: whether it comes to its end at the queue's present time. */
bool evg_timing_has_ended(const struct evg_timing *timing);

/* Totals over all ND-ranges so far. */
uint64_t evg_timing_cycles(const struct evg_timing *timing);
uint64_t evg_timing_instructions(const struct evg_timing *timing);

/* Cycles of a static instruction, over all executions of a run: those for which
 * it kept its engine (with bank conflicts), and those for which wavefronts
 * waited between the end of their previous instruction and its beginning. The
 * wait for a load belongs to the CF instruction behind the load's clause. */
struct evg_inst_cycles {
	uint64_t busy, stall;
};
/* Asks for these counts. To be called before the first run. */
void evg_timing_count_instructions(struct evg_timing *timing);
/* The counts of the last run, by address (64-bit units from the kernel's
 * start); NULL when they are not counted. `timing` owns them. */
const struct evg_inst_cycles *
evg_timing_inst_cycles(const struct evg_timing *timing, size_t *count);

/* Writes the events of compute units to the timeline, which must outlive
 * `timing`. To be called before the first run. */
struct timeline;
void evg_timing_trace(struct evg_timing *timing, struct timeline *timeline);

/* Collects the way of instructions through compute units: those of the window,
 * which must outlive `timing`, at most EVG_PIPELINE_MOST, as many of each unit. To
 * be called before the first run, and not with evg_timing_trace() for another
 * window. */
enum { EVG_PIPELINE_MOST = 100000 };
struct timeline_window;
void evg_timing_pipeline(struct evg_timing *timing,
			 const struct timeline_window *window);
/* Writes them for the viewer Konata, and returns how many there are. *left_out:
 * those beyond the limit. Stages: W since the end of the wavefront's last
 * instruction, F fetch and decode of CF instructions, X in its engine. */
size_t evg_timing_write_pipeline(struct evg_timing *timing, FILE *stream,
				 uint64_t *left_out);

/* The current state of the device, also during a run: counts of all runs so
 * far, and the work in flight. */
struct evg_timing_snapshot {
	uint64_t cycles, instructions, lane_operations;
	/* After the last work-group, until stores have ended. */
	uint64_t tail_cycles;
	uint64_t work_groups; /* ended work-groups */
	uint64_t wavefronts;  /* in flight */
	struct account account; /* of all compute units */
};
void evg_timing_snapshot(struct evg_timing *timing,
			 struct evg_timing_snapshot *snapshot);

/* Whether the last run failed because it made no progress: no event was left,
 * or no instruction was executed for [Device] WatchdogCycles. */
bool evg_timing_hangs(const struct evg_timing *timing);
/* Prints the place of each wavefront in flight, and what the wavefront waits
 * for. */
void evg_timing_describe(struct evg_timing *timing, FILE *stream);

/* Registers the report "evergreen": Config.*, Device, ComputeUnit N. */
void evg_timing_register_stats(struct evg_timing *timing, struct stats *stats);

#endif
