/* Islands: the order of messages, windows, threads that take over what others
 * have not come to; and how islands are divided over lanes. */
#include "sim/island.h"
#include "base/memory.h"
#include "sim/lane.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Windows up to `rest`, one at least. */
static bool run_to(struct islands *islands, picoseconds rest, bool serial)
{
	const struct islands_run run = {
		.limit = UINT64_MAX, .rest = rest, .serial = serial,
	};

	return islands_run(islands, &run);
}

/* --- Order -------------------------------------------------------------- */

enum { ISLANDS = 9, WINDOW = 4000, STEPS = 400, MOST_BYTES = 200 };
/* From this one on they are at the back, if there are any. */
enum { FIRST_BACK = 6 };

struct seen {
	picoseconds time;
	uint64_t source, tag; /* no holes: compared as bytes */
};

/* An island that sends at each step, to random others, messages of which many
 * arrive at the same time. */
struct talker {
	struct traffic *traffic;
	struct event_queue *queue;
	uint32_t source;
	uint64_t state, sent;
	unsigned steps;
	struct event_way ways[ISLANDS]; /* to each */
	struct seen *seen;
	size_t count, capacity;
	uint64_t wrong;
};

struct traffic {
	struct event_queue *hub;
	struct islands *islands;
	struct talker talkers[ISLANDS];
	unsigned burst; /* messages per step */
	bool has_back, staggered;
	uint64_t raised, settled;
};

static void hear(void *owner, uint64_t tag)
{
	struct talker *talker = owner;

	ARRAY_GROW(talker->seen, talker->count, talker->capacity);
	talker->seen[talker->count++] = (struct seen){
		event_queue_now(talker->queue),
		event_queue_source(talker->queue), tag
	};
}

struct letter {
	uint64_t tag;
	uint32_t size;
	uint8_t bytes[MOST_BYTES];
};

enum { LETTER_HEAD = offsetof(struct letter, bytes) };

/* Contents arrive as they were. */
static uint64_t land(const struct event_mail *mail)
{
	struct talker *talker = mail->way->owner;
	const struct letter *letter = (const void *)mail->contents;

	talker->wrong += mail->word != (uint32_t)letter->tag ||
			 mail->size != LETTER_HEAD + letter->size;
	for (uint32_t i = 0; i < letter->size; i++)
		talker->wrong += letter->bytes[i] !=
				 (uint8_t)(letter->tag + i);
	return letter->tag;
}

static void send(struct talker *from, struct talker *to, picoseconds delay)
{
	struct letter letter = { .tag = from->sent++ };

	if (from == to || random_draw(&from->state) % 2) {
		event_send(from->queue, to->queue, delay, from->source, hear,
			   to, letter.tag);
		return;
	}
	letter.size = random_draw(&from->state) % MOST_BYTES;
	for (uint32_t i = 0; i < letter.size; i++)
		letter.bytes[i] = (uint8_t)(letter.tag + i);
	event_send_data(from->queue, &from->ways[to - to->traffic->talkers],
			delay, (uint32_t)letter.tag, &letter,
			LETTER_HEAD + letter.size);
}

static bool is_back(const struct traffic *traffic, uint32_t talker)
{
	return traffic->has_back && talker >= FIRST_BACK;
}

static void talk(void *owner, uint64_t tag)
{
	struct talker *talker = owner;
	struct traffic *traffic = talker->traffic;
	picoseconds now = event_queue_now(talker->queue);
	bool back = is_back(traffic, (uint32_t)(talker - traffic->talkers));

	(void)tag;
	if (talker->steps % 7 == 0 && !back)
		event_queue_raise(talker->queue, talker);
	for (unsigned i = random_draw(&talker->state) % traffic->burst + 1; i;
	     i--) {
		uint32_t to = random_draw(&talker->state) % ISLANDS;
		/* At one of few times, a window away or more. */
		picoseconds when = (now / WINDOW + 2 +
				    random_draw(&talker->state) % 3) * WINDOW;

		/* Not to the hub. */
		to += back && !to;
		if (back && traffic->staggered && !is_back(traffic, to))
			when += WINDOW;
		send(talker, &traffic->talkers[to], when - now);
	}
	if (--talker->steps)
		event_schedule(talker->queue,
			       random_draw(&talker->state) % 2 ? 0 : 2500,
			       talker->source, talk, talker, 0);
}

