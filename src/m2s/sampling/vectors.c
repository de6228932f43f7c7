#include "m2s/sampling/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/sampling/random.h"

enum { RECORDS = 8192, BATCH = 4096, FIRST_BLOCKS = 1 << 12 };

/* A basic block is known by its first instruction. */
struct block {
	uint64_t key;   /* process and address; 0: a free place */
	uint64_t count; /* instructions in the interval */
};

struct vectors {
	uint64_t length;
	struct x86_ring *ring;
	struct behaviour *behaviour;
	/* A hash table; `mask` + 1 places, at most half of them taken. */
	struct block *block;
	size_t mask, taken;
	uint64_t left;  /* instructions of the interval */
	struct vector *list;
	size_t count, capacity;
};

struct vectors *vectors_create(uint64_t length)
{
	struct vectors *vectors = xcalloc(1, sizeof *vectors);

	vectors->length = vectors->left = length;
	vectors->ring = x86_ring_create(RECORDS);
	vectors->behaviour = behaviour_create();
	vectors->mask = FIRST_BLOCKS - 1;
	vectors->block = xcalloc(FIRST_BLOCKS, sizeof *vectors->block);
	return vectors;
}

void vectors_free(struct vectors *vectors)
{
	if (!vectors)
		return;
	x86_ring_free(vectors->ring);
	behaviour_free(vectors->behaviour);
	free(vectors->block);
	free(vectors->list);
	free(vectors);
}

/* ---- Blocks ---- */

static struct block *place_of(const struct vectors *vectors, uint64_t key)
{
	size_t at = (size_t)random_mix(key) & vectors->mask;

	while (vectors->block[at].key && vectors->block[at].key != key)
		at = (at + 1) & vectors->mask;
	return &vectors->block[at];
}

static void grow(struct vectors *vectors)
{
	struct block *old = vectors->block;
	size_t places = vectors->mask + 1;

	vectors->mask = 2 * places - 1;
	vectors->block = xcalloc(2 * places, sizeof *old);
	for (size_t i = 0; i < places; i++)
		if (old[i].key)
			*place_of(vectors, old[i].key) = old[i];
	free(old);
}

static void count_block(struct vectors *vectors, uint64_t key, uint64_t count)
{
	struct block *block = place_of(vectors, key);

	if (!block->key) {
		if (2 * ++vectors->taken > vectors->mask) {
			grow(vectors);
			block = place_of(vectors, key);
		}
		block->key = key;
	}
	block->count += count;
}

/* ---- Intervals ---- */

static void project(const struct vectors *vectors, const struct block *block,
		    struct vector *vector)
{
	double share = (double)block->count / (double)vectors->length;
	uint64_t direction = block->key;

	for (unsigned i = 0; i < VECTOR_BLOCKS; i++)
		vector->component[i] +=
			share * (2 * random_fraction(&direction) - 1);
}

static void end_interval(struct vectors *vectors)
{
	struct vector *vector;

	ARRAY_GROW(vectors->list, vectors->count, vectors->capacity);
	vector = &vectors->list[vectors->count++];
	memset(vector, 0, sizeof *vector);
	for (size_t i = 0; i <= vectors->mask; i++) {
		if (!vectors->block[i].count)
			continue;
		project(vectors, &vectors->block[i], vector);
		vectors->block[i].count = 0;
	}
	behaviour_take(vectors->behaviour, vectors->length,
		       vector->component + VECTOR_BLOCKS);
	vectors->left = vectors->length;
}

/* Consumes the records in the ring. They are of one turn of a thread, whose first
 * instruction begins a block. */
static void count_records(struct vectors *vectors, int process)
{
	struct x86_ring *ring = vectors->ring;
	uint64_t salt = (uint64_t)process << 48, key = 0, count = 0;

	for (; ring->tail != ring->head; ring->tail++) {
		const struct x86_record *record =
			&ring->record[ring->tail & ring->mask];

		if (!key)
			key = record->inst->address ^ salt;
		count += !record->unfinished;
		behaviour_count(vectors->behaviour, (uint64_t)process, record,
				ring->reference + record->first);
		if (record->inst->branch == X86_BRANCH_NONE)
			continue;
		count_block(vectors, key, count);
		key = count = 0;
	}
	if (count)
		count_block(vectors, key, count);
}

enum x86_stop vectors_run(struct vectors *vectors, int process,
			  struct x86_cpu *cpu, uint64_t instructions)
{
	enum x86_stop stop = X86_STOP_QUANTUM;

	while (instructions && stop == X86_STOP_QUANTUM) {
		uint64_t before = x86_instructions(cpu), done, wanted = BATCH;

		if (wanted > instructions)
			wanted = instructions;
		if (wanted > vectors->left)
			wanted = vectors->left;
		stop = x86_observe(cpu, vectors->ring, wanted, 0);
		done = x86_instructions(cpu) - before;
		count_records(vectors, process);
		instructions -= done;
		vectors->left -= done;
		if (!vectors->left)
			end_interval(vectors);
	}
	return stop;
}

/* ---- Results ---- */

const struct vector *vectors_list(const struct vectors *vectors, size_t *count)
{
	*count = vectors->count;
	return vectors->list;
}

uint64_t vectors_length(const struct vectors *vectors)
{
	return vectors->length;
}

uint64_t vectors_instructions(const struct vectors *vectors)
{
	return vectors->count * vectors->length + vectors->length -
	       vectors->left;
}
