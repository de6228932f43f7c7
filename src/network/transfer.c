/* How messages move: the hot path of the interconnect.
 *
 * A message holds room in exactly one buffer: from the moment it starts to
 * move towards it. Links and the two ports of a switch are busy for the time
 * of a transfer; because that time is known when the transfer starts, an
 * undisturbed hop costs one event, its arrival. Whatever may become possible
 * when room or a link becomes free is put on a work list, which is emptied in
 * order before the event ends: no recursion through the network. */
#include "network/internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

enum { CHUNK_MESSAGES = 64 };

static picoseconds later(picoseconds a, picoseconds b)
{
	return a > b ? a : b;
}

/* The first clock edge at or after now; one division per cycle at most. */
static picoseconds next_edge(struct network_part *part)
{
	picoseconds period = part->network->period;
	picoseconds now = event_queue_now(part->events);
	picoseconds since = now - part->edge;

	if (since >= period) {
		since = since % period;
		part->edge = now - since;
	}
	return since ? part->edge + period : now;
}

static uint32_t transfer_cycles(uint32_t size, uint32_t bandwidth)
{
	if (size <= bandwidth)
		return 1;
	size += bandwidth - 1;
	/* Nearly always a power of two: no division. */
	return bandwidth & (bandwidth - 1)
		       ? size / bandwidth
		       : size >> __builtin_ctz(bandwidth);
}

/* --- Messages and buffers --------------------------------------------- */

static struct network_message *message_take(struct network_part *part)
{
	struct network_message *message;

	if (!part->free) {
		struct network_message *chunk =
			xcalloc_aligned(CHUNK_MESSAGES * sizeof *chunk);

		ARRAY_GROW(part->chunks, part->chunk_count,
			   part->chunk_capacity);
		part->chunks[part->chunk_count++] = chunk;
		for (int i = 0; i < CHUNK_MESSAGES; i++) {
			chunk[i].next = part->free;
			part->free = &chunk[i];
		}
	}
	message = part->free;
	part->free = message->next;
	return message;
}

static void message_free(struct network_part *part,
			 struct network_message *message)
{
	message->next = part->free;
	part->free = message;
}

static bool buffer_fits(const struct network_buffer *buffer, uint32_t size)
{
	return buffer->used + size <= buffer->size;
}

/* `since`: the time from which it holds the room. */
static void buffer_push(struct network_buffer *buffer, picoseconds since,
			struct network_message *message)
{
	/* Sums of (departure - arrival), one part at a time; see stats.c. */
	buffer->byte_time -= message->size * since;
	buffer->message_time -= since;
	buffer->used += message->size;
	buffer->messages++;
	message->next = NULL;
	if (buffer->first)
		buffer->last->next = message;
	else
		buffer->first = message;
	buffer->last = message;
}

static struct network_message *buffer_pop(struct network_buffer *buffer,
					  picoseconds now)
{
	struct network_message *message = buffer->first;

	buffer->byte_time += message->size * now;
	buffer->message_time += now;
	buffer->used -= message->size;
	buffer->messages--;
	buffer->first = message->next;
	return message;
}

/* --- Work lists ------------------------------------------------------- */

static void queue_channel(struct network_channel *channel)
{
	struct network_part *part = channel->link->to->part;

	if (channel->work_queued)
		return;
	channel->work_queued = true;
	channel->next_work = NULL;
	*part->work_channels_end = channel;
	part->work_channels_end = &channel->next_work;
}

static void queue_link(struct network_link *link)
{
	struct network_part *part = link->from->part;

	if (link->to->bus)
		link = link->to->bus->links[0];
	if (link->work_queued || link->wake_pending)
		return;
	link->work_queued = true;
	link->next_work = NULL;
	*part->work_links_end = link;
	part->work_links_end = &link->next_work;
}

/* Room was made in an output buffer: the longest waiting gets it, if its
 * message fits now. */
static void output_room(struct network_channel *channel)
{
	struct network_channel *first = channel->waiters_first;
	struct network_node *node = channel->link->from;

	if (first && buffer_fits(&channel->out, first->in.first->size))
		queue_channel(first);
	if (node->blocked) {
		node->blocked = false;
		node->room(node->owner);
	}
}

