/* Networks: latencies against hand arithmetic, pressure, order, routes,
 * messages for wrong files. */
#include "network/network.h"
#include "base/memory.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <stdlib.h>
#include <string.h>

static const struct network_defaults defaults = {
	.input_buffer = 64, .output_buffer = 64, .bandwidth = 8,
};

/* --- A receiver that remembers ---------------------------------------- */

struct sink {
	struct event_queue *events;
	uint64_t order[256];
	picoseconds time[256];
	unsigned count;
	bool refuse;
};

static bool sink_receive(void *owner, void *payload, uint32_t size)
{
	struct sink *sink = owner;

	(void)size;
	if (sink->refuse)
		return false;
	if (sink->count < 256) {
		sink->order[sink->count] = (uint64_t)(uintptr_t)payload;
		sink->time[sink->count] = event_queue_now(sink->events);
	}
	sink->count++;
	return true;
}

static void no_room(void *owner)
{
	(void)owner;
}

static void drain(struct event_queue *events)
{
	while (event_queue_step(events))
		;
}

/* One switch with three end nodes: bandwidth 8 for links, 4 in the switch. */
struct star {
	struct event_queue *events;
	struct network *network;
	struct network_node *node[3], *middle;
	struct sink sink[3];
};

static void star_create(struct star *star, uint32_t latency)
{
	static const char *const names[] = { "a", "b", "c" };
	struct error error = { "" };

	memset(star, 0, sizeof *star);
	star->events = event_queue_create();
	star->network = network_create(star->events, "star", 1000, &defaults,
				       NULL);
	star->middle = network_add_node(star->network, NETWORK_SWITCH,
					"switch", 0, 0, 4);
	for (int i = 0; i < 3; i++) {
		star->node[i] = network_add_node(star->network,
						 NETWORK_END_NODE, names[i],
						 0, 0, 0);
		star->sink[i].events = star->events;
		network_node_attach(star->node[i], sink_receive, no_room,
				    &star->sink[i]);
		network_add_link(star->network, star->node[i], star->middle,
				 0, latency, 1);
		network_add_link(star->network, star->middle, star->node[i],
				 0, latency, 1);
	}
	CU_ASSERT_EQUAL(network_finish(star->network, &error), 0);
}

static void star_free(struct star *star)
{
	CU_ASSERT_EQUAL(network_pending(star->network), 0);
	network_free(star->network);
	event_queue_free(star->events);
}

static void *label(uintptr_t value)
{
	return (void *)value;
}

/* ceil(20/8) on each link, ceil(20/4) in the switch: 3 + 5 + 3 cycles. */
static void test_zero_load(void)
{
	static const struct {
		uint32_t size, latency;
		picoseconds cycles;
	} cases[] = {
		{ 1, 0, 3 }, { 4, 0, 3 }, { 8, 0, 4 }, { 20, 0, 11 },
		{ 64, 0, 32 }, { 8, 7, 18 },
	};
	struct star star;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		star_create(&star, cases[i].latency);
		CU_ASSERT_TRUE(network_send(star.node[0], star.node[1],
					    cases[i].size, label(1)));
		drain(star.events);
		CU_ASSERT_EQUAL(star.sink[1].count, 1);
		CU_ASSERT_EQUAL(star.sink[1].time[0], cases[i].cycles * 1000);
		star_free(&star);
	}
}

/* Two messages at once: the second follows when link and switch are free. */
static void test_pipeline(void)
{
	struct star star;

	star_create(&star, 0);
	CU_ASSERT_TRUE(network_send(star.node[0], star.node[1], 16, label(1)));
	CU_ASSERT_TRUE(network_send(star.node[0], star.node[1], 16, label(2)));
	drain(star.events);
	/* Link 2, switch 4, link 2; the switch is the bottleneck. */
	CU_ASSERT_EQUAL(star.sink[1].time[0], 8000);
	CU_ASSERT_EQUAL(star.sink[1].time[1], 12000);
	CU_ASSERT_EQUAL(star.sink[1].order[1], 2);
	star_free(&star);
}

