#include "base/optimize.h"

#include "memsys/prefetch/prefetcher.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/* The entry of one instruction. Several instructions share a place. */
struct index_entry {
	uint64_t key;
	bool used;
	/* GHB: number of its last miss, counted from 1; 0: none. */
	uint64_t newest;
	/* Stride. */
	uint64_t block, stride;
	uint32_t times; /* that the stride was seen in a row */
};

/* A miss. It has left the ring when the ring has `history` younger ones. */
struct history_entry {
	uint64_t block;
	uint64_t before; /* number of the instruction's miss before; 0: none */
};

/* Distances between misses of an instruction that PC/DC looks at. */
enum { DELTAS = 2 * PREFETCHER_DEPTH_MAX };

struct prefetcher {
	struct prefetcher_config config;
	struct index_entry *table;
	struct history_entry *ring;
	uint64_t misses; /* number of the last one */
};

struct prefetcher *prefetcher_create(const struct prefetcher_config *config)
{
	struct prefetcher *prefetcher = xcalloc(1, sizeof *prefetcher);

	prefetcher->config = *config;
	prefetcher->table = xcalloc(config->table, sizeof *prefetcher->table);
	if (config->type == PREFETCHER_GHB_PC_CS ||
	    config->type == PREFETCHER_GHB_PC_DC)
		prefetcher->ring = xcalloc(config->history,
					   sizeof *prefetcher->ring);
	return prefetcher;
}

void prefetcher_free(struct prefetcher *prefetcher)
{
	if (!prefetcher)
		return;
	free(prefetcher->table);
	free(prefetcher->ring);
	free(prefetcher);
}

/* The instruction's place in the table, empty if another one had it. */
static struct index_entry *look_up(struct prefetcher *prefetcher, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15ull >> 32;
	struct index_entry *entry =
		&prefetcher->table[hash * prefetcher->config.table >> 32];

	if (!entry->used || entry->key != key)
		*entry = (struct index_entry){ .key = key, .used = true };
	return entry;
}

/* --- Global history buffer ------------------------------------------------ */

static const struct history_entry *
history_find(const struct prefetcher *prefetcher, uint64_t number)
{
	if (!number ||
	    number + prefetcher->config.history <= prefetcher->misses)
		return NULL;
	return &prefetcher->ring[number % prefetcher->config.history];
}

static unsigned constant_stride(const struct prefetcher *prefetcher,
				const struct history_entry *newest,
				uint64_t *next)
{
	const struct history_entry *entry = newest, *before;
	uint64_t stride = 0;

	for (uint32_t i = 0; i < prefetcher->config.depth; i++) {
		before = history_find(prefetcher, entry->before);
		if (!before || (i && entry->block - before->block != stride))
			return 0;
		stride = entry->block - before->block;
		entry = before;
	}
	for (uint32_t i = 0; i < prefetcher->config.degree; i++)
		next[i] = newest->block + (i + 1) * stride;
	return prefetcher->config.degree;
}

/* Distances [0, depth) and [at, at + depth), the newest first. */
static bool same(const uint64_t *deltas, uint32_t at, uint32_t depth)
{
	for (uint32_t i = 0; i < depth; i++)
		if (deltas[i] != deltas[at + i])
			return false;
	return true;
}

static unsigned delta_correlation(const struct prefetcher *prefetcher,
				  const struct history_entry *newest,
				  uint64_t *next)
{
	const struct history_entry *entry = newest, *before;
	uint32_t depth = prefetcher->config.depth, count = 0;
	uint64_t deltas[DELTAS], block = newest->block;

	while (count < DELTAS &&
	       (before = history_find(prefetcher, entry->before))) {
		uint32_t at;

		deltas[count++] = entry->block - before->block;
		entry = before;
		if (count <= depth)
			continue;
		at = count - depth;
		if (!same(deltas, at, depth))
			continue;
		/* They were followed by deltas[at - 1] to deltas[0]; after
		 * that the pattern begins again. */
		for (uint32_t i = 0; i < prefetcher->config.degree; i++) {
			block += deltas[at - 1 - i % at];
			next[i] = block;
		}
		return prefetcher->config.degree;
	}
	return 0;
}

