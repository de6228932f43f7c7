/* The tags of a set-associative cache: which blocks it holds, in which state,
 * and which block is replaced next. Timing and protocol belong to the
 * module. */
#ifndef M2S_MEMSYS_CACHE_CACHE_H
#define M2S_MEMSYS_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/cache/ages.h"
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

/* A replacement policy: one row of cache-policy.def. */
struct cache_policy {
	const char *name;
	bool stamp_on_touch; /* a hit makes the block the youngest */
	bool random;         /* the victim is random, whatever its age */
	/* pseudo-LRU (plru.h); the ways are a power of two. */
	bool tree;
	enum ages_id ages, rival; /* ages.h, or AGES_NONE; the rules that
				   * `ages` duels with, or the same */
};

enum cache_policy_id {
#define POLICY(id, ...) CACHE_POLICY_##id,
#include "memsys/cache-policy.def"
	CACHE_POLICY_COUNT
};
extern const struct cache_policy cache_policies[CACHE_POLICY_COUNT];
/* "|LRU|FIFO|Random|PLRU|..."; without its first character, the choices of a
 * configuration variable. */
extern const char cache_policy_choices[];

/* Interleaving: address / divide % modulo is the number of the module that
 * holds an address. The set index must not use those bits. modulo = 1: the
 * module holds all blocks. */
struct cache_interleave {
	uint64_t divide, modulo;
};

struct cache_geometry {
	uint32_t sets, ways, block_size; /* sets, block_size: powers of two */
	enum cache_policy_id policy;
	struct cache_interleave interleave;
	uint64_t seed; /* for policies with chance */
};

struct cache {
	struct cache_geometry geometry;
	const struct cache_policy *policy;
	unsigned block_shift;
	bool interleave_shifts; /* divide and modulo are powers of two */
	unsigned divide_shift, modulo_shift;
	uint64_t *blocks;  /* by line = set * ways + way: block addresses */
	/* 16 bits of these addresses, four ways a word: looked at first. */
	uint64_t *tags;
	unsigned tag_shift, tag_words; /* of a set */
	uint64_t *stamps;  /* larger: younger; 0: invalid */
	uint8_t *states;   /* enum cache_state */
	/* In CACHE_NONCOHERENT: the 1/64ths of the block written here. */
	uint64_t *written;
	bool *locked;      /* not to be replaced now */
	uint32_t locked_count; /* how many are */
	/* Of a victim cache: the block's data are in a module above only; the
	 * tags say who has them. */
	bool *away;
	bool *prefetched;  /* prefetched and not used since */
	struct plru *tree; /* of a policy with `tree`, else NULL */
	struct ages *ages; /* of a policy with ages, else NULL */
	bool *fresh; /* with ages: filled, and not used since */
	uint64_t clock, random;
};

struct cache *cache_create(const struct cache_geometry *geometry);
void cache_free(struct cache *cache);

/* First line of the set of a block address. */
uint32_t cache_set_line(const struct cache *cache, uint64_t block);
/* The line that holds the block, or -1. */
int32_t cache_find(const struct cache *cache, uint64_t block);
/* The line that a new block takes: an empty line if the set has one, otherwise
 * the policy's choice among the lines that are not locked; -1 if all are
 * locked. */
int32_t cache_victim(struct cache *cache, uint64_t block);
void cache_fill(struct cache *cache, int32_t line, uint64_t block,
		enum cache_state state);
void cache_invalidate(struct cache *cache, int32_t line);

/* Until it is unlocked, the line is not replaced. */
static inline void cache_lock(struct cache *cache, int32_t line)
{
	cache->locked_count += !cache->locked[line];
	cache->locked[line] = true;
}
static inline void cache_unlock(struct cache *cache, int32_t line)
{
	cache->locked_count -= cache->locked[line];
	cache->locked[line] = false;
}

/* The policies that do not only stamp. */
void cache_touch_set(struct cache *cache, int32_t line);

/* Tells the policy that a block was used. The first use of a new block is that
 * for which it was filled, and for ages no hit. */
static inline void cache_touch(struct cache *cache, int32_t line)
{
	if (cache->policy->stamp_on_touch)
		cache->stamps[line] = ++cache->clock;
	else if (cache->tree || cache->ages)
		cache_touch_set(cache, line);
}

#endif
