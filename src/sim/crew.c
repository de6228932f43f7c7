/* Islands on several threads. A thread runs the islands of its lane step by
 * step, and waits for the others only as far as it must:
 *
 *	lane 0   | front 5 | back 5 | front 6 | back 6 | front 7 ...
 *	lane 1      | front 5 | back 5 | front 6 | back 6 | front 7 ...
 *	meeting                   5         6
 *
 * - The meeting of window n, where stores take effect and the hub runs, is held
 *   by the thread that is the last to end the front of window n, while the
 *   backs of that window run. Then the front of window n + 1 may begin.
 * - Messages of fronts sent in window n, and messages between backs, arrive in
 *   window n + 1 at the earliest. So the back of window n + 1 may begin when all
 *   lanes have done the back of n.
 * - Messages of backs to fronts arrive in window n + 2 at the earliest, if
 *   islands are staggered: all lanes have done the back of n when the front of
 *   n + 1 has ended, and no thread waits for it. Otherwise they arrive in window
 *   n + 1, and the front of that window waits for the back of n. */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/island-state.h"

/* Turns of waiting, of some fifty nanoseconds: then the thread looks whether
 * it can help another one, gives the processor to others, sleeps. Who helps
 * takes the state of a lane's islands to his processor, which takes longer than
 * a few steps: only when the other thread surely is not let run. */
