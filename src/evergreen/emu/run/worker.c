/* A thread of the functional runner: its slices of instructions, and a wavefront
 * that runs in them.
 *
 * A work-group runs for a slice of wavefront instructions at a time: in
 * between a thread sees whether to stop, and the caller's thread asks. */
#include "base/clock.h"
#include "evergreen/emu/count/count.h"
#include "evergreen/emu/memory/combine.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/run/run.h"

enum {
	/* Wavefront instructions between looks at the clock: 1 to 30 ms. */
	SLICE = 1 << 15,
};

static int64_t limit_of(uint64_t most)
{
	return !most || most > INT64_MAX ? INT64_MAX : (int64_t)most;
}

void worker_begin(struct worker *worker, struct run *run, bool is_caller)
{
	*worker = (struct worker){
		.run = run,
		.is_caller = is_caller,
		.slice = SLICE,
		.total_left = limit_of(run->options->max_instructions),
	};
}

/* --- Slices ------------------------------------------------------------- */

void run_ask(struct run *run)
{
	const struct evg_run_options *options = run->options;
	double now;

	/* Helpers may take a while to see that they are to stop. */
	if (!options->progress || atomic_load(&run->stop))
		return;
	now = host_seconds();
	if (now - run->asked < RUN_ASK_EVERY)
		return;
	run->asked = now;
	if (options->progress(options->owner, atomic_load(&run->done),
			      run->ndrange->group_count))
		atomic_store(&run->stop, true);
}

static void give_budget(struct worker *worker, struct evg_work_group *group)
{
	int64_t most = worker->slice;

	if (worker->group_left < most)
		most = worker->group_left;
	if (worker->total_left < most)
		most = worker->total_left;
	worker->given = group->budget = most;
}

static void take_back_budget(struct worker *worker,
			     struct evg_work_group *group)
{
	int64_t used = worker->given - group->budget;

	worker->slice -= used;
	worker->group_left -= used;
	worker->total_left -= used;
	worker->given = group->budget = 0;
	evg_count_ran(group, (uint64_t)used);
}

void group_settle(const struct evg_work_group *group)
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
		run_ask(worker->run);
}

/* The work-group has used up what it was given: whether to go on. */
static enum evg_run_result next_slice(struct worker *worker,
				      struct evg_wavefront *wavefront,
				      struct error *error)
{
	struct run *run = worker->run;
	struct evg_work_group *group = wavefront->group;

	take_back_budget(worker, group);
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
		group_settle(group);
		end_slice(worker);
	}
	if (atomic_load(&run->stop) ||
	    group->index > atomic_load(&run->failed))
		return EVG_RUN_LIMIT;
	give_budget(worker, group);
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
	give_budget(worker, group);
}

int64_t worker_leave(struct worker *worker, struct evg_work_group *group)
{
	take_back_budget(worker, group);
	return worker->group_left;
}

void worker_count_done(struct worker *worker)
{
	worker->done++;
	if (worker->slice <= 0)
		end_slice(worker);
}
