/* Windows, and the threads that run the islands in them. */
#include "sim/island.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* A ticket: number of the window, islands in a lane, next one to be taken. In
 * one word, so that who comes late takes nothing from a later window. */
enum { INDEX_BITS = 20, WINDOW_SHIFT = 2 * INDEX_BITS };
static const uint64_t index_mask = (1u << INDEX_BITS) - 1;

/* The islands of one thread, always the same: their state stays in its
 * processor's cache. A thread that has no more helps others. */
struct lane {
	alignas(64) _Atomic uint64_t ticket;
	struct event_queue **active; /* in the window that is being run */
	size_t count;
};

struct islands {
	struct event_queue **queues;
	size_t count, capacity;
	picoseconds window, now;
	void (*settle)(void *owner);
	void *settle_owner;

	/* The window that is being run. */
	struct lane *lanes; /* one per thread */
	unsigned lane_count;
	picoseconds end;
	uint64_t number;

	struct helper {
		pthread_t thread;
		struct islands *islands;
		unsigned lane;
	} *helpers;
	unsigned helper_count;
	alignas(64) _Atomic uint64_t started; /* number of the window */
	alignas(64) _Atomic uint64_t done; /* islands, of this window */
	alignas(64) _Atomic uint32_t sleepers;
	_Atomic uint32_t alarm; /* what sleepers sleep on */
	_Atomic bool quit;
	uint64_t islands_run, parallel_windows, windows;
};

/* --- Waiting ------------------------------------------------------------ */

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* Waits longer each time: a window takes some ten microseconds, but when the
 * host has other work it should get the processor. */
static bool wait_turn(unsigned turn)
{
	enum { SPIN = 2000, YIELD = 2100 };

	if (turn < SPIN)
		pause_briefly();
	else if (turn < YIELD)
		sched_yield();
	else
		return false;
	return true;
}

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, (uint32_t *)word, operation | FUTEX_PRIVATE_FLAG,
		value, NULL, NULL, 0);
}

static uint64_t islands_left(uint64_t ticket)
{
	uint64_t next = ticket & index_mask;
	uint64_t count = ticket >> INDEX_BITS & index_mask;

	return next < count ? count - next : 0;
}

/* --- Threads ------------------------------------------------------------ */

/* Runs what is left of a lane, down to `leave` islands. */
static void work_lane(struct islands *islands, struct lane *lane,
		      uint64_t leave)
{
	for (;;) {
		uint64_t ticket = atomic_load_explicit(&lane->ticket,
						       memory_order_relaxed);

		if (islands_left(ticket) <= leave)
			return;
		ticket = atomic_fetch_add_explicit(&lane->ticket, 1,
						   memory_order_acq_rel);
		if (!islands_left(ticket))
			return;
		event_queue_run(lane->active[ticket & index_mask],
				islands->end);
		atomic_fetch_add_explicit(&islands->done, 1,
					  memory_order_release);
	}
}

/* First the own lane. The last island of another lane is left to its thread:
 * to fetch its state costs more than to wait. */
static void work(struct islands *islands, unsigned own)
{
	work_lane(islands, &islands->lanes[own], 0);
	for (unsigned i = 1; i < islands->lane_count; i++)
		work_lane(islands,
			  &islands->lanes[(own + i) % islands->lane_count], 1);
}

static void *help(void *owner)
{
	struct helper *helper = owner;
	struct islands *islands = helper->islands;
	uint64_t seen = 0;

	while (!atomic_load(&islands->quit)) {
		uint32_t alarm = atomic_load(&islands->alarm);
		unsigned turn = 0;

		while (atomic_load_explicit(&islands->started,
					    memory_order_acquire) == seen &&
		       !atomic_load_explicit(&islands->quit,
					     memory_order_relaxed) &&
		       wait_turn(turn))
			turn++;
		if (atomic_load(&islands->started) != seen) {
			seen = atomic_load(&islands->started);
			work(islands, helper->lane);
			continue;
		}
		atomic_fetch_add(&islands->sleepers, 1);
		if (atomic_load(&islands->started) == seen &&
		    !atomic_load(&islands->quit))
			futex(&islands->alarm, FUTEX_WAIT, alarm);
		atomic_fetch_sub(&islands->sleepers, 1);
	}
	return NULL;
}

static void wake(struct islands *islands)
{
	if (!atomic_load(&islands->sleepers))
		return;
	atomic_fetch_add(&islands->alarm, 1);
	futex(&islands->alarm, FUTEX_WAKE, INT32_MAX);
}

static void stop_helpers(struct islands *islands)
{
	atomic_store(&islands->quit, true);
	atomic_fetch_add(&islands->alarm, 1);
	futex(&islands->alarm, FUTEX_WAKE, INT32_MAX);
	for (unsigned i = 0; i < islands->helper_count; i++)
		pthread_join(islands->helpers[i].thread, NULL);
	atomic_store(&islands->quit, false);
	free(islands->helpers);
	islands->helpers = NULL;
	islands->helper_count = 0;
}

static void free_lanes(struct islands *islands)
{
	for (unsigned i = 0; i < islands->lane_count; i++)
		free(islands->lanes[i].active);
	free(islands->lanes);
	islands->lanes = NULL;
	islands->lane_count = 0;
}

