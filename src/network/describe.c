/* Where messages are, for the report of a simulation that hangs. */
#include "network/internal.h"

#include <inttypes.h>

static void describe_message(const struct network_message *message,
			     const struct network_node *from,
			     const struct network_node *to, const char *where,
			     const char *state, FILE *stream)
{
	fprintf(stream, "    %s: %" PRIu32 " bytes from %s to %s, sent at %"
		PRIu64 " ps%s\n", where, message->size, from->name, to->name,
		message->sent, state);
}

/* Reserved messages, which are in no buffer's list, leave before those of the
 * buffer (reserve.c). */
static const struct network_message *
first_to_leave(const struct network_channel *channel)
{
	const struct network_message *message =
		channel->link->from->reserved.first;

	while (message && !(message->handed && message->waits))
		message = message->next;
	return message ? message : channel->out.first;
}

static void describe_channel(const struct network_channel *channel,
			     unsigned number, FILE *stream)
{
	const struct network_link *link = channel->link;
	uint32_t credit = network_channel_credit(
		channel, event_queue_now(link->from->part->events));
	/* Room that is spoken for and not taken: on the wire, or free again and
	 * not yet known to be. */
	uint32_t wire = channel->in.size - channel->in.used - credit;
	const struct network_message *first;

	if (channel->ample) {
		wire = (uint32_t)(channel->departed - channel->arrived);
		credit = channel->in.size - channel->in.used - wire;
	}
	if (!channel->out.messages && !channel->in.messages &&
	    !wire)
		return;
	fprintf(stream, "  %s -> %s, channel %u: output buffer %" PRIu32
		" of %" PRIu32 " bytes (%" PRIu32 " messages), input buffer %"
		PRIu32 " of %" PRIu32 " (%" PRIu32 "), credit %" PRIu32 ", %"
		PRIu32 " bytes on the wire\n",
		link->from->name, link->to->name, number, channel->out.used,
		channel->out.size, channel->out.messages, channel->in.used,
		channel->in.size, channel->in.messages, credit, wire);
	first = first_to_leave(channel);
	if (first && first != channel->out.first)
		describe_message(first, link->from, link->to, "first to leave",
				 "", stream);
	else if (first)
		describe_message(first, first->from, first->to,
				 "first to leave",
				 credit < first->size
					 ? ": waits for room ahead"
					 : "",
				 stream);
	first = channel->in.first;
	if (first)
		describe_message(first, first->from, first->to,
				 "first that arrived",
				 first->to == link->to
					 ? ": waits for its node"
					 : channel->waiting
						 ? ": waits for room in the "
						   "switch"
						 : "",
				 stream);
}

void network_describe(const struct network *network, FILE *stream)
{
	uint64_t pending = network_pending(network);

	if (!pending)
		return;
	fprintf(stream, "network %s: %" PRIu64 " messages under way\n",
		network->name, pending);
	for (size_t i = 0; i < network->link_count; i++)
		for (unsigned j = 0; j < network->links[i]->channel_count; j++)
			describe_channel(&network->links[i]->channels[j], j,
					 stream);
}