/* A node with links to two others: 16 bytes take 2 cycles of its port, and
 * who has waited longest is next. */
static void test_one_port(void)
{
	struct sink sink[2] = { { .count = 0 } };
	struct event_queue *events = event_queue_create();
	struct network *network = network_create(events, "pair", 1000,
						 &defaults, NULL);
	struct network_node *from = network_add_node(network, NETWORK_END_NODE,
						     "from", 0, 0, 0);
	struct network_node *to[2];
	struct error error = { "" };

	network_node_one_port(from);
	for (int i = 0; i < 2; i++) {
		to[i] = network_add_node(network, NETWORK_END_NODE,
					 i ? "b" : "a", 0, 0, 0);
		sink[i].events = events;
		network_node_attach(to[i], sink_receive, no_room, &sink[i]);
		network_add_link(network, from, to[i], 0, 10, 1);
	}
	network_node_attach(from, sink_receive, no_room, NULL);
	CU_ASSERT_EQUAL(network_finish(network, &error), 0);
	for (uintptr_t i = 0; i < 4; i++) {
		CU_ASSERT_TRUE(network_send(from, to[0], 16, label(i)));
		CU_ASSERT_TRUE(network_send(from, to[1], 16, label(i)));
	}
	drain(events);
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(sink[0].order[i], i);
		CU_ASSERT_EQUAL(sink[1].order[i], i);
		CU_ASSERT_EQUAL(sink[0].time[i], 12000 + 4000 * i);
		CU_ASSERT_EQUAL(sink[1].time[i], 14000 + 4000 * i);
	}
	CU_ASSERT_EQUAL(network_pending(network), 0);
	network_free(network);
	event_queue_free(events);
}

/* Two senders, one receiver: its link carries 8 bytes per cycle at most, the
 * output port of the switch 4. */
static void test_contention(void)
{
	struct star star;

	star_create(&star, 0);
	network_send(star.node[0], star.node[2], 16, label(1));
	network_send(star.node[1], star.node[2], 16, label(2));
	drain(star.events);
	CU_ASSERT_EQUAL(star.sink[2].count, 2);
	CU_ASSERT_EQUAL(star.sink[2].order[0], 1);
	CU_ASSERT_EQUAL(star.sink[2].time[0], 8000);
	CU_ASSERT_EQUAL(star.sink[2].time[1], 12000);
	star_free(&star);
}

/* A receiver that takes nothing fills every buffer back to the sender; when
 * it takes again, everything arrives in order and nothing is lost. */