static void settle(void *owner, void *const *raised, size_t count)
{
	struct traffic *traffic = owner;

	for (size_t i = 0; i < count; i++)
		traffic->raised += raised[i] != NULL;
	traffic->settled++;
}

struct kind {
	unsigned burst;
	bool has_back, staggered;
};

static void traffic_open(struct traffic *traffic, const struct kind *kind)
{
	memset(traffic, 0, sizeof *traffic);
	traffic->burst = kind->burst;
	traffic->has_back = kind->has_back;
	traffic->staggered = kind->staggered;
	traffic->hub = event_queue_create();
	traffic->islands = islands_create(traffic->hub);
	islands_check(traffic->islands);
	islands_set_window(traffic->islands, WINDOW, kind->staggered);
	islands_set_settle(traffic->islands, settle, traffic);
	for (unsigned i = 0; i < ISLANDS; i++) {
		struct talker *talker = &traffic->talkers[i];

		talker->traffic = traffic;
		talker->queue = i ? islands_add(traffic->islands)
				  : traffic->hub;
		if (is_back(traffic, i))
			islands_set_back(traffic->islands, talker->queue);
		talker->source = event_source_create(talker->queue);
		talker->state = i * 77 + 5;
		talker->steps = STEPS;
		event_schedule(talker->queue, i * 100, talker->source, talk,
			       talker, 0);
	}
	for (unsigned i = 0; i < ISLANDS; i++)
		for (unsigned j = 0; j < ISLANDS; j++)
			event_way_set(&traffic->talkers[i].ways[j],
				      traffic->talkers[i].queue,
				      traffic->talkers[j].queue,
				      traffic->talkers[i].source, hear,
				      &traffic->talkers[j], land);
}

static void traffic_close(struct traffic *traffic)
{
	islands_free(traffic->islands);
	event_queue_free(traffic->hub);
	for (unsigned i = 0; i < ISLANDS; i++)
		free(traffic->talkers[i].seen);
}

/* Threads change and windows are serial now and then, if `mixed`. */
static void traffic_run(struct traffic *traffic, unsigned threads, bool mixed)
{
	struct islands *islands = traffic->islands;
	unsigned runs = 0;

	islands_set_threads(islands, threads);
	for (;;) {
		picoseconds rest = UINT64_MAX;

		if (mixed) {
			rest = islands_now(islands) + runs % 40 * WINDOW;
			if (runs % 5 == 4)
				islands_set_threads(islands, runs / 5 % 5 + 1);
		}
		if (!run_to(islands, rest, mixed && runs % 3 == 0))
			break;
		runs++;
	}
}

/* By time, by source, and each source's in the order in which they were
 * sent. */
static bool in_order(const struct talker *talker)
{
	for (size_t i = 1; i < talker->count; i++) {
		const struct seen *a = &talker->seen[i - 1], *b = a + 1;

		if (a->time > b->time ||
		    (a->time == b->time && a->source > b->source) ||
		    (a->time == b->time && a->source == b->source &&
		     a->tag >= b->tag))
			return false;
	}
	return true;
}

static uint64_t ties(const struct talker *talker)
{
	uint64_t count = 0;

	for (size_t i = 1; i < talker->count; i++)
		count += talker->seen[i].time == talker->seen[i - 1].time &&
			 talker->seen[i].source != talker->seen[i - 1].source;
	return count;
}

static void check_same(const struct traffic *a, const struct traffic *b)
{
	CU_ASSERT_EQUAL(a->raised, b->raised);
	CU_ASSERT_EQUAL(a->settled, b->settled);
	CU_ASSERT_EQUAL(islands_wrong(b->islands), 0);
	for (unsigned i = 0; i < ISLANDS; i++) {
		const struct talker *x = &a->talkers[i], *y = &b->talkers[i];

		CU_ASSERT_EQUAL_FATAL(x->count, y->count);
		CU_ASSERT_FALSE(memcmp(x->seen, y->seen,
				       x->count * sizeof *x->seen));
		CU_ASSERT_EQUAL(y->wrong, 0);
		CU_ASSERT_TRUE(in_order(y));
	}
}

