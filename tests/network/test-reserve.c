/* Messages that are given to the network ahead of time arrive, and are counted, as
 * those that are sent at their time. */
#include "network/network.h"
#include "base/memory.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 4000, LARGEST = 72, LOOKS = 50 };

struct letter {
	uint32_t size;
	picoseconds decided, leaves, arrived;
	struct letter *next; /* waits for room */
};

/* A sender that decides when messages leave, as a module does. */
struct sender {
	struct event_queue *events;
	struct network *network;
	struct network_node *from, *to;
	struct network_link *link;
	uint32_t source, departing;
	uint64_t seed;
	bool reserves, flushing;
	struct letter letters[MESSAGES], *first, *last;
	unsigned decided, arrived, wrong;
	uint64_t bytes[LOOKS];
	char *where[LOOKS]; /* network_describe() */
};

static bool receive(void *owner, void *payload, uint32_t size)
{
	struct sender *sender = owner;
	struct letter *letter = payload;

	sender->wrong += letter->arrived || letter->size != size;
	letter->arrived = event_queue_now(sender->events);
	sender->arrived++;
	return true;
}

static void put(struct sender *sender, struct letter *letter)
{
	if (!sender->first && !sender->flushing &&
	    network_send(sender->from, sender->to, letter->size, letter))
		return;
	letter->next = NULL;
	if (sender->first)
		sender->last->next = letter;
	else
		sender->first = letter;
	sender->last = letter;
}

static void room(void *owner)
{
	struct sender *sender = owner;

	while (!sender->flushing && sender->first) {
		struct letter *letter = sender->first;
		bool gone;

		sender->flushing = true;
		gone = network_send(sender->from, sender->to, letter->size,
				    letter);
		sender->flushing = false;
		if (!gone)
			return;
		sender->first = letter->next;
	}
}

static void depart(void *owner, uint64_t number)
{
	struct sender *sender = owner;

	sender->departing--;
	put(sender, &sender->letters[number]);
}

static void depart_at(void *owner, void *payload, picoseconds when)
{
	struct sender *sender = owner;
	struct letter *letter = payload;

	sender->departing++;
	event_schedule(sender->events, when - event_queue_now(sender->events),
		       sender->source, depart, sender,
		       (uint64_t)(letter - sender->letters));
}

static void decide(void *owner, uint64_t count)
{
	struct sender *sender = owner;
	picoseconds now = event_queue_now(sender->events);

	for (; count && sender->decided < MESSAGES; count--) {
		struct letter *letter = &sender->letters[sender->decided++];

		letter->size = 1 + (uint32_t)(random_draw(&sender->seed) %
					      LARGEST);
		letter->decided = now;
		letter->leaves =
			now + 1000 * (1 + random_draw(&sender->seed) % 40);
		if (random_draw(&sender->seed) % 8 == 0)
			letter->leaves += random_draw(&sender->seed) % 1000;
		if (sender->reserves && !sender->departing && !sender->first &&
		    network_send_at(sender->from, sender->to, letter->size,
				    letter, letter->leaves))
			continue;
		network_take_back(sender->from, letter->leaves);
		depart_at(sender, letter, letter->leaves);
	}
	if (sender->decided < MESSAGES)
		event_schedule(sender->events,
			       random_draw(&sender->seed) % 30000,
			       EVENT_EDGE_SOURCE, decide, sender,
			       1 + random_draw(&sender->seed) % 6);
}

static void run(struct sender *sender, uint32_t megahertz, uint32_t bandwidth,
		uint32_t latency, uint32_t output, uint32_t seed, bool reserves)
{
	struct network_defaults defaults = {
		.input_buffer = 1 << 20, .output_buffer = output,
		.bandwidth = bandwidth,
	};
	struct error error = { "" };
	bool can;

	memset(sender, 0, sizeof *sender);
	sender->seed = seed;
	sender->events = event_queue_create();
	sender->source = event_source_create(sender->events);
	sender->network = network_create(sender->events, "wire", megahertz,
					 &defaults, NULL);
	network_set_exact(sender->network, megahertz == 1000 ? 0 : megahertz);
	sender->from = network_add_node(sender->network, NETWORK_END_NODE, "a",
					0, 0, 0);
	sender->to = network_add_node(sender->network, NETWORK_END_NODE, "b",
				      0, 0, 0);
	network_add_link(sender->network, sender->from, sender->to, 0, latency,
			 1);
	network_add_link(sender->network, sender->to, sender->from, 0, latency,
			 1);
	CU_ASSERT_EQUAL(network_finish(sender->network, &error), 0);
	network_node_attach(sender->from, receive, room, sender);
	network_node_attach(sender->to, receive, room, sender);
	network_node_accept(sender->from, LARGEST);
	network_node_accept(sender->to, LARGEST);
	can = network_node_reserve(sender->from, sender->source, depart_at,
				   sender);
	CU_ASSERT_TRUE(can);
	sender->reserves = reserves;
	decide(sender, 1);
	for (int i = 0; i < LOOKS; i++) {
		uint64_t messages;
		size_t length;
		FILE *stream = open_memstream(&sender->where[i], &length);

		event_queue_run(sender->events, (i + 1) * 333333u);
		network_settle(sender->network, (i + 1) * 333333u);
		network_link_count(network_find_link(sender->network, "a",
						     "b"),
				   &messages, &sender->bytes[i]);
		network_describe(sender->network, stream);
		fclose(stream);
	}
	while (event_queue_step(sender->events))
		;
	network_settle(sender->network, 0);
	CU_ASSERT_EQUAL(sender->arrived, MESSAGES);
	CU_ASSERT_EQUAL(sender->wrong, 0);
	CU_ASSERT_EQUAL(network_pending(sender->network), 0);
}

static void compare(const struct sender *a, const struct sender *b)
{
	unsigned differ = 0;

	for (int i = 0; i < MESSAGES; i++)
		differ += a->letters[i].arrived != b->letters[i].arrived ||
			  a->letters[i].leaves != b->letters[i].leaves;
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT_EQUAL(memcmp(a->bytes, b->bytes, sizeof a->bytes), 0);
	for (int i = 0; i < LOOKS; i++)
		CU_ASSERT_STRING_EQUAL(a->where[i], b->where[i]);
	CU_ASSERT_EQUAL(network_moved(a->network), network_moved(b->network));
}

static void finish(struct sender *sender)
{
	for (int i = 0; i < LOOKS; i++)
		free(sender->where[i]);
	network_free(sender->network);
	event_queue_free(sender->events);
}

static void test_ahead(void)
{
	static const struct {
		uint32_t megahertz, bandwidth, latency, output;
	} cases[] = {
		{ 1000, 72, 32, 576 }, { 1000, 16, 4, 576 },
		{ 1000, 16, 0, 144 },  { 1000, 8, 2, 80 },
		{ 850, 72, 32, 576 },  { 600, 24, 1, 144 },
		{ 3400, 8, 0, 72 },    { 1000, 72, 0, 72 },
	};
	static struct sender early, late;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (uint32_t seed = 1; seed < 6; seed++) {
			run(&early, cases[i].megahertz, cases[i].bandwidth,
			    cases[i].latency, cases[i].output, seed, true);
			run(&late, cases[i].megahertz, cases[i].bandwidth,
			    cases[i].latency, cases[i].output, seed, false);
			compare(&early, &late);
			finish(&early);
			finish(&late);
		}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "messages ahead of time arrive in time", test_ahead },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "reserve", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
