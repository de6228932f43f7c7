/* Islands: their life, how they are divided over lanes, runs. */
#include "sim/island.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/island-state.h"

/* --- Division into lanes ------------------------------------------------ */

static void assign(struct islands *islands)
{
	for (unsigned i = 0; i < islands->lane_count; i++)
		for (int stage = 0; stage < LANE_STAGES; stage++)
			islands->lanes[i].stages[stage].count = 0;
	for (size_t i = 1; i < islands->count; i++) {
		struct lane *lane = &islands->lanes[islands->divided[i]];
		struct stage *stage = &lane->stages[islands->back[i]];

		stage->islands[stage->count++] = i;
	}
	for (size_t i = 0; i < islands->count; i++) {
		unsigned index = i ? islands->divided[i] : 0;

		event_queue_set_post(islands->queues[i],
				     i ? post_number(index, islands->back[i])
				       : hub_post(islands));
		event_queue_set_outlet(islands->queues[i],
				       &islands->lanes[index].outlets[0]);
	}
}

static void divide(struct islands *islands)
{
	lanes_divide(islands->workload.weight, islands->count,
		     islands->lane_count, islands->divided);
	assign(islands);
	islands->divisions++;
}

/* An island that moves takes its state to another processor: no more than
 * needed. */
static void adjust(struct islands *islands)
{
	double *extra = xcalloc(islands->lane_count, sizeof *extra);

	for (unsigned i = 0; i < islands->lane_count; i++)
		extra[i] = islands->lanes[i].takes;
	if (lanes_adjust(islands->workload.weight, islands->count,
			 islands->lane_count, extra, islands->divided)) {
		assign(islands);
		islands->divisions++;
	}
	free(extra);
}

static void free_lanes(struct islands *islands)
{
	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct lane *lane = &islands->lanes[i];

		for (unsigned set = 0; set < LANE_SETS; set++) {
			for (unsigned j = 0; j <= hub_post(islands); j++)
				free(lane->posts[set][j]);
			free(lane->posts[set]);
			free(lane->outlets[set].raised);
		}
		for (int stage = 0; stage < LANE_STAGES; stage++)
			free(lane->stages[stage].islands);
	}
	free(islands->lanes);
	islands->lanes = NULL;
	islands->lane_count = 0;
}

static void create_lanes(struct islands *islands, unsigned count)
{
	islands->lanes = xcalloc_aligned(count * sizeof *islands->lanes);
	islands->lane_count = count;
	for (unsigned i = 0; i < count; i++) {
		struct lane *lane = &islands->lanes[i];

		for (unsigned set = 0; set < LANE_SETS; set++) {
			lane->posts[set] = xcalloc_aligned(
				(hub_post(islands) + 1) *
				sizeof *lane->posts[set]);
			lane->outlets[set] = (struct event_outlet){
				.posts = lane->posts[set],
				.hub_post = hub_post(islands),
				.earliest = UINT64_MAX,
				.direct = count == 1,
			};
		}
	}
}

/* Islands were added, or threads. */
static void start_over(struct islands *islands)
{
	workload_create(&islands->workload, islands->count);
	free(islands->divided);
	islands->divided = xcalloc(islands->count, sizeof *islands->divided);
	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct stage *stages = islands->lanes[i].stages;

		for (int stage = 0; stage < LANE_STAGES; stage++) {
			free(stages[stage].islands);
			stages[stage].islands =
				xcalloc(islands->count, sizeof(size_t));
		}
	}
	islands->next_division = 8;
	islands->timed_until = islands->last + 16;
	divide(islands);
	islands->started = true;
}

void islands_set_threads(struct islands *islands, unsigned threads)
{
	crew_stop(islands);
	free_lanes(islands);
	if (!threads)
		threads = 1;
	if (threads > ISLANDS_THREADS_MAX)
		threads = ISLANDS_THREADS_MAX;
	create_lanes(islands, threads);
	start_over(islands);
	crew_start(islands);
}

/* --- Life --------------------------------------------------------------- */

static void add_island(struct islands *islands, struct event_queue *queue)
{
	size_t capacity = islands->capacity;

	ARRAY_GROW(islands->queues, islands->count, islands->capacity);
	if (islands->capacity > capacity)
		islands->back = xrealloc(islands->back, islands->capacity *
						sizeof *islands->back);
	islands->queues[islands->count] = queue;
	islands->back[islands->count] = false;
	event_queue_set_island(queue, islands->queues[0],
			       (uint32_t)islands->count++);
	if (islands->checks)
		event_queue_check_senders(queue);
	event_queue_set_post(queue, islands->count > 1 ? 0
						       : hub_post(islands));
	event_queue_set_outlet(queue, &islands->lanes[0].outlets[0]);
	islands->started = false;
}

struct islands *islands_create(struct event_queue *hub)
{
	struct islands *islands = xcalloc_aligned(sizeof *islands);

	islands->limit = UINT64_MAX;
	islands_set_window(islands, 1000, false);
	create_lanes(islands, 1);
	add_island(islands, hub);
	return islands;
}

void islands_free(struct islands *islands)
{
	if (!islands)
		return;
	crew_stop(islands);
	free_lanes(islands);
	workload_free(&islands->workload);
	free(islands->divided);
	for (size_t i = 1; i < islands->count; i++)
		event_queue_free(islands->queues[i]);
	free(islands->queues);
	free(islands->back);
	free(islands->raised);
	free(islands);
}

struct event_queue *islands_queue(const struct islands *islands, size_t n)
{
	return islands->queues[n];
}

size_t islands_count(const struct islands *islands)
{
	return islands->count;
}

