/* The event queue against a sorted list, and the rules of clock domains. */
#include "unit/clock-domain.h"
#include "base/memory.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <stdlib.h>
#include <string.h>

/* --- Order ---------------------------------------------------------- */

enum { RANDOM_EVENTS = 20000 };

struct expected {
	picoseconds time;
	uint32_t source, sequence;
};

struct random_run {
	struct event_queue *queue;
	struct expected *scheduled, *seen;
	uint32_t scheduled_count, seen_count;
	uint64_t state;
};

static uint64_t draw(struct random_run *run)
{
	return random_draw(&run->state);
}

static void random_action(void *owner, uint64_t tag);

static void random_schedule(struct random_run *run)
{
	/* The same time, near, within the wheel, beyond the wheel. */
	static const uint32_t spans[] = { 1, 3000, 1000000, 200000000 };
	picoseconds delay = draw(run) % spans[draw(run) % 4];
	uint32_t source = draw(run) % 5, id = run->scheduled_count;

	run->scheduled[id].time = event_queue_now(run->queue) + delay;
	run->scheduled[id].source = source;
	run->scheduled[id].sequence = id;
	run->scheduled_count++;
	event_schedule(run->queue, delay, source, random_action, run, id);
}

static void random_action(void *owner, uint64_t tag)
{
	struct random_run *run = owner;

	run->seen[run->seen_count] = run->scheduled[tag];
	/* Runs at its own time. */
	if (run->seen[run->seen_count].time != event_queue_now(run->queue))
		run->seen[run->seen_count].time = 0;
	run->seen_count++;
	for (unsigned i = draw(run) % 3; i; i--)
		if (run->scheduled_count < RANDOM_EVENTS)
			random_schedule(run);
}

