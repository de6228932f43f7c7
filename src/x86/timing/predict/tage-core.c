/* TAGE: tables and their training. */
#include "base/optimize.h"

#include <string.h>

#include "x86/timing/predict/copy.h"
#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/tage-history.h"
#include "x86/timing/predict/tage-tables.h"

enum {
	COUNTER_BITS = 3,
	USE_ALT_BITS = 5,
	TICK_LIMIT = 1024,
	TICK_BITS = 10,
	EXTRA_ENTRIES = 1, /* allocated on a misprediction, after the first */
};

static unsigned level_count(const struct tage_sizes *sizes)
{
	return 2u * sizes->pairs;
}

static size_t bimodal_bits(const struct tage_sizes *sizes)
{
	size_t count = (size_t)1 << sizes->log_bimodal;

	return count + (count >> TAGE_HYSTERESIS_SHIFT);
}

size_t tage_bytes(const struct tage_sizes *sizes)
{
	return sizeof(struct tage) +
	       tage_entry_count(sizes) * sizeof(struct tage_entry) +
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
	memset(tage_hysteresis(sizes, tage), 1,
	       (size_t)1 << (sizes->log_bimodal - TAGE_HYSTERESIS_SHIFT));
	memset(tage->lane, TAGE_LANES, sizeof tage->lane);
	for (unsigned lane = 0; lane < sizes->lanes; lane++)
		tage->lane[sizes->level[lane]] = (uint8_t)lane;
}

/* Tries to take one lane's entry: 1 taken, 0 not taken, -1 useful to another
 * branch. A strong but useless entry gets weaker. */
static int try_entry(struct tage *tage, const struct tage_lookup *lookup,
		     unsigned lane, bool taken)
{
	struct tage_entry *entry = &tage->entries[lookup->keys->index[lane]];

	if (entry->useful)
		return -1;
	if (tage_strength(entry->counter) > 3) {
		entry->counter += entry->counter > 0 ? -1 : 1;
		return 0;
	}
	entry->tag = lookup->keys->tag[lane];
	entry->counter = taken ? 0 : -1;
	return 1;
}

/* Makes all entries less useful when about as many allocations fail as
 * succeed. */
static void age(const struct tage_sizes *sizes, struct tage *tage, int kept,
		int allocated)
{
	size_t count = tage_entry_count(sizes);

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
			unsigned lane = tage->lane[ways[way]];

			if (lane == TAGE_LANES)
				continue;
			got = try_entry(tage, lookup, lane, taken);
			kept += got < 0;
		}
		if (got == 1) {
			allocated++;
			at += 2;
		}
	}
	age(sizes, tage, kept, allocated);
}

static bool train_bimodal(const struct tage_sizes *sizes, struct tage *tage,
			  const struct tage_lookup *lookup, bool taken)
{
	uint8_t counter = lookup->bimodal;

	counter_step(&counter, taken, 2);
	tage_bimodal(sizes, tage)[lookup->keys->bimodal_index] = counter >> 1;
	tage_hysteresis(sizes, tage)[lookup->keys->bimodal_index >> TAGE_HYSTERESIS_SHIFT] =
		counter & 1;
	return counter != lookup->bimodal;
}

static bool train_hit(const struct tage_sizes *sizes, struct tage *tage,
		      const struct tage_lookup *lookup, bool taken)
{
	struct tage_entry *hit = &tage->entries[lookup->hit_index];
	struct tage_entry *alternate =
		lookup->alternate
			? &tage->entries[lookup->alternate_index]
			: NULL;
	bool changed = false;

	if (tage_strength(hit->counter) == 1 && lookup->longest_taken != taken) {
		if (alternate)
			changed = weight_step(&alternate->counter, taken,
					      COUNTER_BITS);
		else
			changed = train_bimodal(sizes, tage, lookup, taken);
	}
	changed |= weight_step(&hit->counter, taken, COUNTER_BITS);
	/* An entry that changes its direction has been useless. So has an entry
	 * whose shorter match is sure of the same direction. */
	if (tage_strength(hit->counter) == 1)
		hit->useful = 0;
	if (alternate && lookup->alternate_taken == taken &&
	    lookup->longest_taken == taken && hit->useful == 1 &&
	    tage_strength(alternate->counter) == 7)
		hit->useful = 0;
	if (lookup->longest_taken != lookup->alternate_taken &&
	    lookup->longest_taken == taken &&
	    hit->useful < (1 << sizes->useful_bits) - 1)
		hit->useful++;
	return changed;
}

bool tage_train(const struct tage_sizes *sizes, struct tage *tage,
		const struct tage_lookup *lookup, bool taken, bool right)
{
	bool wanted = lookup->taken != taken &&
		      lookup->hit < level_count(sizes), changed = false;

	if (lookup->hit &&
	    tage_strength(tage->entries[lookup->hit_index].counter) == 1) {
		if (lookup->longest_taken == taken)
			wanted = false;
		if (lookup->longest_taken != lookup->alternate_taken)
			changed = weight_step(
				&tage->use_alt[tage_use_alt(sizes, lookup)],
				lookup->alternate_taken == taken,
				USE_ALT_BITS);
	}
	if (right && tage_random(tage) % 32)
		wanted = false;
	if (wanted)
		allocate(sizes, tage, lookup, taken);
	changed |= wanted;
	return (lookup->hit ? train_hit(sizes, tage, lookup, taken)
			    : train_bimodal(sizes, tage, lookup, taken)) ||
	       changed;
}

void tage_pop(struct tage *tage, const struct tage_undo *undo)
{
	if (!undo->count)
		return;
	copy_vectors(tage->now.folds, undo->before.folds,
		     sizeof tage->now.folds);
	tage->now.head = undo->before.head;
	tage->now.path = undo->before.path;
	for (int32_t i = 0; i < undo->count; i++)
		tage_set_ring(tage, tage->now.head - 1 - i, undo->ring[i]);
}

uint32_t tage_random(struct tage *tage)
{
	uint64_t seed = (tage->seed + 1) ^ tage->now.path;

	seed = (seed >> 21) + (seed << 11);
	seed ^= (uint64_t)(int64_t)tage->now.head;
	tage->seed = (seed >> 10) + (seed << 22);
	return (uint32_t)tage->seed;
}
