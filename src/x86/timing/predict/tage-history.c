/* TAGE's histories: a ring of bits, folds of its newest ones, and the path. */
#include "x86/timing/predict/tage.h"

static uint8_t *ring_at(struct tage *tage, int32_t position)
{
	return &tage->ring[(uint32_t)position % TAGE_HISTORY_RING];
}

/* A fold is a cyclic shift register of `width` bits. The newest bit enters. The
 * bit that is now `length` old leaves, at the place to which it has moved
 * (Michaud). */
static uint16_t fold_step(uint32_t fold, unsigned width, unsigned length,
			  uint8_t newest, uint8_t leaving)
{
	fold = fold << 1 ^ newest ^ (uint32_t)leaving << length % width;
	fold ^= fold >> width;
	return (uint16_t)(fold & ((1u << width) - 1));
}

static void push_bit(const struct tage_sizes *sizes, struct tage *tage,
		     uint8_t bit)
{
	struct tage_history *now = &tage->now;

	now->head--;
	*ring_at(tage, now->head) = bit;
	for (unsigned pair = 0; pair < sizes->pairs; pair++) {
		unsigned length = sizes->lengths[pair];
		unsigned tag = 2 * pair + 1 < sizes->first_long
				       ? sizes->short_tag
				       : sizes->long_tag;
		uint8_t leaving =
			*ring_at(tage, now->head + (int32_t)length);
		uint16_t *folds = now->folds[pair];

		folds[0] = fold_step(folds[0], sizes->log_entries, length, bit,
				     leaving);
		folds[1] = fold_step(folds[1], tag, length, bit, leaving);
		folds[2] = fold_step(folds[2], tag - 1, length, bit, leaving);
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
