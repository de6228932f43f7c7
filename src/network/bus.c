/* Buses: each lane moves one message at a time, from an output buffer straight
 * into an input buffer. */
#include "network/transfer.h"

static void bus_wake(void *owner, uint64_t tag)
{
	struct network_node *node = owner;

	(void)tag;
	if (node->bus->wake == event_queue_now(node->part->events))
		node->bus->wake = 0;
	queue_link(node->bus->links[0]);
	network_work(node->part);
}

/* Looks at the bus again at `time`, unless it does so earlier. */
static void bus_wake_at(struct network_node *node, picoseconds time)
{
	struct network_bus *bus = node->bus;

	if (bus->wake && bus->wake <= time)
		return;
	bus->wake = time;
	event_schedule(node->part->events,
		       time - event_queue_now(node->part->events),
		       bus->links[0]->source, bus_wake, node, 0);
}

/* The next virtual channel of that link whose first message could go; those
 * that are still on their way through a switch, or to a node that is just
 * receiving, bring *soonest forward. A node receives one message of the bus at
 * a time, so that no message overtakes another on a second lane. */
static struct network_channel *tap_pick(struct network_link *link,
					picoseconds now, picoseconds *soonest)
{
	for (unsigned i = 0; i < link->channel_count; i++) {
		unsigned at = link->next_channel + i;
		struct network_channel *channel;
		struct network_message *message;
		const struct network_channel *next;
		picoseconds ready;

		if (at >= link->channel_count)
			at -= link->channel_count;
		channel = &link->channels[at];
		message = channel->out.first;
		if (!message)
			continue;
		next = link->to->route[message->to->index];
		if (next->credit < message->size)
			continue;
		ready = later(message->ready, next->link->busy_until);
		if (ready <= now)
			return channel;
		if (ready < *soonest)
			*soonest = ready;
	}
	return NULL;
}

/* Round robin over the nodes; *soonest as above. */
static struct network_channel *bus_pick(struct network_bus *bus,
					picoseconds now, picoseconds *soonest)
{
	for (unsigned i = 0; i < bus->link_count; i++) {
		unsigned at = bus->next_link + i;
		struct network_channel *channel;

		if (at >= bus->link_count)
			at -= bus->link_count;
		channel = tap_pick(bus->links[at], now, soonest);
		if (channel) {
			bus->next_link = at + 1 < bus->link_count ? at + 1 : 0;
			return channel;
		}
	}
	return NULL;
}

static void bus_move(struct network_node *node, picoseconds *lane,
		     struct network_channel *channel, picoseconds now)
{
	struct network_message *message = channel->out.first;
	struct network_channel *next = node->route[message->to->index];
	struct network_link *link = channel->link;
	struct network_bus *bus = node->bus;
	uint32_t cycles = transfer_cycles(message->size, node->bandwidth);

	*lane = network_after(node->network, now, cycles);
	next->link->busy_until = *lane;
	bus->count.messages++;
	bus->count.bytes += message->size;
	bus->count.busy_cycles += cycles;
	link->count.messages++;
	link->count.bytes += message->size;
	link->count.busy_cycles += cycles;
	next->link->count.messages++;
	next->link->count.bytes += message->size;
	next->link->count.busy_cycles += cycles;
	if (link->channel_count > 1)
		link->next_channel = (unsigned)(channel - link->channels + 1) %
				     link->channel_count;
	buffer_leave(&channel->out, message->next, message->size, now);
	next->credit -= message->size;
	message->departed = now;
	event_schedule(node->part->events, *lane - now, next->link->source,
		       next->link->arrived, next, (uintptr_t)message);
	output_room(channel);
}

void network_bus_start(struct network_node *node)
{
	struct network_bus *bus = node->bus;
	picoseconds now = event_queue_now(node->part->events);

	for (;;) {
		picoseconds *lane = bus->lanes, soonest = UINT64_MAX;
		struct network_channel *channel;
		unsigned turn = bus->next_link;

		for (uint32_t i = 1; i < bus->lane_count; i++)
			if (bus->lanes[i] < *lane)
				lane = &bus->lanes[i];
		channel = bus_pick(bus, now, &soonest);
		if (channel && *lane <= now) {
			bus_move(node, lane, channel, now);
			continue;
		}
		bus->next_link = turn;
		if (channel)
			bus_wake_at(node, *lane);
		else if (soonest != UINT64_MAX)
			bus_wake_at(node, later(soonest, *lane));
		return;
	}
}
