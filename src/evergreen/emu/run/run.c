/* The functional runner: every work-group of an ND-range, on several host
 * threads.
 *
 * Work-groups are handed out in index order, some at a time, from one atomic
 * counter. When one fails those behind it are given up, and the failure with
 * the lowest index is the one reported: every lower one has been handed out
 * before and is run to its end, so it is the same for any number of threads.
 *
 * A work-group runs for a slice of wavefront instructions at a time: in
 * between a thread sees whether to stop, and the caller's thread asks. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evergreen/emu/memory/combine.h"
#include "evergreen/emu/count/count.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/run/pool.h"
#include "evergreen/emu/run/run.h"

enum {
	/* Wavefront instructions between looks at the clock: 1 to 30 ms. */
	SLICE = 1 << 15,
	/* Work-groups handed out at a time: at most so many, and of those that
	 * are left no more than one part of so many for each thread. */
	CHUNK_MAX = 256,
	PARTS_PER_THREAD = 8,
};

/* Seconds between questions to the caller. */
static const double ask_every = 0.02;

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

static int64_t limit_of(uint64_t most)
{
	return !most || most > INT64_MAX ? INT64_MAX : (int64_t)most;
}

static void record_failure(struct run *run, uint64_t index,
			   const struct error *error)
{
	pthread_mutex_lock(&run->lock);
	if (index < atomic_load(&run->failed)) {
		run->error = *error;
		atomic_store(&run->failed, index);
	}
	pthread_mutex_unlock(&run->lock);
}

/* --- Slices ------------------------------------------------------------- */

/* Asks the caller whether to go on. */
static void ask(struct run *run)
{
	const struct evg_run_options *options = run->options;
	double now;

	/* Helpers may take a while to see that they are to stop. */
	if (!options->progress || atomic_load(&run->stop))
		return;
	now = host_seconds();
	if (now - run->asked < ask_every)
		return;
	run->asked = now;
	if (options->progress(options->owner, atomic_load(&run->done),
			      run->ndrange->group_count))
		atomic_store(&run->stop, true);
}

static void give(struct worker *worker, struct evg_work_group *group)
{
	int64_t most = worker->slice;

	if (worker->group_left < most)
		most = worker->group_left;
	if (worker->total_left < most)
		most = worker->total_left;
	worker->given = group->budget = most;
}

static void take_back(struct worker *worker, struct evg_work_group *group)
{
	int64_t used = worker->given - group->budget;

	worker->slice -= used;
	worker->group_left -= used;
	worker->total_left -= used;
	worker->given = group->budget = 0;
	evg_count_ran(group, (uint64_t)used);
}

/* Does the atomics that the thread keeps to itself. */
static void settle(const struct evg_work_group *group)
{
	const struct evg_ndrange *ndrange = group->ndrange;

	evg_combiner_settle(group->combiner, ndrange->plan->simd,
			    evg_memory_base(ndrange->launch.memory));
}

static void end_slice(struct worker *worker)
{
	worker->slice = SLICE;
	atomic_fetch_add(&worker->run->done, worker->done);
	worker->done = 0;
	if (worker->is_caller)
		ask(worker->run);
}

/* The work-group has used up what it was given: whether to go on. */
static enum evg_run_result next_slice(struct worker *worker,
				      struct evg_wavefront *wavefront,
				      struct error *error)
{
	struct run *run = worker->run;
	struct evg_work_group *group = wavefront->group;

	take_back(worker, group);
	if (worker->total_left <= 0) {
		atomic_store(&run->reached_limit, true);
		return EVG_RUN_LIMIT;
	}
	if (worker->group_left <= 0) {
		evg_fault_limit(wavefront,
				run->options->max_group_instructions, error);
		return EVG_RUN_FAULT;
	}
	if (worker->slice <= 0) {
		settle(group);
		end_slice(worker);
	}
	if (atomic_load(&run->stop) ||
	    group->index > atomic_load(&run->failed))
		return EVG_RUN_LIMIT;
	give(worker, group);
	return EVG_RUN_ENDED;
}

/* --- Work-groups -------------------------------------------------------- */

/* The same as evg_wavefront_run, one instruction at a time, so that each is
 * traced. */
