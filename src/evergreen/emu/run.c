/* The functional runner: every work-group of an ND-range, on several host
 * threads.
 *
 * Work-groups are handed out in index order from one atomic counter. When one
 * fails no more are handed out, those in flight finish, and the failure with
 * the lowest index is the one reported: every lower one has been handed out
 * before, so it is the same for any number of threads. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/machine.h"

struct run {
	struct evg_ndrange *ndrange;
	_Atomic uint64_t next;
	_Atomic bool stop;
	bool limited;               /* one thread then */
	int64_t budget;
	bool reached_limit;
	pthread_mutex_t lock;       /* of what follows */
	uint64_t failed;            /* lowest index that did */
	struct error error;
};

static void record_failure(struct run *run, uint64_t index,
			   const struct error *error)
{
	pthread_mutex_lock(&run->lock);
	if (index < run->failed) {
		run->failed = index;
		run->error = *error;
	}
	pthread_mutex_unlock(&run->lock);
	atomic_store(&run->stop, true);
}

/* The same as evg_wavefront_run, one instruction at a time, so that each is
 * traced. */
static enum evg_run_result run_traced(struct evg_wavefront *wavefront)
{
	struct evg_step step;
	struct error ignored;

	while (!wavefront->ended) {
		if (wavefront->waiting)
			return EVG_RUN_BARRIER;
		if (!wavefront->position && wavefront->group->budget <= 0)
			return EVG_RUN_LIMIT;
		if (evg_wavefront_step(wavefront, &step, &ignored))
			return EVG_RUN_FAULT;
	}
	return EVG_RUN_ENDED;
}

/* Every wavefront up to its next barrier or end, and so on. */
static enum evg_run_result run_group(struct evg_work_group *group,
				     const struct run *run,
				     struct error *error)
{
	const struct evg_ndrange *ndrange = run->ndrange;
	bool traced = ndrange->isa_log || ndrange->stack_log;
	uint32_t count = group->ndrange->wavefronts;

	for (;;) {
		struct evg_wavefront *waiting = NULL, *ended = NULL;

		for (uint32_t i = 0; i < count; i++) {
			struct evg_wavefront *wavefront =
				&group->wavefronts[i];
			enum evg_run_result result;

			result = traced ? run_traced(wavefront)
					: evg_wavefront_run(wavefront);
			if (result == EVG_RUN_FAULT) {
				evg_fault_report(wavefront, error);
				return result;
			}
			if (result == EVG_RUN_LIMIT)
				return result;
			if (result == EVG_RUN_BARRIER)
				waiting = wavefront;
			else
				ended = wavefront;
		}
		if (!waiting)
			return EVG_RUN_ENDED;
		if (ended) {
			evg_fault_barrier(waiting, ended, error);
			return EVG_RUN_FAULT;
		}
		for (uint32_t i = 0; i < count; i++)
			group->wavefronts[i].waiting = false;
	}
}

static void *worker(void *owner)
{
	struct run *run = owner;
	struct evg_ndrange *ndrange = run->ndrange;
	struct evg_work_group *group = NULL;
	unsigned mode = evg_float_mode_begin();
	struct error error;

	while (!atomic_load(&run->stop)) {
		uint64_t index = atomic_fetch_add(&run->next, 1);
		enum evg_run_result result;

		if (index >= ndrange->group_count)
			break;
		if (group)
			evg_work_group_start(group, index);
		else
			group = evg_work_group_create(ndrange, index);
		if (run->limited)
			group->budget = run->budget;
		result = run_group(group, run, &error);
		if (run->limited)
			run->budget = group->budget;
		if (result == EVG_RUN_FAULT)
			record_failure(run, index, &error);
		if (result == EVG_RUN_LIMIT) {
			run->reached_limit = true;
			break;
		}
	}
	evg_work_group_free(group);
	evg_float_mode_end(mode);
	return NULL;
}

int evg_ndrange_run(struct evg_ndrange *ndrange, unsigned threads,
		    uint64_t max_instructions, struct error *error)
{
	struct run run = {
		.ndrange = ndrange,
		.limited = max_instructions != 0,
		.budget = max_instructions > INT64_MAX
				  ? INT64_MAX
				  : (int64_t)max_instructions,
		.failed = UINT64_MAX,
	};
	pthread_t *workers;
	unsigned started = 0;

	/* A limit or a trace wants a definite order. */
	if (ndrange->isa_log || ndrange->stack_log || run.limited || threads < 1)
		threads = 1;
	if (threads > ndrange->group_count)
		threads = (unsigned)ndrange->group_count;
	pthread_mutex_init(&run.lock, NULL);
	workers = xcalloc(threads, sizeof *workers);
	/* This thread works too; a host that refuses more is no error. */
	while (started + 1 < threads &&
	       !pthread_create(&workers[started], NULL, worker, &run))
		started++;
	worker(&run);
	while (started)
		pthread_join(workers[--started], NULL);
	free(workers);
	pthread_mutex_destroy(&run.lock);
	if (run.failed != UINT64_MAX) {
		if (error)
			*error = run.error;
		return -1;
	}
	return run.reached_limit;
}
