/* The messages of a part: taken for their way, and given back. */
#include "base/memory.h"
#include "network/transfer.h"

enum { CHUNK_MESSAGES = 64 };

struct network_message *network_message_take(struct network_part *part)
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

void network_message_free(struct network_part *part,
			  struct network_message *message)
{
	message->next = part->free;
	part->free = message;
}
