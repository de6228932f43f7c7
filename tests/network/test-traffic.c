/* Synthetic traffic on the sample networks: latency without load against
 * hand arithmetic, throughput against the bound, repeatability; commands. */
#include "network/script.h"
#include "network/traffic.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct net {
	struct event_queue *events;
	struct network_set set;
	struct network *network;
};

static int open_text(struct net *net, struct ini *ini, struct error *error)
{
	int status;

	*net = (struct net){ .events = event_queue_create() };
	CU_ASSERT_PTR_NOT_NULL_FATAL(ini);
	status = networks_read(&net->set, net->events, NULL, ini, error);
	ini_free(ini);
	if (!status)
		net->network = net->set.networks[0];
	return status;
}

static void open_sample(struct net *net, const char *name)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/samples/network/%s.ini", top ? top : ".",
			       name);
	struct error error = { "" };

	CU_ASSERT_EQUAL_FATAL(open_text(net, ini_read(path, &error), &error),
			      0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	free(path);
}

static void close_net(struct net *net)
{
	networks_free(&net->set);
	event_queue_free(net->events);
}

static const struct network_traffic_options uniform = {
	.pattern = NETWORK_PATTERN_UNIFORM,
	.rate = 0.01,
	.size = 64,
	.cycles = 10000,
	.warm_up = 1000,
	.hotspot_fraction = 0.2,
	.burst_length = 8,
};

/* A lone message of 64 bytes: 4 cycles and 1 of wire for each link, 1 for each
 * switch; with h links between switches (h + 2) * 5 + h + 1 = 6 h + 11. The
 * mean h of uniform traffic to others: a line of k has (k+1)/3 on average for
 * different nodes, so a k x k mesh 2k/3; a ring of even n has n*n/4/(n-1). */
static const struct {
	const char *name;
	double zero_load, least; /* part of the bound that is accepted */
} samples[] = {
	{ "bus", 4, 0.98 },
	{ "crossbar", 11, 0.9 },
	{ "ring", 11 + 6 * 16.0 / 7, 0.95 },
	{ "mesh-4x4", 11 + 6 * 8.0 / 3, 0.9 },
	{ "mesh-8x8", 11 + 6 * 16.0 / 3, 0.85 },
	{ "torus-8x8", 11 + 6 * (2 * 2 * 64.0 / 63), 0.85 },
};

/* One message alone, all pairs: exact. */
struct alone {
	struct event_queue *events;
	picoseconds arrived;
};

static bool arrive(void *owner, void *payload, uint32_t size)
{
	struct alone *alone = owner;

	(void)payload;
	(void)size;
	alone->arrived = event_queue_now(alone->events);
	return true;
}

static void test_zero_load(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct network_analysis analysis;
		struct network_node *ends[64];
		struct error error = { "" };
		struct alone alone;
		unsigned count = 0;
		struct net net;
		char name[16];

		open_sample(&net, samples[i].name);
		alone.events = net.events;
		CU_ASSERT_EQUAL(network_analyse(net.network, &uniform,
						&analysis, &error), 0);
		CU_ASSERT_DOUBLE_EQUAL(analysis.zero_load,
				       samples[i].zero_load, 1e-9);
		for (; count < 64; count++) {
			snprintf(name, sizeof name, "n%u", count);
			ends[count] = network_find_node(net.network, name);
			if (!ends[count])
				break;
			network_node_attach(ends[count], arrive, NULL, &alone);
		}
		for (unsigned a = 0; a < count; a++)
			for (unsigned b = 0; b < count; b++) {
				picoseconds start =
					event_queue_now(net.events);

				if (a == b)
					continue;
				network_send(ends[a], ends[b], 64, NULL);
				while (event_queue_step(net.events))
					;
				CU_ASSERT_EQUAL(alone.arrived - start,
						1000 * network_zero_load(
							       net.network,
							       ends[a],
							       ends[b], 64));
			}
		close_net(&net);
	}
}

static void run(const char *sample,
		const struct network_traffic_options *options,
		struct network_analysis *analysis,
		struct network_traffic_result *result)
{
	struct error error = { "" };
	struct net net;

	open_sample(&net, sample);
	CU_ASSERT_EQUAL(network_analyse(net.network, options, analysis,
					&error), 0);
	CU_ASSERT_EQUAL(network_traffic(net.network, options, result, &error),
			0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_EQUAL(network_pending(net.network), 0);
	close_net(&net);
}

static void test_saturation(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct network_traffic_options options = uniform;
		struct network_traffic_result result;
		struct network_analysis analysis;
		double part;

		run(samples[i].name, &options, &analysis, &result);
		options.rate = analysis.bound < 0.5 ? 2 * analysis.bound : 1;
		options.cycles = 4000;
		run(samples[i].name, &options, &analysis, &result);
		part = result.accepted / analysis.bound;
		/* The window may end with a few more out than in. */
		CU_ASSERT_TRUE(part <= 1.005);
		CU_ASSERT_TRUE(part >= samples[i].least);
		if (part > 1.005 || part < samples[i].least)
			fprintf(stderr, "%s: %g of the bound\n",
				samples[i].name, part);
	}
}

