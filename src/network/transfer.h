/* How messages move: the functions that transfer.c, link.c, switch.c and bus.c
 * share. */
#ifndef M2S_NETWORK_TRANSFER_H
#define M2S_NETWORK_TRANSFER_H

#include "base/log.h"
#include "network/internal.h"

static inline picoseconds later(picoseconds a, picoseconds b)
{
	return a > b ? a : b;
}

static inline uint32_t transfer_cycles(uint32_t size, uint32_t bandwidth)
{
	if (size <= bandwidth)
		return 1;
	size += bandwidth - 1;
	/* Nearly always a power of two: no division. */
	return bandwidth & (bandwidth - 1)
		       ? size / bandwidth
		       : size >> __builtin_ctz(bandwidth);
}

/* --- Buffers ------------------------------------------------------------ */

static inline bool buffer_fits(const struct network_buffer *buffer, uint32_t size)
{
	return buffer->used + size <= buffer->size;
}

/* `since` is the time from which the message holds room. */
static inline void buffer_push(struct network_buffer *buffer, picoseconds since,
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

/* The first message, of `size` bytes, has left; `next` was behind it. */
static inline void buffer_leave(struct network_buffer *buffer,
				struct network_message *next, uint32_t size,
				picoseconds now)
{
	buffer->byte_time += size * now;
	buffer->message_time += now;
	buffer->used -= size;
	buffer->messages--;
	buffer->first = next;
}

/* A message that was never in the list has gone through. */
static inline void buffer_pass(struct network_buffer *buffer, picoseconds since,
			       uint32_t size, picoseconds now)
{
	buffer->byte_time += size * (now - since);
	buffer->message_time += now - since;
}

/* --- Work lists ------------------------------------------------------- */

static inline void queue_channel(struct network_channel *channel)
{
	struct network_part *part = channel->link->to->part;

	if (channel->work_queued)
		return;
	channel->work_queued = true;
	channel->next_work = NULL;
	*part->work_channels_end = channel;
	part->work_channels_end = &channel->next_work;
}

static inline void queue_link(struct network_link *link)
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

/* Room was made in an output buffer: the channel that has waited longest gets
 * it if its message fits now. */
static inline void output_room(struct network_channel *channel)
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

/* Empties the work lists, unless a caller further up is doing so already. */
static inline void network_work(struct network_part *part)
{
	if (part->work_channels || part->work_links)
		part->work(part);
}

/* --- message.c ---------------------------------------------------------- */

/* Allocates more free messages. */
void network_messages_refill(struct network_part *part);
static inline struct network_message *
network_message_take(struct network_part *part)
{
	struct network_message *message;

	if (!part->free)
		network_messages_refill(part);
	message = part->free;
	part->free = message->next;
	/* The next one has not been used for long if many are taken. */
	__builtin_prefetch(part->free, 1);
	part->free_count--;
	return message;
}
static inline void network_message_free(struct network_part *part,
					struct network_message *message)
{
	message->next = part->free;
	part->free = message;
	part->free_count++;
}
/* Parts with many free messages give some to parts that had to allocate. */
void network_balance_messages(struct network *network);

/* What a node has just received is written and counted. */
void network_log_received(const struct network_node *from,
			  const struct network_node *to,
			  const struct network_message *message,
			  picoseconds now);
static inline void network_received(const struct network_node *from,
				    struct network_node *to,
				    const struct network_message *message,
				    picoseconds now)
{
	struct network_part *part = to->part;

	if (log_stream(part->network->log, LOG_NET))
		network_log_received(from, to, message, now);
	to->count.received++;
	to->count.received_bytes += message->size;
	part->count->transfers++;
	part->count->bytes += message->size;
	part->count->latency += now - message->sent;
	part->pending--;
}

/* --- reserve.c ---------------------------------------------------------- */

/* Of a node with reserved messages, counts what has left:
 * network_reserved_settle(), as the event that is being run finds it;
 * network_reserved_gather(), when all events before `now`, and those that its queue
 * has run, have been run. */
void network_reserved_settle(struct network_node *node);
void network_reserved_gather(struct network_node *node, picoseconds now);
/* A message has found the output buffer full: the node hears when a reserved one
 * has left it. */
void network_reserved_await(struct network_node *node);

/* --- link.c ------------------------------------------------------------- */

/* Sends the messages that can leave now, and schedules the next look. */
void network_link_start(struct network_link *link);
/* Lets a message skip the output buffer if that is empty and the link free.
 * True if the message has left. */
bool network_link_pass(struct network_channel *channel,
		       struct network_message *message, picoseconds now);
/* To be called when the parts of both ends are known. */
void network_link_connect(struct network_link *link);
/* Tells the sender that the channel's input buffer has room, if it counts. */
void network_credit_send(struct network_channel *channel, uint32_t size);
static inline void network_credit_return(struct network_channel *channel,
					 uint32_t size)
{
	if (!channel->ample)
		network_credit_send(channel, size);
}

/* --- switch.c ----------------------------------------------------------- */

/* Moves a message, the first one in a switch's input buffer, to an output
 * buffer. False if it has to wait. The caller takes it out of the input
 * buffer. */
bool network_switch_cross(struct network_channel *channel,
			  struct network_message *message, picoseconds now);

/* --- bus.c -------------------------------------------------------------- */

void network_bus_start(struct network_node *node);

/* --- transfer.c --------------------------------------------------------- */

/* The event of a message that comes to the end of a link: what it does depends on
 * the link's receiver. */
event_action *network_arrival(const struct network_link *link);
/* Sets the functions of a new part. */
void network_part_start(struct network_part *part);

#endif
