/* Windows, and the threads that run the islands in them. */
#include "sim/island.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/lane.h"

/* Tickets and what was done: number of the window, number of islands. In one
 * word, so that who comes late takes nothing from a later window. */
enum { INDEX_BITS = 20 };
static const uint64_t index_mask = (1u << INDEX_BITS) - 1;

struct islands {
	struct event_queue **queues;
	size_t count, capacity;
	picoseconds window, now;
	islands_settle *settle;
	void *settle_owner;
	picoseconds next; /* a time not after the next event outside the hub */
	bool met;         /* `next` is not known */
	bool checks;
	void **raised;
	size_t raised_capacity;

	struct lane *lanes; /* one per thread */
	unsigned lane_count;
	unsigned *divided; /* lane of each island */
	struct pair {
		size_t leader, follower;
	} *pairs;
	size_t pair_count, pair_capacity;
	bool started;
	struct helper {
		pthread_t thread;
		struct islands *islands;
		unsigned lane;
		uint64_t seen;
	} *helpers;
	unsigned helper_count;
	struct workload workload;
	uint64_t windows, parallel_windows, divisions, next_division;
	uint64_t last; /* number of the last window */
	uint64_t hub_time, settle_time; /* of a timed window, ns */

	/* The window that is being run: its number, if others shall run it,
	 * too. */
	alignas(POST_ALIGN) _Atomic uint64_t number;
	picoseconds end;
	_Atomic bool timed;
	alignas(POST_ALIGN) _Atomic uint32_t sleepers;
	_Atomic uint32_t alarm; /* what sleepers sleep on */
	_Atomic bool quit;
};

/* --- Waiting ------------------------------------------------------------ */

/* Turns of waiting, of some fifty nanoseconds: then the thread looks whether
 * it can help another one, gives the processor to others, sleeps. */
enum {
	HELP_FIRST = 4,
	HELP_TURNS = 1000,
	SPIN_TURNS = 2048,
	YIELD_TURNS = 3048,
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* Waits longer each time: a window takes some ten microseconds, but when the
 * host has other work it should get the processor. */
static void wait_turn(unsigned turn)
{
	if (turn < SPIN_TURNS)
		pause_briefly();
	else
		sched_yield();
}

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, (uint32_t *)word, operation | FUTEX_PRIVATE_FLAG,
		value, NULL, NULL, 0);
}

static uint64_t nanoseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* --- Lanes -------------------------------------------------------------- */

/* What a thread does in a window. */
struct turn {
	struct islands *islands;
	struct event_outlet *outlet;
	uint64_t number;
	uint64_t count; /* islands that it has run */
	picoseconds next; /* when they want to go on */
	bool timed;
};

static picoseconds sooner(picoseconds a, picoseconds b)
{
	return a < b ? a : b;
}

/* Its outlet is emptied for what it sends in this window, and what was sent
 * to it in the last one goes into the queues of its islands. */
static void lane_open(struct islands *islands, unsigned index, uint64_t number)
{
	struct lane *lane = &islands->lanes[index];

	lane->outlet.posts = lane->posts[number & 1];
	for (unsigned i = 0; i < islands->lane_count; i++)
		lane->outlet.posts[i].used = 0;
	lane->outlet.earliest = UINT64_MAX;
	lane->outlet.raised_count = 0;
	for (unsigned i = 0; i < islands->lane_count; i++)
		event_post_take(&islands->lanes[i].posts[~number & 1][index]);
}

/* The same, unless somebody has done it (false): a thread that the host does
 * not let run is not waited for. */
static bool lane_claim(struct turn *turn, unsigned index)
{
	struct lane *lane = &turn->islands->lanes[index];
	uint64_t claimed = atomic_load_explicit(&lane->claimed,
						memory_order_relaxed);

	if (claimed >= turn->number ||
	    !atomic_compare_exchange_strong(&lane->claimed, &claimed,
					    turn->number))
		return false;
	lane_open(turn->islands, index, turn->number);
	atomic_store_explicit(&lane->ticket, turn->number << INDEX_BITS,
			      memory_order_release);
	return true;
}

static void run_island(struct turn *turn, size_t island)
{
	struct islands *islands = turn->islands;
	struct event_queue *queue = islands->queues[island];
	picoseconds soonest = event_queue_soonest(queue);

	if (soonest < islands->end) {
		uint64_t start = turn->timed ? nanoseconds() : 0;

		event_queue_set_outlet(queue, turn->outlet);
		event_queue_run(queue, islands->end);
		soonest = event_queue_refresh(queue);
		if (turn->timed)
			islands->workload.sample[island] =
				nanoseconds() - start;
	}
	turn->next = sooner(turn->next, soonest);
	turn->count++;
}