void islands_set_threads(struct islands *islands, unsigned threads)
{
	stop_helpers(islands);
	free_lanes(islands);
	if (!threads)
		threads = 1;
	islands->lanes = xcalloc_aligned(threads * sizeof *islands->lanes);
	islands->lane_count = threads;
	for (unsigned i = 0; i < threads; i++)
		islands->lanes[i].active = xcalloc(
			islands->count, sizeof *islands->lanes[i].active);
	islands->helpers = xcalloc(threads, sizeof *islands->helpers);
	/* Fewer than asked for is slower, and nothing else. */
	while (islands->helper_count < threads - 1) {
		struct helper *helper =
			&islands->helpers[islands->helper_count];

		helper->islands = islands;
		helper->lane = islands->helper_count + 1;
		if (pthread_create(&helper->thread, NULL, help, helper))
			break;
		islands->helper_count++;
	}
}

/* --- Life --------------------------------------------------------------- */

static void add(struct islands *islands, struct event_queue *queue)
{
	ARRAY_GROW(islands->queues, islands->count, islands->capacity);
	islands->queues[islands->count++] = queue;
	for (unsigned i = 0; i < islands->lane_count; i++)
		islands->lanes[i].active =
			xrealloc(islands->lanes[i].active,
				 islands->count * sizeof(queue));
}

struct islands *islands_create(struct event_queue *hub)
{
	struct islands *islands = xcalloc_aligned(sizeof *islands);

	islands->window = 1000;
	islands_set_threads(islands, 1);
	add(islands, hub);
	return islands;
}

void islands_free(struct islands *islands)
{
	if (!islands)
		return;
	stop_helpers(islands);
	for (size_t i = 1; i < islands->count; i++)
		event_queue_free(islands->queues[i]);
	free(islands->queues);
	free_lanes(islands);
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
	add(islands, event_queue_create());
	return islands->queues[islands->count - 1];
}

void islands_set_window(struct islands *islands, picoseconds window)
{
	islands->window = window ? window : 1;
}

picoseconds islands_window(const struct islands *islands)
{
	return islands->window;
}

void islands_set_settle(struct islands *islands, void (*settle)(void *owner),
			void *owner)
{
	islands->settle = settle;
	islands->settle_owner = owner;
}

picoseconds islands_now(const struct islands *islands)
{
	return islands->now;
}

void islands_figures(const struct islands *islands,
		     struct islands_figures *figures)
{
	*figures = (struct islands_figures){
		.windows = islands->windows,
		.islands_run = islands->islands_run,
		.parallel_windows = islands->parallel_windows,
	};
}

/* --- Windows ------------------------------------------------------------ */

static void run_parallel(struct islands *islands, size_t count)
{
	unsigned turn = 0;

	islands->parallel_windows++;
	atomic_store_explicit(&islands->done, 0, memory_order_relaxed);
	islands->number++;
	for (unsigned i = 0; i < islands->lane_count; i++)
		atomic_store_explicit(&islands->lanes[i].ticket,
				      islands->number << WINDOW_SHIFT |
					      (uint64_t)islands->lanes[i].count
						      << INDEX_BITS,
				      memory_order_release);
	/* Sequentially consistent, like the sleepers' look at it. */
	atomic_store(&islands->started, islands->number);
	wake(islands);
	work(islands, 0);
	while (atomic_load_explicit(&islands->done, memory_order_acquire) <
	       count)
		if (wait_turn(turn))
			turn++;
		else
			sched_yield();
}

/* In the order of the islands, whatever the number of lanes. */
static void run_serial(struct islands *islands, picoseconds end)
{
	for (size_t i = 1; i < islands->count; i++)
		if (event_queue_next(islands->queues[i]) < end)
			event_queue_run(islands->queues[i], end);
}

bool islands_step(struct islands *islands, picoseconds limit, bool serial)
{
	picoseconds start = UINT64_MAX, end;
	size_t active = 0;

	for (size_t i = 0; i < islands->count; i++) {
		picoseconds next = event_queue_next(islands->queues[i]);

		if (next < start)
			start = next;
	}
	if (start == UINT64_MAX)
		return false;
	if (start < islands->now)
		start = islands->now;
	end = start + islands->window;
	if (end > limit)
		end = limit;
	islands->end = end;
	for (unsigned i = 0; i < islands->lane_count; i++)
		islands->lanes[i].count = 0;
	for (size_t i = 1; i < islands->count; i++) {
		struct lane *lane = &islands->lanes[i % islands->lane_count];

		if (event_queue_next(islands->queues[i]) >= end)
			continue;
		lane->active[lane->count++] = islands->queues[i];
		active++;
	}
	islands->windows++;
	islands->islands_run += active;
	if (serial || active < 2 || !islands->helper_count)
		run_serial(islands, end);
	else
		run_parallel(islands, active);
	event_queue_run(islands->queues[0], end);
	for (size_t i = 0; i < islands->count; i++)
		event_queue_deliver(islands->queues[i]);
	islands->now = end;
	if (islands->settle)
		islands->settle(islands->settle_owner);
	return true;
}

void islands_meet(struct islands *islands)
{
	for (size_t i = 0; i < islands->count; i++)
		event_queue_set_now(islands->queues[i], islands->now);
}