/* Every pattern at a light load: all that is offered is accepted, nobody is
 * faster than light, and two runs are equal. */
static void test_patterns(void)
{
	for (unsigned i = 0; i < NETWORK_PATTERN_COUNT; i++) {
		struct network_traffic_options options = uniform;
		struct network_traffic_result a, b;
		struct network_analysis analysis;

		options.pattern = (enum network_pattern)i;
		options.poisson = i % 2;
		options.seed = i;
		run("mesh-4x4", &options, &analysis, &a);
		run("mesh-4x4", &options, &analysis, &b);
		CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof a), 0);
		CU_ASSERT_DOUBLE_EQUAL(a.offered, options.rate, 0.002);
		CU_ASSERT_DOUBLE_EQUAL(a.accepted, a.offered, 0.001);
		CU_ASSERT_EQUAL(a.made, a.measured);
		CU_ASSERT_TRUE(a.mean > 0.93 * analysis.zero_load);
		CU_ASSERT_TRUE(a.minimum <= a.median && a.median <= a.p90 &&
			       a.p90 <= a.p99 && a.p99 <= a.maximum);
	}
}

static void test_commands(void)
{
	static const char bad[] =
		"[ Network.n ]\nDefaultInputBufferSize = 8\n"
		"DefaultOutputBufferSize = 8\nDefaultBandwidth = 4\n"
		"Topology = Bus\nColumns = 2\n[ Network.n.Commands ]\n"
		"Command[0] = 0 Send m n0 n1 8\n"
		"Command[1] = 1 InBufferCheck n1 0 0\n"
		"Command[2] = 2 InBufferCheck n1 0 4\n";
	struct error error = { "" };
	uint64_t checks = 0;
	struct net net;

	open_sample(&net, "ring-routes");
	CU_ASSERT_TRUE(network_has_script(net.network));
	CU_ASSERT_EQUAL(network_script_run(net.network, &checks, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_EQUAL(checks, 9);
	close_net(&net);
	CU_ASSERT_EQUAL_FATAL(open_text(&net, ini_parse("n.ini", bad,
							strlen(bad), &error),
					&error), 0);
	CU_ASSERT_EQUAL(network_script_run(net.network, &checks, &error), -1);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "n.ini:10: [Network.n.Commands] Command[2] = 2 "
			       "InBufferCheck n1 0 4: in cycle 2 the buffer "
			       "holds 8 bytes");
	close_net(&net);
}

/* A long circle is told by its beginning. */
static void test_long_circle(void)
{
	static const char text[] =
		"[ Network.n ]\nDefaultInputBufferSize = 8\n"
		"DefaultOutputBufferSize = 8\nDefaultBandwidth = 4\n"
		"Topology = Ring\nColumns = 64\n";
	struct error error = { "" };
	struct net net;

	CU_ASSERT_EQUAL(open_text(&net, ini_parse("n.ini", text, strlen(text),
						  &error), &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "s10-s11:0, s11-s12:0 and "
				      "52 more wait in a circle"));
	close_net(&net);
}

/* Rings and tori with one virtual channel are refused, with two accepted. */
static void test_date_line(void)
{
	static const char *const shapes[] = { "Ring\nColumns = 5",
					      "Torus\nColumns = 4\nRows = 5" };

	for (unsigned i = 0; i < 4; i++) {
		char *text = xasprintf("[ Network.n ]\nDefaultInputBufferSize "
				       "= 8\nDefaultOutputBufferSize = 8\n"
				       "DefaultBandwidth = 4\nTopology = %s\n"
				       "VC = %u\n", shapes[i / 2], 1 + i % 2);
		struct error error = { "" };
		struct net net;
		int status = open_text(&net, ini_parse("n.ini", text,
						       strlen(text), &error),
				       &error);

		CU_ASSERT_EQUAL(status, i % 2 ? 0 : -1);
		if (!(i % 2))
			CU_ASSERT_PTR_NOT_NULL(strstr(error.text,
						      "n.ini:1: [Network.n]: "
						      "the routes can block"));
		close_net(&net);
		free(text);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "zero-load latency is the analytical one", test_zero_load },
		{ "saturation is below and near the bound", test_saturation },
		{ "patterns, light load, repeatable", test_patterns },
		{ "commands check what happens", test_commands },
		{ "date lines cut circles", test_date_line },
		{ "a long circle", test_long_circle },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "traffic", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