/* Runs what is left of a lane. Who has taken an island keeps the window from
 * ending. */
static void lane_run(struct turn *turn, unsigned index)
{
	struct lane *lane = &turn->islands->lanes[index];
	uint64_t ticket = atomic_load_explicit(&lane->ticket,
					       memory_order_acquire);

	while (ticket >> INDEX_BITS == turn->number) {
		size_t index = ticket & index_mask;

		if (index >= atomic_load_explicit(&lane->count,
						  memory_order_relaxed))
			return;
		if (!atomic_compare_exchange_weak_explicit(
			    &lane->ticket, &ticket, ticket + 1,
			    memory_order_acq_rel, memory_order_acquire))
			continue;
		run_island(turn, lane->islands[index]);
		ticket++;
	}
}

/* --- Threads ------------------------------------------------------------ */

/* Tells the caller of the window what was done, and what was seen. */
static void publish(const struct turn *turn, struct lane *lane)
{
	lane->next = sooner(turn->next, turn->outlet->earliest);
	atomic_store_explicit(&lane->done,
			      turn->number << INDEX_BITS | turn->count,
			      memory_order_release);
}

/* Its own lane, which may have been opened by somebody else: only then is the
 * thread's outlet ready. False: the window has ended without it. */
static bool turn_work(struct turn *turn, struct islands *islands,
		      unsigned own, uint64_t number)
{
	struct lane *lane = &islands->lanes[own];
	uint64_t start, took = 0;

	*turn = (struct turn){
		.islands = islands,
		.outlet = &lane->outlet,
		.number = number,
		.next = UINT64_MAX,
		.timed = atomic_load_explicit(&islands->timed,
					      memory_order_relaxed),
	};
	start = turn->timed ? nanoseconds() : 0;
	lane_claim(turn, own);
	for (unsigned i = 0;
	     atomic_load_explicit(&lane->ticket, memory_order_acquire) >>
			     INDEX_BITS != number;
	     i++) {
		/* After the last window nothing comes, if its lane was divided
		 * anew before this thread came to it. */
		if (atomic_load(&islands->number) != number ||
		    atomic_load(&islands->quit))
			return false;
		wait_turn(i);
	}
	if (turn->timed)
		took = nanoseconds() - start;
	lane_run(turn, own);
	if (!turn->count)
		return true;
	if (turn->timed) {
		lane->took = took;
		lane->ran = nanoseconds() - start - took;
	}
	publish(turn, lane);
	return true;
}

/* What others have not come to: at first only lanes that nobody has opened,
 * whose threads are asleep or not let run; later also what is left of the
 * others, whose state would have to come from another processor. */
static void turn_help(struct turn *turn, unsigned own, bool all)
{
	struct islands *islands = turn->islands;
	uint64_t before = turn->count;

	for (unsigned i = 1; i < islands->lane_count; i++) {
		unsigned other = (own + i) % islands->lane_count;

		if (lane_claim(turn, other) || all)
			lane_run(turn, other);
	}
	if (turn->count == before)
		return;
	islands->lanes[own].helped += turn->count - before;
	publish(turn, &islands->lanes[own]);
}

static bool keep_waiting(const struct islands *islands, uint64_t seen)
{
	return atomic_load_explicit(&islands->number, memory_order_acquire) ==
		       seen &&
	       !atomic_load_explicit(&islands->quit, memory_order_relaxed);
}

