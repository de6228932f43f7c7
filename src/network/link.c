/* Links: when a message starts onto the wire, and the credits that let it.
 *
 * Credits come back the link's latency after room was made, and nearly always
 * arrive long before they are needed. So credits are no events: the sender
 * keeps the credits under way with their times, and adds up the due ones when
 * it has too few. Only a waiting message causes an event, for the credit with
 * which it can go. */
#include "base/optimize.h"

#include "network/transfer.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/queue.h"

/* --- Credits ------------------------------------------------------------ */

/* Adds up the credits that have arrived by now, in the order of events: credits
 * of this very time count with the link's source. */
static void credits_apply(struct network_channel *channel, picoseconds now)
{
	const struct network_link *link = channel->link;
	struct network_credits *credits = &channel->credits;
	uint32_t mask = credits->capacity - 1;

	if (!credits->count)
		return;
	now += event_queue_source(link->from->part->events) >= link->source;
	while (credits->count && credits->ring[credits->first].when < now) {
		channel->credit += credits->ring[credits->first].bytes;
		credits->first = (credits->first + 1) & mask;
		credits->count--;
	}
}

uint32_t network_channel_credit(const struct network_channel *channel,
				picoseconds now)
{
	const struct network_credits *credits = &channel->credits;
	uint32_t credit = channel->credit;

	for (uint32_t i = 0; i < credits->count; i++) {
		const struct network_credit *next =
			&credits->ring[(credits->first + i) &
				       (credits->capacity - 1)];

		if (next->when <= now)
			credit += next->bytes;
	}
	return credit;
}

static bool has_credit(struct network_channel *channel, uint32_t size,
		       picoseconds now)
{
	if (size <= channel->credit)
		return true;
	credits_apply(channel, now);
	return size <= channel->credit;
}

static void credit_wake(void *owner, uint64_t tag)
{
	struct network_channel *channel = owner;

	(void)tag;
	channel->credit_wake = false;
	queue_link(channel->link);
	network_work(channel->link->from->part);
}

/* The first message waits for credits: an event for when there are enough, if
 * these are on their way. It has a source of its own: whether it is scheduled
 * here or when the credit lands, before or after other events, must not
 * matter. */
static void await_credits(struct network_channel *channel, picoseconds now)
{
	const struct network_credits *credits = &channel->credits;
	uint32_t credit = channel->credit, size = channel->out.first->size;

	if (channel->credit_wake)
		return;
	for (uint32_t i = 0; i < credits->count; i++) {
		const struct network_credit *next =
			&credits->ring[(credits->first + i) &
				       (credits->capacity - 1)];

		credit += next->bytes;
		if (credit < size)
			continue;
		channel->credit_wake = true;
		event_put_after(channel->link->from->part->events,
			       next->when - now, channel->link->credit_source,
			       credit_wake, channel, 0);
		break;
	}
	channel->short_of_credit = !channel->credit_wake;
}

static __attribute__((noinline)) void
credits_grow(struct network_credits *credits)
{
	uint32_t capacity = credits->capacity ? 2 * credits->capacity : 16;
	struct network_credit *ring = xmalloc(capacity * sizeof *ring);

	for (uint32_t i = 0; i < credits->count; i++)
		ring[i] = credits->ring[(credits->first + i) &
					(credits->capacity - 1)];
	free(credits->ring);
	credits->ring = ring;
	credits->first = 0;
	credits->capacity = capacity;
}

/* At the sender: a credit is on its way. True: an event is scheduled for it. */
static bool credit_add(struct network_channel *channel, picoseconds when,
		       uint32_t bytes)
{
	struct network_credits *credits = &channel->credits;
	picoseconds now =
		event_queue_now(channel->link->from->part->events);

	if (credits->count == credits->capacity)
		credits_apply(channel, now);
	if (credits->count == credits->capacity)
		credits_grow(credits);
	credits->ring[(credits->first + credits->count++) &
		      (credits->capacity - 1)] =
		(struct network_credit){ when, bytes };
	if (!channel->short_of_credit)
		return false;
	await_credits(channel, now);
	return channel->credit_wake;
}

static uint64_t credit_land(const struct event_mail *mail)
{
	return credit_add(mail->way->owner, mail->time, mail->word);
}

/* The credit comes back at once. */
static __attribute__((noinline)) void
credit_at_once(struct network_channel *channel, uint32_t size)
{
	struct network_link *link = channel->link;

	channel->credit += size;
	if (link->from->bus)
		queue_link(link->from->bus->links[0]);
	else if (channel->out.first)
		queue_link(link);
}

static __attribute__((noinline)) void
credit_far(struct network_channel *channel, uint32_t size, picoseconds when)
{
	struct event_queue *from = channel->link->to->part->events;

	event_send_data(from, &channel->credit_way,
			when - event_queue_now(from), size, NULL, 0);
}

