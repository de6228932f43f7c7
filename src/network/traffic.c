#include "network/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/pattern.h"

/* --- Random numbers ---------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014): one stream per node. */
static uint64_t traffic_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* In (0, 1]. */
static double random_unit(uint64_t *state)
{
	return (double)((traffic_random(state) >> 11) + 1) * 0x1p-53;
}

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((traffic_random(state) >> 32) * limit >> 32);
}

/* --- Latencies --------------------------------------------------------- */

/* A count per cycle up to 2^12, beyond it 2^11 counts per power of two: exact
 * to one part in 2048. */
enum {
	EXACT_BITS = 12,
	FINE_BITS = EXACT_BITS - 1,
	HISTOGRAM_SIZE = (64 - FINE_BITS) << FINE_BITS,
};

static size_t histogram_index(uint64_t value)
{
	unsigned shift = 0;

	while (value >> shift >> EXACT_BITS)
		shift++;
	return ((size_t)shift << FINE_BITS) + (size_t)(value >> shift);
}

/* The greatest value that index stands for. */
static uint64_t histogram_value(size_t index)
{
	unsigned shift = index >> EXACT_BITS
				 ? (unsigned)(index >> FINE_BITS) - 1
				 : 0;
	uint64_t mantissa = index - ((size_t)shift << FINE_BITS);

	return ((mantissa + 1) << shift) - 1;
}

/* --- Sources ----------------------------------------------------------- */

struct traffic;

struct waiting_message {
	uint64_t made; /* cycle */
	uint32_t to;
};

/* One end node: a random source with an unbounded queue, and a sink. */
struct traffic_node {
	struct traffic *traffic;
	struct network_node *node;
	uint32_t index;
	uint64_t random;
	double clock; /* Poisson: exact time of the next message, cycles */
	uint64_t burst_left;
	uint32_t burst_to;
	uint32_t source; /* of its events */
	/* A ring of messages that wait for room; capacity a power of two. */
	struct waiting_message *queue;
	size_t first, count, capacity;
};

struct traffic {
	struct network *network;
	const struct network_traffic_options *options;
	struct network_ends ends;
	struct traffic_node *nodes;
	picoseconds period;
	bool measuring;
	uint64_t *histogram;
	double latency_sum, log_gap;
	struct network_traffic_result *result;
	struct network_count before; /* the network's, when measuring began */
};

static uint64_t cycle_now(const struct traffic *traffic)
{
	return event_queue_now(traffic->network->events) / traffic->period;
}

/* Cycles from one trial's success to the next: 1 or more, geometric. */
static uint64_t geometric(uint64_t *state, double log_failure)
{
	if (log_failure == 0)
		return UINT64_MAX;
	if (isinf(log_failure))
		return 1;
	return 1 + (uint64_t)fmin(log(random_unit(state)) / log_failure, 1e15);
}

/* The first message of a burst, after a pause that makes the mean rate come
 * out right: a burst of L messages and its pause take L / rate cycles. */
static uint64_t next_burst(struct traffic_node *node)
{
	const struct network_traffic_options *options =
		node->traffic->options;
	double length = options->burst_length;
	double pause = length / options->rate - length;

	node->burst_left = geometric(&node->random,
				     log1p(-1 / length)) - 1;
	node->burst_to = random_below(&node->random,
				      node->traffic->ends.count - 1);
	node->burst_to += node->burst_to >= node->index;
	/* geometric - 1 has the mean `pause` when success is 1/(pause+1). */
	return geometric(&node->random, log(pause / (pause + 1)));
}

/* Cycles until the next message. */
static uint64_t next_gap(struct traffic_node *node)
{
	struct traffic *traffic = node->traffic;
	uint64_t before;

	if (traffic->options->pattern == NETWORK_PATTERN_BURSTY) {
		if (!node->burst_left)
			return next_burst(node);
		node->burst_left--;
		return 1;
	}
	if (!traffic->options->poisson)
		return geometric(&node->random, traffic->log_gap);
	before = (uint64_t)ceil(node->clock);
	node->clock -= log(random_unit(&node->random)) /
		       traffic->options->rate;
	return (uint64_t)ceil(fmin(node->clock, 1e15)) - before;
}

static uint32_t choose_receiver(struct traffic_node *node)
{
	const struct traffic *traffic = node->traffic;
	const struct network_traffic_options *options = traffic->options;
	uint32_t count = traffic->ends.count, to;

	if (options->pattern == NETWORK_PATTERN_BURSTY)
		return node->burst_to;
	if (options->pattern == NETWORK_PATTERN_HOTSPOT && node->index &&
	    random_unit(&node->random) <= options->hotspot_fraction)
		return 0;
	to = random_below(&node->random, count - 1);
	return to + (to >= node->index);
}

