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

/* The ticket: number of the window, islands in it, next island to be taken.
 * In one word, so that who comes late takes nothing from a later window. */
enum { INDEX_BITS = 20, WINDOW_SHIFT = 2 * INDEX_BITS };
static const uint64_t index_mask = (1u << INDEX_BITS) - 1;

struct islands {
	struct event_queue **queues;
	size_t count, capacity;
	picoseconds window, now;
	void (*settle)(void *owner);
	void *settle_owner;

	/* The window that is being run. */
	struct event_queue **active;
	picoseconds end;
	uint64_t number;

	pthread_t *helpers;
	unsigned helper_count;
	alignas(64) _Atomic uint64_t ticket;
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

static bool has_work(uint64_t ticket)
{
	return (ticket & index_mask) < (ticket >> INDEX_BITS & index_mask);
}

/* --- Threads ------------------------------------------------------------ */

static void work(struct islands *islands)
{
	while (has_work(atomic_load_explicit(&islands->ticket,
					     memory_order_relaxed))) {
		uint64_t ticket = atomic_fetch_add_explicit(
			&islands->ticket, 1, memory_order_acq_rel);

		if (!has_work(ticket))
			return;
		event_queue_run(islands->active[ticket & index_mask],
				islands->end);
		atomic_fetch_add_explicit(&islands->done, 1,
					  memory_order_release);
	}
}

static void *help(void *owner)
{
	struct islands *islands = owner;

	while (!atomic_load(&islands->quit)) {
		uint32_t alarm = atomic_load(&islands->alarm);
		unsigned turn = 0;

		while (!has_work(atomic_load_explicit(&islands->ticket,
						      memory_order_relaxed)) &&
		       !atomic_load_explicit(&islands->quit,
					     memory_order_relaxed) &&
		       wait_turn(turn))
			turn++;
		if (has_work(atomic_load(&islands->ticket))) {
			work(islands);
			continue;
		}
		atomic_fetch_add(&islands->sleepers, 1);
		if (!has_work(atomic_load(&islands->ticket)) &&
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
		pthread_join(islands->helpers[i], NULL);
	atomic_store(&islands->quit, false);
	free(islands->helpers);
	islands->helpers = NULL;
	islands->helper_count = 0;
}

void islands_set_threads(struct islands *islands, unsigned threads)
{
	stop_helpers(islands);
	if (threads <= 1)
		return;
	islands->helpers = xcalloc(threads - 1, sizeof *islands->helpers);
	/* Fewer than asked for is slower, and nothing else. */
	while (islands->helper_count < threads - 1 &&
	       !pthread_create(&islands->helpers[islands->helper_count], NULL,
			       help, islands))
		islands->helper_count++;
}

/* --- Life --------------------------------------------------------------- */

static void add(struct islands *islands, struct event_queue *queue)
{
	ARRAY_GROW(islands->queues, islands->count, islands->capacity);
	islands->queues[islands->count++] = queue;
	islands->active = xrealloc(islands->active,
				   islands->count * sizeof *islands->active);
}

struct islands *islands_create(struct event_queue *hub)
{
	struct islands *islands = xcalloc_aligned(sizeof *islands);

	islands->window = 1000;
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
	free(islands->active);
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
	/* Sequentially consistent, like the sleepers' look at it. */
	atomic_store(&islands->ticket,
		     ++islands->number << WINDOW_SHIFT |
			     (uint64_t)count << INDEX_BITS);
	wake(islands);
	work(islands);
	while (atomic_load_explicit(&islands->done, memory_order_acquire) <
	       count)
		if (wait_turn(turn))
			turn++;
		else
			sched_yield();
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
	for (size_t i = 1; i < islands->count; i++)
		if (event_queue_next(islands->queues[i]) < end)
			islands->active[active++] = islands->queues[i];
	islands->windows++;
	islands->islands_run += active;
	if (serial || active < 2 || !islands->helper_count)
		for (size_t i = 0; i < active; i++)
			event_queue_run(islands->active[i], end);
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