struct event_queue *islands_add(struct islands *islands)
{
	add_island(islands, event_queue_create());
	return islands->queues[islands->count - 1];
}

void islands_set_back(struct islands *islands, const struct event_queue *queue)
{
	islands->back[event_queue_island(queue)] = true;
	islands->started = false;
}

void islands_set_window(struct islands *islands, picoseconds window,
			bool staggered)
{
	islands->window = window ? window : 1;
	islands->staggered = staggered;
	/* The time line is divided from 0 on. */
	islands->last = (islands->now + islands->window - 1) / islands->window;
}

picoseconds islands_window(const struct islands *islands)
{
	return islands->window;
}

void islands_set_settle(struct islands *islands, islands_settle *settle,
			void *owner)
{
	islands->settle = settle;
	islands->settle_owner = owner;
}

void islands_set_begin(struct islands *islands, void (*begin)(void))
{
	islands->begin = begin;
}

void islands_check(struct islands *islands)
{
	islands->checks = true;
	for (size_t i = 0; i < islands->count; i++)
		event_queue_check_senders(islands->queues[i]);
}

uint64_t islands_wrong(const struct islands *islands)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < islands->count; i++)
		wrong += event_queue_wrong_senders(islands->queues[i]);
	return wrong;
}

picoseconds islands_now(const struct islands *islands)
{
	return islands->now;
}

/* --- Runs ---------------------------------------------------------------- */

/* Takes the messages that were sent between runs. */
static void take_left(struct islands *islands)
{
	for (unsigned i = 0; i < islands->lane_count; i++)
		for (unsigned j = 0; j <= hub_post(islands); j++) {
			struct lane *lane = &islands->lanes[i];

			event_post_take(lane->posts[0][j],
					lane->outlets[0].step, islands->queues);
			event_post_clear(lane->posts[0][j]);
		}
}

/* The time of the next event, and of the last one. */
static picoseconds earliest_event(struct islands *islands, picoseconds *last)
{
	picoseconds next = UINT64_MAX;

	*last = 0;
	for (size_t i = 0; i < islands->count; i++) {
		struct event_queue *queue = islands->queues[i];

		next = sooner(next, event_queue_refresh(queue, 0));
		if (*last < event_queue_now(queue))
			*last = event_queue_now(queue);
	}
	return next;
}

/* The last window of a run that begins with `first`. */
static uint64_t last_window(const struct islands *islands, uint64_t first,
			    const struct islands_run *run)
{
	uint64_t rest = first, limit = 0;

	if (run->rest > islands->now)
		rest = (run->rest - 1) / islands->window + 1;
	if (run->limit)
		limit = (run->limit - 1) / islands->window + 1;
	return rest < limit ? rest : limit;
}

bool islands_run(struct islands *islands, const struct islands_run *run)
{
	picoseconds next, last;
	uint64_t first = islands->last + 1, rest, began;

	if (!islands->started)
		start_over(islands);
	take_left(islands);
	next = earliest_event(islands, &last);
	if (next == UINT64_MAX) {
		islands->now = last;
		return false;
	}
	/* Where nothing happens no window is run. */
	if (first < window_of(islands, next))
		first = window_of(islands, next);
	rest = last_window(islands, first, run);
	islands->limit = run->limit;
	islands->until = run->until;
	islands->until_owner = run->owner;
	began = islands_nanoseconds();
	if (first > rest) {
		islands->last = rest;
		islands->now = window_end(islands, rest);
	} else if (islands->helper_count && !run->serial) {
		run_parallel(islands, first, rest);
	} else {
		run_serial(islands, first, rest);
	}
	islands->run_time += islands_nanoseconds() - began;
	if (islands->workload.samples >= islands->next_division) {
		islands->next_division += islands->next_division < 64
						  ? islands->next_division
						  : 64;
		adjust(islands);
	}
	return true;
}

void islands_meet(struct islands *islands)
{
	for (size_t i = 0; i < islands->count; i++)
		event_queue_set_now(islands->queues[i], islands->now);
}

/* --- Report ------------------------------------------------------------- */

void islands_report(const struct islands *islands, FILE *stream)
{
	const struct workload *workload = &islands->workload;
	double windows = (double)workload->windows, wall;

	fprintf(stream, "[ Islands ]\nThreads = %u\nIslands = %zu\n"
		"WindowLength = %llu ps\nStaggered = %s\nWindows = %llu\n"
		"ParallelWindows = %llu\nTimedWindows = %llu\n"
		"Divisions = %llu\nSharedSources = %llu\n",
		islands->lane_count, islands->count,
		(unsigned long long)islands->window,
		islands->staggered ? "Yes" : "No",
		(unsigned long long)islands->windows,
		(unsigned long long)islands->parallel_windows,
		(unsigned long long)workload->windows,
		(unsigned long long)islands->divisions,
		(unsigned long long)islands_wrong(islands));
	if (!workload->windows)
		return;
	wall = (double)islands->run_time / (double)islands->windows;
	fprintf(stream, "; nanoseconds per window\nWindow = %.0f\n", wall);
	for (unsigned i = 0; i < islands->lane_count; i++) {
		const struct lane *lane = &islands->lanes[i];

		fprintf(stream, "Thread.%u.Islands = %zu\n"
			"Thread.%u.Take = %.0f\nThread.%u.Run = %.0f\n"
			"Thread.%u.Wait = %.0f\nThread.%u.Helped = %llu\n",
			i, lane->stages[0].count + lane->stages[1].count,
			i, (double)lane->all_took / windows,
			i, (double)lane->all_ran / windows,
			i, wall - (double)(lane->all_took + lane->all_ran) /
					windows,
			i, (unsigned long long)lane->helped);
	}
	workload_report(workload, islands->count, stream);
}
