/* The work of a window, on any thread: the islands, the hub, and stores that
 * take effect. And windows on one thread. */
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

	if (soonest >= end) {
		event_queue_pass(queue, end);
		return soonest;
	}
	start = timed ? islands_nanoseconds() : 0;
	event_queue_set_outlet(queue, outlet);
	event_queue_run(queue, end);
	soonest = event_queue_refresh(queue, end);
	if (timed)
		islands->workload.sample[island] =
			islands_nanoseconds() - start;
	return soonest;
}

/* --- The end of a window ------------------------------------------------ */

/* False: there was nothing to run. */
static bool hub_run(struct islands *islands, uint64_t n, unsigned set,
		    bool timed)
{
	uint64_t start = timed ? islands_nanoseconds() : 0;
	struct event_queue *hub = islands->queues[0];
	struct lane *first = &islands->lanes[0];
	struct event_outlet *outlet = &first->outlets[set];
	picoseconds end = window_end(islands, n);

	for (unsigned i = 0; i < islands->lane_count; i++) {
		const struct lane *lane = &islands->lanes[i];

		if (lane->sent[set] & SENT_TO_HUB)
			event_post_take(lane->posts[set][hub_post(islands)],
					front_step(n), islands->queues);
	}
	if (event_queue_next(hub) >= end)
		return false;
	event_queue_set_outlet(hub, outlet);
	event_queue_run(hub, end);
	first->sent[set] |= outlet->sent;
	first->next[set] = sooner(first->next[set], outlet->earliest);
	if (timed)
		islands->hub_time += islands_nanoseconds() - start;
	return true;
}

/* Adds the islands that raised themselves in a lane, except the first
 * `from`. */
static size_t gather(struct islands *islands, size_t count,
		     const struct event_outlet *outlet, size_t from)
{
	for (size_t i = from; i < outlet->raised_count; i++) {
		ARRAY_GROW(islands->raised, count, islands->raised_capacity);
		islands->raised[count++] = outlet->raised[i];
	}
	return count;
}

static void settle_raised(struct islands *islands, size_t count, bool timed)
{
	uint64_t start = timed ? islands_nanoseconds() : 0;

	if (!count || !islands->settle)
		return;
	islands->settle(islands->settle_owner, islands->raised, count);
	if (timed)
		islands->settle_time += islands_nanoseconds() - start;
}

bool window_meet(struct islands *islands, uint64_t n, unsigned set)
{
	const struct lane *first = &islands->lanes[0];
	bool timed = window_is_timed(islands, n);
	size_t count = 0;

	for (unsigned i = 0; i < islands->lane_count; i++)
		if (islands->lanes[i].raised[set])
			count = gather(islands, count,
				       &islands->lanes[i].outlets[set], 0);
	settle_raised(islands, count, timed);
	if (hub_run(islands, n, set, timed)) {
		/* With lane 0's outlet. */
		count = gather(islands, 0, &first->outlets[set],
			       first->raised[set]);
		settle_raised(islands, count, timed);
	}
	islands->now = window_end(islands, n);
	return islands->until && islands->until(islands->until_owner);
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

/* All islands use one outlet. With one lane, what they and the hub send to each
 * other goes straight to the queues. True: the run is to end. */
static bool run_window(struct islands *islands, uint64_t n)
{
	struct lane *lane = &islands->lanes[0];
	struct event_outlet *outlet = &lane->outlets[0];
	bool over;

	event_outlet_open(outlet, front_step(n));
	for (size_t i = 1; i < islands->count; i++)
		if (!islands->back[i])
			island_run(islands, i, n, outlet);
	lane->sent[0] = outlet->sent;
	lane->raised[0] = (uint32_t)outlet->raised_count;
	over = window_meet(islands, n, 0);
	for (size_t i = 1; i < islands->count; i++)
		if (islands->back[i])
			island_run(islands, i, n, outlet);
	for (unsigned i = 0; outlet->sent && i <= hub_post(islands); i++) {
		/* The hub has taken what was its own. */
		if (i < hub_post(islands))
			event_post_take(outlet->posts[i], outlet->step,
					islands->queues);
		event_post_clear(outlet->posts[i]);
	}
	islands->windows++;
	window_weigh(islands, n);
	return over;
}

static picoseconds next_event(const struct islands *islands)
{
	picoseconds next = event_queue_next(islands->queues[0]);

	for (size_t i = 1; i < islands->count; i++)
		next = sooner(next, event_queue_soonest(islands->queues[i]));
	return next;
}

void run_serial(struct islands *islands, uint64_t first, uint64_t rest)
{
	uint64_t n = first;

	while (n <= rest) {
		picoseconds next;

		if (run_window(islands, n))
			rest = n;
		islands->last = n++;
		next = next_event(islands);
		if (next == UINT64_MAX)
			return;
		/* Where nothing happens no window is run. */
		if (n < window_of(islands, next))
			n = window_of(islands, next);
	}
	islands->last = rest;
	islands->now = window_end(islands, rest);
}