static unsigned train_history(struct prefetcher *prefetcher,
			      struct index_entry *index, uint64_t block,
			      uint64_t *next)
{
	const struct history_entry *last = history_find(prefetcher,
							index->newest);
	struct history_entry *entry;

	if (last && last->block == block)
		return 0;
	entry = &prefetcher->ring[++prefetcher->misses %
				  prefetcher->config.history];
	entry->block = block;
	entry->before = index->newest;
	index->newest = prefetcher->misses;
	if (prefetcher->config.type == PREFETCHER_GHB_PC_CS)
		return constant_stride(prefetcher, entry, next);
	return delta_correlation(prefetcher, entry, next);
}

/* --- Stride --------------------------------------------------------------- */

static unsigned train_stride(const struct prefetcher *prefetcher,
			     struct index_entry *index, uint64_t block,
			     uint64_t *next)
{
	uint64_t stride = block - index->block;

	/* `newest` only says that there was a miss before. */
	if (!index->newest) {
		index->newest = 1;
		index->block = block;
		return 0;
	}
	if (!stride)
		return 0;
	if (index->times && stride == index->stride) {
		index->times += index->times < PREFETCHER_DEPTH_MAX;
	} else {
		index->stride = stride;
		index->times = 1;
	}
	index->block = block;
	if (index->times < prefetcher->config.depth)
		return 0;
	for (uint32_t i = 0; i < prefetcher->config.degree; i++)
		next[i] = block + (i + 1) * stride;
	return prefetcher->config.degree;
}

/* --- Stream --------------------------------------------------------------- */

/* Blocks. What is farther away is not a sequence. */
enum { STREAM_STEP = 2 };

static unsigned train_stream(const struct prefetcher *prefetcher,
			     struct index_entry *index, uint64_t block,
			     uint64_t *next)
{
	bool first = !index->newest;
	bool up = block > index->block;
	uint64_t step = up ? 1 : UINT64_MAX;
	uint64_t far = up ? block - index->block : index->block - block;

	if (!first && block == index->block)
		return 0;
	if (far > STREAM_STEP)
		index->times = 0;
	else if (!first && step == index->stride)
		index->times += index->times < PREFETCHER_DEPTH_MAX;
	else
		index->times = !first;
	index->stride = first || far > STREAM_STEP ? 0 : step;
	index->newest = 1;
	index->block = block;
	if (index->times < prefetcher->config.depth) {
		next[0] = block ^ 1;
		return prefetcher->config.pair;
	}
	for (uint32_t i = 0; i < prefetcher->config.degree; i++)
		next[i] = block + (i + 1) * step;
	return prefetcher->config.degree;
}

/* --- One line ------------------------------------------------------------- */

static unsigned train_line(const struct prefetcher *prefetcher,
			   struct index_entry *index, uint64_t block,
			   uint64_t *next)
{
	bool first = !index->newest;
	uint64_t before = index->block;

	index->newest = 1;
	index->block = block;
	if (first || block == before ||
	    (prefetcher->config.type == PREFETCHER_NEXT_LINE &&
	     block != before + 1))
		return 0;
	next[0] = block > before ? block + 1 : block - 1;
	return 1;
}

unsigned prefetcher_train(struct prefetcher *prefetcher, uint64_t key,
			  uint64_t block, uint64_t *next)
{
	uint64_t page = prefetcher->config.page
				? block / prefetcher->config.page : 0;

	switch (prefetcher->config.type) {
	case PREFETCHER_STRIDE:
		return train_stride(prefetcher, look_up(prefetcher, key),
				    block, next);
	case PREFETCHER_STREAM:
		return train_stream(prefetcher, look_up(prefetcher, page),
				    block, next);
	case PREFETCHER_PAIR:
		next[0] = block ^ 1;
		return 1;
	case PREFETCHER_NEXT_LINE:
	case PREFETCHER_UP_DOWN:
		return train_line(prefetcher, look_up(prefetcher, page), block,
				  next);
	default:
		return train_history(prefetcher, look_up(prefetcher, key),
				     block, next);
	}
}
