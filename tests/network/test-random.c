/* Random networks with tiny buffers under random traffic: every message
 * arrives once, in the order of its pair, no buffer holds more than its size,
 * credits and bytes add up, everything drains, and two runs are equal. */
#include "network/internal.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ENDS = 10, MIDDLES = 8, MESSAGES = 1500, SEEDS = 60, LARGEST = 24 };

struct world;

struct end {
	struct world *world;
	struct network_node *node;
	uint32_t sent[ENDS], last[ENDS]; /* to and from the others */
};

struct world {
	struct event_queue *events;
	struct network *network;
	struct end end[ENDS];
	struct network_node *middle[MIDDLES];
	uint64_t random, checksum;
	unsigned left, received, disorder;
};

static uint32_t draw(struct world *world, uint32_t limit)
{
	return (uint32_t)random_draw(&world->random) % limit;
}

static bool receive(void *owner, void *payload, uint32_t size)
{
	struct end *end = owner;
	uint32_t from = (uint32_t)((uintptr_t)payload % ENDS);
	uint32_t number = (uint32_t)((uintptr_t)payload / ENDS);

	if (draw(end->world, 6) == 0)
		return false;
	if (number != end->last[from] + 1)
		end->world->disorder++;
	end->last[from] = number;
	end->world->received++;
	end->world->checksum = end->world->checksum * 31 +
			       event_queue_now(end->world->events) + size;
	return true;
}

static void room(void *owner)
{
	(void)owner;
}

static void join(struct world *world, struct network_node *a,
		 struct network_node *b)
{
	bool bus = a->bus || b->bus;
	uint32_t latency = bus ? 0 : draw(world, 4);
	uint32_t bandwidth = 1 + draw(world, 16);
	unsigned channels = 1 + draw(world, 3);

	network_add_link(world->network, a, b, bandwidth, latency, channels);
	network_add_link(world->network, b, a, bandwidth, latency, channels);
}

/* A tree of switches and buses with end nodes as leaves; trees have no
 * circles. Two buses never meet. */
static void create(struct world *world, uint64_t seed)
{
	struct network_defaults defaults = { 0 };
	struct error error = { "" };
	char name[16];

	*world = (struct world){ .random = seed, .left = MESSAGES };
	world->events = event_queue_create();
	defaults.input_buffer = LARGEST + draw(world, 40);
	defaults.output_buffer = LARGEST + draw(world, 40);
	defaults.bandwidth = 1 + draw(world, 16);
	defaults.transit_first = draw(world, 2);
	world->network = network_create(world->events, "random",
					500 + draw(world, 1000), &defaults,
					NULL);
	for (unsigned i = 0; i < MIDDLES; i++) {
		struct network_node *up = i ? world->middle[draw(world, i)]
					    : NULL;
		bool bus = (!up || !up->bus) && draw(world, 3) == 0;

		snprintf(name, sizeof name, "m%u", i);
		world->middle[i] = network_add_node(
			world->network, bus ? NETWORK_BUS : NETWORK_SWITCH,
			name, 0, 0, 1 + draw(world, 16));
		if (bus)
			network_bus_lanes(world->middle[i],
					  1 + draw(world, 3));
		if (up)
			join(world, world->middle[i], up);
	}
	for (unsigned i = 0; i < ENDS; i++) {
		struct end *end = &world->end[i];

		snprintf(name, sizeof name, "n%u", i);
		end->world = world;
		end->node = network_add_node(world->network, NETWORK_END_NODE,
					     name, 0, 0, 0);
		network_node_attach(end->node, receive, room, end);
		join(world, end->node, world->middle[draw(world, MIDDLES)]);
	}
	CU_ASSERT_EQUAL_FATAL(network_finish(world->network, &error), 0);
}

static bool buffer_sound(const struct network_buffer *buffer)
{
	uint64_t bytes = 0;
	uint32_t messages = 0;

	for (const struct network_message *message = buffer->first; message;
	     message = message->next) {
		bytes += message->size;
		messages++;
	}
	return bytes == buffer->used && messages == buffer->messages &&
	       bytes <= buffer->size;
}

/* At the end every credit is back. */
static bool sound(const struct network *network, bool end)
{
	for (size_t i = 0; i < network->link_count; i++)
		for (unsigned j = 0; j < network->links[i]->channel_count;
		     j++) {
			const struct network_channel *channel =
				&network->links[i]->channels[j];
			uint32_t credit = network_channel_credit(
				channel, end ? UINT64_MAX
					     : event_queue_now(
						       network->events));

			if (!buffer_sound(&channel->in) ||
			    !buffer_sound(&channel->out) ||
			    credit > channel->in.size -
						      channel->in.used ||
			    (end && credit != channel->in.size))
				return false;
		}
	return true;
}

static void send_some(struct world *world)
{
	while (world->left) {
		uint32_t a = draw(world, ENDS), b = draw(world, ENDS);
		struct end *from = &world->end[a];
		uintptr_t label = ((uintptr_t)from->sent[b] + 1) * ENDS + a;

		if (a == b)
			continue;
		if (!network_send(from->node, world->end[b].node,
				  1 + draw(world, LARGEST), (void *)label))
			return;
		from->sent[b]++;
		world->left--;
	}
}

static uint64_t run(uint64_t seed)
{
	struct world *world = xmalloc(sizeof *world);
	bool good = true;
	uint64_t checksum;

	create(world, seed);
	for (unsigned step = 0; step < 1000000; step++) {
		send_some(world);
		for (unsigned i = 0; i < ENDS; i++)
			network_node_resume(world->end[i].node);
		if (step % 16 == 0)
			good = good && sound(world->network, false);
		if (!event_queue_step(world->events) && !world->left &&
		    !network_pending(world->network))
			break;
	}
	CU_ASSERT_TRUE(good);
	CU_ASSERT_TRUE(sound(world->network, true));
	CU_ASSERT_EQUAL(world->received, MESSAGES);
	CU_ASSERT_EQUAL(world->disorder, 0);
	CU_ASSERT_EQUAL(network_pending(world->network), 0);
	checksum = world->checksum;
	network_free(world->network);
	event_queue_free(world->events);
	free(world);
	return checksum;
}

static void test_random(void)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		CU_ASSERT_EQUAL(run(seed), run(seed));
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random trees of switches and buses lose nothing",
		  test_random },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "network-random", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
