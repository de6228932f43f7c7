/* The figures of a network, under their classic names. */
#include "network/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static double cycles(const struct network *network)
{
	return (double)event_queue_now(network->events) /
	       (double)network->period;
}

static double over(double value, double under)
{
	return under > 0 ? value / under : 0;
}

static double average_latency(void *owner)
{
	const struct network *network = owner;

	return over((double)network->count.latency / (double)network->period,
		    (double)network->count.transfers);
}

static double link_bytes_per_cycle(void *owner)
{
	const struct network_link *link = owner;

	return over((double)link->count.bytes, cycles(link->network));
}

/* The tap of a bus has the bandwidth of the bus. */
static uint32_t link_bandwidth(const struct network_link *link)
{
	if (link->from->bus)
		return link->from->bandwidth;
	return link->to->bus ? link->to->bandwidth : link->bandwidth;
}

static double link_utilization(void *owner)
{
	const struct network_link *link = owner;

	return link_bytes_per_cycle(owner) / link_bandwidth(link);
}

static double send_rate(void *owner)
{
	const struct network_node *node = owner;

	return over((double)node->count.sent_bytes, cycles(node->network));
}

static double receive_rate(void *owner)
{
	const struct network_node *node = owner;

	return over((double)node->count.received_bytes,
		    cycles(node->network));
}

static double bus_utilization(void *owner)
{
	const struct network_node *node = owner;

	return over((double)node->bus->count.busy_cycles,
		    cycles(node->network) * node->bus->lane_count);
}

static struct network *channel_network(const struct network_channel *channel)
{
	return channel->link->network;
}

static double occupancy(const struct network_channel *channel,
			const struct network_buffer *buffer, bool bytes)
{
	picoseconds now = event_queue_now(channel_network(channel)->events);
	uint64_t time = bytes ? buffer->byte_time + buffer->used * now
			      : buffer->message_time + buffer->messages * now;

	return over((double)time, (double)now);
}

static double out_messages(void *owner)
{
	const struct network_channel *channel = owner;

	return occupancy(channel, &channel->out, false);
}

static double out_bytes(void *owner)
{
	const struct network_channel *channel = owner;

	return occupancy(channel, &channel->out, true);
}

static double out_utilization(void *owner)
{
	const struct network_channel *channel = owner;

	return out_bytes(owner) / channel->out.size;
}

static double in_messages(void *owner)
{
	const struct network_channel *channel = owner;

	return occupancy(channel, &channel->in, false);
}

static double in_bytes(void *owner)
{
	const struct network_channel *channel = owner;

	return occupancy(channel, &channel->in, true);
}

static double in_utilization(void *owner)
{
	const struct network_channel *channel = owner;

	return in_bytes(owner) / channel->in.size;
}

static void register_link(struct network_link *link, struct stats *stats,
			  const char *report)
{
	char *name = xasprintf("Network.%s.Link.%s", link->network->name,
			       link->label);
	struct stats_section *section = stats_new_section(stats, report, name);
	const struct link_count *count = &link->count;
	struct network_link *owner = link;

	free(name);
#define STATS_REGISTRATION
#include "network/link.stat.def"
}

static void register_buffer(struct stats_section *section, const char *kind,
			    struct network_channel *owner,
			    const struct network_buffer *buffer,
			    double (*messages)(void *), double (*bytes)(void *),
			    double (*utilization)(void *))
{
	char text[128];
	int used = snprintf(text, sizeof text, "%s_buf_%u.", kind,
			    buffer->index);

	/* Names are literals. */
#define STATS_REGISTRATION
#define STATS_NAME(name) (memcpy(text + used, name, sizeof name), text)
#include "network/buffer.stat.def"
}

static void register_buffers(struct network_node *node,
			     struct stats_section *section)
{
	struct network *network = node->network;

	for (size_t i = 0; i < network->link_count; i++) {
		struct network_link *link = network->links[i];

		for (unsigned j = 0; j < link->channel_count; j++) {
			struct network_channel *channel = &link->channels[j];

			if (link->to == node)
				register_buffer(section, "in", channel,
						&channel->in, in_messages,
						in_bytes, in_utilization);
			if (link->from == node)
				register_buffer(section, "out", channel,
						&channel->out, out_messages,
						out_bytes, out_utilization);
		}
	}
}

static void register_bus(struct network_node *node,
			 struct stats_section *section)
{
	const struct bus_count *count = &node->bus->count;
	struct network_node *owner = node;

#define STATS_REGISTRATION
#include "network/bus.stat.def"
}

static void register_node(struct network_node *node, struct stats *stats,
			  const char *report)
{
	char *name = xasprintf("Network.%s.Node.%s", node->network->name,
			       node->name);
	struct stats_section *section = stats_new_section(stats, report, name);
	const struct node_count *count = &node->count;
	struct network_node *owner = node;

	free(name);
	if (node->bus) {
		register_bus(node, section);
		return;
	}
#define STATS_REGISTRATION
#include "network/node.stat.def"
	register_buffers(node, section);
}

/* Labels of links and names of nodes are unique in a network, and so are names
 * of networks: every section is a new one. */
void network_register_stats(struct network *network, struct stats *stats,
			    const char *report)
{
	char *name = xasprintf("Network.%s.General", network->name);
	struct stats_section *section = stats_new_section(stats, report, name);
	const struct network_count *count = &network->count;
	struct network *owner = network;

	free(name);
#define STATS_REGISTRATION
#include "network/network.stat.def"
	for (size_t i = 0; i < network->link_count; i++)
		register_link(network->links[i], stats, report);
	for (size_t i = 0; i < network->node_count; i++)
		register_node(network->nodes[i], stats, report);
}
