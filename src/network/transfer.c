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
	return size <= bandwidth ? 1 : (size + bandwidth - 1) / bandwidth;
}

/* --- Messages and buffers --------------------------------------------- */

static struct network_message *message_take(struct network_part *part)
{
	struct network_message *message;

	if (!part->free) {
		struct network_message *chunk =
			xmalloc(CHUNK_MESSAGES * sizeof *chunk);

		ARRAY_GROW(part->chunks, part->chunk_count,
			   part->chunk_capacity);
		part->chunks[part->chunk_count++] = chunk;
		for (int i = 0; i < CHUNK_MESSAGES; i++) {
			chunk[i].next = part->free;
			part->free = &chunk[i];
		}
		part->free_count += CHUNK_MESSAGES;
	}
	message = part->free;
	part->free = message->next;
	part->free_count--;
	return message;
}

static void message_free(struct network_part *part,
			 struct network_message *message)
{
	message->next = part->free;
	part->free = message;
	part->free_count++;
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

static void arrived(void *owner, uint64_t tag)
{
	struct network_channel *channel = owner;
	struct network_message *message = (void *)(uintptr_t)tag;

	buffer_push(&channel->in, message->departed, message);
	if (channel->in.messages == 1) {
		queue_channel(channel);
		work(channel->link->to->part);
	}
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
	if (channel->out.first)
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
		if (link->busy_until > start) {
			link->wake_pending = true;
			event_schedule(events, link->busy_until - now,
				       link->source, link_free_again, link, 0);
			return;
		}
		cycles = transfer_cycles(message->size, link->bandwidth);
		link->busy_until = start + cycles * network->period;
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
		event_send(events, link->to->part->events,
			   link->busy_until +
				   link->latency * network->period - now,
			   link->source, arrived, channel, (uintptr_t)message);
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

/* From an input buffer of a switch to an output buffer of it. */
static bool cross(struct network_channel *channel,
		  struct network_message *message, picoseconds now)
{
	struct network_link *link = channel->link;
	struct network_node *node = link->to;
	struct network_channel *next = node->route[message->to->index];
	picoseconds start;

	/* Nobody overtakes those who wait. */
	if ((next->waiters_first && next->waiters_first != channel) ||
	    !buffer_fits(&next->out, message->size)) {
		if (!channel->waiting) {
			channel->waiting = true;
			channel->next_waiter = NULL;
			if (next->waiters_first)
				next->waiters_last->next_waiter = channel;
			else
				next->waiters_first = channel;
			next->waiters_last = channel;
		}
		return false;
	}
	if (channel->waiting) {
		channel->waiting = false;
		next->waiters_first = channel->next_waiter;
	}
	start = later(now, later(link->input_free, next->link->output_free));
	message->ready = start + transfer_cycles(message->size,
						 node->bandwidth) *
					 node->network->period;
	link->input_free = next->link->output_free = message->ready;
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
	while (part->work_channels || part->work_links) {
		struct network_channel *channel = part->work_channels;
		struct network_link *link = part->work_links;

		if (channel) {
			part->work_channels = channel->next_work;
			if (!channel->next_work)
				part->work_channels_end =
					&part->work_channels;
			channel->work_queued = false;
			forward(channel);
		} else {
			part->work_links = link->next_work;
			if (!link->next_work)
				part->work_links_end =
					&part->work_links;
			link->work_queued = false;
			link_start(link);
		}
	}
	part->working = false;
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
