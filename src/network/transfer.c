/* How messages move: the hot path of the interconnect.
 *
 * A message holds room in exactly one buffer: from the moment it starts to move
 * towards it. Links and the two ports of a switch are busy for the time of a
 * transfer; because that time is known when the transfer starts, an undisturbed
 * hop costs one event, its arrival. Work that may become possible when room or
 * a link becomes free is put on a work list. The list is emptied in order
 * before the event ends, so there is no recursion through the network. A
 * message that finds an empty buffer passes it without entering its list. */
#include "base/optimize.h"

#include "network/transfer.h"

/* The first clock edge at or after now; one division per cycle at most. */
static picoseconds next_edge(struct network_part *part)
{
	picoseconds period = part->network->period;
	picoseconds now = event_queue_now(part->events);
	picoseconds since = now - part->edge;
	const struct clock_rate *rate = &part->network->rate;

	if (rate->megahertz) {
		if (now != part->edge_asked) {
			part->edge_asked = now;
			part->edge = clock_rate_start(
				rate, clock_rate_at(rate, now));
		}
		return part->edge;
	}
	if (since >= period) {
		since = since % period;
		part->edge = now - since;
	}
	return since ? part->edge + period : now;
}

static bool deliver(struct network_channel *channel,
		    struct network_message *message, picoseconds now)
{
	struct network_node *node = message->to;
	uint32_t size = message->size;

	if (!node->receive(node->owner, message->payload, message->size))
		return false;
	network_received(message->from, node, message, now);
	network_message_free(node->part, message);
	network_credit_return(channel, size);
	return true;
}

static inline bool move_on(struct network_channel *channel,
			   struct network_message *message, picoseconds now)
{
	return message->to == channel->link->to
		       ? deliver(channel, message, now)
		       : network_switch_cross(channel, message, now);
}

static void forward(struct network_channel *channel)
{
	picoseconds now = event_queue_now(channel->link->to->part->events);

	while (channel->in.first) {
		struct network_message *message = channel->in.first;
		struct network_message *next = message->next;
		uint32_t size = message->size;

		if (!move_on(channel, message, now))
			return;
		buffer_leave(&channel->in, next, size, now);
	}
}

/* Empties the work lists. */
static void do_work(struct network_part *part)
{
	if (part->working)
		return;
	part->working = true;
	for (;;) {
		struct network_channel *channel = part->work_channels;
		struct network_link *link = part->work_links;

		if (channel) {
			part->work_channels = channel->next_work;
			if (!channel->next_work)
				part->work_channels_end =
					&part->work_channels;
			channel->work_queued = false;
			forward(channel);
		} else if (link) {
			part->work_links = link->next_work;
			if (!link->next_work)
				part->work_links_end =
					&part->work_links;
			link->work_queued = false;
			if (link->to->bus)
				network_bus_start(link->to);
			else
				network_link_start(link);
		} else {
			break;
		}
	}
	part->working = false;
}

/* A message for which nothing waits goes on as if it were in its buffer and on
 * the work list, and is in neither. */
static inline void arrived(struct network_channel *channel,
			   struct network_message *message, bool delivers)
{
	struct network_part *part = channel->link->to->part;
	picoseconds now = event_queue_now(part->events);
	picoseconds since = message->departed;
	uint32_t size = message->size;

	channel->arrived += size;
	/* Its receiver reads it now or in a moment. */
	__builtin_prefetch(message->payload);
	if (channel->in.messages) {
		buffer_push(&channel->in, since, message);
		return;
	}
	part->working = true;
	if (delivers ? deliver(channel, message, now)
		     : network_switch_cross(channel, message, now))
		buffer_pass(&channel->in, since, size, now);
	else
		buffer_push(&channel->in, since, message);
	part->working = false;
	network_work(part);
}

/* At a node that is the end of every way to it. */
static void arrived_at_end(void *channel, uint64_t tag)
{
	arrived(channel, (void *)(uintptr_t)tag, true);
}

/* At a node through which messages go. */
static void arrived_between(void *owner, uint64_t tag)
{
	struct network_channel *channel = owner;
	struct network_message *message = (void *)(uintptr_t)tag;

	arrived(channel, message, message->to == channel->link->to);
}

event_action *network_arrival(const struct network_link *link)
{
	return link->to->kind == NETWORK_END_NODE ? arrived_at_end
						  : arrived_between;
}

bool network_send(struct network_node *from, struct network_node *to,
		  uint32_t size, void *payload)
{
	struct network_part *part = from->part;
	struct network_channel *channel = from->route[to->index];
	struct network_message *message;
	picoseconds now = event_queue_now(part->events);

	if (from->reserved.first)
		network_reserved_settle(from);
	if (!buffer_fits(&channel->out, size)) {
		from->blocked = true;
		if (from->reserved.first)
			network_reserved_await(from);
		return false;
	}
	message = network_message_take(part);
	message->from = from;
	message->to = to;
	message->payload = payload;
	message->size = size;
	message->sent = now;
	message->ready = next_edge(part);
	from->count.sent++;
	from->count.sent_bytes += size;
	part->pending++;
	if (!network_link_pass(channel, message, now)) {
		buffer_push(&channel->out, now, message);
		queue_link(channel->link);
	}
	network_work(part);
	return true;
}

void network_node_resume(struct network_node *node)
{
	struct network *network = node->network;

	for (size_t i = 0; i < network->link_count; i++) {
		struct network_link *link = network->links[i];

		if (link->to != node)
			continue;
		for (unsigned j = 0; j < link->channel_count; j++)
			if (link->channels[j].in.first)
				queue_channel(&link->channels[j]);
	}
	network_work(node->part);
}

void network_part_start(struct network_part *part)
{
	part->work = do_work;
}
