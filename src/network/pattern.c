#include "network/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct {
	const char *name, *doc;
} patterns[] = {
#define PATTERN(id, name, doc) { name, doc },
#include "network/traffic.def"
};

const char *network_pattern_name(enum network_pattern pattern)
{
	return patterns[pattern].name;
}

int network_pattern_find(const char *name, enum network_pattern *pattern,
			 struct error *error)
{
	char list[256] = "";
	size_t used = 0;

	for (unsigned i = 0; i < NETWORK_PATTERN_COUNT; i++) {
		if (!strcmp(name, patterns[i].name)) {
			*pattern = (enum network_pattern)i;
			return 0;
		}
		used += (size_t)snprintf(list + used, sizeof list - used,
					 "%s%s", i ? ", " : "",
					 patterns[i].name);
	}
	return error_set(error, "no traffic pattern '%s'; expected one of %s",
			 name, list);
}

void network_pattern_help(FILE *stream)
{
	for (unsigned i = 0; i < NETWORK_PATTERN_COUNT; i++)
		fprintf(stream, "  %s: %s\n", patterns[i].name,
			patterns[i].doc);
}

struct network_ends network_ends(const struct network *network)
{
	struct network_ends ends = { 0 };

	ends.node = xcalloc(network->node_count + 1, sizeof *ends.node);
	for (size_t i = 0; i < network->node_count; i++)
		if (network->nodes[i]->kind == NETWORK_END_NODE)
			ends.node[ends.count++] = network->nodes[i];
	return ends;
}

static uint32_t square_root(uint32_t count)
{
	uint32_t side = 0;

	while ((uint64_t)(side + 1) * (side + 1) <= count)
		side++;
	return side;
}

static uint32_t reverse_bits(uint32_t value, uint32_t count)
{
	uint32_t result = 0;

	for (; count > 1; count /= 2, value /= 2)
		result = result * 2 + value % 2;
	return result;
}

int64_t pattern_partner(enum network_pattern pattern, uint32_t count,
			uint32_t from)
{
	uint32_t side, to = from;

	switch (pattern) {
	case NETWORK_PATTERN_TRANSPOSE:
		side = square_root(count);
		to = from % side * side + from / side;
		break;
	case NETWORK_PATTERN_COMPLEMENT:
		to = count - 1 - from;
		break;
	case NETWORK_PATTERN_REVERSE:
		to = reverse_bits(from, count);
		break;
	case NETWORK_PATTERN_SHUFFLE:
		to = from < count / 2 ? 2 * from : 2 * from + 1 - count;
		break;
	case NETWORK_PATTERN_TORNADO:
		to = (from + (count + 1) / 2 - 1) % count;
		break;
	case NETWORK_PATTERN_NEIGHBOUR:
		to = (from + 1) % count;
		break;
	default:
		return PATTERN_RANDOM;
	}
	return to == from ? PATTERN_NOBODY : (int64_t)to;
}

double pattern_weight(const struct network_traffic_options *options,
		      uint32_t count, uint32_t from, uint32_t to)
{
	int64_t partner = pattern_partner(options->pattern, count, from);
	double uniform = 1.0 / (count - 1), hot = options->hotspot_fraction;

	if (from == to)
		return 0;
	if (partner != PATTERN_RANDOM)
		return partner == (int64_t)to;
	if (options->pattern != NETWORK_PATTERN_HOTSPOT || !from)
		return uniform;
	return (1 - hot) * uniform + (to ? 0 : hot);
}

static int check_count(const struct network_traffic_options *options,
		       const struct network *network, uint32_t count,
		       struct error *error)
{
	const char *name = network_pattern_name(options->pattern);
	uint32_t side = square_root(count);

	if (count < 2)
		return error_set(error, "network '%s' has %u end nodes; "
				 "traffic needs at least two", network->name,
				 count);
	if (options->pattern == NETWORK_PATTERN_TRANSPOSE &&
	    side * side != count)
		return error_set(error, "traffic pattern %s: expected a square "
					"number of end nodes, found %u in "
					"network '%s'", name, count,
				 network->name);
	if (options->pattern == NETWORK_PATTERN_REVERSE &&
	    (count & (count - 1)))
		return error_set(error, "traffic pattern %s: expected a power "
					"of two of end nodes, found %u in "
					"network '%s'", name,
				 count, network->name);
	if (options->pattern == NETWORK_PATTERN_SHUFFLE && count % 2)
		return error_set(error, "traffic pattern %s: expected an even "
					"number of end nodes; network '%s' has "
					"%u", name,
				 network->name, count);
	return 0;
}

int pattern_check(const struct network_traffic_options *options,
		  const struct network *network,
		  const struct network_ends *ends, struct error *error)
{
	bool anybody = false;

	if (check_count(options, network, ends->count, error))
		return -1;
	for (uint32_t i = 0; i < ends->count; i++)
		for (uint32_t j = 0; j < ends->count; j++) {
			uint32_t most;

			if (pattern_weight(options, ends->count, i, j) <= 0)
				continue;
			anybody = true;
			most = network_largest_message(network, ends->node[i],
						       ends->node[j]);
			if (!most)
				return error_set(error, "network '%s' has no "
						 "route from '%s' to '%s', "
						 "which the traffic pattern "
						 "%s needs", network->name,
						 ends->node[i]->name,
						 ends->node[j]->name,
						 network_pattern_name(
							 options->pattern));
			if (most < options->size)
				return error_set(error, "a message of %u bytes "
						 "does not fit the buffers "
						 "between '%s' and '%s' of "
						 "network '%s'; the smallest "
						 "of them has %u",
						 options->size,
						 ends->node[i]->name,
						 ends->node[j]->name,
						 network->name, most);
		}
	if (!anybody)
		return error_set(error, "traffic pattern %s: none of the %u "
				 "end nodes of network '%s' sends to another",
				 network_pattern_name(options->pattern),
				 ends->count, network->name);
	return 0;
}
