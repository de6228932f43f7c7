/* What happens in a window, whoever runs it: the islands, the hub, stores that
 * take effect; and windows on one thread. */
#include <time.h>

#include "base/memory.h"
#include "sim/island-state.h"

enum { TIMED_EVERY = 16 };

uint64_t islands_nanoseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool window_is_timed(const struct islands *islands, uint64_t n)
{
	return n % TIMED_EVERY == 0 ||
	       (n < islands->timed_until && n % 2 == 0);
}

picoseconds island_run(struct islands *islands, size_t island, uint64_t n,
		       struct event_outlet *outlet)
{
	struct event_queue *queue = islands->queues[island];
	picoseconds soonest = event_queue_soonest(queue);
	picoseconds end = window_end(islands, n);
	bool timed = window_is_timed(islands, n);
	uint64_t start;

	if (soonest >= end)
		return soonest;
	start = timed ? islands_nanoseconds() : 0;
	event_queue_set_outlet(queue, outlet);
	event_queue_run(queue, end);
	soonest = event_queue_refresh(queue);
	if (timed)
		islands->workload.sample[island] =
			islands_nanoseconds() - start;
	return soonest;
}

/* --- The end of a window ------------------------------------------------ */

static void hub_run(struct islands *islands, uint64_t n, unsigned set,
		    struct event_outlet *outlet, bool timed)
{
	uint64_t start = timed ? islands_nanoseconds() : 0;
	struct event_queue *hub = islands->queues[0];
	picoseconds end = window_end(islands, n);

	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct event_post *post =
			&islands->lanes[i].posts[set][hub_post(islands)];

		if (!post->used)
			continue;
		event_post_take(post);
		post->used = 0;
	}
	if (event_queue_next(hub) >= end)
		return;
	event_queue_set_outlet(hub, outlet);
	event_queue_run(hub, end);
	if (timed)
		islands->hub_time += islands_nanoseconds() - start;
}

static void settle(struct islands *islands, unsigned set, bool timed)
{
	uint64_t start = timed ? islands_nanoseconds() : 0;
	size_t count = 0;

	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct event_outlet *outlet = &islands->lanes[i].outlets[set];

		for (size_t j = 0; j < outlet->raised_count; j++) {
			ARRAY_GROW(islands->raised, count,
				   islands->raised_capacity);
			islands->raised[count++] = outlet->raised[j];
		}
		if (outlet->raised_count)
			outlet->raised_count = 0;
	}
	if (!count || !islands->settle)
		return;
	islands->settle(islands->settle_owner, islands->raised, count);
	if (timed)
		islands->settle_time += islands_nanoseconds() - start;
}

void window_meet(struct islands *islands, uint64_t n, unsigned set,
		 struct event_outlet *outlet)
{
	bool timed = window_is_timed(islands, n);

	settle(islands, set, timed);
	hub_run(islands, n, set, outlet, timed);
	settle(islands, set, timed);
	islands->now = window_end(islands, n);
	if (islands->until && islands->until(islands->until_owner))
		atomic_store_explicit(&islands->rest, n, memory_order_relaxed);
}

void window_weigh(struct islands *islands, uint64_t n)
{
	struct workload *workload = &islands->workload;
	bool averages = n % TIMED_EVERY == 0;

	if (!window_is_timed(islands, n) || islands->weighed == n)
		return;
	islands->weighed = n;
	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct lane *lane = &islands->lanes[i];

		if (averages) {
			lane->all_took += lane->took;
			lane->all_ran += lane->ran;
		}
		lane->takes += ((double)lane->took - lane->takes) / 32;
		lane->took = lane->ran = 0;
	}
	if (averages) {
		workload->hub += (double)islands->hub_time;
		workload->settle += (double)islands->settle_time;
	}
	islands->hub_time = islands->settle_time = 0;
	workload_count(workload, islands->count, averages);
}

/* --- On one thread ------------------------------------------------------ */

/* What the islands and the hub have sent to each other; with one lane it has
 * gone straight to the queues. */
static void take_all(struct islands *islands, struct event_post *posts)
{
	for (unsigned i = 0; i < hub_post(islands); i++) {
		event_post_take(&posts[i]);
		posts[i].used = 0;
	}
}

static void run_window(struct islands *islands, uint64_t n)
{
	struct lane *lane = &islands->lanes[0];
	struct event_outlet *outlet = &lane->outlets[0];

	for (size_t i = 1; i < islands->count; i++)
		if (!islands->back[i])
			island_run(islands, i, n, outlet);
	window_meet(islands, n, 0, outlet);
	for (size_t i = 1; i < islands->count; i++)
		if (islands->back[i])
			island_run(islands, i, n, outlet);
	take_all(islands, lane->posts[0]);
	islands->windows++;
	window_weigh(islands, n);
}

static picoseconds next_event(const struct islands *islands)
{
	picoseconds next = event_queue_next(islands->queues[0]);

	for (size_t i = 1; i < islands->count; i++)
		next = sooner(next, event_queue_soonest(islands->queues[i]));
	return next;
}

void run_serial(struct islands *islands, uint64_t first)
{
	uint64_t n = first;

	while (n <= atomic_load_explicit(&islands->rest,
					 memory_order_relaxed)) {
		picoseconds next;

		run_window(islands, n);
		islands->last = n++;
		next = next_event(islands);
		if (next == UINT64_MAX)
			return;
		/* Where nothing happens no window is run. */
		if (n < window_of(islands, next))
			n = window_of(islands, next);
	}
	islands->last = atomic_load_explicit(&islands->rest,
					     memory_order_relaxed);
	islands->now = window_end(islands, islands->last);
}