static void compare_threads(const struct kind *kind)
{
	static const unsigned threads[] = { 2, 3, 4, 8 };
	struct traffic one, other;
	uint64_t sent = 0, seen = 0;

	traffic_open(&one, kind);
	traffic_run(&one, 1, false);
	for (unsigned i = 0; i < ISLANDS; i++) {
		sent += one.talkers[i].sent;
		seen += one.talkers[i].count;
		CU_ASSERT(ties(&one.talkers[i]) > 100);
	}
	CU_ASSERT_EQUAL(sent, seen);
	check_same(&one, &one);
	for (size_t i = 0; i <= ARRAY_SIZE(threads); i++) {
		bool mixed = i == ARRAY_SIZE(threads);

		traffic_open(&other, kind);
		traffic_run(&other, mixed ? 2 : threads[i], mixed);
		check_same(&one, &other);
		traffic_close(&other);
	}
	traffic_close(&one);
}

static void test_order(void)
{
	compare_threads(&(struct kind){ .burst = 4 });
}

/* Far more in a window than a block holds at first (4096 bytes). */
static void test_bursts(void)
{
	compare_threads(&(struct kind){ .burst = 100 });
}

static void test_back(void)
{
	compare_threads(&(struct kind){ .burst = 4, .has_back = true });
	compare_threads(&(struct kind){
		.burst = 4, .has_back = true, .staggered = true });
}

/* --- Sources ------------------------------------------------------------ */

static void test_sources(void)
{
	struct event_queue *hub = event_queue_create();
	struct islands *islands = islands_create(hub);
	uint32_t first = event_source_create(hub);
	struct event_queue *a = islands_add(islands), *b = islands_add(islands);

	CU_ASSERT_EQUAL(event_source_create(a), first + 1);
	CU_ASSERT_EQUAL(event_source_create(b), first + 2);
	CU_ASSERT_EQUAL(event_source_create(hub), first + 3);
	islands_free(islands);
	event_queue_free(hub);
}

struct pair {
	struct event_queue *from, *to;
	uint32_t source;
};

static void nothing(void *owner, uint64_t tag)
{
	(void)owner;
	(void)tag;
}

static void send_one(void *owner, uint64_t tag)
{
	struct pair *pair = owner;

	event_send(pair->from, pair->to, WINDOW, pair->source, nothing, NULL,
		   tag);
}

/* Two islands send to a third one, the second one with source + `apart`. */
static uint64_t wrong_of_two_senders(uint32_t apart)
{
	struct event_queue *hub = event_queue_create();
	struct islands *islands = islands_create(hub);
	struct event_queue *to = islands_add(islands);
	struct pair pairs[2];
	uint64_t wrong;

	islands_check(islands);
	islands_set_window(islands, WINDOW, false);
	for (uint32_t i = 0; i < 2; i++) {
		pairs[i] = (struct pair){ islands_add(islands), to,
					  3 + i * apart };
		event_schedule(pairs[i].from, 0, 0, send_one, &pairs[i], 0);
	}
	while (run_to(islands, 0, false))
		;
	wrong = islands_wrong(islands);
	islands_free(islands);
	event_queue_free(hub);
	return wrong;
}

static void test_duplicates(void)
{
	CU_ASSERT_EQUAL(wrong_of_two_senders(1), 0);
	CU_ASSERT_EQUAL(wrong_of_two_senders(0), 1);
}

/* --- Windows ------------------------------------------------------------ */

struct times {
	struct event_queue *queue;
	struct islands *islands;
	picoseconds seen[8], end[8]; /* islands_now() then */
	unsigned count;
};

static void note(void *owner, uint64_t tag)
{
	struct times *times = owner;

	(void)tag;
	if (times->count == ARRAY_SIZE(times->seen))
		return;
	times->seen[times->count] = event_queue_now(times->queue);
	times->end[times->count++] = islands_now(times->islands);
}

