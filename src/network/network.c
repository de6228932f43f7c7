/* Networks: creation and the parts they are made of. */
#include "network/transfer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

static struct network_part *part_create(struct network *network,
					struct event_queue *events)
{
	struct network_part *part = xcalloc_aligned(sizeof *part);

	part->network = network;
	part->events = events;
	part->work_channels_end = &part->work_channels;
	part->work_links_end = &part->work_links;
	part->count = network->part_count ? &part->own : &network->count;
	network_part_start(part);
	ARRAY_GROW(network->parts, network->part_count,
		   network->part_capacity);
	network->parts[network->part_count++] = part;
	return part;
}

struct network *network_create(struct event_queue *events, const char *name,
			       double megahertz,
			       const struct network_defaults *defaults,
			       struct log *log)
{
	struct network *network = xcalloc(1, sizeof *network);

	network->events = events;
	network->name = xstrdup(name);
	network->log = log;
	network->period = clock_period(megahertz);
	if (!network->period)
		network->period = 1;
	network->defaults = *defaults;
	part_create(network, events);
	network_set_watchdog(network, 0);
	return network;
}

void network_set_exact(struct network *network, uint32_t megahertz)
{
	network->rate = clock_rate_of(megahertz);
}

void network_free(struct network *network)
{
	if (!network)
		return;
	for (size_t i = 0; i < network->node_count; i++) {
		if (network->nodes[i]->bus) {
			free(network->nodes[i]->bus->links);
			free(network->nodes[i]->bus->lanes);
			free(network->nodes[i]->bus);
		}
		free(network->nodes[i]->route);
		free(network->nodes[i]->name);
		free(network->nodes[i]);
	}
	for (size_t i = 0; i < network->link_count; i++) {
		for (unsigned j = 0; j < network->links[i]->channel_count; j++)
			free(network->links[i]->channels[j].credits.ring);
		free(network->links[i]->channels);
		free(network->links[i]->label);
		free(network->links[i]);
	}
	for (size_t i = 0; i < network->part_count; i++) {
		struct network_part *part = network->parts[i];

		for (size_t j = 0; j < part->chunk_count; j++)
			free(part->chunks[j]);
		free(part->chunks);
		free(part);
	}
	free(network->parts);
	network_script_free(network->script);
	free(network->given);
	free(network->nodes);
	free(network->links);
	free(network->name);
	free(network);
}

const char *network_name(const struct network *network)
{
	return network->name;
}

uint64_t network_pending(const struct network *network)
{
	uint64_t pending = 0;

	for (size_t i = 0; i < network->part_count; i++)
		pending += network->parts[i]->pending;
	return pending;
}

void network_settle(const struct network *network, picoseconds now)
{
	for (size_t i = 0; i < network->node_count; i++)
		if (network->nodes[i]->reserved.first)
			network_reserved_gather(network->nodes[i], now);
}

uint64_t network_moved(const struct network *network)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < network->link_count; i++)
		bytes += network->links[i]->count.bytes;
	for (size_t i = 0; i < network->node_count; i++)
		if (network->nodes[i]->bus)
			bytes += network->nodes[i]->bus->count.bytes;
	return bytes;
}

void network_set_watchdog(struct network *network, uint64_t cycles)
{
	watchdog_start(&network->watchdog, network->period, cycles,
		       event_queue_now(network->events));
}

int network_watch(struct network *network, picoseconds now,
		  struct error *error)
{
	struct watchdog *watchdog = &network->watchdog;
	uint64_t arrived = network->count.transfers;

	if (!watchdog_due(watchdog, now))
		return 0;
	for (size_t i = 1; i < network->part_count; i++)
		arrived += network->parts[i]->own.transfers;
	if (!watchdog_look(watchdog, now, network_pending(network), arrived))
		return 0;
	return error_set(error, "network '%s': of %" PRIu64 " messages under "
				"way none arrived from cycle %" PRIu64 " to "
				"cycle %" PRIu64 " of its clock; expected one "
				"within WatchdogCycles of [ General ]: raise "
				"WatchdogCycles if the network is this slow",
				network->name,
			 network_pending(network),
			 watchdog->since / network->period,
			 now / network->period);
}

picoseconds network_watch_next(const struct network *network)
{
	return network->watchdog.next;
}

/* --- Parts -------------------------------------------------------------- */

size_t network_node_count(const struct network *network)
{
	return network->node_count;
}

unsigned network_node_index(const struct network_node *node)
{
	return node->index;
}

void network_each_link(const struct network *network,
		       void (*visit)(void *owner, unsigned from, unsigned to,
				     picoseconds latency),
		       void *owner)
{
	for (size_t i = 0; i < network->link_count; i++) {
		const struct network_link *link = network->links[i];

		visit(owner, link->from->index, link->to->index,
		      link->latency * network->period);
	}
}

void network_place(struct network *network, unsigned node,
		   struct event_queue *events, void *memory)
{
	struct network_part *part = NULL;