#ifndef CREW_PATIENCE
#define CREW_PATIENCE 1024
#endif
enum {
	HELP_TURNS = 64,
	PATIENCE = CREW_PATIENCE, /* if there are processors for all */
	SPIN_TURNS = 2048,
	YIELD_TURNS = 3048,
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* A step takes some ten microseconds, but when the host has other work it
 * should get the processor. */
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

static void wake(struct islands *islands)
{
	atomic_fetch_add(&islands->alarm, 1);
	futex(&islands->alarm, FUTEX_WAKE, INT32_MAX);
}

/* --- Who has come how far ----------------------------------------------- */

static bool all_done(const struct islands *islands, uint64_t step)
{
	for (unsigned i = 0; i < islands->lane_count; i++)
		if (atomic_load(&islands->lanes[i].done) < step)
			return false;
	return true;
}

/* The last window whose meeting is over. */
static uint64_t met(const struct islands *islands)
{
	return atomic_load(&islands->meeting) / 2;
}

static bool may_begin(const struct islands *islands, uint64_t step)
{
	uint64_t n = step / LANE_STAGES;

	if (met(islands) + 1 < n || atomic_load(&islands->rest) < n)
		return false;
	if (step == front_step(n) && islands->staggered)
		return true;
	return all_done(islands, back_step(n - 1));
}

/* --- Meetings ----------------------------------------------------------- */

/* Whether nothing is to happen for many windows, as far as is known when window
 * n has ended in front, and all have done the back of the one before. */
static bool is_idle(const struct islands *islands, uint64_t n)
{
	enum { LOOK_EVERY = 8, FAR = 32 };
	picoseconds next = event_queue_next(islands->queues[0]);

	if (n % LOOK_EVERY)
		return false;
	for (unsigned i = 0; i < islands->lane_count; i++) {
		const struct lane *lane = &islands->lanes[i];
		unsigned front = step_set(front_step(n));
		unsigned back = step_set(back_step(n - 1));

		next = sooner(next, lane->next[front]);
		next = sooner(next, lane->next[back]);
	}
	return next > window_end(islands, n + FAR);
}

static void wake_sleepers(struct islands *islands)
{
	if (atomic_load(&islands->sleepers))
		wake(islands);
}

/* Holds the next meeting, if all threads have reached it and no other thread
 * holds it. */
static bool meet_try(struct islands *islands, unsigned own)
{
	uint64_t before = atomic_load(&islands->meeting), n = before / 2 + 1;

	if (before % 2 || n > atomic_load(&islands->rest) ||
	    !all_done(islands, front_step(n)) ||
	    !atomic_compare_exchange_strong(&islands->meeting, &before,
					    before + 1))
		return false;
	atomic_store_explicit(&islands->lanes[own].meets, true,
			      memory_order_relaxed);
	window_weigh(islands, n - 1);
	/* Lane 0 has done the step, and does not use its outlet any more. */
	if (window_meet(islands, n, step_set(front_step(n))) ||
	    is_idle(islands, n))
		atomic_store(&islands->rest, n);
	atomic_store_explicit(&islands->lanes[own].meets, false,
			      memory_order_relaxed);
	/* Last: the run may then be over, and another one begin. */
	atomic_store(&islands->meeting, 2 * n);
	wake_sleepers(islands);
	return true;
}

/* --- Lanes -------------------------------------------------------------- */

/* Takes the messages that were sent in a step to a stage of a lane. */
static void take_messages(struct islands *islands, uint64_t step,
			  unsigned index, bool back)
{
	uint16_t bit = event_sent_to_lane(index);
	uint32_t post = post_number(index, back);
	unsigned set = step_set(step);

	for (unsigned i = 0; i < islands->lane_count; i++)
		if (islands->lanes[i].sent[set] & bit)
			event_post_fetch(islands->lanes[i].posts[set][post]);
	for (unsigned i = 0; i < islands->lane_count; i++)
		if (islands->lanes[i].sent[set] & bit)
			event_post_take(islands->lanes[i].posts[set][post],
					step, islands->queues);
}

/* The outlet is made ready for what is sent in this step, and what was sent for
 * it goes into the queues of its islands. */
static void lane_open(struct islands *islands, unsigned index, uint64_t step)
{
	uint64_t n = step / LANE_STAGES;
	bool back = step == back_step(n);

	event_outlet_open(&islands->lanes[index].outlets[step_set(step)], step);
	take_messages(islands, front_step(n - 1), index, back);
	if (back || !islands->staggered)
		take_messages(islands, back_step(n - 1), index, back);
	else if (n > 1) /* The first window is 1. */
		take_messages(islands, back_step(n - 2), index, back);
}

/* The islands of a lane in a step. */
static void lane_run(struct islands *islands, unsigned index, uint64_t step)
{
	struct lane *lane = &islands->lanes[index];
	const struct stage *stage = &lane->stages[step % LANE_STAGES];
	unsigned set = step_set(step);
	struct event_outlet *outlet = &lane->outlets[set];
	uint64_t n = step / LANE_STAGES;
	bool timed = window_is_timed(islands, n);
	uint64_t start = timed ? islands_nanoseconds() : 0, opened = 0;
	picoseconds next = UINT64_MAX;

	lane_open(islands, index, step);
	if (timed)
		opened = islands_nanoseconds();
	for (size_t i = 0; i < stage->count; i++)
		next = sooner(next, island_run(islands, stage->islands[i], n,
					       outlet));
	lane->next[set] = sooner(next, outlet->earliest);
	lane->sent[set] = outlet->sent;
	lane->raised[set] = (uint32_t)outlet->raised_count;
	if (timed) {
		lane->took += opened - start;
		lane->ran += islands_nanoseconds() - opened;
	}
}

/* Runs the next step of a lane, if it may begin and no other thread runs it. */
static bool lane_try(struct islands *islands, unsigned index)
{
	struct lane *lane = &islands->lanes[index];
	uint64_t done = atomic_load(&lane->done), step = done + 1;

	if (atomic_load(&lane->claimed) != done || !may_begin(islands, step) ||
	    !atomic_compare_exchange_strong(&lane->claimed, &done, step))
		return false;
	lane_run(islands, index, step);
	atomic_store(&lane->done, step);
	return true;
}

/* Goes on with the thread's own lane, or holds a meeting. False: must wait. */
static bool run_lane_or_meeting(struct islands *islands, unsigned own)
{
	bool ran = lane_try(islands, own);

	return meet_try(islands, own) || ran;
}

/* Runs steps of other lanes whose threads sleep or are not scheduled. The
 * lane's state has to move here from another processor's cache. */
static void help_others(struct islands *islands, unsigned own)
{
	uint64_t helped = 0;

	for (unsigned i = 1; i < islands->lane_count; i++) {
		unsigned index = (own + i) % islands->lane_count;

		if (!atomic_load(&islands->lanes[index].meets))
			helped += lane_try(islands, index);
	}
	if (helped)
		atomic_fetch_add_explicit(&islands->lanes[own].helped, helped,
					  memory_order_relaxed);
}

/* --- Threads ------------------------------------------------------------ */

/* Does what can be done; `turn` counts how long there has been nothing. */
static void work_or_wait(struct islands *islands, unsigned own, unsigned *turn)
{
	if (run_lane_or_meeting(islands, own)) {
		*turn = 0;
		return;
	}
	if (++*turn % HELP_TURNS == 0 && *turn >= islands->patience)
		help_others(islands, own);
	wait_turn(*turn);
}

static void *help(void *owner)
{
	struct helper *helper = owner;
	struct islands *islands = helper->islands;
	unsigned turn = 0;

	if (islands->begin)
		islands->begin();
	while (!atomic_load(&islands->quit)) {
		uint32_t alarm = atomic_load(&islands->alarm);

		if (turn < YIELD_TURNS) {
			work_or_wait(islands, helper->lane, &turn);
			continue;
		}
		atomic_fetch_add(&islands->sleepers, 1);
		if (!run_lane_or_meeting(islands, helper->lane) &&
		    !atomic_load(&islands->quit))
			futex(&islands->alarm, FUTEX_WAIT, alarm);
		atomic_fetch_sub(&islands->sleepers, 1);
		turn = 0;
	}
	return NULL;
}

/* Those that the threads may use. */
static unsigned processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? 1
						      : (unsigned)CPU_COUNT(&set);
}

