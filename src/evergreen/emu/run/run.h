/* What the two functional runners share: run.c takes one work-group after the
 * other on several host threads, run-sync.c takes turns among work-groups that
 * wait for each other, on one. */
#ifndef M2S_EVERGREEN_EMU_RUN_RUN_H
#define M2S_EVERGREEN_EMU_RUN_RUN_H

#include "evergreen/emu/machine.h"

struct worker;

struct evg_ndrange *worker_ndrange(const struct worker *worker);
/* Work-groups that may be under way at a time, when they wait for each other. */
uint64_t worker_resident_groups(const struct worker *worker);
/* Instructions that a work-group may execute in all. */
int64_t worker_group_limit(const struct worker *worker);
/* The work-group that comes next may execute `left` more; leave returns how
 * many are still left. */
void worker_enter(struct worker *worker, struct evg_work_group *group,
		  int64_t left);
int64_t worker_leave(struct worker *worker, struct evg_work_group *group);
/* A work-group has ended. */
void worker_count_done(struct worker *worker);

/* To the next barrier or the end, as many slices as that takes. */
enum evg_run_result worker_run(struct worker *worker,
			       struct evg_wavefront *wavefront,
			       struct error *error);

/* When no wavefront can go on: those that wait pass the work-group's barrier
 * (EVG_RUN_BARRIER), unless another has ended (EVG_RUN_FAULT); EVG_RUN_ENDED
 * when none waits. `waiting` and `ended`: one of each, or NULL. */
enum evg_run_result group_pass_barrier(struct evg_work_group *group,
				       const struct evg_wavefront *waiting,
				       const struct evg_wavefront *ended,
				       struct error *error);

/* All work-groups of a kernel with WAVE_SYNC. */
enum evg_run_result run_synchronized(struct worker *worker,
				     struct error *error);

#endif
