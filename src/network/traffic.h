/* Synthetic traffic on one network (--net-sim), and what arithmetic says of
 * it: the latency without load and the rate that cannot be exceeded.
 *
 * Every end node makes messages, each at a clock edge, and keeps them in a
 * queue without end until its output buffer has room ("open loop"), so that
 * the offered load does not depend on what the network accepts. A message's
 * latency counts from its making, waiting at its source included. */
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
	bool poisson; /* else Bernoulli: one message per cycle at most */
	double rate;  /* messages per cycle and node */
	uint32_t size; /* bytes of a message */
	/* Cycles in which messages are made; those made in the first `warm_up`
	 * of them are not measured. */
	uint64_t cycles, warm_up;
	uint64_t seed;
	double hotspot_fraction, burst_length;
	/* If not NULL: its report "network" is frozen when `cycles` are over,
	 * before the network drains. */
	struct stats *stats;
};

/* "uniform" and its like; -1 and an error naming all for another. */
int network_pattern_find(const char *name, enum network_pattern *pattern,
			 struct error *error);
const char *network_pattern_name(enum network_pattern pattern);
/* "name: doc" lines, for the help. */
void network_pattern_help(FILE *stream);

/* Rates are messages per cycle and node, latencies cycles. */
struct network_traffic_result {
	uint64_t nodes, made, received; /* made and received while measuring */
	double offered, accepted;
	uint64_t measured; /* messages made while measuring, all received */
	double mean, network_mean; /* the latter without the source's queue */
	uint64_t minimum, median, p90, p99, maximum;
	uint64_t backlog; /* messages under way or waiting at the end */
	uint64_t drained; /* cycles until nothing moved, from the start */
	uint64_t hops;    /* links and buses that messages took, warm-up too */
};

/* What arithmetic says: the mean time of a message that meets no other, and
 * the rate at which the busiest link, switch port or bus has no idle cycle.
 * `bottleneck` names it. */
struct network_analysis {
	double zero_load, bound;
	char bottleneck[160];
};

/* Cycles of one message of `size` bytes in an empty network, in which it
 * starts at a clock edge; the two nodes must have a route. */
uint64_t network_zero_load(const struct network *network,
			   const struct network_node *from,
			   const struct network_node *to, uint32_t size);

/* Both refuse a pattern that does not suit the number of nodes, pairs without
 * a route, and messages that do not fit the buffers. */
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
