/* The figures of a network, under their classic names. */
#include "network/internal.h"

#include <stdlib.h>

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
	struct stats_section *section = stats_section(stats, report, name);

	free(name);
	stats_u64(section, "Config.Bandwidth", link_bandwidth(link),
		  "bytes/cycle", "bandwidth of the link");
	stats_counter(section, "TransferredMessages", &link->count.messages,
		      "messages", "messages that took the link");
	stats_counter(section, "TransferredBytes", &link->count.bytes, "bytes",
		      "bytes that took the link");
	stats_counter(section, "BusyCycles", &link->count.busy_cycles,
		      "cycles", "cycles in which the link moved a message");
	stats_derived(section, "BytesPerCycle", link_bytes_per_cycle, link,
		      "bytes/cycle", "bytes over all cycles");
	stats_derived(section, "Utilization", link_utilization, link, "",
		      "BytesPerCycle over the bandwidth");
}

static void register_buffer(struct stats_section *section, const char *kind,
			    struct network_channel *channel,
			    const struct network_buffer *buffer,
			    double (*messages)(void *), double (*bytes)(void *),
			    double (*utilization)(void *))
{
	char name[64];

	snprintf(name, sizeof name, "%s_buf_%u.Size", kind, buffer->index);
	stats_u64(section, name, buffer->size, "bytes", "size of the buffer");
	snprintf(name, sizeof name, "%s_buf_%u.MessageOccupancy", kind,
		 buffer->index);
	stats_derived(section, name, messages, channel, "messages",
		      "messages in the buffer or moving into it, on average");
	snprintf(name, sizeof name, "%s_buf_%u.ByteOccupancy", kind,
		 buffer->index);
	stats_derived(section, name, bytes, channel, "bytes",
		      "bytes in the buffer or reserved in it, on average");
	snprintf(name, sizeof name, "%s_buf_%u.Utilization", kind,
		 buffer->index);
	stats_derived(section, name, utilization, channel, "",
		      "ByteOccupancy over the size");
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
	struct network_bus *bus = node->bus;

	stats_u64(section, "Config.BandWidth", node->bandwidth, "bytes/cycle",
		  "bandwidth of each lane");
	stats_u64(section, "Config.Lanes", bus->lane_count, "lanes",
		  "messages that the bus moves at a time");
	stats_counter(section, "TransferredMessages", &bus->count.messages,
		      "messages", "messages that took the bus");
	stats_counter(section, "TransferredBytes", &bus->count.bytes, "bytes",
		      "bytes that took the bus");
	stats_counter(section, "BusyCycles", &bus->count.busy_cycles, "cycles",
		      "cycles in which a lane moved a message, over all lanes");
	stats_derived(section, "Utilization", bus_utilization, node, "",
		      "BusyCycles over the cycles of all lanes");
}

static void register_node(struct network_node *node, struct stats *stats,
			  const char *report)
{
	char *name = xasprintf("Network.%s.Node.%s", node->network->name,
			       node->name);
	struct stats_section *section = stats_section(stats, report, name);

	free(name);
	if (node->bus) {
		register_bus(node, section);
		return;
	}
	if (node->kind == NETWORK_SWITCH)
		stats_u64(section, "Config.BandWidth", node->bandwidth,
			  "bytes/cycle", "bandwidth of each port");
	stats_counter(section, "SentMessages", &node->count.sent, "messages",
		      "messages that start here");
	stats_counter(section, "SentBytes", &node->count.sent_bytes, "bytes",
		      "bytes that start here");
	stats_derived(section, "SendRate", send_rate, node, "bytes/cycle",
		      "SentBytes over all cycles");
	stats_counter(section, "ReceivedMessages", &node->count.received,
		      "messages", "messages that end here");
	stats_counter(section, "ReceivedBytes", &node->count.received_bytes,
		      "bytes", "bytes that end here");
	stats_derived(section, "ReceiveRate", receive_rate, node,
		      "bytes/cycle", "ReceivedBytes over all cycles");
	register_buffers(node, section);
}

void network_register_stats(struct network *network, struct stats *stats,
			    const char *report)
{
	char *name = xasprintf("Network.%s.General", network->name);
	struct stats_section *section = stats_section(stats, report, name);

	free(name);
	stats_counter(section, "Transfers", &network->count.transfers,
		      "messages", "messages received at their end node");
	stats_ratio(section, "AverageMessageSize", &network->count.bytes,
		    &network->count.transfers, "bytes",
		    "bytes per received message");
	stats_derived(section, "AverageLatency", average_latency, network,
		      "cycles", "from network_send to reception, per message");
	for (size_t i = 0; i < network->link_count; i++)
		register_link(network->links[i], stats, report);
	for (size_t i = 0; i < network->node_count; i++)
		register_node(network->nodes[i], stats, report);
}