void crew_stop(struct islands *islands)
{
	atomic_store(&islands->quit, true);
	wake(islands);
	for (unsigned i = 0; i < islands->helper_count; i++)
		pthread_join(islands->helpers[i].thread, NULL);
	atomic_store(&islands->quit, false);
	free(islands->helpers);
	islands->helpers = NULL;
	islands->helper_count = 0;
}

void crew_start(struct islands *islands)
{
	unsigned most = islands->lane_count - 1;
	sigset_t all, before;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	islands->helpers = xcalloc(most + 1, sizeof *islands->helpers);
	islands->patience = most < processors() ? PATIENCE : HELP_TURNS;
	/* Fewer than asked for is slower, and nothing else. */
	while (islands->helper_count < most) {
		struct helper *helper =
			&islands->helpers[islands->helper_count];

		helper->islands = islands;
		helper->lane = islands->helper_count + 1;
		if (pthread_create(&helper->thread, NULL, help, helper))
			break;
		islands->helper_count++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- A run -------------------------------------------------------------- */

/* All lanes have done the window before `first`. A thread that is late from the
 * last run finds no work. */
static void lanes_set(struct islands *islands, uint64_t first)
{
	uint64_t before = back_step(first - 1);

	for (unsigned i = 0; i < islands->lane_count; i++) {
		struct lane *lane = &islands->lanes[i];

		atomic_store(&lane->claimed, before);
		atomic_store(&lane->done, before);
	}
	atomic_store(&islands->meeting, 2 * (first - 1));
}

/* What was sent in the last windows and has not been taken: nothing is left
 * then. What is sent between runs goes to the first set. */
static void take_rest(struct islands *islands, uint64_t last)
{
	for (unsigned i = 0; i < islands->lane_count; i++) {
		/* By backs to fronts in the window before: sent first. */
		if (islands->staggered)
			take_messages(islands, back_step(last - 1), i, false);
		for (unsigned stage = 0; stage < LANE_STAGES; stage++) {
			take_messages(islands, front_step(last), i, stage);
			take_messages(islands, back_step(last), i, stage);
		}
	}
	for (unsigned i = 0; i < islands->lane_count; i++)
		for (unsigned set = 0; set < LANE_SETS; set++) {
			islands->lanes[i].sent[set] = 0;
			islands->lanes[i].raised[set] = 0;
			for (uint32_t j = 0; j <= hub_post(islands); j++)
				event_post_clear(islands->lanes[i].posts[set][j]);
		}
	for (size_t i = 0; i < islands->count; i++)
		event_queue_set_outlet(islands->queues[i],
				       &islands->lanes[0].outlets[0]);
}

void run_parallel(struct islands *islands, uint64_t first, uint64_t rest)
{
	unsigned turn = 0;

	lanes_set(islands, first);
	/* Last: then it may begin. */
	atomic_store(&islands->rest, rest);
	wake_sleepers(islands);
	for (;;) {
		rest = atomic_load(&islands->rest);
		if (atomic_load(&islands->meeting) == 2 * rest &&
		    all_done(islands, back_step(rest)))
			break;
		work_or_wait(islands, 0, &turn);
	}
	islands->last = rest;
	take_rest(islands, rest);
	islands->windows += rest - first + 1;
	islands->parallel_windows += rest - first + 1;
	window_weigh(islands, rest);
}
