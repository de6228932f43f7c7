/* Switches: from input buffers to output buffers, each port for one message at
 * a time. */
#include "base/optimize.h"

#include "network/transfer.h"
#include "sim/queue.h"

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
	network_work(output->from->part);
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
	network_work(input->to->part);
}

/* Channels in line for an output port get it when it is free. */
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
	event_put_after(events, output->output_free - now, output->source,
		       output_free_again, output, 0);
}

static void wake_input(struct network_link *input, picoseconds now)
{
	if (input->input_wake)
		return;
	input->input_wake = true;
	event_put_after(input->to->part->events, input->input_free - now,
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

/* Whether the message at the head may cross now: the buffer ahead has room and
 * both ports are free. A port is never booked ahead, so no port idles while a
 * message could use it. No message overtakes waiting ones, except transit,
 * which passes messages that enter the network here. */
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

bool network_switch_cross(struct network_channel *channel,
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
	message->ready = network_after(node->network, now,
				       transfer_cycles(message->size,
						       node->bandwidth));
	link->input_free = next->link->output_free = message->ready;
	link->next_input = (unsigned)(channel - link->channels) + 1;
	if (link->next_input == link->channel_count)
		link->next_input = 0;
	wake_output(next->link, now);
	network_credit_return(channel, message->size);
	if (!network_link_pass(next, message, now)) {
		buffer_push(&next->out, now, message);
		queue_link(next->link);
	}
	output_room(next);
	return true;
}