static void test_windows(void)
{
	struct event_queue *hub = event_queue_create();
	struct islands *islands = islands_create(hub);
	struct event_queue *queue = islands_add(islands);
	struct times in = { .queue = queue, .islands = islands };
	struct times at_hub = { .queue = hub, .islands = islands };

	islands_set_window(islands, WINDOW, false);
	CU_ASSERT_EQUAL(islands_window(islands), WINDOW);
	CU_ASSERT_EQUAL(islands_count(islands), 2);
	CU_ASSERT_FALSE(run_to(islands, 0, false));
	event_schedule(queue, 100, 0, note, &in, 0);
	event_schedule(queue, 1000000, 0, note, &in, 0);
	event_schedule(hub, 1000500, 0, note, &at_hub, 0);
	islands_meet(islands);

	/* To the window's end, which no island has come past. */
	CU_ASSERT_TRUE(run_to(islands, 0, false));
	CU_ASSERT_EQUAL(in.count, 1);
	CU_ASSERT(islands_now(islands) > 100 &&
		  islands_now(islands) <= 100 + WINDOW);
	/* Where nothing happens no window is run, but for what is not known
	 * exactly. */
	for (int i = 0; i < 2 && in.count < 2; i++)
		CU_ASSERT_TRUE(run_to(islands, 0, false));
	CU_ASSERT_EQUAL(in.count, 2);
	CU_ASSERT_EQUAL(in.seen[1], 1000000);
	/* The hub in the same window, after the others. */
	CU_ASSERT_EQUAL(at_hub.count, 1);
	CU_ASSERT_EQUAL(at_hub.seen[0], 1000500);
	CU_ASSERT(islands_now(islands) > 1000500);
	CU_ASSERT_FALSE(run_to(islands, 0, false));
	islands_free(islands);
	event_queue_free(hub);
}

/* A limit ends a window early, and nothing at it or behind it is run. */
static void test_limit(void)
{
	struct event_queue *hub = event_queue_create();
	struct islands *islands = islands_create(hub);
	struct event_queue *queue = islands_add(islands);
	struct times in = { .queue = queue, .islands = islands };
	const struct islands_run run = { .limit = 1500, .rest = UINT64_MAX };

	islands_set_window(islands, WINDOW, false);
	event_schedule(queue, 0, 0, note, &in, 0);
	event_schedule(queue, 1499, 0, note, &in, 0);
	event_schedule(queue, 1500, 0, note, &in, 0);
	CU_ASSERT_TRUE(islands_run(islands, &run));
	CU_ASSERT_EQUAL(islands_now(islands), 1500);
	CU_ASSERT_EQUAL(in.count, 2);
	CU_ASSERT_TRUE(run_to(islands, 0, false));
	CU_ASSERT_EQUAL(in.count, 3);
	CU_ASSERT_EQUAL(in.end[2], 1500);
	islands_free(islands);
	event_queue_free(hub);
}

struct goal {
	struct times *times;
	unsigned count;
};

static bool seen_enough(void *owner)
{
	const struct goal *goal = owner;

	return goal->times->count >= goal->count;
}

/* Where a run ends does not depend on threads: at a time, or in the window in
 * which the hub has seen enough. */
static void test_ends(void)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct event_queue *hub = event_queue_create();
		struct islands *islands = islands_create(hub);
		struct event_queue *queue = islands_add(islands);
		struct times at_hub = { .queue = hub, .islands = islands };
		struct goal goal = { &at_hub, 2 };
		struct islands_run run = {
			.limit = UINT64_MAX, .rest = 100 * WINDOW,
			.until = seen_enough, .owner = &goal,
		};

		islands_add(islands);
		islands_set_window(islands, WINDOW, false);
		islands_set_threads(islands, threads);
		for (uint64_t i = 0; i < 5; i++)
			event_schedule(hub, i * 3 * WINDOW + 1, 0, note,
				       &at_hub, 0);
		/* So far away that nothing is run on the way to it. */
		event_schedule(queue, 1000 * WINDOW, 0, note, &at_hub, 0);
		CU_ASSERT_TRUE(islands_run(islands, &run));
		CU_ASSERT_EQUAL(islands_now(islands), 4 * WINDOW);
		CU_ASSERT_EQUAL(at_hub.count, 2);
		goal.count = 100;
		while (islands_now(islands) < run.rest)
			CU_ASSERT_TRUE_FATAL(islands_run(islands, &run));
		CU_ASSERT_EQUAL(islands_now(islands), 100 * WINDOW);
		CU_ASSERT_EQUAL(at_hub.count, 5);
		run.rest = UINT64_MAX;
		while (islands_run(islands, &run))
			;
		/* Of the last event. */
		CU_ASSERT_EQUAL(islands_now(islands), 1000 * WINDOW);
		CU_ASSERT_EQUAL(at_hub.count, 6);
		islands_free(islands);
		event_queue_free(hub);
	}
}