static enum evg_run_result run_traced(struct evg_wavefront *wavefront)
{
	struct evg_step step;
	struct error ignored;

	while (!wavefront->progress.ended) {
		if (wavefront->progress.waiting)
			return EVG_RUN_BARRIER;
		if (!wavefront->progress.position &&
		    wavefront->group->budget <= 0)
			return EVG_RUN_LIMIT;
		if (evg_wavefront_step(wavefront, &step, &ignored))
			return EVG_RUN_FAULT;
	}
	return EVG_RUN_ENDED;
}

enum evg_run_result worker_run(struct worker *worker,
			       struct evg_wavefront *wavefront,
			       struct error *error)
{
	const struct evg_ndrange *ndrange = worker->run->ndrange;
	bool traced = ndrange->isa_log || ndrange->stack_log;

	for (;;) {
		enum evg_run_result result =
			traced ? run_traced(wavefront)
			       : evg_wavefront_run(wavefront);

		if (result == EVG_RUN_FAULT)
			evg_fault_report(wavefront, error);
		if (result != EVG_RUN_LIMIT)
			return result;
		result = next_slice(worker, wavefront, error);
		if (result != EVG_RUN_ENDED)
			return result;
	}
}

enum evg_run_result group_pass_barrier(struct evg_work_group *group,
				       const struct evg_wavefront *waiting,
				       const struct evg_wavefront *ended,
				       struct error *error)
{
	if (!waiting)
		return EVG_RUN_ENDED;
	if (ended) {
		evg_fault_barrier(waiting, ended, error);
		return EVG_RUN_FAULT;
	}
	for (uint32_t i = 0; i < group->ndrange->wavefronts; i++)
		group->wavefronts[i].progress.waiting = false;
	return EVG_RUN_BARRIER;
}

/* Every wavefront up to its next barrier or end, and so on. */
static enum evg_run_result run_group(struct worker *worker,
				     struct evg_work_group *group,
				     struct error *error)
{
	uint32_t count = group->ndrange->wavefronts;

	for (;;) {
		struct evg_wavefront *waiting = NULL, *ended = NULL;
		enum evg_run_result result;

		for (uint32_t i = 0; i < count; i++) {
			struct evg_wavefront *wavefront =
				&group->wavefronts[i];

			result = worker_run(worker, wavefront, error);
			if (result == EVG_RUN_FAULT || result == EVG_RUN_LIMIT)
				return result;
			if (result == EVG_RUN_BARRIER)
				waiting = wavefront;
			else
				ended = wavefront;
		}
		result = group_pass_barrier(group, waiting, ended, error);
		if (result != EVG_RUN_BARRIER)
			return result;
	}
}

/* --- Threads ------------------------------------------------------------ */

struct evg_ndrange *worker_ndrange(const struct worker *worker)
{
	return worker->run->ndrange;
}

uint64_t worker_resident_groups(const struct worker *worker)
{
	uint64_t all = worker->run->ndrange->group_count;
	uint32_t most = worker->run->options->resident_groups;

	return most && most < all ? most : all;
}

int64_t worker_group_limit(const struct worker *worker)
{
	return limit_of(worker->run->options->max_group_instructions);
}

void worker_enter(struct worker *worker, struct evg_work_group *group,
		  int64_t left)
{
	worker->group_left = left;
	give(worker, group);
}

int64_t worker_leave(struct worker *worker, struct evg_work_group *group)
{
	take_back(worker, group);
	return worker->group_left;
}

void worker_count_done(struct worker *worker)
{
	worker->done++;
	if (worker->slice <= 0)
		end_slice(worker);
}

/* One work-group; false: no more. */
static bool run_index(struct worker *worker, struct evg_work_group **group,
		      uint64_t index)
{
	struct run *run = worker->run;
	enum evg_run_result result;
	struct error error;

	if (atomic_load_explicit(&run->stop, memory_order_relaxed) ||
	    index > atomic_load_explicit(&run->failed, memory_order_relaxed))
		return false;
	if (*group)
		evg_work_group_start(*group, index);
	else
		*group = evg_work_group_create(run->ndrange, index);
	worker_enter(worker, *group, worker_group_limit(worker));
	result = run_group(worker, *group, &error);
	worker_leave(worker, *group);
	worker_count_done(worker);
	if (result == EVG_RUN_FAULT)
		record_failure(run, index, &error);
	return result == EVG_RUN_ENDED;
}

