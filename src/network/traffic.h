/* Synthetic traffic on one network (--net-sim), and two computed figures to
 * compare it with: the latency without load and an upper bound of the rate.
 *
 * Every end node makes messages at clock edges and keeps them in an unbounded
 * queue until its output buffer has room ("open loop"). So the offered load
 * does not depend on what the network accepts. A message's latency starts when
 * the message is made and so includes the wait at its source. */
#ifndef M2S_NETWORK_TRAFFIC_H
#define M2S_NETWORK_TRAFFIC_H

#include "network/network.h"

enum network_pattern {
#define PATTERN(id, name, doc) NETWORK_PATTERN_##id,
#include "network/traffic.def"
	NETWORK_PATTERN_COUNT
};

struct network_traffic_options {
	enum network_pattern pattern;
	bool poisson; /* else Bernoulli: at most one message per cycle */
	double rate;  /* messages per cycle and node */
	uint32_t size; /* bytes of a message */
	/* Cycles in which messages are made. Messages made in the first
	 * `warm_up` cycles are not measured. */
	uint64_t cycles, warm_up;
	uint64_t seed;
	double hotspot_fraction, burst_length;
	/* If not NULL, its report "network" is frozen when `cycles` have
	 * passed, before the network drains. */
	struct stats *stats;
};

/* Finds a pattern by its name, such as "uniform". -1 and an error that lists
 * all names if there is none. */
int network_pattern_find(const char *name, enum network_pattern *pattern,
			 struct error *error);
const char *network_pattern_name(enum network_pattern pattern);
/* Writes "name: doc" lines for the help. */
void network_pattern_help(FILE *stream);

/* Rates are messages per cycle and node, latencies cycles. */
struct network_traffic_result {
	uint64_t nodes, made, received; /* both while measuring */
	double offered, accepted;
	uint64_t measured; /* messages made while measuring, all received */
	/* Cycles; network_mean leaves out the source's queue. */
	double mean, network_mean;
	uint64_t minimum, median, p90, p99, maximum;
	uint64_t backlog; /* messages under way or waiting at the end */
	uint64_t drained; /* cycles from the start until nothing moved */
	/* Links and buses that messages passed, warm-up included. */
	uint64_t hops;
};

/* Computed figures: the mean latency of a message that meets no other, and the
 * rate at which the busiest link, switch port or bus has no idle cycle.
 * `bottleneck` names that link, port or bus. */
struct network_analysis {
	double zero_load, bound;
	char bottleneck[160];
};

/* The latency in cycles of a message of `size` bytes that starts at a clock
 * edge in an empty network. The two nodes must have a route. */
uint64_t network_zero_load(const struct network *network,
			   const struct network_node *from,
			   const struct network_node *to, uint32_t size);

/* network_analyse() and network_traffic() refuse a pattern that does not suit
 * the number of nodes, pairs without a route, and messages that do not fit the
 * buffers. */
int network_analyse(struct network *network,
		    const struct network_traffic_options *options,
		    struct network_analysis *analysis, struct error *error);
/* Attaches itself to the end nodes and runs the queue of the network until it
 * is empty. */
int network_traffic(struct network *network,
		    const struct network_traffic_options *options,
		    struct network_traffic_result *result,
		    struct error *error);

#endif
