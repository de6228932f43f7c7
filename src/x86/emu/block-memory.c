/* Memory for decoded blocks. Blocks are small, live together and mostly die
 * together, so addresses are handed out by counting up. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/emu/block.h"

enum { CHUNK = 256 << 10, ALIGNMENT = 32 };

struct chunk {
	struct chunk *next;
	uint8_t bytes[] __attribute__((aligned(ALIGNMENT)));
};

struct x86_block_memory {
	struct chunk *chunks; /* the first is the one in use */
	size_t left;          /* free bytes in the chunk in use */
	size_t used;
};

struct x86_block_memory *x86_block_memory_create(void)
{
	return xcalloc(1, sizeof(struct x86_block_memory));
}

static void free_chunks(struct chunk *chunk)
{
	for (struct chunk *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
}

void x86_block_memory_free(struct x86_block_memory *memory)
{
	if (!memory)
		return;
	free_chunks(memory->chunks);
	free(memory);
}

void *x86_block_allocate(struct x86_block_memory *memory, size_t size)
{
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (size > memory->left) {
		struct chunk *chunk = aligned_alloc(ALIGNMENT,
						    sizeof *chunk + CHUNK);

		if (!chunk) /* says so and ends the process */
			chunk = xmalloc(SIZE_MAX);
		chunk->next = memory->chunks;
		memory->chunks = chunk;
		memory->left = CHUNK;
	}
	memory->left -= size;
	memory->used += size;
	return memory->chunks->bytes + memory->left;
}

size_t x86_block_memory_used(const struct x86_block_memory *memory)
{
	return memory->used;
}

void x86_block_memory_clear(struct x86_block_memory *memory)
{
	if (!memory->chunks)
		return;
	free_chunks(memory->chunks->next);
	memory->chunks->next = NULL;
	memory->left = CHUNK;
	memory->used = 0;
}
