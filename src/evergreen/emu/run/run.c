/* The functional runner: every work-group of an ND-range, on several host
 * threads.
 *
 * Work-groups are handed out in index order, some at a time, from one atomic
 * counter. When one fails those behind it are given up, and the failure with
 * the lowest index is the one reported: every lower one has been handed out
 * before and is run to its end, so it is the same for any number of threads. */

#include "base/clock.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/run/pool.h"
#include "evergreen/emu/run/run.h"

enum {
	/* Work-groups handed out at a time: at most so many, and of those that
	 * are left no more than one part of so many for each thread. */
	CHUNK_MAX = 256,
	PARTS_PER_THREAD = 8,
};

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

/* --- Work-groups -------------------------------------------------------- */

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
static uint64_t take_work_groups(struct run *run, uint64_t *end)
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

static void run_work_groups(struct run *run, bool is_caller)
{
	struct worker worker;
	struct evg_work_group *group = NULL;
	unsigned mode = evg_float_mode_begin();
	bool more = true;

	worker_begin(&worker, run, is_caller);
	if (run->ndrange->plan->synchronizes) {
		struct error error;

		more = false;
		if (run_synchronized(&worker, &error) == EVG_RUN_FAULT)
			record_failure(run, 0, &error);
	}
	while (more) {
		uint64_t end, index = take_work_groups(run, &end);

		if (index == end)
			break;
		while (more && index < end)
			more = run_index(&worker, &group, index++);
	}
	atomic_fetch_add(&run->done, worker.done);
	if (group) {
		group_settle(group);
		evg_work_group_free(group);
	}
	evg_float_mode_end(mode);
}

static void run_as_helper(void *owner)
{
	run_work_groups(owner, false);
}

/* Helpers may still be at it when this thread finds no more to do. */
static void wait_for_helpers(struct run *run, struct evg_pool *pool)
{
	while (pool && !evg_pool_wait(pool, RUN_ASK_EVERY))
		run_ask(run);
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
		evg_pool_start(pool, (unsigned)threads - 1, run_as_helper,
			       &run);
	run_work_groups(&run, true);
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