/* The first of the next work-groups for a thread, and the one behind them:
 * fewer and fewer towards the end, so that all threads end at the same time.
 * Both are equal when there are no more. */
static uint64_t take(struct run *run, uint64_t *end)
{
	uint64_t count = run->ndrange->group_count;
	uint64_t next = atomic_load(&run->next), chunk;

	do {
		chunk = (count - next) / (run->threads * PARTS_PER_THREAD);
		chunk = chunk > CHUNK_MAX ? CHUNK_MAX : chunk;
		if (!chunk && next < count)
			chunk = 1;
	} while (!atomic_compare_exchange_weak(&run->next, &next,
					       next + chunk));
	*end = next + chunk;
	return next;
}

static void work(struct run *run, bool is_caller)
{
	struct worker worker = {
		.run = run,
		.is_caller = is_caller,
		.slice = SLICE,
		.total_left = limit_of(run->options->max_instructions),
	};
	struct evg_work_group *group = NULL;
	unsigned mode = evg_float_mode_begin();
	bool more = true;

	if (run->ndrange->plan->synchronizes) {
		struct error error;

		more = false;
		if (run_synchronized(&worker, &error) == EVG_RUN_FAULT)
			record_failure(run, 0, &error);
	}
	while (more) {
		uint64_t end, index = take(run, &end);

		if (index == end)
			break;
		while (more && index < end)
			more = run_index(&worker, &group, index++);
	}
	atomic_fetch_add(&run->done, worker.done);
	if (group) {
		settle(group);
		evg_work_group_free(group);
	}
	evg_float_mode_end(mode);
}

static void help(void *owner)
{
	work(owner, false);
}

/* Helpers may still be at it when this thread finds no more to do. */
static void wait_for_helpers(struct run *run, struct evg_pool *pool)
{
	while (pool && !evg_pool_wait(pool, ask_every))
		ask(run);
}

int evg_ndrange_run_options(struct evg_ndrange *ndrange,
			    const struct evg_run_options *options,
			    struct error *error)
{
	struct run run = {
		.ndrange = ndrange,
		.options = options,
		.failed = UINT64_MAX,
	};
	struct evg_pool *pool = options->pool, *own = NULL;
	uint64_t threads = options->threads;

	/* A limit and a trace want a definite order, too. */
	if (ndrange->isa_log || ndrange->stack_log ||
	    options->max_instructions || evg_plan_is_ordered(ndrange->plan) ||
	    threads < 1)
		threads = 1;
	if (threads > ndrange->group_count)
		threads = ndrange->group_count;
	ndrange->interpreted = options->interpreted;
	if (!options->interpreted)
		evg_native_compile(ndrange->plan);
	ndrange->combines = threads > 1 && ndrange->plan->combines;
	/* As many as there is scratch memory for. */
	if (threads > 1)
		threads = evg_ndrange_reserve(ndrange, threads);
	ndrange->alone = threads <= 1;
	run.threads = threads;
	if (threads <= 1)
		pool = NULL;
	else if (!pool)
		pool = own = evg_pool_create((unsigned)threads);
	pthread_mutex_init(&run.lock, NULL);
	run.asked = host_seconds();
	if (pool)
		evg_pool_start(pool, (unsigned)threads - 1, help, &run);
	work(&run, true);
	wait_for_helpers(&run, pool);
	evg_pool_free(own);
	pthread_mutex_destroy(&run.lock);
	if (atomic_load(&run.failed) != UINT64_MAX) {
		if (error)
			*error = run.error;
		return -1;
	}
	return atomic_load(&run.reached_limit) || atomic_load(&run.stop);
}

int evg_ndrange_run(struct evg_ndrange *ndrange, unsigned threads,
		    uint64_t max_instructions, struct error *error)
{
	const struct evg_run_options options = {
		.threads = threads,
		.max_instructions = max_instructions,
	};

	return evg_ndrange_run_options(ndrange, &options, error);
}
