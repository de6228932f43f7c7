/* The tags of a set-associative cache: which blocks are there, in which state,
 * and which one goes next. Timing and protocol are the module's. */
#ifndef M2S_MEMSYS_CACHE_CACHE_H
#define M2S_MEMSYS_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/cache/plru.h"

/* The states of NMOESI. The order matters: from CACHE_EXCLUSIVE on, a store
 * needs no permission; from CACHE_NONCOHERENT on, a non-coherent store. */
enum cache_state {
	CACHE_INVALID,
	CACHE_SHARED,
	CACHE_OWNED,       /* newer than the module below; others share it */
	CACHE_NONCOHERENT, /* parts are newer; others may write other parts */
	CACHE_EXCLUSIVE,
	CACHE_MODIFIED,
};

/* "ISONEM", by state. */
extern const char cache_state_letters[];

struct cache;

/* A replacement policy; one per name in cache-policy.def. */
struct cache_policy {
	const char *name;
	bool stamp_on_touch; /* a hit makes the block young again */
	bool random;         /* age does not count */
	bool tree;           /* plru.h; the ways are a power of two */
};

enum cache_policy_id {
#define POLICY(id, name, touch, random, tree) CACHE_POLICY_##id,
#include "memsys/cache-policy.def"
	CACHE_POLICY_COUNT
};
extern const struct cache_policy cache_policies[CACHE_POLICY_COUNT];
/* "|LRU|FIFO|Random|PLRU": from the second character on, a configuration choice. */
extern const char cache_policy_choices[];

/* Blocks of an interleaved module: address / divide % modulo is the module's
 * number; the set index must not use those bits. modulo = 1: all blocks. */
struct cache_interleave {
	uint64_t divide, modulo;
};

struct cache_geometry {
	uint32_t sets, ways, block_size; /* sets, block_size: powers of two */
	enum cache_policy_id policy;
	struct cache_interleave interleave;
	uint64_t seed; /* of Random */
};

struct cache {
	struct cache_geometry geometry;
	const struct cache_policy *policy;
	unsigned block_shift;
	bool interleave_shifts; /* divide and modulo are powers of two */
	unsigned divide_shift, modulo_shift;
	uint64_t *blocks;  /* by line = set * ways + way: block addresses */
	uint64_t *stamps;  /* larger: younger */
	uint8_t *states;   /* enum cache_state */
	uint64_t *written; /* in CACHE_NONCOHERENT: 1/64ths written here */
	bool *locked;      /* not to be replaced now */
	bool *prefetched;  /* and not used since */
	struct plru *tree; /* of that policy, or NULL */
	uint64_t clock, random;
};

struct cache *cache_create(const struct cache_geometry *geometry);
void cache_free(struct cache *cache);

/* First line of the set of a block address. */
uint32_t cache_set_line(const struct cache *cache, uint64_t block);
/* The line that holds the block, or -1. */
int32_t cache_find(const struct cache *cache, uint64_t block);
/* The line that a new block takes: an empty one if there is one, otherwise
 * the policy's choice among those that are not locked; -1 if all are. */
int32_t cache_victim(struct cache *cache, uint64_t block);
void cache_fill(struct cache *cache, int32_t line, uint64_t block,
		enum cache_state state);
void cache_invalidate(struct cache *cache, int32_t line);

void cache_touch_tree(struct cache *cache, int32_t line);

/* A block was used. */
static inline void cache_touch(struct cache *cache, int32_t line)
{
	if (cache->policy->stamp_on_touch)
		cache->stamps[line] = ++cache->clock;
	else if (cache->tree)
		cache_touch_tree(cache, line);
}

#endif
