/* Messages whose way is known when they are decided on: over one link, which
 * nobody else uses and which never waits for room, to a node that receives each
 * message at once. They are given to the network before their time, and their
 * arrival is the only event.
 *
 * A node keeps what has not arrived in the order in which it leaves. A message
 * that is to leave before others goes between them, and those that it delays
 * arrive later: their events find out. What has left is counted when it arrives,
 * or when the figures are read. */
#include "base/optimize.h"

#include "network/transfer.h"
#include "sim/queue.h"

/* --- Figures ------------------------------------------------------------ */

/* The node has the message, and keeps it in the output buffer if the wire is
 * not free. */
static void hand(struct network_node *node, struct network_message *message)
{
	struct network_buffer *out = &message->channel->out;

	if (message->handed)
		return;
	message->handed = true;
	node->part->pending++;
	node->count.sent++;
	node->count.sent_bytes += message->size;
	if (!message->waits)
		return;
	out->byte_time -= message->size * message->sent;
	out->message_time -= message->sent;
	out->used += message->size;
	out->messages++;
}

/* The first message has taken the wire. */
static inline void leave(struct network_node *node)
{
	struct network_reserved *reserved = &node->reserved;
	struct network_message *message = reserved->first;
	struct network_link *link = message->channel->link;
	struct network_buffer *out = &message->channel->out;

	hand(node, message);
	/* Others may be in its list meanwhile. */
	if (message->waits)
		buffer_leave(out, out->first, message->size,
			     message->departed);
	link->count.messages++;
	link->count.bytes += message->size;
	link->count.busy_cycles +=
		transfer_cycles(message->size, link->bandwidth);
	message->channel->departed += message->size;
	message->left = true;
	reserved->free = message->free;
	reserved->first = message->next;
	if (!reserved->first)
		reserved->last = NULL;
}

/* Whether the message has taken the wire before an event of this time and
 * source. One that waits does so in an event of its link. */
static bool has_left(const struct network_message *message, picoseconds now,
		     uint32_t source)
{
	return message->departed < now ||
	       (message->departed == now &&
		source > message->channel->link->source);
}

static void settle(struct network_node *node, picoseconds now, uint32_t source)
{
	struct network_message *message;

	while ((message = node->reserved.first) &&
	       has_left(message, now, source))
		leave(node);
	for (; message && message->sent <= now; message = message->next)
		hand(node, message);
}

void network_reserved_settle(struct network_node *node)
{
	settle(node, event_queue_now(node->part->events),
	       event_queue_source(node->part->events));
}

void network_reserved_gather(struct network_node *node, picoseconds now)
{
	picoseconds done = event_queue_done(node->part->events);

	if (done < now)
		done = now;
	if (done)
		settle(node, done - 1, UINT32_MAX);
}

/* --- Room --------------------------------------------------------------- */

static void room_made(void *owner, uint64_t tag)
{
	struct network_node *node = owner;
	struct network_message *message;
	picoseconds now = event_queue_now(node->part->events);

	(void)tag;
	while ((message = node->reserved.first) && message->departed <= now)
		leave(node);
	node->room_wake = false;
	if (node->blocked) {
		node->blocked = false;
		node->room(node->owner);
		network_work(node->part);
	}
}

void network_reserved_await(struct network_node *node)
{
	const struct network_message *message = node->reserved.first;
	picoseconds now = event_queue_now(node->part->events);

	while (message && !(message->waits && message->handed))
		message = message->next;
	if (!message || node->room_wake)
		return;
	node->room_wake = true;
	event_put_after(node->part->events, message->departed - now,
			message->channel->link->source, room_made, node, 0);
}

/* --- Reservations ------------------------------------------------------- */

/* The first clock edge at or after a time. */
static picoseconds edge_at(const struct network_part *part, picoseconds time)
{
	const struct network *network = part->network;
	picoseconds since = time - part->edge;

	if (network->rate.megahertz)
		return clock_rate_start(&network->rate,
					clock_rate_at(&network->rate, time));
	since = since >> 32 ? since % network->period
			    : (uint32_t)since % (uint32_t)network->period;
	return since ? time + (network->period - since) : time;
}

/* Whether the output buffer has room for a message that waits there. What leaves
 * in an event of its time is still there: links come after their senders. */
static bool fits(const struct network_node *node,
		 const struct network_message *message)
{
	const struct network_message *other = node->reserved.first;
	uint32_t used = message->size;

	for (; other && other != message; other = other->next)
		if (other->waits && other->departed >= message->sent)
			used += other->size;
	return used <= message->channel->out.size;
}

/* Finds out when a message that is in the list goes, behind one that leaves the
 * wire at `free`. False: it cannot be reserved. */
static inline bool place(struct network_node *node,
			 struct network_message *message, picoseconds ready,
			 picoseconds free)
{
	struct network_link *link = message->channel->link;
	picoseconds start = ready;

	message->departed = message->sent;
	message->waits = free > ready;
	if (message->waits) {
		message->departed = start = free;
		if (!fits(node, message))
			return false;
	}
	message->arrival = network_after_both(
		link->network, start,
		transfer_cycles(message->size, link->bandwidth), link->latency,
		&message->free);
	if (link->busy_until < message->free)
		link->busy_until = message->free;
	return true;
}