/* --- Take-over ---------------------------------------------------------- */

static void keep_to_one_processor(bool keep)
{
	static cpu_set_t all;
	cpu_set_t one;

	if (!keep) {
		CU_ASSERT_EQUAL(sched_setaffinity(0, sizeof all, &all), 0);
		return;
	}
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (int i = 0; !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	CU_ASSERT_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Who has run an island. */
struct visit {
	pthread_t thread;
	_Atomic bool happened;
};

static void visit(void *owner, uint64_t tag)
{
	struct visit *visit = owner;

	(void)tag;
	visit->thread = pthread_self();
	visit->happened = true;
}

/* On three threads, each with something to do. */
static void four_islands(struct islands *islands, struct visit visits[4])
{
	for (size_t i = 0; i < 4; i++)
		event_schedule(islands_add(islands), WINDOW, 0, visit,
			       &visits[i], 0);
	islands_set_window(islands, WINDOW, false);
	islands_set_threads(islands, 3);
}

static _Atomic unsigned begun;

static void begin(void)
{
	begun++;
}

/* Each thread but the caller's own prepares itself. */
static void test_begin(void)
{
	struct event_queue *hub = event_queue_create();
	struct islands *islands = islands_create(hub);
	struct visit visits[4] = { 0 };

	islands_set_begin(islands, begin);
	four_islands(islands, visits);
	CU_ASSERT_TRUE(run_to(islands, 0, false));
	islands_free(islands);
	event_queue_free(hub);
	CU_ASSERT_EQUAL(begun, 2);
}

/* Threads on one processor, so that the helpers sleep or wait for it while the
 * caller runs: it must run their lanes, too. */
static void test_take_over(void)
{
	unsigned taken = 0;

	keep_to_one_processor(true);
	for (int round = 0; round < 20; round++) {
		struct event_queue *hub = event_queue_create();
		struct islands *islands = islands_create(hub);
		struct visit visits[4] = { 0 };

		four_islands(islands, visits);
		CU_ASSERT_TRUE(run_to(islands, 0, false));
		for (size_t i = 0; i < 4; i++) {
			CU_ASSERT_TRUE(visits[i].happened);
			taken += pthread_equal(visits[i].thread,
					       pthread_self());
		}
		islands_free(islands);
		event_queue_free(hub);
	}
	/* At least two of four are other lanes' than the caller's. */
	CU_ASSERT(taken > 2 * 20);
	keep_to_one_processor(false);
}

/* All on one processor, so that helpers come when the last window has ended
 * without them, and its lanes were divided anew: they must not wait for what
 * never comes. A hang ends the program. */
static void test_late_helpers(void)
{
	keep_to_one_processor(true);
	alarm(20);
	for (int round = 0; round < 20; round++) {
		struct event_queue *hub = event_queue_create();
		struct islands *islands = islands_create(hub);
		struct visit visits[4] = { 0 };

		four_islands(islands, visits);
		CU_ASSERT_TRUE(run_to(islands, 0, false));
		CU_ASSERT_TRUE(visits[0].happened);
		islands_add(islands);
		CU_ASSERT_FALSE(run_to(islands, 0, false));
		usleep(500);
		islands_free(islands);
		event_queue_free(hub);
	}
	alarm(0);
	keep_to_one_processor(false);
}

/* --- Lanes -------------------------------------------------------------- */

static void test_divide(void)
{
	/* The hub has no lane. */
	double weight[] = { 1000, 5, 1, 1, 1, 4, 2 };
	unsigned lane[ARRAY_SIZE(weight)];

	lanes_divide(weight, ARRAY_SIZE(weight), 2, lane);
	/* 5, 4, 2, 1, 1, 1: to who has least, the lower of equals. */
	CU_ASSERT_EQUAL(lane[1], 0);
	CU_ASSERT_EQUAL(lane[5], 1);
	CU_ASSERT_EQUAL(lane[6], 1);
	CU_ASSERT_EQUAL(lane[2], 0);
	CU_ASSERT_EQUAL(lane[3], 0);
	CU_ASSERT_EQUAL(lane[4], 1);
	/* More lanes than islands. */
	lanes_divide(weight, 3, 8, lane);
	CU_ASSERT_NOT_EQUAL(lane[1], lane[2]);
	/* Nothing but the hub. */
	lanes_divide(weight, 1, 2, lane);
}

static void test_adjust(void)
{
	double weight[] = { 1000, 6, 5, 4, 3, 2, 2 }, extra[] = { 0, 0 };
	unsigned lane[] = { 0, 0, 0, 0, 1, 1, 1 };

	/* 15 and 7: 4 goes, and it is 11 and 11. */
	CU_ASSERT_EQUAL(lanes_adjust(weight, 7, 2, extra, lane), 1);
	CU_ASSERT_EQUAL(lane[3], 1);
	CU_ASSERT_EQUAL(lanes_adjust(weight, 7, 2, extra, lane), 0);
	/* A lane that has more to do beside its islands gives some away: 5,
	 * for which it gets 2. */
	extra[0] = 6;
	CU_ASSERT_EQUAL(lanes_adjust(weight, 7, 2, extra, lane), 2);
	CU_ASSERT_EQUAL(lane[1], 0);
	CU_ASSERT_EQUAL(lane[2], 1);
	CU_ASSERT_EQUAL(lane[5], 0);
	/* One that is too heavy stays alone. */
	weight[1] = 100;
	CU_ASSERT_EQUAL(lanes_adjust(weight, 7, 2, extra, lane), 1);
	CU_ASSERT_EQUAL(lane[1], 0);
	CU_ASSERT_EQUAL(lane[5], 1);
	CU_ASSERT_EQUAL(lanes_adjust(weight, 7, 2, extra, lane), 0);
}

static void test_weights(void)
{
	struct workload workload = { 0 };

	workload_create(&workload, 3);
	for (int i = 0; i < 20; i++) {
		workload.sample[1] = 1000;
		workload.sample[2] = 3000;
		workload_count(&workload, 3, true);
		CU_ASSERT_EQUAL(workload.sample[1], 0);
	}
	CU_ASSERT_DOUBLE_EQUAL(workload.weight[1], 1000, 1);
	CU_ASSERT_DOUBLE_EQUAL(workload.weight[2], 3000, 1);
	CU_ASSERT_DOUBLE_EQUAL(workload.total, 20 * 4000, 1);
	/* With two threads the heavier one is waited for. */
	CU_ASSERT_EQUAL(workload.projections[0].threads, 2);
	CU_ASSERT_DOUBLE_EQUAL(workload.projections[0].busiest, 20 * 3000, 1);
	/* A sample that the host has interrupted counts for little. */
	workload.sample[1] = 100000000;
	workload.sample[2] = 3000;
	workload_count(&workload, 3, false);
	CU_ASSERT(workload.weight[1] < 1200);
	CU_ASSERT_DOUBLE_EQUAL(workload.total, 20 * 4000, 1);
	workload_free(&workload);
}

int main(void)
{
	static CU_TestInfo order[] = {
		{ "messages of one time, 1 2 3 4 8 threads", test_order },
		{ "blocks that grow", test_bursts },
		{ "islands at the back, staggered or not", test_back },
		{ "islands have one count of sources", test_sources },
		{ "two senders with one source are noticed", test_duplicates },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo windows[] = {
		{ "from event to event", test_windows },
		{ "a limit ends a window", test_limit },
		{ "where a run ends", test_ends },
		{ "what threads call first", test_begin },
		{ "who waits runs what others have not come to",
		  test_take_over },
		{ "helpers that come after the last window",
		  test_late_helpers },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo lanes[] = {
		{ "islands are divided by weight", test_divide },
		{ "few islands move when lanes are not balanced",
		  test_adjust },
		{ "weights follow samples", test_weights },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "islands", NULL, NULL, NULL, NULL, order },
		{ "windows", NULL, NULL, NULL, NULL, windows },
		{ "lanes", NULL, NULL, NULL, NULL, lanes },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
