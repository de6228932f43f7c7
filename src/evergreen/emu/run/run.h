/* The common part of the two functional runners. run.c runs one work-group
 * after the other, on several host threads. sync.c lets work-groups that
 * wait for each other take turns on one thread. */
#ifndef M2S_EVERGREEN_EMU_RUN_RUN_H
#define M2S_EVERGREEN_EMU_RUN_RUN_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "evergreen/emu/machine.h"

/* Seconds between questions to the caller. */
#define RUN_ASK_EVERY 0.02

struct run {
	struct evg_ndrange *ndrange;
	const struct evg_run_options *options;
	uint64_t threads;
	/* In lines of their own: all threads write these often, and look at
	 * the others all the time. */
	alignas(64) _Atomic uint64_t next; /* work-group to be handed out */
	alignas(64) _Atomic uint64_t done; /* work-groups, a little late */
	alignas(64) _Atomic bool stop;
	_Atomic bool reached_limit;
	double asked;               /* when, by the caller's thread */
	_Atomic uint64_t failed;    /* lowest index that did */
	pthread_mutex_t lock;       /* of error */
	struct error error;
};

/* What a thread knows of itself. */
struct worker {
	struct run *run;
	bool is_caller;
	uint64_t done;              /* not yet told to run->done */
	/* Wavefront instructions left: of the slice, of the work-group, of
	 * the ND-range, and what the work-group was given of them. */
	int64_t slice, group_left, total_left, given;
};

/* A thread begins; `is_caller`: it is the one that asked for the run. */
void worker_begin(struct worker *worker, struct run *run, bool is_caller);
/* Asks the caller whether to go on. */
void run_ask(struct run *run);
/* Does the atomics that the thread keeps to itself. */
void group_settle(const struct evg_work_group *group);

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
