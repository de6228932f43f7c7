/* TAGE: look-ups and training. */
#include <stdlib.h>
#include <string.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/tage.h"

enum {
	COUNTER_BITS = 3,
	USE_ALT_BITS = 5,
	HYSTERESIS_SHIFT = 2,
	TICK_LIMIT = 1024,
	TICK_BITS = 10,
	EXTRA_ENTRIES = 1, /* allocated on a misprediction, after the first */
};

/* Lengths are a geometric series, rounded. */
const struct tage_sizes tage_sizes_64 = {
	.pairs = 18,
	.first_long = 13,
	.two_ways_from = 9,
	.two_ways_until = 23,
	.log_entries = 10,
	.short_banks = 10,
	.long_banks = 20,
	.short_tag = 8,
	.long_tag = 12,
	.useful_bits = 1,
	.log_bimodal = 13,
	.use_alt = 16,
	.lengths = { 6, 9, 12, 18, 26, 37, 54, 78, 112, 161, 232, 335, 482,
		     695, 1002, 1444, 2081, 3000 },
};

const struct tage_sizes tage_sizes_8 = {
	.pairs = 15,
	.first_long = 11,
	.two_ways_from = 9,
	.two_ways_until = 23,
	.log_entries = 7,
	.short_banks = 9,
	.long_banks = 17,
	.short_tag = 8,
	.long_tag = 12,
	.useful_bits = 2,
	.log_bimodal = 12,
	.use_alt = 8,
	.lengths = { 4, 6, 9, 13, 19, 29, 43, 63, 94, 139, 206, 306, 454, 674,
		     1000 },
};

static unsigned level_count(const struct tage_sizes *sizes)
{
	return 2u * sizes->pairs;
}

/* Four even levels are missing, and only odd levels of middle lengths exist. */
static bool exists(const struct tage_sizes *sizes, unsigned level)
{
	unsigned last = level_count(sizes);

	if (level == 4 || level == 8 || level == last - 2 || level == last - 6)
		return false;
	return level % 2 == 0 || (level >= sizes->two_ways_from &&
				  level < sizes->two_ways_until);
}

static size_t entry_count(const struct tage_sizes *sizes)
{
	return (size_t)(sizes->short_banks + sizes->long_banks)
	       << sizes->log_entries;
}

static uint8_t *bimodal_of(const struct tage_sizes *sizes,
			   const struct tage *tage)
{
	return (uint8_t *)&tage->entries[entry_count(sizes)];
}

static uint8_t *hysteresis_of(const struct tage_sizes *sizes,
			      const struct tage *tage)
{
	return bimodal_of(sizes, tage) + ((size_t)1 << sizes->log_bimodal);
}

static size_t bimodal_bits(const struct tage_sizes *sizes)
{
	size_t count = (size_t)1 << sizes->log_bimodal;

	return count + (count >> HYSTERESIS_SHIFT);
}

size_t tage_bytes(const struct tage_sizes *sizes)
{
	return sizeof(struct tage) +
	       entry_count(sizes) * sizeof(struct tage_entry) +
	       bimodal_bits(sizes);
}

uint64_t tage_bits(const struct tage_sizes *sizes)
{
	uint64_t counter = COUNTER_BITS + sizes->useful_bits;

	return ((sizes->short_banks * (counter + sizes->short_tag) +
		 sizes->long_banks * (counter + sizes->long_tag))
		<< sizes->log_entries) +
	       sizes->use_alt * USE_ALT_BITS + bimodal_bits(sizes) +
	       sizes->lengths[sizes->pairs - 1] + TAGE_PATH_BITS + TICK_BITS;
}

void tage_init(const struct tage_sizes *sizes, struct tage *tage)
{
	memset(hysteresis_of(sizes, tage), 1,
	       (size_t)1 << (sizes->log_bimodal - HYSTERESIS_SHIFT));
	for (unsigned level = 1; level <= level_count(sizes); level++)
		tage->levels |= (uint64_t)exists(sizes, level) << level;
	tage_init_history(sizes, tage);
}

/* The path, with as many branches as the history has bits, folded to an index.
 * Each level turns it differently. */
static uint32_t turn(uint32_t value, unsigned by, unsigned width)
{
	if (by >= width)
		return value;
	return (value << by & ((1u << width) - 1)) + (value >> (width - by));
}

static uint32_t mix_path(uint32_t path, unsigned length, unsigned level,
			 unsigned width)
{
	uint32_t used = length < TAGE_PATH_BITS ? path & ((1u << length) - 1)
						: path;
	uint32_t low = used & ((1u << width) - 1);

	return turn(low ^ turn(used >> width, level, width), level, width);
}

/* The indices and tags of the two ways of a pair. Only 32 bits of the address
 * matter. */
