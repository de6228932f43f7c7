/* The common part of the two functional runners. run.c runs one work-group
 * after the other, on several host threads. run-sync.c lets work-groups that
 * wait for each other take turns on one thread. */
#ifndef M2S_EVERGREEN_EMU_RUN_RUN_H
#define M2S_EVERGREEN_EMU_RUN_RUN_H

#include "evergreen/emu/machine.h"

struct worker;

struct evg_ndrange *worker_ndrange(const struct worker *worker);
/* The number of work-groups in flight when they wait for each other. */
uint64_t worker_resident_groups(const struct worker *worker);
/* The most instructions that a work-group may execute. */
int64_t worker_group_limit(const struct worker *worker);
/* worker_enter lets the work-group execute `left` more instructions;
 * worker_leave returns the rest. */
void worker_enter(struct worker *worker, struct evg_work_group *group,
		  int64_t left);
int64_t worker_leave(struct worker *worker, struct evg_work_group *group);
/* A work-group has ended. */
void worker_count_done(struct worker *worker);

/* Runs the wavefront to the next barrier or its end, in as many slices as that
 * takes. */
enum evg_run_result worker_run(struct worker *worker,
			       struct evg_wavefront *wavefront,
			       struct error *error);

/* To be called when no wavefront can go on. Lets the waiting wavefronts pass
 * the work-group's barrier (EVG_RUN_BARRIER); EVG_RUN_FAULT if another
 * wavefront has ended; EVG_RUN_ENDED when none waits. `waiting` and `ended`:
 * one of each, or NULL. */
enum evg_run_result group_pass_barrier(struct evg_work_group *group,
				       const struct evg_wavefront *waiting,
				       const struct evg_wavefront *ended,
				       struct error *error);

/* Runs all work-groups of a kernel with WAVE_SYNC. */
enum evg_run_result run_synchronized(struct worker *worker,
				     struct error *error);

#endif