static void *help(void *owner)
{
	struct helper *helper = owner;
	struct islands *islands = helper->islands;
	uint64_t seen = helper->seen;
	struct turn turn;
	bool here = false; /* in window `seen` */

	while (!atomic_load(&islands->quit)) {
		uint32_t alarm = atomic_load(&islands->alarm);

		for (unsigned i = 1;
		     i < YIELD_TURNS && keep_waiting(islands, seen); i++) {
			if (here && (i == HELP_FIRST || i % HELP_TURNS == 0))
				turn_help(&turn, helper->lane, i > HELP_FIRST);
			wait_turn(i);
		}
		if (atomic_load(&islands->number) != seen) {
			seen = atomic_load(&islands->number);
			here = turn_work(&turn, islands, helper->lane, seen);
			continue;
		}
		atomic_fetch_add(&islands->sleepers, 1);
		if (atomic_load(&islands->number) == seen &&
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

/* --- Division into lanes ------------------------------------------------ */

/* The hub's post comes after those of the lanes. */
static uint32_t hub_post(const struct islands *islands)
{
	return islands->lane_count;
}

/* What is under way goes into its receivers' queues. */
static void deliver_all(struct islands *islands)
{
	unsigned count = islands->lane_count;

	for (unsigned from = 0; from < count; from++)
		for (unsigned to = 0; to <= count; to++)
			for (int parity = 0; parity < 2; parity++) {
				struct event_post *post =
					&islands->lanes[from].posts[parity][to];

				/* Older than the last window: taken. */
				if (parity == (int)(islands->last & 1))
					event_post_take(post);
				post->used = 0;
			}
}

static void assign(struct islands *islands)
{
	for (unsigned i = 0; i < islands->lane_count; i++) {
		islands->lanes[i].ticket = 0; /* no longer valid */
		islands->lanes[i].count = 0;
	}
	for (size_t i = 0; i < islands->count; i++) {
		unsigned index = i ? islands->divided[i] : 0;
		struct lane *lane = &islands->lanes[index];

		event_queue_set_lane(islands->queues[i],
				     i ? index : hub_post(islands));
		event_queue_set_outlet(islands->queues[i], &lane->outlet);
		if (i)
			lane->islands[lane->count++] = i;
	}
}

static void divide(struct islands *islands)
{
	deliver_all(islands);
	workload_divide(&islands->workload, islands->count,
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
	if (workload_adjust(&islands->workload, islands->count,
			    islands->lane_count, extra, islands->divided)) {
		deliver_all(islands);
		assign(islands);
		islands->divisions++;
	}
	free(extra);
}

static void lanes_free(struct islands *islands)
{
	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct lane *lane = &islands->lanes[i];

		for (int parity = 0; parity < 2; parity++) {
			for (unsigned j = 0; j <= islands->lane_count; j++)
				event_post_free(&lane->posts[parity][j]);
			free(lane->posts[parity]);
		}
		free(lane->outlet.raised);
		free(lane->islands);
	}
	free(islands->lanes);
	islands->lanes = NULL;
	islands->lane_count = 0;
}

static void lanes_create(struct islands *islands, unsigned count)
{
	islands->lanes = xcalloc_aligned(count * sizeof *islands->lanes);
	islands->lane_count = count;
	for (unsigned i = 0; i < count; i++) {
		struct lane *lane = &islands->lanes[i];

		for (int parity = 0; parity < 2; parity++)
			lane->posts[parity] = xcalloc_aligned(
				(count + 1) * sizeof *lane->posts[parity]);
		lane->outlet.posts = lane->posts[islands->last & 1];
		lane->outlet.earliest = UINT64_MAX;
		lane->outlet.direct = count == 1;
		lane->claimed = islands->last;
	}
}

/* Islands were added, or threads. */
static void start_over(struct islands *islands)
{
	workload_create(&islands->workload, islands->count);
	for (size_t i = 0; i < islands->pair_count; i++)
		islands->workload.leader[islands->pairs[i].follower] =
			islands->pairs[i].leader;
	/* Of those that follow a follower: whom that one follows. */
	for (size_t i = 0; i < islands->count; i++) {
		size_t *leader = islands->workload.leader;

		while (leader[leader[i]] != leader[i])
			leader[i] = leader[leader[i]];
	}
	free(islands->divided);
	islands->divided = xcalloc(islands->count, sizeof *islands->divided);
	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct lane *lane = &islands->lanes[i];

		free(lane->islands);
		lane->islands = xcalloc(islands->count, sizeof(size_t));
	}
	islands->next_division = 8;
	divide(islands);
	islands->started = true;
}

void islands_set_threads(struct islands *islands, unsigned threads)
{
	stop_helpers(islands);
	deliver_all(islands);
	lanes_free(islands);
	if (!threads)
		threads = 1;
	if (threads > ISLANDS_THREADS_MAX)
		threads = ISLANDS_THREADS_MAX;
	lanes_create(islands, threads);
	start_over(islands);
	islands->helpers = xcalloc(threads, sizeof *islands->helpers);
	/* Fewer than asked for is slower, and nothing else. */
	while (islands->helper_count < threads - 1) {
		struct helper *helper =
			&islands->helpers[islands->helper_count];

		helper->islands = islands;
		helper->lane = islands->helper_count + 1;
		helper->seen = islands->number;
		if (pthread_create(&helper->thread, NULL, help, helper))
			break;
		islands->helper_count++;
	}
}

/* --- Life --------------------------------------------------------------- */

static void add(struct islands *islands, struct event_queue *queue)
{
	ARRAY_GROW(islands->queues, islands->count, islands->capacity);
	islands->queues[islands->count] = queue;
	event_queue_set_island(queue, islands->queues[0],
			       (uint32_t)islands->count++);
	if (islands->checks)
		event_queue_check_senders(queue);
	event_queue_set_lane(queue, islands->count > 1 ? 0
						       : hub_post(islands));
	event_queue_set_outlet(queue, &islands->lanes[0].outlet);
	islands->started = false;
}

struct islands *islands_create(struct event_queue *hub)
{
	struct islands *islands = xcalloc_aligned(sizeof *islands);

	islands->window = 1000;
	islands->next = UINT64_MAX;
	islands->met = true;
	lanes_create(islands, 1);
	add(islands, hub);
	return islands;
}

void islands_free(struct islands *islands)
{
	if (!islands)
		return;
	stop_helpers(islands);
	lanes_free(islands);
	workload_free(&islands->workload);
	free(islands->divided);
	for (size_t i = 1; i < islands->count; i++)
		event_queue_free(islands->queues[i]);
	free(islands->queues);
	free(islands->raised);
	free(islands->pairs);
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

void islands_pair(struct islands *islands, const struct event_queue *a,
		  const struct event_queue *b)
{
	size_t leader = event_queue_island(a), follower = event_queue_island(b);

	if (!leader || !follower || leader == follower)
		return;
	ARRAY_GROW(islands->pairs, islands->pair_count, islands->pair_capacity);
	islands->pairs[islands->pair_count++] = (struct pair){
		leader, follower,
	};
	islands->started = false;
}

void islands_set_window(struct islands *islands, picoseconds window)
{
	islands->window = window ? window : 1;
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

/* --- Windows ------------------------------------------------------------ */

static bool all_done(const struct islands *islands)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < islands->lane_count; i++) {
		uint64_t done = atomic_load_explicit(&islands->lanes[i].done,
						     memory_order_acquire);

		if (done >> INDEX_BITS == islands->last)
			count += done & index_mask;
	}
	return count == islands->count - 1;
}

static void run_parallel(struct islands *islands)
{
	struct turn turn;

	islands->parallel_windows++;
	/* Sequentially consistent, like the sleepers' look at it. */
	atomic_store(&islands->number, islands->last);
	wake(islands);
	turn_work(&turn, islands, 0, islands->last);
	for (unsigned i = 1; !all_done(islands); i++) {
		if (i == HELP_FIRST || i % HELP_TURNS == 0)
			turn_help(&turn, 0, i > HELP_FIRST);
		wait_turn(i);
	}
}

/* In the order of the islands, whatever the number of lanes. */
static void run_serial(struct islands *islands)
{
	struct turn turn = {
		.islands = islands,
		.outlet = &islands->lanes[0].outlet,
		.number = islands->last,
		.next = UINT64_MAX,
		.timed = islands->timed,
	};

	for (unsigned i = 0; i < islands->lane_count; i++) {
		lane_open(islands, i, islands->last);
		islands->lanes[i].claimed = islands->last;
	}
	for (size_t i = 1; i < islands->count; i++)
		run_island(&turn, i);
	publish(&turn, &islands->lanes[0]);
}

/* It gets at once what was sent to it in the window. */
static void run_hub(struct islands *islands)
{
	uint64_t start = islands->timed ? nanoseconds() : 0;
	struct event_queue *hub = islands->queues[0];

	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct event_post *post =
			&islands->lanes[i].posts[islands->last & 1]
						[hub_post(islands)];

		event_post_take(post);
		post->used = 0;
	}
	if (event_queue_next(hub) >= islands->end)
		return;
	event_queue_set_outlet(hub, &islands->lanes[0].outlet);
	event_queue_run(hub, islands->end);
	if (islands->timed)
		islands->hub_time = nanoseconds() - start;
}

/* When the islands want to go on, what was sent included. */
static picoseconds find_next(const struct islands *islands)
{
	picoseconds next = islands->lanes[0].outlet.earliest;

	for (unsigned i = 0; i < islands->lane_count; i++) {
		const struct lane *lane = &islands->lanes[i];

		if (lane->done >> INDEX_BITS == islands->last)
			next = sooner(next, lane->next);
	}
	return next;
}

static void settle(struct islands *islands)
{
	uint64_t start = islands->timed ? nanoseconds() : 0;
	size_t count = 0;

	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct event_outlet *outlet = &islands->lanes[i].outlet;

		for (size_t j = 0; j < outlet->raised_count; j++) {
			ARRAY_GROW(islands->raised, count,
				   islands->raised_capacity);
			islands->raised[count++] = outlet->raised[j];
		}
		outlet->raised_count = 0;
	}
	if (!count || !islands->settle)
		return;
	islands->settle(islands->settle_owner, islands->raised, count);
	if (islands->timed)
		islands->settle_time += nanoseconds() - start;
}