static void find_pair(const struct tage_sizes *sizes,
		      const struct tage_history *history, uint32_t address,
		      unsigned pair, struct tage_lookup *lookup)
{
	unsigned level = 2 * pair + 1, width = sizes->log_entries;
	uint32_t mask = (1u << width) - 1;
	unsigned shift = (unsigned)abs((int)width - (int)level) + 1;
	unsigned tag_width = level < sizes->first_long ? sizes->short_tag
						       : sizes->long_tag;
	uint32_t index = address ^ address >> shift ^
			 history->folds[0][pair] ^
			 mix_path(history->path, sizes->lengths[pair], level,
				  width);
	uint32_t tag = address ^ history->folds[1][pair] ^
		       (uint32_t)history->folds[2][pair] << 1;

	tag &= (1u << tag_width) - 1;
	lookup->tag[level] = lookup->tag[level + 1] = (uint16_t)tag;
	lookup->index[level] = index & mask;
	lookup->index[level + 1] = (index ^ tag) & mask;
}

/* Gives banks in turn to the existing levels. The address and the path of the
 * group's shortest length choose the first bank. No two levels get the same
 * bank. */
static void choose_banks(const struct tage_sizes *sizes,
			 const struct tage_history *history, uint64_t address,
			 uint64_t levels, struct tage_lookup *lookup)
{
	unsigned from = (unsigned)__builtin_ctzll(levels);
	bool is_long = from >= sizes->first_long;
	unsigned banks = is_long ? sizes->long_banks : sizes->short_banks;
	unsigned length = sizes->lengths[(from - 1) / 2];
	uint64_t path = length < TAGE_PATH_BITS
				? history->path & ((1u << length) - 1)
				: history->path;
	unsigned bank = (unsigned)((address ^ path) % banks);

	for (; levels; levels &= levels - 1) {
		lookup->index[__builtin_ctzll(levels)] +=
			(bank + (is_long ? sizes->short_banks : 0))
			<< sizes->log_entries;
		bank = bank + 1 == banks ? 0 : bank + 1;
	}
}

/* The longest of some levels that has an entry of the branch, or 0. */
static unsigned find_match(const struct tage *tage,
			   const struct tage_lookup *lookup, uint64_t levels)
{
	while (levels) {
		unsigned level = 63 - (unsigned)__builtin_clzll(levels);

		if (tage->entries[lookup->index[level]].tag ==
		    lookup->tag[level])
			return level;
		levels ^= UINT64_C(1) << level;
	}
	return 0;
}

/* 1 weak, 3, 5, 7 strong. */
static unsigned strength(int8_t counter)
{
	return (unsigned)abs(2 * counter + 1);
}

static unsigned use_alt_index(const struct tage_sizes *sizes,
			      const struct tage_lookup *lookup)
{
	return ((lookup->hit - 1) / 8 * 2 + lookup->alternate_confident) %
	       (sizes->use_alt - 1u);
}

static void look_bimodal(const struct tage_sizes *sizes,
			 const struct tage *tage, uint64_t address,
			 struct tage_lookup *lookup)
{
	uint32_t index = (uint32_t)(address ^ address >> 2) &
			 ((1u << sizes->log_bimodal) - 1);

	lookup->bimodal_index = index;
	lookup->bimodal =
		(uint8_t)(bimodal_of(sizes, tage)[index] * 2 +
			  hysteresis_of(sizes, tage)[index >>
						     HYSTERESIS_SHIFT]);
	lookup->taken = lookup->bimodal >= 2;
	lookup->longest_taken = lookup->alternate_taken = lookup->taken;
	lookup->high = lookup->bimodal == 0 || lookup->bimodal == 3;
	lookup->low = !lookup->high;
	lookup->medium = false;
	lookup->alternate_confident = lookup->high;
}

/* Chooses the prediction. A weak entry may be new, and worse than the next
 * shorter match. */
static void choose(const struct tage_sizes *sizes, const struct tage *tage,
		   struct tage_lookup *lookup)
{
	int8_t counter = tage->entries[lookup->index[lookup->hit]].counter;
	unsigned sure = strength(counter);

	lookup->longest_taken = counter >= 0;
	if (lookup->alternate) {
		int8_t other =
			tage->entries[lookup->index[lookup->alternate]].counter;

		lookup->alternate_taken = other >= 0;
		lookup->alternate_confident = strength(other) > 1;
	}
	lookup->taken = sure > 1 || tage->use_alt[use_alt_index(sizes,
								lookup)] < 0
				? lookup->longest_taken
				: lookup->alternate_taken;
	lookup->high = sure == 7;
	lookup->medium = sure == 5;
	lookup->low = sure == 1;
}

void tage_look(const struct tage_sizes *sizes, const struct tage *tage,
	       const struct tage_history *history, uint64_t address,
	       struct tage_lookup *lookup)
{
	uint64_t shorter = (UINT64_C(1) << sizes->first_long) - 1;

	for (unsigned pair = 0; pair < sizes->pairs; pair++)
		find_pair(sizes, history, (uint32_t)address, pair, lookup);
	choose_banks(sizes, history, address, tage->levels & shorter, lookup);
	choose_banks(sizes, history, address, tage->levels & ~shorter, lookup);
	look_bimodal(sizes, tage, address, lookup);
	lookup->hit = (uint8_t)find_match(tage, lookup, tage->levels);
	lookup->alternate = 0;
	if (!lookup->hit)
		return;
	lookup->alternate =
		(uint8_t)find_match(tage, lookup,
				    tage->levels &
					    ((UINT64_C(1) << lookup->hit) - 1));
	choose(sizes, tage, lookup);
}

