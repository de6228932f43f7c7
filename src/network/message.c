/* The messages of a part: taken for their way, and given back. */
#include "base/optimize.h"

#include <inttypes.h>

#include "base/memory.h"
#include "network/transfer.h"

/* KEPT_MESSAGES: free ones that a part does not give to others. */
enum { CHUNK_MESSAGES = 64, KEPT_MESSAGES = 512 };

__attribute__((noinline)) void network_messages_refill(struct network_part *part)
{
	struct network_message *chunk =
		xcalloc_aligned(CHUNK_MESSAGES * sizeof *chunk);

	ARRAY_GROW(part->chunks, part->chunk_count, part->chunk_capacity);
	part->chunks[part->chunk_count++] = chunk;
	for (int i = 0; i < CHUNK_MESSAGES; i++) {
		chunk[i].next = part->free;
		part->free = &chunk[i];
	}
	part->free_count += CHUNK_MESSAGES;
	part->short_of_messages = true;
}

void network_balance_messages(struct network *network)
{
	struct network_message *spare = NULL;
	size_t spares = 0, takers = 0;

	for (size_t i = 0; i < network->part_count; i++)
		takers += network->parts[i]->short_of_messages;
	for (size_t i = 0; takers && i < network->part_count; i++) {
		struct network_part *part = network->parts[i];

		for (; part->free_count > KEPT_MESSAGES; spares++) {
			struct network_message *message =
				network_message_take(part);

			message->next = spare;
			spare = message;
		}
	}
	for (size_t i = 0; i < network->part_count; i++) {
		struct network_part *part = network->parts[i];

		if (!part->short_of_messages)
			continue;
		part->short_of_messages = false;
		for (size_t n = spares / takers + 1; spare && n; n--) {
			struct network_message *message = spare;

			spare = message->next;
			network_message_free(part, message);
		}
	}
}

void network_log_received(const struct network_node *from,
			  const struct network_node *to,
			  const struct network_message *message,
			  picoseconds now)
{
	fprintf(log_stream(to->network->log, LOG_NET),
		"%" PRIu64 " ps %s: %u bytes from %s to %s, "
		"sent at %" PRIu64 " ps\n", now, to->network->name,
		message->size, from->name, to->name, message->sent);
}