void network_credit_send(struct network_channel *channel, uint32_t size)
{
	struct network_link *link = channel->link;
	struct event_queue *from = link->to->part->events;
	struct event_queue *to = link->from->part->events;
	picoseconds when;

	if (!link->latency) {
		credit_at_once(channel, size);
		return;
	}
	when = network_after(link->network, event_queue_now(from),
			     link->latency + 1);
	if (from != to && !event_stays_in_lane(from, to))
		credit_far(channel, size, when);
	else if (credit_add(channel, when, size))
		event_queue_expect(to, when);
}

/* What is sent until the sender of a message knows that this one has left the
 * receiver: it and its answer are a cycle and twice the latency on their way. */
void network_node_accept(struct network_node *node, uint32_t largest)
{
	for (size_t i = 0; i < node->network->link_count; i++) {
		struct network_link *link = node->network->links[i];
		uint64_t bytes = (uint64_t)link->bandwidth *
				 (transfer_cycles(largest, link->bandwidth) +
				  2 * (uint64_t)link->latency + 1);

		if (link->to != node || link->from->bus)
			continue;
		for (unsigned j = 0; j < link->channel_count; j++)
			link->channels[j].ample =
				bytes + largest <= link->channels[j].in.size;
	}
}

/* --- The wire ----------------------------------------------------------- */

/* The part of a message that goes to another thread beside its size: memory
 * stays where it is. */
struct letter {
	picoseconds sent, departed;
	uint32_t from, to; /* nodes */
	union {
		void *payload; /* if there is no carrier for its contents */
		uint8_t bytes[NETWORK_CARRIED];
	};
};
static_assert((int)sizeof(struct letter) <= (int)EVENT_CONTENTS,
	      "a letter is too long");

enum { LETTER_HEAD = offsetof(struct letter, bytes) };

static uint32_t seal(struct network_part *part,
		     const struct network_message *message,
		     struct letter *letter)
{
	const struct network_carrier *carrier = &part->network->carrier;

	letter->sent = message->sent;
	letter->departed = message->departed;
	letter->from = message->from->index;
	letter->to = message->to->index;
	if (carrier->pack)
		return LETTER_HEAD + carrier->pack(part->memory,
						   message->payload,
						   letter->bytes);
	letter->payload = message->payload;
	return LETTER_HEAD + sizeof letter->payload;
}

static uint64_t land(const struct event_mail *mail)
{
	const struct network_channel *channel = mail->way->owner;
	const struct letter *letter = (const void *)mail->contents;
	struct network_part *part = channel->link->to->part;
	struct network *network = part->network;
	const struct network_carrier *carrier = &network->carrier;
	struct network_message *message = network_message_take(part);

	message->from = network->nodes[letter->from];
	message->to = network->nodes[letter->to];
	message->payload = carrier->unpack
				   ? carrier->unpack(part->memory,
						     letter->bytes,
						     mail->size - LETTER_HEAD)
				   : letter->payload;
	message->sent = letter->sent;
	message->departed = letter->departed;
	message->size = mail->word;
	return (uintptr_t)message;
}

void network_link_connect(struct network_link *link)
{
	const struct event_queue *from = link->from->part->events;
	const struct event_queue *to = link->to->part->events;

	for (unsigned i = 0; i < link->channel_count; i++) {
		struct network_channel *channel = &link->channels[i];

		event_way_set(&channel->way, from, link->to->part->events,
			      link->source, link->arrived, channel,
			      land);
		event_way_set(&channel->credit_way, to,
			      link->from->part->events, 0, NULL, channel,
			      credit_land);
	}
}

/* To a receiver that another thread runs in this window. */
static __attribute__((noinline)) void
depart_far(struct network_channel *channel, struct network_message *message,
	   picoseconds delay)
{
	struct network_link *link = channel->link;
	struct network_part *from = link->from->part;
	struct letter letter;

	event_send_data(from->events, &channel->way, delay, message->size,
			&letter, seal(from, message, &letter));
	network_message_free(from, message);
}

/* The message has left its link, whose receiver sees it after `delay`. */
static inline void depart(struct network_channel *channel,
			  struct network_message *message, picoseconds delay)
{
	struct network_link *link = channel->link;
	struct event_queue *from = link->from->part->events;
	struct event_queue *to = link->to->part->events;

	if (from == to)
		event_put_after(from, delay, link->source, link->arrived,
				channel, (uintptr_t)message);
	else if (event_stays_in_lane(from, to))
		event_put_near(from, to, delay, link->source, link->arrived,
			       channel, (uintptr_t)message);
	else
		depart_far(channel, message, delay);
}