enum { TIMED_FIRST = 8, TIMED_EVERY = 16 };

static void count_work(struct islands *islands, uint64_t start)
{
	struct workload *workload = &islands->workload;
	bool averages = islands->windows % TIMED_EVERY == 0;

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
		workload->wall += (double)(nanoseconds() - start);
	}
	islands->hub_time = islands->settle_time = 0;
	workload_count(workload, islands->count, averages);
	if (workload->samples < islands->next_division)
		return;
	islands->next_division += islands->next_division < 64
					  ? islands->next_division
					  : 64;
	adjust(islands);
}

/* Time at which the next window begins; UINT64_MAX: none. */
static picoseconds window_start(struct islands *islands)
{
	if (!islands->started)
		start_over(islands);
	if (islands->met) {
		for (size_t i = 1; i < islands->count; i++)
			islands->next = sooner(
				islands->next,
				event_queue_refresh(islands->queues[i]));
		islands->met = false;
	}
	return sooner(sooner(islands->next, islands->lanes[0].outlet.earliest),
		      event_queue_next(islands->queues[0]));
}

bool islands_step(struct islands *islands, picoseconds limit, bool serial)
{
	picoseconds start = window_start(islands), end;
	bool timed = islands->workload.samples < TIMED_FIRST ||
		     (islands->windows + 1) % TIMED_EVERY == 0;
	bool parallel = !serial && islands->helper_count;
	uint64_t began = timed ? nanoseconds() : 0;

	if (start == UINT64_MAX)
		return false;
	if (start < islands->now)
		start = islands->now;
	end = start + islands->window;
	if (end > limit)
		end = limit;
	islands->end = end;
	atomic_store_explicit(&islands->timed, timed, memory_order_relaxed);
	islands->last++;
	islands->windows++;
	if (parallel)
		run_parallel(islands);
	else
		run_serial(islands);
	islands->now = end;
	settle(islands);
	run_hub(islands);
	settle(islands);
	islands->next = find_next(islands);
	if (timed)
		count_work(islands, began);
	return true;
}