static void test_back_pressure(void)
{
	struct star star;
	uintptr_t sent = 0;

	star_create(&star, 0);
	star.sink[1].refuse = true;
	for (int i = 0; i < 100; i++) {
		while (network_send(star.node[0], star.node[1], 16,
				    label(sent + 1)))
			sent++;
		drain(star.events);
	}
	/* Four messages of 16 bytes in each of four buffers. */
	CU_ASSERT_EQUAL(sent, 16);
	CU_ASSERT_EQUAL(network_pending(star.network), 16);
	/* Others are not held up at the switch. */
	CU_ASSERT_TRUE(network_send(star.node[2], star.node[0], 16, label(9)));
	drain(star.events);
	CU_ASSERT_EQUAL(star.sink[0].count, 1);
	star.sink[1].refuse = false;
	network_node_resume(star.node[1]);
	drain(star.events);
	CU_ASSERT_EQUAL(star.sink[1].count, 16);
	for (unsigned i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(star.sink[1].order[i], i + 1);
	star_free(&star);
}

/* --- Random traffic in a mesh with tiny buffers ----------------------- */

enum { SIDE = 4, NODES = SIDE * SIDE, MESSAGES = 4000 };

struct mesh {
	struct event_queue *events;
	struct network *network;
	struct network_node *node[NODES], *router[NODES];
	struct mesh_end {
		struct mesh *mesh;
		unsigned index;
		uint32_t last[NODES]; /* highest number seen, by sender */
	} end[NODES];
	uint32_t sent[NODES], left;
	uint64_t state, checksum;
	unsigned received, disorder;
};

static bool mesh_receive(void *owner, void *payload, uint32_t size)
{
	struct mesh_end *end = owner;
	uintptr_t value = (uintptr_t)payload;
	uint32_t from = (uint32_t)(value % NODES);
	uint32_t number = (uint32_t)(value / NODES);

	/* Sometimes there is no time for it. */
	if (random_draw(&end->mesh->state) % 8 == 0)
		return false;
	if (number <= end->last[from])
		end->mesh->disorder++;
	end->last[from] = number;
	end->mesh->received++;
	end->mesh->checksum = end->mesh->checksum * 31 +
			      event_queue_now(end->mesh->events) + size;
	return true;
}

static void mesh_create(struct mesh *mesh, uint64_t seed)
{
	struct network_defaults tiny = { 40, 40, 8, 0, false };
	struct error error = { "" };
	char name[16];

	memset(mesh, 0, sizeof *mesh);
	mesh->state = seed;
	mesh->left = MESSAGES;
	mesh->events = event_queue_create();
	mesh->network = network_create(mesh->events, "mesh", 850, &tiny, NULL);
	for (unsigned i = 0; i < NODES; i++) {
		snprintf(name, sizeof name, "n%u", i);
		mesh->node[i] = network_add_node(mesh->network,
						 NETWORK_END_NODE, name, 0, 0,
						 0);
		snprintf(name, sizeof name, "s%u", i);
		mesh->router[i] = network_add_node(mesh->network,
						   NETWORK_SWITCH, name, 0, 0,
						   0);
		mesh->end[i].mesh = mesh;
		mesh->end[i].index = i;
		network_node_attach(mesh->node[i], mesh_receive, no_room,
				    &mesh->end[i]);
		network_add_link(mesh->network, mesh->node[i],
				 mesh->router[i], 0, 0, 1);
		network_add_link(mesh->network, mesh->router[i],
				 mesh->node[i], 0, 0, 1);
	}
	/* All links along x before those along y: shortest routes with ties
	 * to the first link are then x first, which has no circle. */
	for (unsigned i = 0; i < NODES; i++)
		if (i % SIDE != SIDE - 1) {
			network_add_link(mesh->network, mesh->router[i],
					 mesh->router[i + 1], 0, 0, 1);
			network_add_link(mesh->network, mesh->router[i + 1],
					 mesh->router[i], 0, 0, 1);
		}
	for (unsigned i = 0; i + SIDE < NODES; i++) {
		network_add_link(mesh->network, mesh->router[i],
				 mesh->router[i + SIDE], 0, 0, 1);
		network_add_link(mesh->network, mesh->router[i + SIDE],
				 mesh->router[i], 0, 0, 1);
	}
	CU_ASSERT_EQUAL(network_finish(mesh->network, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
}

static uint64_t mesh_run(uint64_t seed)
{
	struct mesh *mesh = xmalloc(sizeof *mesh);
	uint64_t checksum;

	mesh_create(mesh, seed);
	for (unsigned step = 0; step < 1000000; step++) {
		while (mesh->left) {
			uint32_t from = random_draw(&mesh->state) % NODES;
			uint32_t to = random_draw(&mesh->state) % NODES;
			uint32_t size = 1 + random_draw(&mesh->state) % 40;

			if (from == to)
				continue;
			if (!network_send(mesh->node[from], mesh->node[to],
					  size,
					  label((uintptr_t)(mesh->sent[from] +
							    1) *
							    NODES +
						from)))
				break;
			mesh->sent[from]++;
			mesh->left--;
		}
		for (unsigned i = 0; i < NODES; i++)
			network_node_resume(mesh->node[i]);
		if (!event_queue_step(mesh->events) && !mesh->left &&
		    !network_pending(mesh->network))
			break;
	}
	CU_ASSERT_EQUAL(mesh->received, MESSAGES);
	CU_ASSERT_EQUAL(mesh->disorder, 0);
	CU_ASSERT_EQUAL(network_pending(mesh->network), 0);
	checksum = mesh->checksum;
	network_free(mesh->network);
	event_queue_free(mesh->events);
	free(mesh);
	return checksum;
}

static void test_random(void)
{
	uint64_t first = mesh_run(1);

	CU_ASSERT_EQUAL(mesh_run(1), first);
	CU_ASSERT_NOT_EQUAL(mesh_run(2), first);
}

/* --- Files ------------------------------------------------------------ */

#define HEAD                                                                   \
	"[ General ]\nFrequency = 850\n[ Network.n ]\n"                        \
	"DefaultInputBufferSize = 144\nDefaultOutputBufferSize = 144\n"        \
	"DefaultBandwidth = 72\n" /* lines 1 to 6 */
#define NODE(name, type) "[ Network.n.Node." name " ]\nType = " type "\n"
#define LINK(name, from, to)                                                   \
	"[ Network.n.Link." name " ]\nSource = " from "\nDest = " to           \
	"\nType = Bidirectional\n"

static int read_text(const char *text, struct network_set *set,
		     struct event_queue *events, struct error *error)
{
	struct ini *ini = ini_parse("net.ini", text, strlen(text), error);
	int status;

	CU_ASSERT_PTR_NOT_NULL_FATAL(ini);
	status = networks_read(set, events, NULL, ini, error);
	ini_free(ini);
	return status;
}

static void test_file(void)
{
	static const char text[] =
		HEAD NODE("a", "EndNode") NODE("b", "EndNode")
			NODE("s", "Switch") "Bandwidth = 8\n"
		LINK("l0", "a", "s") "Bandwidth = 36\nLatency = 2\n"
		LINK("l1", "s", "b");
	struct event_queue *events = event_queue_create();
	struct network_set set = { 0 };
	struct error error = { "" };
	struct stats *stats = stats_create();
	struct network *network;
	struct network_node *a, *b;
	struct sink sink = { .events = events };
	double value = 0;

	CU_ASSERT_EQUAL(read_text(text, &set, events, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	network = networks_find(&set, "N");
	CU_ASSERT_PTR_NOT_NULL_FATAL(network);
	a = network_find_node(network, "a");
	b = network_find_node(network, "b");
	CU_ASSERT_EQUAL(network_largest_message(network, a, b), 144);
	network_node_attach(b, sink_receive, no_room, &sink);
	network_send(a, b, 72, NULL);
	drain(events);
	/* 2 + 2, 9, 1 cycles of 1176 ps. */
	CU_ASSERT_EQUAL(sink.time[0], 14 * 1176);
	network_register_stats(network, stats, "network");
	CU_ASSERT_TRUE(stats_lookup(stats, "network", "Network.n.General",
				    "AverageLatency", &value));
	CU_ASSERT_DOUBLE_EQUAL(value, 14, 1e-9);
	CU_ASSERT_TRUE(stats_lookup(stats, "network",
				    "Network.n.Link.link_a.out_buf_0_s."
				    "in_buf_0", "BusyCycles", &value));
	CU_ASSERT_DOUBLE_EQUAL(value, 2, 1e-9);
	CU_ASSERT_TRUE(stats_lookup(stats, "network", "Network.n.Node.b",
				    "ReceivedBytes", &value));
	CU_ASSERT_DOUBLE_EQUAL(value, 72, 1e-9);
	/* The message is on its way to the switch for 4 of 14 cycles and then
	 * leaves its input buffer. */
	CU_ASSERT_TRUE(stats_lookup(stats, "network", "Network.n.Node.s",
				    "in_buf_0.ByteOccupancy", &value));
	CU_ASSERT_DOUBLE_EQUAL(value, 72.0 * 4 / 14, 1e-9);
	stats_free(stats);
	networks_free(&set);
	event_queue_free(events);
}

/* Four switches in a ring, an end node at each. */
#define RING                                                                   \
	HEAD NODE("a", "EndNode") NODE("b", "EndNode") NODE("c", "EndNode")    \
	NODE("d", "EndNode") NODE("sa", "Switch") NODE("sb", "Switch")         \
	NODE("sc", "Switch") NODE("sd", "Switch") LINK("a", "a", "sa")         \
	LINK("b", "b", "sb") LINK("c", "c", "sc") LINK("d", "d", "sd")
#define RING_LINK(name, from, to)                                              \
	"[ Network.n.Link." name " ]\nSource = " from "\nDest = " to           \
	"\nVC = 2\n"

static void test_circle(void)
{
	static const char plain[] =
		RING RING_LINK("ab", "sa", "sb") RING_LINK("bc", "sb", "sc")
		RING_LINK("cd", "sc", "sd") RING_LINK("da", "sd", "sa");
	/* The date line: whoever has to pass the link da takes virtual
	 * channel 1 there and after it. */
	static const char routed[] =
		RING RING_LINK("ab", "sa", "sb") RING_LINK("bc", "sb", "sc")
		RING_LINK("cd", "sc", "sd") RING_LINK("da", "sd", "sa")
		"[ Network.n.Routes ]\n"
		"sd.to.a = sa:1\nsd.to.b = sa:1\nsd.to.c = sa:1\n"
		"sa.to.b = sb:1\nsa.to.c = sb:1\nsb.to.c = sc:1\n";
	struct event_queue *events = event_queue_create();
	struct network_set set = { 0 };
	struct error error = { "" };

	CU_ASSERT_EQUAL(read_text(plain, &set, events, &error), -1);
	CU_ASSERT_STRING_EQUAL(
		error.text,
		"net.ini:3: [Network.n]: the routes can block each other: the "
		"buffers of sa-sb:0, sb-sc:0, sc-sd:0, sd-sa:0, sa-sb:0 wait "
		"in a circle; give other routes, or use a second virtual "
		"channel");
	networks_free(&set);
	error.text[0] = '\0';
	CU_ASSERT_EQUAL(read_text(routed, &set, events, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	networks_free(&set);
	event_queue_free(events);
}

static void test_bad_files(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "[ Network.n ]\nDefaultInputBufferSize = 1\n",
		  "net.ini:1: [Network.n]: DefaultOutputBufferSize is "
		  "missing" },
		{ HEAD "DefaultBandwith = 1\n",
		  "net.ini:7: [Network.n] DefaultBandwith = 1: no such "
		  "variable (did you mean 'DefaultBandwidth'?)" },
		{ HEAD "[ Network.n.Node.a ]\n",
		  "net.ini:7: [Network.n.Node.a]: Type is missing (EndNode, "
		  "Switch or Bus)" },
		{ HEAD NODE("a", "Bus") "InputBufferSize = 3\n",
		  "net.ini:9: [Network.n.Node.a] InputBufferSize = 3: only an "
		  "EndNode or a Switch has buffers" },
		{ HEAD NODE("a", "Switch") "Lanes = 3\n",
		  "net.ini:9: [Network.n.Node.a] Lanes = 3: only a Bus has "
		  "lanes" },
		{ HEAD NODE("a", "EndNode") NODE("b", "Bus")
			  LINK("l", "a", "b") "Latency = 1\n",
		  "net.ini:15: [Network.n.Link.l] Latency = 1: a link to or "
		  "from a bus has no Latency of its own, only the bus has a "
		  "bandwidth" },
		{ HEAD "Topology = Mesh\nColumns = 1\n",
		  "net.ini:7: [Network.n] Topology = Mesh: expected at least "
		  "two end nodes: give Columns and Rows" },
		{ HEAD "Topology = Ring\nColumns = 4\nVC = 3\n",
		  "net.ini:7: [Network.n] Topology = Ring: expected an even "
		  "number of virtual channels (VC), half of them for messages "
		  "past the date line, not 3" },
		{ HEAD "Rows = 4\n",
		  "net.ini:7: [Network.n] Rows = 4: can be given only "
		  "together with Topology" },
		{ HEAD NODE("a", "EndNode") "[ Network.n.Commands ]\n"
		  "Command[0] = 1 Sned m a a 4\n",
		  "net.ini:10: [Network.n.Commands] Command[0] = 1 Sned m a a "
		  "4: 'Sned': expected Send, Receive, InBufferCheck, "
		  "OutBufferCheck, NodeCheck or ExactPosCheck" },
		{ HEAD NODE("a", "EndNode") "[ Network.n.Commands ]\n"
		  "Command[0] = 1 Send a m a 4\n",
		  "net.ini:10: [Network.n.Commands] Command[0] = 1 Send a m a "
		  "4: no node 'm' in network 'n'; expected Send <message> "
		  "<from> <to> <bytes>" },
		{ HEAD NODE("a", "Nod"),
		  "net.ini:8: [Network.n.Node.a] Type = Nod: expected one of "
		  "EndNode|Switch|Bus" },
		{ HEAD NODE("a", "EndNode") "Bandwidth = 3\n",
		  "net.ini:9: [Network.n.Node.a] Bandwidth = 3: only a Switch "
		  "or a Bus has a bandwidth of its own" },
		{ HEAD NODE("left", "EndNode") NODE("right", "EndNode")
			  LINK("l", "left", "rihgt"),
		  "net.ini:13: [Network.n.Link.l] Dest = rihgt: no such node "
		  "in network 'n' (did you mean 'right'?)" },
		{ HEAD NODE("a", "EndNode") LINK("l", "a", "a"),
		  "net.ini:11: [Network.n.Link.l] Dest = a: expected two "
		  "different nodes for a link" },
		{ HEAD NODE("a", "EndNode") NODE("b", "EndNode")
			  LINK("l", "a", "b") "Bandwidth = 0x\n",
		  "net.ini:15: [Network.n.Link.l] Bandwidth = 0x: expected a "
		  "whole number, found 'x' after it" },
		{ HEAD NODE("a", "EndNode") NODE("b", "EndNode")
			  LINK("l", "a", "b")
		  "[ Network.n.Routes ]\na.to.b = b:1\n",
		  "net.ini:16: [Network.n.Routes] a.to.b = b:1: the link from "
		  "'a' to 'b' has no virtual channel 1" },
		{ HEAD NODE("a", "EndNode") NODE("b", "EndNode")
			  LINK("l", "a", "b")
		  "[ Network.n.Routes ]\na.to.x = b\n",
		  "net.ini:16: [Network.n.Routes] a.to.x = b: expected "
		  "<node>.to.<node> with two nodes of network 'n'" },
		{ HEAD NODE("a", "EndNode") NODE("b", "EndNode")
			  NODE("s", "Switch") NODE("t", "Switch")
		  LINK("1", "a", "s") LINK("2", "s", "t") LINK("3", "t", "b")
		  "[ Network.n.Routes ]\nt.to.b = s\n",
		  "net.ini:27: [Network.n.Routes]: the route from 'a' to 'b' never "
		  "arrives" },
		{ "[ Netwrok.n ]\n",
		  "net.ini:1: [Netwrok.n]: no such section" },
	};
	struct event_queue *events = event_queue_create();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct network_set set = { 0 };
		struct error error = { "" };

		CU_ASSERT_EQUAL(read_text(cases[i].text, &set, events, &error),
				-1);
		CU_ASSERT_STRING_EQUAL(error.text, cases[i].message);
		if (strcmp(error.text, cases[i].message))
			fprintf(stderr, "%s\n", error.text);
		networks_free(&set);
	}
	event_queue_free(events);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "zero-load latency is the sum of its parts",
		  test_zero_load },
		{ "messages follow each other through a switch",
		  test_pipeline },
		{ "links in turn share their node's port", test_one_port },
		{ "two senders share an output port", test_contention },
		{ "back pressure fills and drains", test_back_pressure },
		{ "random traffic in a mesh arrives in order, repeatably",
		  test_random },
		{ "a file is read", test_file },
		{ "circles of waiting buffers are refused", test_circle },
		{ "wrong files are refused", test_bad_files },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "network", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