static void link_free_again(void *owner, uint64_t tag)
{
	struct network_link *link = owner;

	(void)tag;
	link->wake_pending = false;
	queue_link(link);
	network_work(link->from->part);
}

/* The next virtual channel whose first message could go, round robin. */
static struct network_channel *link_pick(struct network_link *link,
					 picoseconds now)
{
	for (unsigned i = 0; i < link->channel_count; i++) {
		unsigned at = link->next_channel + i;
		struct network_channel *channel;

		if (at >= link->channel_count)
			at -= link->channel_count;
		channel = &link->channels[at];
		if (!channel->out.first)
			continue;
		if (has_credit(channel, channel->out.first->size, now))
			return channel;
		await_credits(channel, now);
	}
	return NULL;
}

/* --- One port for all links of a node ------------------------------------ */

static void port_wake(void *owner, uint64_t tag);

static void port_wake_at(struct network_node *node, picoseconds delay)
{
	node->port_wake = true;
	event_put_after(node->part->events, delay, node->port_first->source,
		       port_wake, node, 0);
}

/* The link is in line for the port unless it may have it now. */
static bool port_take(struct network_link *link, picoseconds start,
		      picoseconds now)
{
	struct network_node *node = link->from;

	if (node->port_free <= start &&
	    (!node->port_first || node->port_first == link))
		return true;
	if (link->port_waiting)
		return false;
	link->port_waiting = true;
	link->next_port = NULL;
	if (node->port_first)
		node->port_last->next_port = link;
	else
		node->port_first = link;
	node->port_last = link;
	if (!node->port_wake)
		port_wake_at(node, node->port_free - now);
	return false;
}

/* The first in line has sent a message, or has none that could go. */
static void port_leave(struct network_node *node)
{
	node->port_first->port_waiting = false;
	node->port_first = node->port_first->next_port;
}

static void port_wake(void *owner, uint64_t tag)
{
	struct network_node *node = owner;
	picoseconds now = event_queue_now(node->part->events);

	(void)tag;
	while (node->port_first && node->port_free <= now) {
		struct network_link *link = node->port_first;

		queue_link(link);
		network_work(node->part);
		if (node->port_first == link && node->port_free <= now)
			port_leave(node);
	}
	node->port_wake = false;
	if (node->port_first)
		port_wake_at(node, node->port_free - now);
}

static bool link_is_free(struct network_link *link, picoseconds start,
			 picoseconds now)
{
	if (link->from->one_port)
		return port_take(link, start, now);
	if (link->busy_until <= start)
		return true;
	/* Also when it was queued again while it ran. */
	if (link->wake_pending)
		return false;
	link->wake_pending = true;
	event_put_after(link->from->part->events, link->busy_until - now,
		       link->source, link_free_again, link, 0);
	return false;
}

/* --- Departure ---------------------------------------------------------- */

/* The message takes the wire, which is free, at `start`. */
static inline void put_on_wire(struct network_channel *channel,
			struct network_message *message, picoseconds start,
			picoseconds now)
{
	struct network_link *link = channel->link;
	uint32_t cycles = transfer_cycles(message->size, link->bandwidth);
	picoseconds arrival = network_after_both(
		link->network, start, cycles, link->latency, &link->busy_until);

	link->from->port_free = link->busy_until;
	link->count.messages++;
	link->count.bytes += message->size;
	link->count.busy_cycles += cycles;
	if (link->channel_count > 1)
		link->next_channel = (unsigned)(channel - link->channels + 1) %
				     link->channel_count;
	if (channel->ample)
		channel->departed += message->size;
	else
		channel->credit -= message->size;
	message->departed = now;
	depart(channel, message, arrival - now);
}

bool network_link_pass(struct network_channel *channel,
		       struct network_message *message, picoseconds now)
{
	struct network_link *link = channel->link;
	struct network_node *node = link->from;
	picoseconds start = later(now, message->ready);

	if (channel->out.first || link->channel_count > 1 ||
	    (node->one_port && (node->port_first || node->port_free > start)) ||
	    link->wake_pending || link->busy_until > start || link->to->bus ||
	    !has_credit(channel, message->size, now))
		return false;
	put_on_wire(channel, message, start, now);
	output_room(channel);
	return true;
}

void network_link_start(struct network_link *link)
{
	picoseconds now = event_queue_now(link->from->part->events), start;
	struct network_channel *channel;
	struct network_message *message;

	while ((channel = link_pick(link, now))) {
		message = channel->out.first;
		start = later(now, message->ready);
		if (!link_is_free(link, start, now))
			return;
		if (link->port_waiting)
			port_leave(link->from);
		buffer_leave(&channel->out, message->next, message->size, now);
		put_on_wire(channel, message, start, now);
		output_room(channel);
	}
}
