/* Kernels whose work-groups wait for each other (WAVE_SYNC): as many as the
 * device holds are under way at a time. The first one that can go on does, up
 * to where all its wavefronts wait; when none can, one more begins. So a run
 * is the same each time, and few work-groups are open. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/run/run.h"

struct open_group {
	struct evg_work_group *group;
	int64_t left; /* instructions */
};

struct rounds {
	struct worker *worker;
	struct evg_ndrange *ndrange;
	struct open_group *open; /* in index order */
	uint64_t count, capacity;
	uint64_t next, done;     /* work-groups */
};

/* --- One work-group ------------------------------------------------------- */

static bool has_ended(const struct evg_wavefront *wavefront)
{
	return wavefront->progress.ended && !wavefront->progress.waiting;
}

static bool can_run(const struct evg_wavefront *wavefront)
{
	return !wavefront->progress.ended && !wavefront->progress.waiting;
}

/* When all wavefronts wait at the work-group's barrier they pass it. */
static enum evg_run_result pass_barrier(struct evg_work_group *group,
					bool *passed, struct error *error)
{
	struct evg_wavefront *waiting = NULL, *ended = NULL;
	uint32_t count = group->ndrange->wavefronts;
	enum evg_run_result result;

	for (uint32_t i = 0; i < count; i++) {
		struct evg_wavefront *wavefront = &group->wavefronts[i];

		if (wavefront->sync.waits)
			return EVG_RUN_ENDED;
		if (has_ended(wavefront))
			ended = wavefront;
		else
			waiting = wavefront;
	}
	result = group_pass_barrier(group, waiting, ended, error);
	*passed |= result == EVG_RUN_BARRIER;
	return result == EVG_RUN_FAULT ? EVG_RUN_FAULT : EVG_RUN_ENDED;
}

/* Up to where all wavefronts wait or have ended. */
static enum evg_run_result advance_group(struct worker *worker,
					 struct evg_work_group *group,
					 bool *moved, struct error *error)
{
	uint32_t count = group->ndrange->wavefronts;
	bool again;

	do {
		again = false;
		for (uint32_t i = 0; i < count; i++) {
			enum evg_run_result result;

			if (!can_run(&group->wavefronts[i]))
				continue;
			again = *moved = true;
			result = worker_run(worker, &group->wavefronts[i],
					    error);
			if (result == EVG_RUN_FAULT || result == EVG_RUN_LIMIT)
				return result;
		}
		if (!again &&
		    pass_barrier(group, &again, error) == EVG_RUN_FAULT)
			return EVG_RUN_FAULT;
	} while (again);
	return EVG_RUN_ENDED;
}

static bool group_ended(const struct evg_work_group *group)
{
	for (uint32_t i = 0; i < group->ndrange->wavefronts; i++)
		if (!has_ended(&group->wavefronts[i]))
			return false;
	return true;
}

/* --- All of them ---------------------------------------------------------- */

static enum evg_run_result run_one(struct rounds *rounds, uint32_t index,
				   bool *moved, struct error *error)
{
	struct open_group *open = &rounds->open[index];
	enum evg_run_result result;

	worker_enter(rounds->worker, open->group, open->left);
	result = advance_group(rounds->worker, open->group, moved, error);
	open->left = worker_leave(rounds->worker, open->group);
	return result;
}

/* Every work-group as far as it comes. */
static enum evg_run_result sweep(struct rounds *rounds, bool *moved,
				 struct error *error)
{
	for (uint32_t i = 0; i < rounds->count;) {
		enum evg_run_result result = run_one(rounds, i, moved, error);

		if (result != EVG_RUN_ENDED)
			return result;
		if (!group_ended(rounds->open[i].group)) {
			i++;
			continue;
		}
		evg_work_group_free(rounds->open[i].group);
		rounds->count--;
		rounds->done++;
		for (uint32_t k = i; k < rounds->count; k++)
			rounds->open[k] = rounds->open[k + 1];
		worker_count_done(rounds->worker);
	}
	return EVG_RUN_ENDED;
}

static bool begin_group(struct rounds *rounds)
{
	struct open_group *open = &rounds->open[rounds->count];

	if (rounds->count == rounds->capacity ||
	    rounds->next == rounds->ndrange->group_count)
		return false;
	open->group = evg_work_group_create(rounds->ndrange, rounds->next++);
	open->left = worker_group_limit(rounds->worker);
	rounds->count++;
	return true;
}

static enum evg_run_result run_rounds(struct rounds *rounds,
				      struct error *error)
{
	while (rounds->done < rounds->ndrange->group_count) {
		enum evg_run_result result;
		bool moved = false;

		result = sweep(rounds, &moved, error);
		/* Nobody has to be told who was released. */
		while (evg_ndrange_next_released(rounds->ndrange))
			;
		if (result != EVG_RUN_ENDED)
			return result;
		if (!moved && !begin_group(rounds) && rounds->count) {
			evg_fault_sync(rounds->ndrange, rounds->done,
				       rounds->count, error);
			return EVG_RUN_FAULT;
		}
	}
	return EVG_RUN_ENDED;
}

enum evg_run_result run_synchronized(struct worker *worker,
				     struct error *error)
{
	struct rounds rounds = {
		.worker = worker,
		.ndrange = worker_ndrange(worker),
	};
	enum evg_run_result result;

	rounds.ndrange->sync = (struct evg_sync){ 0 };
	rounds.capacity = worker_resident_groups(worker);
	rounds.open = xcalloc(rounds.capacity + 1, sizeof *rounds.open);
	result = run_rounds(&rounds, error);
	while (rounds.count)
		evg_work_group_free(rounds.open[--rounds.count].group);
	free(rounds.open);
	return result;
}
