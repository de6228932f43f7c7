/* The inside of ND-ranges and work-groups, and the functions that the
 * emulator's files call of each other. */
#ifndef M2S_EVERGREEN_EMU_MACHINE_H
#define M2S_EVERGREEN_EMU_MACHINE_H

#include <pthread.h>
#include <stdio.h>

#include "base/log.h"
#include "evergreen/emu/state.h"
#include "evergreen/emu/sync.h"

enum { EVG_SHADER_ENGINES = 2 };

/* Executions, and the sum of the lanes that were active in them. */
struct evg_count {
	uint64_t executions, lanes;
};

enum { EVG_GDS_SIZE = 65536, EVG_GDS_COUNTERS = 12 };

/* The global data share: memory of the whole launch, zero at its start, and the
 * append counters. Kernels that use it run one work-group after the other. */
struct evg_gds {
	alignas(8) uint8_t memory[EVG_GDS_SIZE];
	uint32_t counter[EVG_GDS_COUNTERS];
};

/* Counts of the work-groups that one thread runs, one after the other or in
 * turns. */
struct evg_tally {
	const struct evg_ndrange *ndrange;
	struct evg_tally *next;           /* of all */
	/* With records: the counters of one work-group object, a set for each
	 * wavefront, which begin anew with each work-group. Behind them is a
	 * set for the earlier work-groups. */
	uint64_t *recent;                 /* by counter, see count.h */
	/* Most instructions that `recent` counts. */
	uint64_t unsettled;
	struct evg_count *counts;         /* by counter, the earlier counts */
	uint64_t work_groups, wavefront_count, work_items;
	/* Instructions by number of active lanes, unless all were active. */
	uint64_t histogram[EVG_WAVEFRONT_SIZE];
	struct evg_path_counts paths;
};

struct evg_work_group {
	struct evg_ndrange *ndrange;
	struct evg_work_group *next;      /* of all */
	struct evg_work_group *next_free;
	uint64_t index;
	uint32_t id[3];
	struct evg_wavefront *wavefronts; /* one block */
	uint8_t *rows;                    /* their states, one block */
	uint8_t *packed_rows;             /* for packed lanes, or NULL */
	struct evg_frame *frames;         /* their stacks, one block */
	uint8_t *local;
	uint32_t scratch;                 /* global address, or 0 */
	struct evg_window *windows;
	/* Of memory; the windows are valid for it. */
	uint64_t generation;
	/* Wavefront instructions left that may be started. */
	int64_t budget;
	struct evg_tally *tally;          /* may be shared */
	struct evg_traffic *traffic;      /* or NULL */
	struct evg_combiner *combiner;    /* likewise */
	struct evg_trails *trails;        /* likewise */
};

struct evg_ndrange {
	struct evg_launch launch;
	const struct evg_code *code;
	struct evg_plan *plan;
	bool owns_plan;
	bool interpreted;   /* no native code */
	bool alone;         /* one host thread runs it */
	bool float_mode_set; /* by the threads that step wavefronts */
	bool combines;      /* atomics, see combine.h */
	FILE *isa_log, *stack_log; /* traces, or NULL */
	uint32_t groups[3];
	uint64_t group_count;
	uint32_t group_items, wavefronts;
	struct evg_constants constants[EVG_CONSTANT_BUFFERS];
	uint8_t *pool;          /* constants, EVG_CONSTANT_BYTES each */
	/* Shared registers of each compute unit, made on first use. */
	uint32_t **shared;
	uint32_t shared_count;
	struct evg_sync sync;
	/* R0.xyz at the start, and the lanes that exist, per wavefront. */
	uint32_t *local_ids;
	uint64_t *valid;
	struct evg_traffic_model traffic; /* block_size 0: not counted */
	struct evg_records *records; /* of single wavefronts, or NULL */
	/* Sets of counters of a work-group, and the distance between the sets
	 * of its wavefronts: 1 and 0 when they share one set. */
	uint32_t counter_sets, counter_stride;
	struct evg_gds *gds;    /* or NULL */
	pthread_mutex_t lock;   /* of the lists */
	struct evg_work_group *all, *free;
	struct evg_tally *tallies;
	struct evg_inst_stats *rows; /* last result of evg_ndrange_inst_stats */
};

/* evg_ndrange_create for one host instruction set. */
struct evg_ndrange *evg_ndrange_create_for(const struct evg_launch *launch,
					   const struct evg_simd *simd,
					   struct error *error);

/* -1 and *error when the machine cannot run the launch. */
int evg_launch_check(const struct evg_launch *launch, struct error *error);

/* Frees a work-group object with the ND-range. The caller releases its scratch
 * memory. */
void evg_work_group_destroy(struct evg_work_group *group);

/* Makes objects for `count` work-groups at once if they need scratch memory,
 * because global memory must not change while kernels run on several threads.
 * Returns the number of work-groups for which there is room. */
uint64_t evg_ndrange_reserve(struct evg_ndrange *ndrange, uint64_t count);

enum evg_run_result {
	EVG_RUN_ENDED,
	EVG_RUN_BARRIER,
	EVG_RUN_LIMIT, /* the work-group's budget is used up */
	EVG_RUN_FAULT, /* see wavefront->fault */
};

void evg_wavefront_start(struct evg_wavefront *wavefront);
/* Execute a fetch of the CF instruction's clause, at progress.position, or the
 * instruction's store, with an active lane. False: a fault. */
bool evg_wavefront_fetch(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf);
void evg_wavefront_store(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf);
/* Runs to the next barrier or the end. The host's floating-point mode must have
 * been set. */
enum evg_run_result evg_wavefront_run(struct evg_wavefront *wavefront);

/* The place of a static instruction, and what wavefront->fault says of the
 * work-item and of the cause; the caller frees both. */
void evg_fault_describe(const struct evg_wavefront *wavefront, uint32_t line,
			char **place, char **text);
/* Sets the message for wavefront->fault. */
void evg_fault_report(const struct evg_wavefront *wavefront,
		      struct error *error);

/* Sets the message for a work-group that has executed its limit of `most`
 * instructions; `wavefront` was about to go on. */
void evg_fault_limit(const struct evg_wavefront *wavefront, uint64_t most,
		     struct error *error);

/* Traces one executed instruction for --evg-debug-isa and --evg-debug-stack. */
void evg_trace(const struct evg_wavefront *wavefront,
	       const struct evg_step *step, FILE *isa, FILE *stack);

#endif