void islands_meet(struct islands *islands)
{
	for (size_t i = 0; i < islands->count; i++)
		event_queue_set_now(islands->queues[i], islands->now);
	islands->met = true;
}

/* --- Report ------------------------------------------------------------- */

void islands_report(const struct islands *islands, FILE *stream)
{
	const struct workload *workload = &islands->workload;
	double windows = (double)workload->windows;

	fprintf(stream, "[ Islands ]\nThreads = %u\nIslands = %zu\n"
		"WindowLength = %llu ps\nWindows = %llu\n"
		"ParallelWindows = %llu\nTimedWindows = %llu\n"
		"Divisions = %llu\nSharedSources = %llu\n",
		islands->lane_count, islands->count,
		(unsigned long long)islands->window,
		(unsigned long long)islands->windows,
		(unsigned long long)islands->parallel_windows,
		(unsigned long long)workload->windows,
		(unsigned long long)islands->divisions,
		(unsigned long long)islands_wrong(islands));
	if (!workload->windows)
		return;
	fprintf(stream, "; nanoseconds per window\nWindow = %.0f\n",
		workload->wall / windows);
	for (unsigned i = 0; i < islands->lane_count; i++) {
		const struct lane *lane = &islands->lanes[i];

		fprintf(stream, "Thread.%u.Islands = %zu\n"
			"Thread.%u.Take = %.0f\nThread.%u.Run = %.0f\n"
			"Thread.%u.Wait = %.0f\nThread.%u.Helped = %llu\n",
			i, (size_t)lane->count,
			i, (double)lane->all_took / windows,
			i, (double)lane->all_ran / windows,
			i, (workload->wall - (double)lane->all_took -
			    (double)lane->all_ran) / windows,
			i, (unsigned long long)lane->helped);
	}
	workload_report(workload, islands->count, stream);
}