static int compare(const void *left, const void *right)
{
	const struct expected *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static void test_order(void)
{
	struct random_run run = { .queue = event_queue_create(), .state = 7 };
	uint32_t wrong = 0;

	run.scheduled = xcalloc(RANDOM_EVENTS, sizeof *run.scheduled);
	run.seen = xcalloc(RANDOM_EVENTS, sizeof *run.seen);
	while (run.scheduled_count < 200)
		random_schedule(&run);
	while (event_queue_step(run.queue))
		if (run.scheduled_count < 400)
			random_schedule(&run);
	CU_ASSERT_EQUAL(run.seen_count, run.scheduled_count);
	CU_ASSERT_TRUE(run.seen_count > 1000);
	/* Events scheduled at the current time after a later source of that
	 * time has run come late; apart from those the order is exact. */
	for (uint32_t i = 1; i < run.seen_count; i++)
		if (run.seen[i].time < run.seen[i - 1].time)
			wrong++;
	CU_ASSERT_EQUAL(wrong, 0);
	qsort(run.scheduled, run.scheduled_count, sizeof *run.scheduled,
	      compare);
	qsort(run.seen, run.seen_count, sizeof *run.seen, compare);
	CU_ASSERT_EQUAL(memcmp(run.scheduled, run.seen,
			       run.seen_count * sizeof *run.seen), 0);
	free(run.scheduled);
	free(run.seen);
	event_queue_free(run.queue);
}

struct trace {
	char text[128];
	struct event_queue *queue;
};

static void note(void *owner, uint64_t tag)
{
	struct trace *trace = owner;
	size_t used = strlen(trace->text);

	snprintf(trace->text + used, sizeof trace->text - used, "%llu@%llu ",
		 (unsigned long long)tag,
		 (unsigned long long)event_queue_now(trace->queue));
}

static void test_ties(void)
{
	struct trace trace = { .queue = event_queue_create() };
	struct event_queue *queue = trace.queue;

	event_schedule(queue, 5000000, 9, note, &trace, 1);
	event_schedule(queue, 5000000, 2, note, &trace, 2);
	event_schedule(queue, 5000000, 9, note, &trace, 3);
	event_schedule(queue, 5000000, 2, note, &trace, 4);
	event_schedule(queue, 100, 7, note, &trace, 5);
	CU_ASSERT_TRUE(event_queue_step(queue));
	CU_ASSERT_STRING_EQUAL(trace.text, "5@100 ");
	CU_ASSERT_TRUE(event_queue_step(queue));
	CU_ASSERT_STRING_EQUAL(trace.text, "5@100 2@5000000 4@5000000 "
					   "1@5000000 3@5000000 ");
	CU_ASSERT_FALSE(event_queue_step(queue));
	event_queue_free(queue);
}

/* --- Clock domains -------------------------------------------------- */

struct worker {
	struct clock_domain *domain;
	struct clock_component *self, *wakes;
	unsigned left;
	char *trace;
	char name;
};

static bool work(void *owner)
{
	struct worker *worker = owner;
	size_t used = strlen(worker->trace);

	snprintf(worker->trace + used, 16, "%c%llu ", worker->name,
		 (unsigned long long)clock_domain_cycle(worker->domain));
	if (worker->wakes)
		clock_wake(worker->wakes);
	return worker->left && --worker->left;
}

static void wake(void *owner, uint64_t tag)
{
	(void)tag;
	clock_wake(owner);
}

static void test_clock(void)
{
	struct event_queue *queue = event_queue_create();
	struct clock_domain *domain =
		clock_domain_create(queue, "core", 850.0);
	char trace[256] = "";
	struct worker a = { domain, NULL, NULL, 2, trace, 'a' };
	struct worker b = { domain, NULL, NULL, 0, trace, 'b' };
	struct worker c = { domain, NULL, NULL, 0, trace, 'c' };

	CU_ASSERT_EQUAL(clock_domain_period(domain), 1176);
	a.self = clock_component_create(domain, work, &a);
	b.self = clock_component_create(domain, work, &b);
	c.self = clock_component_create(domain, work, &c);
	/* Nobody is awake. */
	CU_ASSERT_FALSE(event_queue_step(queue));

	/* b wakes c in its own cycle and a only for the next one. */
	b.wakes = c.self;
	c.wakes = NULL;
	clock_wake(a.self);
	clock_wake(b.self);
	while (event_queue_step(queue))
		;
	CU_ASSERT_STRING_EQUAL(trace, "a0 b0 c0 a1 ");

	/* Between edges: the next edge. At an edge: that edge, after all
	 * events of its time. */
	trace[0] = '\0';
	b.wakes = a.self;
	a.left = 0;
	event_schedule(queue, 1176 * 5 + 1 - event_queue_now(queue), 0, wake,
		       b.self, 0);
	event_schedule(queue, 1176 * 9 - event_queue_now(queue), 0, wake,
		       c.self, 0);
	while (event_queue_step(queue))
		;
	CU_ASSERT_STRING_EQUAL(trace, "b6 a7 c9 ");
	CU_ASSERT_EQUAL(clock_domain_cycle(domain), 9);
	clock_component_free(b.self);
	clock_domain_free(domain);
	event_queue_free(queue);
}

/* A component that wakes itself while it goes to sleep is not lost. */
static void test_wake_self(void)
{
	struct event_queue *queue = event_queue_create();
	struct clock_domain *domain =
		clock_domain_create(queue, "core", 1000.0);
	char trace[256] = "";
	struct worker a = { domain, NULL, NULL, 0, trace, 'a' };

	a.self = clock_component_create(domain, work, &a);
	a.wakes = a.self;
	clock_wake(a.self);
	event_queue_step(queue);
	event_queue_step(queue);
	a.wakes = NULL;
	while (event_queue_step(queue))
		;
	CU_ASSERT_STRING_EQUAL(trace, "a0 a1 a2 ");
	clock_domain_free(domain);
	event_queue_free(queue);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random events run in the order of time", test_order },
		{ "ties go by source, then by sequence", test_ties },
		{ "components tick while awake", test_clock },
		{ "a wake during a tick is not lost", test_wake_self },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "event", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