	for (size_t i = 0; i < network->part_count && !part; i++)
		if (network->parts[i]->events == events)
			part = network->parts[i];
	if (!part)
		part = part_create(network, events);
	part->memory = memory;
	network->nodes[node]->part = part;
}

void network_connect(struct network *network,
		     const struct network_carrier *carrier)
{
	if (carrier)
		network->carrier = *carrier;
	for (size_t i = 0; i < network->link_count; i++)
		network_link_connect(network->links[i]);
}

void network_gather(struct network *network)
{
	for (size_t i = 1; i < network->part_count; i++) {
		struct network_part *part = network->parts[i];

		network->count.transfers += part->own.transfers;
		network->count.bytes += part->own.bytes;
		network->count.latency += part->own.latency;
		part->own = (struct network_count){ 0 };
	}
	network_balance_messages(network);
}

struct network_node *network_add_node(struct network *network,
				      enum network_node_kind kind,
				      const char *name, uint32_t input_buffer,
				      uint32_t output_buffer,
				      uint32_t bandwidth)
{
	const struct network_defaults *defaults = &network->defaults;
	struct network_node *node = xcalloc_aligned(sizeof *node);

	node->network = network;
	node->part = network->parts[0];
	node->kind = kind;
	node->name = xstrdup(name);
	node->index = (unsigned)network->node_count;
	node->input_buffer = input_buffer ? input_buffer
					  : defaults->input_buffer;
	node->output_buffer = output_buffer ? output_buffer
					    : defaults->output_buffer;
	node->bandwidth = bandwidth ? bandwidth : defaults->bandwidth;
	if (kind == NETWORK_BUS) {
		/* A bus's channels have no buffers at the bus's side: nothing
		 * is put there, and they bound no message. */
		node->input_buffer = node->output_buffer = UINT32_MAX;
		node->bus = xcalloc(1, sizeof *node->bus);
		network_bus_lanes(node, 1);
	}
	ARRAY_GROW(network->nodes, network->node_count,
		   network->node_capacity);
	network->nodes[network->node_count++] = node;
	return node;
}

void network_node_one_port(struct network_node *node)
{
	node->one_port = true;
}

void network_bus_lanes(struct network_node *bus, uint32_t lanes)
{
	free(bus->bus->lanes);
	bus->bus->lanes = xcalloc(lanes, sizeof *bus->bus->lanes);
	bus->bus->lane_count = lanes;
}

struct network_link *network_find_link(const struct network *network,
				       const char *from, const char *to)
{
	for (size_t i = 0; i < network->link_count; i++)
		if (!strcasecmp(network->links[i]->from->name, from) &&
		    !strcasecmp(network->links[i]->to->name, to))
			return network->links[i];
	return NULL;
}

void network_link_count(const struct network_link *link, uint64_t *messages,
			uint64_t *bytes)
{
	*messages = link->count.messages;
	*bytes = link->count.bytes;
}

const char *network_node_name(const struct network_node *node)
{
	return node->name;
}

enum network_node_kind network_node_kind(const struct network_node *node)
{
	return node->kind;
}

void network_add_link(struct network *network, struct network_node *from,
		      struct network_node *to, uint32_t bandwidth,
		      uint32_t latency, unsigned channels)
{
	struct network_link *link = xcalloc_aligned(sizeof *link);

	link->network = network;
	link->from = from;
	link->to = to;
	link->bandwidth = bandwidth ? bandwidth : network->defaults.bandwidth;
	link->latency = latency;
	link->arrived = network_arrival(link);
	link->transit = network->defaults.transit_first &&
			from->kind != NETWORK_END_NODE;
	link->channel_count = channels;
	link->first_channel = network->channel_count;
	network->channel_count += channels;
	link->channels = xcalloc_aligned(channels *
					 sizeof *link->channels);
	link->source = event_source_create(network->events);
	link->credit_source = event_source_create(network->events);
	link->label = xasprintf("link_%s.out_buf_%u_%s.in_buf_%u", from->name,
				from->out_count, to->name, to->in_count);
	for (unsigned i = 0; i < channels; i++) {
		link->channels[i].link = link;
		link->channels[i].out.size = from->output_buffer;
		link->channels[i].out.index = from->out_count++;
		link->channels[i].in.size = to->input_buffer;
		link->channels[i].credit = to->input_buffer;
		link->channels[i].in.index = to->in_count++;
	}
	if (to->bus) {
		to->bus->links = xrealloc(to->bus->links,
					  (to->bus->link_count + 1) *
						  sizeof *to->bus->links);
		to->bus->links[to->bus->link_count++] = link;
	}
	ARRAY_GROW(network->links, network->link_count,
		   network->link_capacity);
	network->links[network->link_count++] = link;
}

void networks_free(struct network_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		network_free(set->networks[i]);
	free(set->networks);
	*set = (struct network_set){ 0 };
}

struct network *networks_find(const struct network_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcasecmp(set->networks[i]->name, name))
			return set->networks[i];
	return NULL;
}
