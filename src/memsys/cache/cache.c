#include "base/optimize.h"

#include "memsys/cache/cache.h"

#include <emmintrin.h>
#include <stdlib.h>

#include "base/memory.h"

enum { TAG_BITS = 16, TAG_WAYS = 64 / TAG_BITS, TAG_MASK = (1 << TAG_BITS) - 1 };

const struct cache_policy cache_policies[CACHE_POLICY_COUNT] = {
#define POLICY(id, name, touch, random, tree, ages, rival)                     \
	[CACHE_POLICY_##id] = { name, touch,       random,                     \
				tree, AGES_##ages, AGES_##rival },
#include "memsys/cache-policy.def"
};

#define POLICY(id, name, ...) "|" name
const char cache_policy_choices[] =
#include "memsys/cache-policy.def"
	;

const char cache_state_letters[] = {
	[CACHE_INVALID] = 'I',     [CACHE_SHARED] = 'S',
	[CACHE_OWNED] = 'O',       [CACHE_NONCOHERENT] = 'N',
	[CACHE_EXCLUSIVE] = 'E',   [CACHE_MODIFIED] = 'M',
	[CACHE_MODIFIED + 1] = '\0',
};

static bool is_power(uint64_t value)
{
	return value && !(value & (value - 1));
}

struct cache *cache_create(const struct cache_geometry *geometry)
{
	const struct cache_interleave *interleave = &geometry->interleave;
	size_t lines = (size_t)geometry->sets * geometry->ways;
	struct cache *cache = xcalloc(1, sizeof *cache);

	cache->geometry = *geometry;
	cache->policy = &cache_policies[geometry->policy];
	cache->block_shift = (unsigned)__builtin_ctz(geometry->block_size);
	cache->interleave_shifts = is_power(interleave->divide) &&
				   is_power(interleave->modulo);
	if (cache->interleave_shifts) {
		cache->divide_shift =
			(unsigned)__builtin_ctzll(interleave->divide);
		cache->modulo_shift =
			(unsigned)__builtin_ctzll(interleave->modulo);
	}
	cache->blocks = xcalloc(lines, sizeof *cache->blocks);
	cache->stamps = xcalloc(lines, sizeof *cache->stamps);
	cache->tag_words = (geometry->ways + TAG_WAYS - 1) / TAG_WAYS;
	cache->tag_shift = cache->block_shift +
			   (unsigned)__builtin_ctz(geometry->sets);
	cache->tags = xcalloc((size_t)geometry->sets * cache->tag_words,
			      sizeof *cache->tags);
	cache->states = xcalloc(lines, sizeof *cache->states);
	cache->written = xcalloc(lines, sizeof *cache->written);
	cache->locked = xcalloc(lines, sizeof *cache->locked);
	cache->away = xcalloc(lines, sizeof *cache->away);
	cache->prefetched = xcalloc(lines, sizeof *cache->prefetched);
	cache->random = geometry->seed * 2 + 1;
	if (cache->policy->tree)
		cache->tree = plru_create(geometry->sets, geometry->ways);
	if (cache->policy->ages != AGES_NONE) {
		cache->ages = ages_create(geometry->sets, geometry->ways,
					  cache->policy->ages,
					  cache->policy->rival, geometry->seed);
		cache->fresh = xcalloc(lines, sizeof *cache->fresh);
	}
	return cache;
}

void cache_free(struct cache *cache)
{
	if (!cache)
		return;
	free(cache->blocks);
	free(cache->tags);
	free(cache->stamps);
	free(cache->states);
	free(cache->written);
	free(cache->locked);
	free(cache->away);
	free(cache->prefetched);
	plru_free(cache->tree);
	ages_free(cache->ages);
	free(cache->fresh);
	free(cache);
}

/* The block's address among those of this module. */
static uint64_t local_address(const struct cache *cache, uint64_t block)
{
	const struct cache_interleave *interleave =
		&cache->geometry.interleave;

	if (interleave->modulo == 1)
		return block;
	if (cache->interleave_shifts)
		return (block >> (cache->divide_shift + cache->modulo_shift)
			      << cache->divide_shift) |
		       (block & (interleave->divide - 1));
	return block / (interleave->divide * interleave->modulo) *
		       interleave->divide +
	       block % interleave->divide;
}

static inline uint32_t set_of(const struct cache *cache, uint64_t block)
{
	return (uint32_t)(local_address(cache, block) >> cache->block_shift &
			  (cache->geometry.sets - 1));
}

uint32_t cache_set_line(const struct cache *cache, uint64_t block)
{
	return set_of(cache, block) * cache->geometry.ways;
}

/* Where a line is. Nearly always without a division. */
struct place {
	uint32_t set, way;
};
static inline struct place place_of(const struct cache *cache, int32_t line)
{
	uint32_t ways = cache->geometry.ways, at = (uint32_t)line;

	if (ways & (ways - 1))
		return (struct place){ at / ways, at % ways };
	return (struct place){ at >> __builtin_ctz(ways), at & (ways - 1) };
}

/* --- Tags ----------------------------------------------------------------- */

static inline uint64_t tag_of(const struct cache *cache, uint64_t block)
{
	return block >> cache->tag_shift & TAG_MASK;
}

static void set_tag(struct cache *cache, struct place place, uint64_t block)
{
	uint64_t *word = &cache->tags[(size_t)place.set * cache->tag_words +
				      place.way / TAG_WAYS];
	unsigned shift = place.way % TAG_WAYS * TAG_BITS;

	*word = (*word & ~((uint64_t)TAG_MASK << shift)) |
		tag_of(cache, block) << shift;
}

/* Ways of up to 16 words that may have a tag, and all that have it: way 4 w + k is
 * bit 16 k + w. All at once: the host could not guess which one it is. */
static inline uint64_t ways_with(const uint64_t *word, uint32_t words,
				 uint64_t tag)
{
	const uint64_t ones = ~UINT64_C(0) / TAG_MASK;
	uint64_t pattern = tag * ones, ways = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t differs = word[i] ^ pattern;

		/* Zeros, and perhaps a 1 above a zero. */
		ways |= ((differs - ones) & ~differs) >> (TAG_BITS - 1) << i &
			ones << i;
	}
	return ways;
}