static void enqueue_message(struct traffic_node *node, uint64_t made,
			    uint32_t to)
{
	if (node->count == node->capacity) {
		size_t capacity = node->capacity ? 2 * node->capacity : 16;
		struct waiting_message *queue =
			xmalloc(capacity * sizeof *queue);

		for (size_t i = 0; i < node->count; i++)
			queue[i] = node->queue[(node->first + i) &
					       (node->capacity - 1)];
		free(node->queue);
		node->queue = queue;
		node->capacity = capacity;
		node->first = 0;
	}
	node->queue[(node->first + node->count++) & (node->capacity - 1)] =
		(struct waiting_message){ made, to };
}

static void send_waiting(void *owner)
{
	struct traffic_node *node = owner;
	struct traffic *traffic = node->traffic;

	while (node->count) {
		const struct waiting_message *message =
			&node->queue[node->first];

		if (!network_send(node->node, traffic->ends.node[message->to],
				  traffic->options->size,
				  (void *)(uintptr_t)message->made))
			return;
		node->first = (node->first + 1) & (node->capacity - 1);
		node->count--;
	}
}

static void make_message(void *owner, uint64_t tag);

static void schedule_next(struct traffic_node *node)
{
	struct traffic *traffic = node->traffic;
	uint64_t gap = next_gap(node), now = cycle_now(traffic);

	if (gap < traffic->options->cycles - now)
		event_schedule(traffic->network->events, gap * traffic->period,
			       node->source, make_message, node, 0);
}

static void make_message(void *owner, uint64_t tag)
{
	struct traffic_node *node = owner;
	struct traffic *traffic = node->traffic;
	int64_t partner = pattern_partner(traffic->options->pattern,
					  traffic->ends.count, node->index);
	uint64_t now = cycle_now(traffic);

	(void)tag;
	if (traffic->measuring)
		traffic->result->made++;
	enqueue_message(node, now,
			partner >= 0 ? (uint32_t)partner
				     : choose_receiver(node));
	if (node->count == 1)
		send_waiting(node);
	schedule_next(node);
}

static bool receive_message(void *owner, void *payload, uint32_t size)
{
	struct traffic_node *node = owner;
	struct traffic *traffic = node->traffic;
	const struct network_traffic_options *options = traffic->options;
	struct network_traffic_result *result = traffic->result;
	uint64_t made = (uintptr_t)payload;
	uint64_t latency = cycle_now(traffic) - made;

	(void)size;
	if (traffic->measuring)
		result->received++;
	if (made < options->warm_up)
		return true;
	if (!result->measured || latency < result->minimum)
		result->minimum = latency;
	if (latency > result->maximum)
		result->maximum = latency;
	result->measured++;
	traffic->latency_sum += (double)latency;
	traffic->histogram[histogram_index(latency)]++;
	return true;
}

/* --- A run ------------------------------------------------------------- */

static void begin_measuring(void *owner, uint64_t tag)
{
	struct traffic *traffic = owner;

	(void)tag;
	traffic->measuring = true;
	traffic->before = traffic->network->count;
}

static void end_measuring(void *owner, uint64_t tag)
{
	struct traffic *traffic = owner;
	struct network *network = traffic->network;
	struct network_traffic_result *result = traffic->result;
	uint64_t transfers = network->count.transfers -
			     traffic->before.transfers;

	(void)tag;
	traffic->measuring = false;
	result->backlog = network_pending(network);
	for (uint32_t i = 0; i < traffic->ends.count; i++)
		result->backlog += traffic->nodes[i].count;
	if (transfers)
		result->network_mean =
			(double)(network->count.latency -
				 traffic->before.latency) /
			(double)traffic->period / (double)transfers;
	if (traffic->options->stats)
		stats_freeze(traffic->options->stats, "network");
}