/* Gives back the messages behind `last`, which leave later. */
static __attribute__((noinline)) void give_back(struct network_node *node,
						struct network_message *last)
{
	struct network_reserved *reserved = &node->reserved;
	struct network_message *message = last ? last->next : reserved->first;

	node->port_free = last ? last->free : reserved->free;
	if (last)
		last->next = NULL;
	else
		reserved->first = NULL;
	reserved->last = last;
	while (message) {
		struct network_message *next = message->next;
		struct network_link *link = message->channel->link;
		void *payload = message->payload;

		if (link->busy_until > node->port_free)
			link->busy_until = node->port_free;
		message->payload = NULL; /* freed in its event */
		node->returned(node->returned_owner, payload, message->sent);
		message = next;
	}
}

void network_take_back(struct network_node *node, picoseconds when)
{
	struct network_message *last = NULL, *next = node->reserved.first;

	if (!next || node->reserved.last->sent < when)
		return;
	while (next->sent < when) {
		last = next;
		next = next->next;
	}
	give_back(node, last);
}

static void arrived(void *owner, uint64_t tag)
{
	struct network_channel *channel = owner;
	struct network_message *message = (void *)(uintptr_t)tag;
	struct network_node *to = channel->link->to;
	struct network_part *part = to->part;
	picoseconds now = event_queue_now(part->events);
	uint32_t size = message->size;

	if (!message->payload) {
		network_message_free(part, message);
		return;
	}
	if (message->arrival > now) {
		event_put_after(part->events, message->arrival - now,
				channel->link->source, arrived, channel, tag);
		return;
	}
	while (!message->left)
		leave(channel->link->from);
	part->working = true;
	to->receive(to->owner, message->payload, size);
	network_received(channel->link->from, to, message, now);
	channel->arrived += size;
	buffer_pass(&channel->in, message->departed, size, now);
	network_message_free(part, message);
	part->working = false;
	network_work(part);
}

/* The others, behind `message`, go later if they have to. What is given back takes
 * along those of its time, or they would come behind it when they are given
 * back. */
static void delay_rest(struct network_node *node,
		       struct network_message *message)
{
	struct network_message *next, *before = message;

	for (; (next = message->next); message = next) {
		picoseconds free = next->free;

		if (message->sent < next->sent)
			before = message;
		if (!place(node, next, edge_at(node->part, next->sent),
			   message->free)) {
			give_back(node, before);
			return;
		}
		if (next->free == free)
			return;
	}
	node->port_free = message->free;
}

/* Puts the message into the list, where it leaves before those that leave later.
 * False: they are given back, and it is in no list. */
static bool put_between(struct network_node *node,
			struct network_message *message, picoseconds ready)
{
	struct network_message *before = NULL, *next = node->reserved.first;

	while (next->sent <= message->sent) {
		before = next;
		next = next->next;
	}
	message->next = next;
	if (before)
		before->next = message;
	else
		node->reserved.first = message;
	if (place(node, message, ready,
		  before ? before->free : node->reserved.free)) {
		delay_rest(node, message);
		return true;
	}
	if (before)
		before->next = next;
	else
		node->reserved.first = next;
	give_back(node, before);
	return false;
}

static bool put_last(struct network_node *node, struct network_message *message,
		     picoseconds ready)
{
	struct network_reserved *reserved = &node->reserved;

	message->next = NULL;
	if (!place(node, message, ready, node->port_free))
		return false;
	if (reserved->first) {
		reserved->last->next = message;
	} else {
		reserved->first = message;
		reserved->free = node->port_free;
	}
	reserved->last = message;
	node->port_free = message->free;
	return true;
}

bool network_send_at(struct network_node *from, const struct network_node *to,
		     uint32_t size, void *payload, picoseconds when)
{
	struct network_part *part = from->part;
	struct network_channel *channel = from->route[to->index];
	picoseconds now = event_queue_now(part->events), ready;
	struct network_reserved *reserved = &from->reserved;
	struct network_message *message;

	if (from->port_first || channel->out.first || part->work_links)
		return false;
	/* So that a division of 32 bits does. */
	if ((now - part->edge) >> 31)
		part->edge = now - now % part->network->period;
	while (reserved->first && reserved->first->departed < now)
		leave(from);
	message = network_message_take(part);
	message->channel = channel;
	message->payload = payload;
	message->size = size;
	message->handed = message->left = false;
	message->sent = when;
	ready = edge_at(part, when);
	if (reserved->first && reserved->last->sent > when
		    ? !put_between(from, message, ready)
		    : !put_last(from, message, ready)) {
		network_message_free(part, message);
		return false;
	}
	event_put_after(part->events, message->arrival - now,
			channel->link->source, arrived, channel,
			(uintptr_t)message);
	return true;
}

/* --- Which nodes reserve ------------------------------------------------- */

bool network_node_reserve(struct network_node *node, uint32_t source,
			  network_returned *returned, void *owner)
{
	const struct network *network = node->network;
	bool alone = node->kind == NETWORK_END_NODE;
	unsigned count = 0;

	node->returned = returned;
	node->returned_owner = owner;
	for (size_t i = 0; i < network->link_count; i++) {
		const struct network_link *link = network->links[i];

		if (link->from != node)
			continue;
		count++;
		alone &= link->to->kind == NETWORK_END_NODE &&
			 link->to->part == node->part &&
			 link->channel_count == 1 && link->channels[0].ample &&
			 link->source > source;
	}
	return alone && count == 1;
}
