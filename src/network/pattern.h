/* Traffic patterns: which node sends to which. Shared by traffic.c and
 * analysis.c. */
#ifndef M2S_NETWORK_PATTERN_H
#define M2S_NETWORK_PATTERN_H

#include "network/internal.h"
#include "network/traffic.h"

/* The end nodes of a network, in order. */
struct network_ends {
	struct network_node **node;
	uint32_t count;
};

struct network_ends network_ends(const struct network *network);

enum { PATTERN_NOBODY = -1, PATTERN_RANDOM = -2 };

/* The number of the only node to which `from` sends; PATTERN_NOBODY if there is
 * none, PATTERN_RANDOM if there are several. */
int64_t pattern_partner(enum network_pattern pattern, uint32_t count,
			uint32_t from);
/* The fraction of the messages of `from` that goes to `to`. */
double pattern_weight(const struct network_traffic_options *options,
		      uint32_t count, uint32_t from, uint32_t to);
/* 0 if the pattern can run on these nodes with these message sizes; else -1 and
 * *error. */
int pattern_check(const struct network_traffic_options *options,
		  const struct network *network,
		  const struct network_ends *ends, struct error *error);

#endif
