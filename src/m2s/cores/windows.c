#include "m2s/cores/windows.h"

#include <time.h>

#include "m2s/cores/internal.h"
#include "m2s/cores/windows-state.h"

/* More instructions than a core executes in a window. */
enum { MOST_EXECUTED = 8192 };

/* One window in so many is timed; objects of messages are balanced as often. */
enum { TIMED = 16, BALANCED = 256 };

/* ---- Messages ---- */

/* What groups have sent goes to its receivers, whose events have an order that does
 * not depend on that of these calls. */
static void take_messages(struct machine_windows *windows)
{
	for (unsigned i = 0; i < windows->count; i++) {
		struct event_outlet *outlet = &windows->group[i].outlet;

		for (uint32_t k = 0; outlet->sent && k < outlet->hub_post; k++)
			event_post_take(outlet->posts[k], outlet->step,
					windows->queues);
		event_outlet_open(outlet, outlet->step + 1);
	}
}

static void run_back(struct machine_windows *windows, picoseconds end)
{
	for (size_t i = 0; i < windows->back_count; i++)
		event_queue_run(windows->back[i], end);
}

static picoseconds start_of(const struct machine_windows *windows,
			    uint64_t cycle)
{
	return clock_cycle_start(cycle, windows->machine->frequency);
}

/* The last event before `before` of any queue has been run: windows in which only
 * messages are under way. */
static void catch_up(struct machine_windows *windows, picoseconds before)
{
	uint32_t frequency = windows->machine->frequency;

	for (;;) {
		picoseconds next = UINT64_MAX, end;
		uint64_t cycle;

		for (size_t i = 0; i < islands_count(windows->islands); i++) {
			picoseconds time =
				event_queue_next(windows->queues[i]);

			if (time < next)
				next = time;
		}
		if (next >= before)
			return;
		/* The window that has this time: cycles begin at whole
		 * picoseconds. */
		cycle = clock_cycle_at(next, frequency);
		cycle -= start_of(windows, cycle) > next;
		end = start_of(windows, (cycle / windows->cycles + 1) *
						windows->cycles);
		for (unsigned i = 0; i < windows->count; i++)
			event_queue_run(windows->group[i].events, end);
		take_messages(windows);
		run_back(windows, end);
	}
}

/* ---- Groups ---- */

/* Of the processor for this thread: the host may have other work. */
static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Since `start`, without what asking for the time takes. */
static uint64_t taken(const struct machine_windows *windows, uint64_t start)
{
	uint64_t time = nanoseconds() - start;

	return time > windows->asking ? time - windows->asking : 0;
}

/* The least that lies between two questions. */
static uint64_t asking(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 100; i++) {
		uint64_t start = nanoseconds(), time = nanoseconds() - start;

		least = time < least ? time : least;
	}
	return least;
}

/* Its cores run to the end of the window, or until one pauses. */
static void run_group(struct machine_group *group)
{
	struct x86_machine *machine = group->machine;
	struct machine_windows *windows = machine->windows;
	uint64_t start = windows->times ? nanoseconds() : 0, until;
	struct machine_core *core;

	while ((core = machine_core_behind(machine, (int)group->number,
					   &until)) &&
	       x86_core_cycle(core->core) < windows->end && !machine->failed) {
		machine_core_run(core, until < windows->end ? until
							    : windows->end);
		if (core->pause)
			break;
	}
	group->ended = !core || !core->pause;
	if (group->ended)
		event_queue_run(group->events, windows->end_time);
	group->took = windows->times ? taken(windows, start) : 0;
}

static void run_job(void *owner, unsigned n)
{
	struct machine_group *group =
		&((struct machine_windows *)owner)->group[n];

	if (!group->ended)
		run_group(group);
}

/* ---- Instructions that are left ---- */

static void give(struct machine_group *group)
{
	group->left = group->given = group->machine->left;
}

static void take_back(struct machine_group *group)
{
	group->machine->left -= group->given - group->left;
}

/* Whether groups may not use up the instructions that are left, whatever they
 * do. Else they run one after the other. */
static bool have_enough(const struct x86_machine *machine)
{
	return machine->left > (uint64_t)machine->count * MOST_EXECUTED;
}

/* Whether something observes all cores, and is made for one thread. */
static bool is_observed(const struct x86_machine *machine)
{
	return machine->check || machine->profile || machine->window ||
	       machine->config->wrong_path == FETCH_DECODES;
}

/* ---- Rounds ---- */

/* The time that `threads` would take if who is free took the next group. */
static double share(const struct machine_windows *windows, unsigned threads)
{
	double lane[PROJECTED_MOST] = { 0 }, most = 0;

	for (unsigned i = 0; i < windows->running_count; i++) {
		unsigned least = 0;

		for (unsigned k = 1; k < threads; k++)
			if (lane[k] < lane[least])
				least = k;
		lane[least] += (double)windows->running[i]->took;
	}
	for (unsigned k = 0; k < threads; k++)
		most = lane[k] > most ? lane[k] : most;
	return most;
}

