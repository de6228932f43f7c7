/* TAGE's histories: a ring of bits, folds of its newest ones, and the path. */
#include "x86/timing/predict/tage.h"

static uint8_t *ring_at(struct tage *tage, int32_t position)
{
	return &tage->ring[(uint32_t)position % TAGE_HISTORY_RING];
}

/* Eight folds. */
typedef uint16_t vector __attribute__((vector_size(16), aligned(2), may_alias));

static vector *vector_at(uint16_t *lanes, unsigned index)
{
	return (vector *)(void *)lanes + index;
}

void tage_init_history(const struct tage_sizes *sizes, struct tage *tage)
{
	for (unsigned pair = 0; pair < sizes->pairs; pair++) {
		unsigned tag = 2 * pair + 1 < sizes->first_long
				   ? sizes->short_tag
				   : sizes->long_tag;
		unsigned widths[TAGE_FOLDS] = {sizes->log_entries, tag,
					       tag - 1};

		for (unsigned i = 0; i < TAGE_FOLDS; i++) {
			tage->end[i][pair] = (uint16_t)(1u << widths[i]);
			tage->all[i][pair] = (uint16_t)(tage->end[i][pair] - 1);
			tage->leave[i][pair] =
			    (uint16_t)(1u << sizes->lengths[pair] % widths[i]);
		}
	}
}

/* A fold is a cyclic shift register. The newest bit enters. The bit that is now
 * as old as the history is long leaves, at the place to which it has moved
 * (Michaud). */
static void push_bit(const struct tage_sizes *sizes, struct tage *tage,
		     uint8_t bit)
{
	struct tage_history *now = &tage->now;
	uint16_t leaving[TAGE_LANES] = {0};

	now->head--;
	*ring_at(tage, now->head) = bit;
	for (unsigned pair = 0; pair < sizes->pairs; pair++)
		leaving[pair] =
		    (uint16_t) -
		    *ring_at(tage, now->head + (int32_t)sizes->lengths[pair]);
	for (unsigned i = 0; i < TAGE_FOLDS; i++)
		for (unsigned k = 0; 8 * k < sizes->pairs; k++) {
			vector *place = vector_at(now->folds[i], k);
			vector end = *vector_at(tage->end[i], k);
			vector fold = *place << 1 ^ bit;

			fold ^= *vector_at(leaving, k) &
				*vector_at(tage->leave[i], k);
			fold ^= (vector)((fold & end) != 0) & 1;
			*place = fold & *vector_at(tage->all[i], k);
		}
}

void tage_push_bits(const struct tage_sizes *sizes, struct tage *tage,
		    struct tage_undo *undo, uint32_t bits, uint32_t path,
		    unsigned count)
{
	uint64_t trail = tage->now.path;

	undo->before = tage->now;
	undo->count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		undo->ring[i] = *ring_at(tage, tage->now.head - 1);
		push_bit(sizes, tage, bits >> i & 1);
		trail = trail << 1 ^ (path >> i & 127);
	}
	tage->now.path = trail & ((1u << TAGE_PATH_BITS) - 1);
}

/* Enters two bits of address and outcome for each branch, and three bits for a
 * branch with many targets. */
void tage_push(const struct tage_sizes *sizes, struct tage *tage,
	       struct tage_undo *undo, const struct branch *branch, bool taken)
{
	uint64_t address = branch->address;
	uint32_t bits = (uint32_t)(address ^ address >> 2) ^ taken;
	uint32_t path = (uint32_t)(address ^ address >> 2 ^ address >> 4);

	tage_push_bits(sizes, tage, undo, bits, path,
		       branch->kind >= BRANCH_INDIRECT_JUMP ? 3 : 2);
}

void tage_pop(struct tage *tage, const struct tage_undo *undo)
{
	for (unsigned i = undo->count; i-- > 0; tage->now.head++)
		*ring_at(tage, tage->now.head) = undo->ring[i];
	tage->now = undo->before;
}

uint32_t tage_random(struct tage *tage)
{
	uint64_t seed = (tage->seed + 1) ^ tage->now.path;

	seed = (seed >> 21) + (seed << 11);
	seed ^= (uint64_t)(int64_t)tage->now.head;
	tage->seed = (seed >> 10) + (seed << 22);
	return (uint32_t)tage->seed;
}