/* The line among candidates, whose first way is line `first`; or -1. */
static inline int32_t candidate(const struct cache *cache, uint64_t ways,
				uint32_t first, uint32_t end, uint64_t block)
{
	for (; ways; ways &= ways - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(ways);
		uint32_t line = first + bit % TAG_BITS * TAG_WAYS +
				bit / TAG_BITS;

		/* Lines that are invalid keep their blocks; behind the last way
		 * there may be room. */
		if (line < end && cache->blocks[line] == block &&
		    cache->states[line] != CACHE_INVALID)
			return (int32_t)line;
	}
	return -1;
}

/* As cache_find(), for sets of many ways. */
static __attribute__((noinline)) int32_t find_among_many(
	const struct cache *cache, uint32_t set, uint64_t block)
{
	const uint64_t *words = cache->tags + (size_t)set * cache->tag_words;
	uint32_t first = set * cache->geometry.ways;
	uint32_t end = first + cache->geometry.ways;
	int32_t line = -1;

	for (uint32_t word = 0; word < cache->tag_words && line < 0;
	     word += TAG_BITS) {
		uint32_t count = cache->tag_words - word;

		if (count > TAG_BITS)
			count = TAG_BITS;
		line = candidate(cache,
				 ways_with(words + word, count,
					   tag_of(cache, block)),
				 first + word * TAG_WAYS, end, block);
	}
	return line;
}

/* The ways of two words that have a tag: two bits each. */
static inline uint32_t ways_of_eight(const uint64_t *word, uint64_t tag)
{
	__m128i tags = _mm_loadu_si128((const __m128i *)(const void *)word);

	return (uint32_t)_mm_movemask_epi8(
		_mm_cmpeq_epi16(tags, _mm_set1_epi16((short)tag)));
}

/* The line among some of up to 16 ways, two bits each; or -1. */
static inline int32_t line_of(const struct cache *cache, uint32_t ways,
			      uint32_t first, uint64_t block)
{
	for (; ways; ways &= ways - 1, ways &= ways - 1) {
		uint32_t line = first + (uint32_t)__builtin_ctz(ways) / 2;

		/* Lines that are invalid keep their blocks. */
		if (cache->blocks[line] == block &&
		    cache->states[line] != CACHE_INVALID)
			return (int32_t)line;
	}
	return -1;
}