static void weigh(struct machine_windows *windows)
{
	for (unsigned i = 0; i < windows->running_count; i++)
		windows->work += (double)windows->running[i]->took;
	for (unsigned i = 0; i < PROJECTIONS; i++)
		windows->busiest[i] += share(windows, 2u << i);
}

static bool has_busy(const struct machine_group *group)
{
	uint64_t until;

	return machine_core_behind(group->machine, (int)group->number, &until);
}

/* Runs the groups that have not ended. */
static void run_groups(struct machine_windows *windows)
{
	struct x86_machine *machine = windows->machine;
	bool enough = have_enough(machine);

	windows->running_count = 0;
	for (unsigned i = 0; i < windows->count; i++)
		if (!windows->group[i].ended)
			windows->running[windows->running_count++] =
				&windows->group[i];
	windows->rounds++;
	machine->apart = true;
	if (enough && windows->crew && windows->running_count > 1 &&
	    !is_observed(machine)) {
		for (unsigned i = 0; i < windows->running_count; i++)
			give(windows->running[i]);
		crew_do(windows->crew, windows->count, run_job, windows);
		for (unsigned i = 0; i < windows->running_count; i++)
			take_back(windows->running[i]);
	} else {
		for (unsigned i = 0; i < windows->running_count; i++) {
			give(windows->running[i]);
			run_group(windows->running[i]);
			take_back(windows->running[i]);
		}
	}
	machine->apart = false;
	if (windows->times)
		weigh(windows);
}

/* The paused core whose turn it is: in the order of cycles, then of numbers. */
static struct machine_core *next_paused(struct x86_machine *machine)
{
	struct machine_core *next = NULL;

	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		if (core->pause &&
		    (!next || x86_core_cycle(core->core) <
				      x86_core_cycle(next->core)))
			next = core;
	}
	return next;
}

static void serve(struct machine_windows *windows)
{
	struct x86_machine *machine = windows->machine;
	struct machine_core *core;

	while ((core = next_paused(machine)) && !machine->failed) {
		struct machine_group *group = &windows->group[core->group];

		give(group);
		machine_core_serve(core);
		take_back(group);
	}
}

/* ---- Windows ---- */

static void begin(struct machine_windows *windows)
{
	struct x86_machine *machine = windows->machine;

	for (unsigned i = 0; i < windows->count; i++) {
		struct machine_group *group = &windows->group[i];

		group->ended = !has_busy(group);
		event_queue_set_now(group->events,
				    start_of(windows, windows->end -
						      windows->cycles));
	}
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];
		struct fetch *fetch = &core->fetch;

		fetch->left = &windows->group[core->group].left;
		fetch->beside = machine->several;
		fetch->turn = windows->crew && !is_observed(machine)
				      ? &windows->turn : NULL;
		x86_caches_begin_window(core->caches, windows->end);
	}
}

static bool is_over(const struct machine_windows *windows)
{
	if (windows->machine->failed)
		return true;
	for (unsigned i = 0; i < windows->count; i++)
		if (!windows->group[i].ended)
			return false;
	return true;
}

/* All have come to the end of the window. */
static void meet(struct machine_windows *windows)
{
	struct x86_machine *machine = windows->machine;

	for (unsigned i = 0; i < windows->count; i++)
		event_queue_run(windows->group[i].events, windows->end_time);
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		if (core->state != CORE_IDLE && !core->parked &&
		    x86_core_cycle(core->core) > machine->now)
			machine->now = x86_core_cycle(core->core);
		machine_core_meet(core);
		machine_core_look_at_quantum(core);
	}
	for (unsigned i = 0; i < machine->count; i++)
		x86_caches_end_window(machine->core[i].caches);
	take_messages(windows);
	run_back(windows, windows->end_time);
}

/* Does something while no group runs. */
static void do_alone(struct machine_windows *windows,
		     void (*what)(struct machine_windows *windows))
{
	uint64_t start = windows->times ? nanoseconds() : 0;

	what(windows);
	if (windows->times)
		windows->alone += (double)taken(windows, start);
}

void machine_window_run(struct x86_machine *machine,
			const struct machine_core *first)
{
	struct machine_windows *windows = machine->windows;
	uint64_t number = x86_core_cycle(first->core) / windows->cycles;

	if (!windows->windows)
		windows->asking = asking();
	windows->times = windows->windows++ % TIMED == 0;
	windows->timed += windows->times;
	if (number * windows->cycles > windows->end)
		catch_up(windows, start_of(windows, number * windows->cycles));
	windows->end = (number + 1) * windows->cycles;
	windows->end_time = start_of(windows, windows->end);
	do_alone(windows, begin);
	do {
		run_groups(windows);
		do_alone(windows, serve);
	} while (!is_over(windows));
	do_alone(windows, meet);
	if (windows->windows % BALANCED == 0)
		memsys_balance(machine->memsys);
}