/* --- Links ------------------------------------------------------------ */

static void work(struct network_part *part);
static void work_on_channel(struct network_channel *channel);

static void arrived(void *owner, uint64_t tag)
{
	struct network_channel *channel = owner;
	struct network_message *message = (void *)(uintptr_t)tag;

	buffer_push(&channel->in, message->departed, message);
	if (channel->in.messages == 1)
		work_on_channel(channel);
}

/* A message from another part: memory stays where it is. */
static uint64_t land(void *owner, const void *data)
{
	const struct network_channel *channel = owner;
	struct network_message *message =
		message_take(channel->link->to->part);

	memcpy(message, data, sizeof *message);
	/* What it carries was perhaps last seen by another processor. */
	if (message->to == channel->link->to)
		__builtin_prefetch(message->payload, 1);
	return (uintptr_t)message;
}

/* The message has left its link, whose receiver sees it after `delay`. */
static void depart(struct network_channel *channel,
		   struct network_message *message, picoseconds delay)
{
	struct network_link *link = channel->link;
	struct network_part *from = link->from->part, *to = link->to->part;

	if (from == to) {
		event_schedule(from->events, delay, link->source, arrived,
			       channel, (uintptr_t)message);
		return;
	}
	event_send_data(from->events, to->events, delay, link->source, arrived,
			channel, land, message, sizeof *message);
	message_free(from, message);
}

static void credit_arrived(void *owner, uint64_t size)
{
	struct network_channel *channel = owner;

	channel->credit += (uint32_t)size;
	if (channel->out.first) {
		queue_link(channel->link);
		work(channel->link->from->part);
	}
}

/* The input buffer has got room. */
static void return_credit(struct network_channel *channel, uint32_t size)
{
	struct network_link *link = channel->link;

	if (link->latency) {
		event_send(link->to->part->events, link->from->part->events,
			   (link->latency + 1) * link->network->period,
			   link->source, credit_arrived, channel, size);
		return;
	}
	channel->credit += size;
	if (link->from->bus)
		queue_link(link->from->bus->links[0]);
	else if (channel->out.first)
		queue_link(link);
}

static void link_free_again(void *owner, uint64_t tag)
{
	struct network_link *link = owner;

	(void)tag;
	link->wake_pending = false;
	queue_link(link);
	work(link->from->part);
}

/* The next virtual channel whose first message could go, round robin. */
static struct network_channel *link_pick(struct network_link *link)
{
	for (unsigned i = 0; i < link->channel_count; i++) {
		unsigned at = link->next_channel + i;
		struct network_channel *channel;

		if (at >= link->channel_count)
			at -= link->channel_count;
		channel = &link->channels[at];
		if (channel->out.first &&
		    channel->out.first->size <= channel->credit)
			return channel;
	}
	return NULL;
}

/* --- Buses ------------------------------------------------------------ */

static void bus_wake(void *owner, uint64_t tag)
{
	struct network_node *node = owner;

	(void)tag;
	if (node->bus->wake == event_queue_now(node->part->events))
		node->bus->wake = 0;
	queue_link(node->bus->links[0]);
	work(node->part);
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

	*lane = now + cycles * node->network->period;
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
	buffer_pop(&channel->out, now);
	next->credit -= message->size;
	message->departed = now;
	event_schedule(node->part->events, *lane - now, next->link->source,
		       arrived, next, (uintptr_t)message);
	output_room(channel);
}

static void bus_start(struct network_node *node)
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

/* --- One port for all links of a node ------------------------------------ */

static void port_wake(void *owner, uint64_t tag);