int32_t cache_find(const struct cache *cache, uint64_t block)
{
	uint32_t set = set_of(cache, block), ways = cache->geometry.ways;
	const uint64_t *words = cache->tags + (size_t)set * cache->tag_words;
	uint64_t tag = tag_of(cache, block), found;

	/* Usual numbers of ways, in fewer instructions. */
	if (ways == 8)
		return line_of(cache, ways_of_eight(words, tag), set * 8,
			       block);
	if (ways == 16)
		return line_of(cache,
			       ways_of_eight(words, tag) |
				       ways_of_eight(words + 2, tag) << 16,
			       set * 16, block);
	if (cache->tag_words <= TAG_BITS)
		found = ways_with(words, cache->tag_words, tag);
	else
		return find_among_many(cache, set, block);
	return candidate(cache, found, set * ways, set * ways + ways, block);
}

static uint32_t random_below(struct cache *cache, uint32_t limit)
{
	cache->random ^= cache->random << 13;
	cache->random ^= cache->random >> 7;
	cache->random ^= cache->random << 17;
	return (uint32_t)((cache->random >> 32) * limit >> 32);
}

/* The first invalid line that is not locked, else the oldest one; -1 if all are
 * locked. Without branches, of which the host would guess many wrong. */
static inline int32_t oldest_line(const struct cache *cache, uint32_t first,
				  bool some_locked)
{
	uint64_t least = UINT64_MAX;
	uint32_t oldest = 0, end = first + cache->geometry.ways;

	for (uint32_t line = first; line < end; line++) {
		uint64_t age = cache->stamps[line];

		if (some_locked)
			age |= -(uint64_t)cache->locked[line];
		oldest = age < least ? line : oldest;
		least = age < least ? age : least;
	}
	return least == UINT64_MAX ? -1 : (int32_t)oldest;
}

int32_t cache_victim(struct cache *cache, uint64_t block)
{
	uint32_t set = set_of(cache, block), ways = cache->geometry.ways;
	uint32_t first = set * ways, end = first + ways, unlocked = 0;
	bool last = cache->ages && ages_rules_of(cache->ages, set)->last_empty;
	int32_t empty = -1;

	if (!cache->policy->random && !cache->tree && !cache->ages)
		return cache->locked_count ? oldest_line(cache, first, true)
					   : oldest_line(cache, first, false);
	for (uint32_t line = first; line < end; line++) {
		if (cache->locked[line])
			continue;
		if (cache->states[line] == CACHE_INVALID) {
			empty = (int32_t)line;
			if (last)
				continue;
			return empty;
		}
		unlocked++;
	}
	if (empty >= 0)
		return empty;
	if (!unlocked)
		return -1;
	if (cache->policy->random) {
		uint32_t skip =
			unlocked > 1 ? random_below(cache, unlocked) : 0;

		for (uint32_t line = first; line < end; line++)
			if (!cache->locked[line] && !skip--)
				return (int32_t)line;
	}
	if (cache->tree)
		return (int32_t)(first +
				 plru_victim(cache->tree, set,
					     cache->locked + first));
	return (int32_t)(first + ages_victim(cache->ages, set,
					     cache->locked + first));
}

static void touch(struct cache *cache, int32_t line, struct place place)
{
	if (cache->tree)
		plru_touch(cache->tree, place.set, place.way);
	else if (cache->fresh[line])
		cache->fresh[line] = false;
	else
		ages_touch(cache->ages, place.set, place.way);
}

void cache_touch_set(struct cache *cache, int32_t line)
{
	touch(cache, line, place_of(cache, line));
}

void cache_fill(struct cache *cache, int32_t line, uint64_t block,
		enum cache_state state)
{
	struct place place = place_of(cache, line);

	cache->blocks[line] = block;
	set_tag(cache, place, block);
	cache->states[line] = (uint8_t)state;
	cache->written[line] = 0;
	cache->away[line] = false;
	cache->prefetched[line] = false;
	cache->stamps[line] = ++cache->clock;
	if (cache->ages) {
		cache->fresh[line] = true;
		ages_fill(cache->ages, place.set, place.way);
	} else if (cache->tree) {
		touch(cache, line, place);
	}
}

void cache_invalidate(struct cache *cache, int32_t line)
{
	cache->states[line] = CACHE_INVALID;
	cache->stamps[line] = 0;
	cache->away[line] = false;
	cache->prefetched[line] = false;
}