static void create_nodes(struct traffic *traffic)
{
	struct event_queue *events = traffic->network->events;
	const struct network_traffic_options *options = traffic->options;
	/* Begins before and ends after all others of their cycle. */
	uint32_t first = event_source_create(events), last;

	traffic->nodes = xcalloc(traffic->ends.count, sizeof *traffic->nodes);
	for (uint32_t i = 0; i < traffic->ends.count; i++) {
		struct traffic_node *node = &traffic->nodes[i];
		uint64_t mix = options->seed;

		node->traffic = traffic;
		node->node = traffic->ends.node[i];
		node->index = i;
		node->random = traffic_random(&mix) + i * 0xd1342543de82ef95u;
		node->source = event_source_create(events);
		network_node_attach(node->node, receive_message, send_waiting,
				    node);
		if (pattern_partner(options->pattern, traffic->ends.count,
				    i) == PATTERN_NOBODY)
			continue;
		traffic->result->nodes++;
		schedule_next(node);
	}
	last = event_source_create(events);
	event_schedule(events, options->warm_up * traffic->period, first,
		       begin_measuring, traffic, 0);
	event_schedule(events, options->cycles * traffic->period, last,
		       end_measuring, traffic, 0);
}

static uint64_t percentile(const struct traffic *traffic, double part)
{
	const struct network_traffic_result *result = traffic->result;
	double wanted = part * (double)result->measured;
	uint64_t seen = 0;

	for (size_t i = 0; i < HISTOGRAM_SIZE; i++) {
		seen += traffic->histogram[i];
		if (seen && (double)seen >= wanted)
			return histogram_value(i) < result->maximum
				       ? histogram_value(i)
				       : result->maximum;
	}
	return 0;
}

static void conclude(struct traffic *traffic)
{
	struct network_traffic_result *result = traffic->result;
	const struct network_traffic_options *options = traffic->options;
	double divisor = (double)(options->cycles - options->warm_up) *
			 (double)result->nodes;

	result->offered = (double)result->made / divisor;
	result->accepted = (double)result->received / divisor;
	if (result->measured)
		result->mean = traffic->latency_sum /
			       (double)result->measured;
	result->median = percentile(traffic, 0.5);
	result->p90 = percentile(traffic, 0.9);
	result->p99 = percentile(traffic, 0.99);
	result->drained = cycle_now(traffic);
	for (size_t i = 0; i < traffic->network->link_count; i++)
		result->hops += traffic->network->links[i]->count.messages;
}

static int check_options(const struct network_traffic_options *options,
			 struct error *error)
{
	if (!(options->rate > 0) || !isfinite(options->rate))
		return error_set(error, "injection rate %g: expected more than "
				 "0 messages per cycle and node",
				 options->rate);
	if (options->rate > 1 && (!options->poisson ||
				  options->pattern == NETWORK_PATTERN_BURSTY))
		return error_set(error, "injection rate %g: at most 1 message "
				 "per cycle and node; larger rates need "
				 "Poisson arrivals and no bursts",
				 options->rate);
	if (!options->size)
		return error_set(error, "message size 0: expected at least 1 "
				 "byte");
	if (options->warm_up >= options->cycles)
		return error_set(error, "nothing is left to measure: the "
					"warm-up takes %llu of %llu cycles",
				 (unsigned long long)options->warm_up,
				 (unsigned long long)options->cycles);
	if (!(options->hotspot_fraction >= 0) ||
	    options->hotspot_fraction > 1)
		return error_set(error, "hotspot fraction %g: expected 0 to 1",
				 options->hotspot_fraction);
	if (!(options->burst_length >= 1) || !isfinite(options->burst_length))
		return error_set(error, "burst length %g: expected at least 1",
				 options->burst_length);
	return 0;
}

int network_traffic(struct network *network,
		    const struct network_traffic_options *options,
		    struct network_traffic_result *result,
		    struct error *error)
{
	struct traffic traffic = {
		.network = network,
		.options = options,
		.period = network->period,
		.result = result,
	};
	int status;

	*result = (struct network_traffic_result){ 0 };
	if (check_options(options, error))
		return -1;
	traffic.ends = network_ends(network);
	status = pattern_check(options, network, &traffic.ends, error);
	if (!status) {
		traffic.histogram = xcalloc(HISTOGRAM_SIZE,
					    sizeof *traffic.histogram);
		traffic.log_gap = log1p(-options->rate);
		create_nodes(&traffic);
		while (!status && event_queue_step(network->events))
			status = network_watch(
				network, event_queue_now(network->events),
				error);
		conclude(&traffic);
		if (!status && network_pending(network))
			status = error_set(error, "network '%s': %llu messages "
					   "never arrived", network->name,
					   (unsigned long long)
						   network_pending(network));
		for (uint32_t i = 0; i < traffic.ends.count; i++)
			free(traffic.nodes[i].queue);
		free(traffic.nodes);
		free(traffic.histogram);
	}
	free(traffic.ends.node);
	return status;
}