static void port_wake_at(struct network_node *node, picoseconds delay)
{
	node->port_wake = true;
	event_schedule(node->part->events, delay, node->port_first->source,
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
		work(node->part);
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
	event_schedule(link->from->part->events, link->busy_until - now,
		       link->source, link_free_again, link, 0);
	return false;
}

static void link_start(struct network_link *link)
{
	struct network *network = link->network;
	struct event_queue *events = link->from->part->events;
	picoseconds now = event_queue_now(events), start;
	struct network_channel *channel;
	struct network_message *message;
	uint32_t cycles;

	while ((channel = link_pick(link))) {
		message = channel->out.first;
		start = later(now, message->ready);
		if (!link_is_free(link, start, now))
			return;
		if (link->port_waiting)
			port_leave(link->from);
		cycles = transfer_cycles(message->size, link->bandwidth);
		link->busy_until = start + cycles * network->period;
		link->from->port_free = link->busy_until;
		link->count.messages++;
		link->count.bytes += message->size;
		link->count.busy_cycles += cycles;
		if (link->channel_count > 1)
			link->next_channel =
				(unsigned)(channel - link->channels + 1) %
				link->channel_count;
		buffer_pop(&channel->out, now);
		channel->credit -= message->size;
		message->departed = now;
		depart(channel, message,
		       link->busy_until + link->latency * network->period -
			       now);
		output_room(channel);
	}
}

/* --- Nodes ------------------------------------------------------------ */

static bool deliver(struct network_channel *channel,
		    struct network_message *message, picoseconds now)
{
	struct network_node *node = message->to;
	struct network_part *part = node->part;
	struct network *network = part->network;
	FILE *log = log_stream(network->log, LOG_NET);
	uint32_t size = message->size;

	if (!node->receive(node->owner, message->payload, message->size))
		return false;
	if (log)
		fprintf(log, "%" PRIu64 " ps %s: %u bytes from %s to %s, "
			"sent at %" PRIu64 " ps\n", now, network->name,
			message->size, message->from->name, node->name,
			message->sent);
	node->count.received++;
	node->count.received_bytes += size;
	part->count->transfers++;
	part->count->bytes += size;
	part->count->latency += now - message->sent;
	part->pending--;
	buffer_pop(&channel->in, now);
	message_free(part, message);
	return_credit(channel, size);
	return true;
}

/* --- Switches ---------------------------------------------------------- */

/* Whether it goes before those that a node has just sent (TransitFirst). */
static bool passes(const struct network_channel *channel,
		   const struct network_channel *first)
{
	return channel->link->transit && !first->link->transit;
}

static void join_port(struct network_channel *channel,
		      struct network_link *output)
{
	struct network_channel **at = &output->port_first;

	if (channel->port_waiting)
		return;
	channel->port_waiting = true;
	if (channel->link->transit)
		while (*at && !passes(channel, *at))
			at = &(*at)->next_port;
	else if (output->port_first)
		at = &output->port_last->next_port;
	channel->next_port = *at;
	*at = channel;
	if (!channel->next_port)
		output->port_last = channel;
}

static void leave_port(struct network_channel *channel,
		       struct network_link *output)
{
	struct network_channel **at = &output->port_first, *before = NULL;

	if (!channel->port_waiting)
		return;
	channel->port_waiting = false;
	while (*at != channel) {
		before = *at;
		at = &before->next_port;
	}
	*at = channel->next_port;
	if (output->port_last == channel)
		output->port_last = before;
}

static void output_free_again(void *owner, uint64_t tag)
{
	struct network_link *output = owner;

	(void)tag;
	output->output_wake = false;
	if (!output->port_first)
		return;
	queue_channel(output->port_first);
	work(output->from->part);
}

static void input_free_again(void *owner, uint64_t tag)
{
	struct network_link *input = owner;

	(void)tag;
	input->input_wake = false;
	for (unsigned i = 0; i < input->channel_count; i++) {
		unsigned at = input->next_input + i;

		if (at >= input->channel_count)
			at -= input->channel_count;
		if (input->channels[at].in.first)
			queue_channel(&input->channels[at]);
	}
	work(input->to->part);
}

/* Those in line for an output port get it when it is free. */
static void wake_output(struct network_link *output, picoseconds now)
{
	struct event_queue *events = output->from->part->events;

	if (!output->port_first || output->output_wake)
		return;
	if (output->output_free <= now) {
		queue_channel(output->port_first);
		return;
	}
	output->output_wake = true;
	event_schedule(events, output->output_free - now, output->source,
		       output_free_again, output, 0);
}

static void wake_input(struct network_link *input, picoseconds now)
{
	if (input->input_wake)
		return;
	input->input_wake = true;
	event_schedule(input->to->part->events, input->input_free - now,
		       input->source, input_free_again, input, 0);
}

static void wait_for_room(struct network_channel *channel,
			  struct network_channel *next)
{
	struct network_channel **at = &next->waiters_first;

	if (channel->waiting)
		return;
	channel->waiting = true;
	if (channel->link->transit)
		while (*at && !passes(channel, *at))
			at = &(*at)->next_waiter;
	else if (next->waiters_first)
		at = &next->waiters_last->next_waiter;
	channel->next_waiter = *at;
	*at = channel;
	if (!channel->next_waiter)
		next->waiters_last = channel;
}

static bool in_front(const struct network_channel *channel,
		     const struct network_channel *first)
{
	return !first || first == channel || passes(channel, first);
}

/* Whether the message at the head may cross now: the buffer ahead has room
 * and both ports are free. A port is never booked ahead, so none idles while
 * somebody could use it; nobody overtakes those who wait, but for transit that
 * passes what enters the network here. */
static bool may_cross(struct network_channel *channel,
		      struct network_channel *next, uint32_t size,
		      picoseconds now)
{
	struct network_link *input = channel->link, *output = next->link;
	bool room = in_front(channel, next->waiters_first) &&
		    buffer_fits(&next->out, size);

	if (!room)
		wait_for_room(channel, next);
	else if (input->input_free > now)
		wake_input(input, now);
	else if (output->output_free <= now &&
		 in_front(channel, output->port_first))
		return true;
	else {
		join_port(channel, output);
		wake_output(output, now);
		return false;
	}
	if (channel->port_waiting) {
		leave_port(channel, output);
		wake_output(output, now);
	}
	return false;
}

/* From an input buffer of a switch to an output buffer of it. */
static bool cross(struct network_channel *channel,
		  struct network_message *message, picoseconds now)
{
	struct network_link *link = channel->link;
	struct network_node *node = link->to;
	struct network_channel *next = node->route[message->to->index];

	if (!may_cross(channel, next, message->size, now))
		return false;
	leave_port(channel, next->link);
	if (channel->waiting) {
		channel->waiting = false;
		next->waiters_first = channel->next_waiter;
	}
	message->ready = now + transfer_cycles(message->size,
					       node->bandwidth) *
				       node->network->period;
	link->input_free = next->link->output_free = message->ready;
	link->next_input = (unsigned)(channel - link->channels) + 1;
	if (link->next_input == link->channel_count)
		link->next_input = 0;
	wake_output(next->link, now);
	buffer_pop(&channel->in, now);
	return_credit(channel, message->size);
	buffer_push(&next->out, now, message);
	queue_link(next->link);
	output_room(next);
	return true;
}

static void forward(struct network_channel *channel)
{
	struct network_node *node = channel->link->to;
	picoseconds now = event_queue_now(node->part->events);

	while (channel->in.first) {
		struct network_message *message = channel->in.first;

		if (!(message->to == node ? deliver(channel, message, now)
					  : cross(channel, message, now)))
			return;
	}
}

static void work(struct network_part *part)
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
				bus_start(link->to);
			else
				link_start(link);
		} else {
			break;
		}
	}
	part->working = false;
}

/* From an event: as if queued, without the way through the list. */
static void work_on_channel(struct network_channel *channel)
{
	struct network_part *part = channel->link->to->part;

	part->working = true;
	forward(channel);
	part->working = false;
	work(part);
}

bool network_send(struct network_node *from, struct network_node *to,
		  uint32_t size, void *payload)
{
	struct network_part *part = from->part;
	struct network_channel *channel = from->route[to->index];
	struct network_message *message;
	picoseconds now = event_queue_now(part->events);

	if (!buffer_fits(&channel->out, size)) {
		from->blocked = true;
		return false;
	}
	message = message_take(part);
	message->from = from;
	message->to = to;
	message->payload = payload;
	message->size = size;
	message->sent = now;
	message->ready = next_edge(part);
	buffer_push(&channel->out, now, message);
	from->count.sent++;
	from->count.sent_bytes += size;
	part->pending++;
	queue_link(channel->link);
	work(part);
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
	work(node->part);
}