/* Tries to take one level's entry: 1 taken, 0 not taken, -1 useful to another
 * branch. A strong but useless entry gets weaker. */
static int try_entry(struct tage *tage, const struct tage_lookup *lookup,
		     unsigned level, bool taken)
{
	struct tage_entry *entry = &tage->entries[lookup->index[level]];

	if (entry->useful)
		return -1;
	if (strength(entry->counter) > 3) {
		entry->counter += entry->counter > 0 ? -1 : 1;
		return 0;
	}
	entry->tag = lookup->tag[level];
	entry->counter = taken ? 0 : -1;
	return 1;
}

/* Makes all entries less useful when about as many allocations fail as
 * succeed. */
static void age(const struct tage_sizes *sizes, struct tage *tage, int kept,
		int allocated)
{
	size_t count = entry_count(sizes);

	tage->tick += kept - 2 * allocated;
	if (tage->tick < 0)
		tage->tick = 0;
	if (tage->tick < TICK_LIMIT)
		return;
	for (size_t i = 0; i < count; i++)
		tage->entries[i].useful >>= 1;
	tage->tick = 0;
}

/* Allocates entries of longer histories. Chance decides which way of a pair
 * comes first. A pair that gave an entry gives no other, nor does the next
 * pair. */
static void allocate(const struct tage_sizes *sizes, struct tage *tage,
		     const struct tage_lookup *lookup, bool taken)
{
	unsigned levels = level_count(sizes);
	unsigned step = tage_random(tage) % 128 < 32 ? 2 : 1;
	unsigned first = (lookup->hit - 1u + 2 * step) & ~1u;
	int wanted = 1 + EXTRA_ENTRIES, allocated = 0, kept = 0;

	first ^= tage_random(tage) & 1;
	for (unsigned at = first; at < levels && allocated < wanted; at += 2) {
		unsigned ways[2] = { at + 1, (at ^ 1) + 1 };
		int got = 0;

		for (unsigned way = 0; way < 2 && got != 1; way++) {
			if (!(tage->levels >> ways[way] & 1))
				continue;
			got = try_entry(tage, lookup, ways[way], taken);
			kept += got < 0;
		}
		if (got == 1) {
			allocated++;
			at += 2;
		}
	}
	age(sizes, tage, kept, allocated);
}

static void train_bimodal(const struct tage_sizes *sizes, struct tage *tage,
			  const struct tage_lookup *lookup, bool taken)
{
	uint8_t counter = lookup->bimodal;

	counter_step(&counter, taken, 2);
	bimodal_of(sizes, tage)[lookup->bimodal_index] = counter >> 1;
	hysteresis_of(sizes, tage)[lookup->bimodal_index >> HYSTERESIS_SHIFT] =
		counter & 1;
}

static void train_hit(const struct tage_sizes *sizes, struct tage *tage,
		      const struct tage_lookup *lookup, bool taken)
{
	struct tage_entry *hit = &tage->entries[lookup->index[lookup->hit]];
	struct tage_entry *alternate =
		lookup->alternate
			? &tage->entries[lookup->index[lookup->alternate]]
			: NULL;

	if (strength(hit->counter) == 1 && lookup->longest_taken != taken) {
		if (alternate)
			weight_step(&alternate->counter, taken, COUNTER_BITS);
		else
			train_bimodal(sizes, tage, lookup, taken);
	}
	weight_step(&hit->counter, taken, COUNTER_BITS);
	/* An entry that changes its direction has been useless. So has an entry
	 * whose shorter match is sure of the same direction. */
	if (strength(hit->counter) == 1)
		hit->useful = 0;
	if (alternate && lookup->alternate_taken == taken &&
	    lookup->longest_taken == taken && hit->useful == 1 &&
	    strength(alternate->counter) == 7)
		hit->useful = 0;
	if (lookup->longest_taken != lookup->alternate_taken &&
	    lookup->longest_taken == taken &&
	    hit->useful < (1 << sizes->useful_bits) - 1)
		hit->useful++;
}

void tage_train(const struct tage_sizes *sizes, struct tage *tage,
		const struct tage_lookup *lookup, bool taken, bool right)
{
	bool wanted = lookup->taken != taken &&
		      lookup->hit < level_count(sizes);

	if (lookup->hit &&
	    strength(tage->entries[lookup->index[lookup->hit]].counter) == 1) {
		if (lookup->longest_taken == taken)
			wanted = false;
		if (lookup->longest_taken != lookup->alternate_taken)
			weight_step(&tage->use_alt[use_alt_index(sizes,
								 lookup)],
				    lookup->alternate_taken == taken,
				    USE_ALT_BITS);
	}
	if (right && tage_random(tage) % 32)
		wanted = false;
	if (wanted)
		allocate(sizes, tage, lookup, taken);
	if (lookup->hit)
		train_hit(sizes, tage, lookup, taken);
	else
		train_bimodal(sizes, tage, lookup, taken);
}
