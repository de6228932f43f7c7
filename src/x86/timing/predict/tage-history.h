/* TAGE's histories: a ring of bits, folds of its newest ones, and the path. Each
 * user has a copy of these functions for its own sizes, whose constants the
 * compiler folds into it. Internal to this folder. */
#ifndef M2S_X86_TIMING_PREDICT_TAGE_HISTORY_H
#define M2S_X86_TIMING_PREDICT_TAGE_HISTORY_H

#include <emmintrin.h>
#include <string.h>

#include "x86/timing/predict/tage.h"

#define TAGE_INLINE static inline __attribute__((always_inline))

/* Eight lanes. */
typedef uint16_t tage_vector
	__attribute__((vector_size(16), aligned(2), may_alias));

/* The vector of `of(..., lane)` in lanes 8k up to 8k+7. */
#define TAGE_EIGHT(k, of, ...)                                                 \
	(tage_vector)                                                          \
	{                                                                      \
		of(__VA_ARGS__, 8 * (k)), of(__VA_ARGS__, 8 * (k) + 1),        \
			of(__VA_ARGS__, 8 * (k) + 2),                          \
			of(__VA_ARGS__, 8 * (k) + 3),                          \
			of(__VA_ARGS__, 8 * (k) + 4),                          \
			of(__VA_ARGS__, 8 * (k) + 5),                          \
			of(__VA_ARGS__, 8 * (k) + 6),                          \
			of(__VA_ARGS__, 8 * (k) + 7)                           \
	}

TAGE_INLINE tage_vector *tage_vector_at(uint16_t *lanes, unsigned k)
{
	return (tage_vector *)(void *)(lanes + 8 * k);
}

TAGE_INLINE unsigned tage_length(const struct tage_sizes *sizes, unsigned lane)
{
	return sizes->lengths[(sizes->level[lane] - 1) / 2];
}

/* The bits of a lane's fold, the first for indices, the others for tags. */
TAGE_INLINE unsigned tage_fold_width(const struct tage_sizes *sizes,
				     unsigned fold, unsigned lane)
{
	unsigned tag = sizes->level[lane] < sizes->first_long ? sizes->short_tag
							      : sizes->long_tag;

	return fold == 0 ? sizes->log_entries : fold == 1 ? tag : tag - 1;
}

/* All bits of a fold. */
TAGE_INLINE uint16_t tage_all(const struct tage_sizes *sizes, unsigned fold,
			      unsigned lane)
{
	return lane < sizes->lanes
		       ? (uint16_t)((1u << tage_fold_width(sizes, fold, lane)) -
				    1)
		       : 0;
}

/* The upper half of a product with this is what lies above a fold. */
TAGE_INLINE uint16_t tage_above(const struct tage_sizes *sizes, unsigned fold,
				unsigned lane)
{
	return lane < sizes->lanes
		       ? (uint16_t)(1u << (16 - tage_fold_width(sizes, fold,
								lane)))
		       : 0;
}

/* The place of a fold where the bit leaves it that is as old as the history is
 * long. */
TAGE_INLINE uint16_t tage_leave(const struct tage_sizes *sizes, unsigned fold,
				unsigned lane)
{
	return lane < sizes->lanes
		       ? (uint16_t)(1u << tage_length(sizes, lane) %
					    tage_fold_width(sizes, fold, lane))
		       : 0;
}

/* The history's bits that are as old as a lane's history is long, above them
 * others. */
TAGE_INLINE uint16_t tage_oldest(const struct tage_sizes *sizes,
				 const uint8_t *ring, unsigned lane)
{
	uint16_t bits = 0;

	if (lane < sizes->lanes)
		memcpy(&bits, ring + tage_length(sizes, lane), sizeof bits);
	return bits;
}

/* A fold is a cyclic shift register. The newest bits enter. Those that are now as
 * old as the history is long leave, at the places to which they have moved
 * (Michaud). Three bits above a fold have room. `newest` and `oldest` have the
 * youngest bit at place 0. */
TAGE_INLINE void tage_turn(const struct tage_sizes *sizes, struct tage *tage,
			   struct tage_undo *undo, tage_vector oldest,
			   uint16_t newest, unsigned count, unsigned fold,
			   unsigned k)
{
	tage_vector *place = tage_vector_at(tage->now.folds[fold], k);
	tage_vector leave = TAGE_EIGHT(k, tage_leave, sizes, fold);
	tage_vector above = TAGE_EIGHT(k, tage_above, sizes, fold);
	tage_vector all = TAGE_EIGHT(k, tage_all, sizes, fold);
	tage_vector before = *place;
	tage_vector value = before << count ^ oldest * leave ^ newest;

	if (undo)
		*tage_vector_at(undo->before.folds[fold], k) = before;
	*place = (value & all) ^
		 (tage_vector)_mm_mulhi_epu16((__m128i)value, (__m128i)above);
}

TAGE_INLINE void tage_turn_eight(const struct tage_sizes *sizes,
				 struct tage *tage, struct tage_undo *undo,
				 const uint8_t *ring, uint16_t newest,
				 unsigned count, unsigned k)
{
	tage_vector oldest;

	if (8 * k >= sizes->lanes) {
		for (unsigned fold = 0; undo && fold < 3; fold++)
			*tage_vector_at(undo->before.folds[fold], k) =
				*tage_vector_at(tage->now.folds[fold], k);
		return;
	}
	oldest = TAGE_EIGHT(k, tage_oldest, sizes, ring);
	oldest &= (uint16_t)((1u << count) - 1);
	tage_turn(sizes, tage, undo, oldest, newest, count, 0, k);
	tage_turn(sizes, tage, undo, oldest, newest, count, 1, k);
	tage_turn(sizes, tage, undo, oldest, newest, count, 2, k);
}

TAGE_INLINE unsigned tage_place(int32_t head)
{
	return (uint32_t)head % TAGE_HISTORY_RING;
}

TAGE_INLINE void tage_set_ring(struct tage *tage, int32_t head, uint8_t bits)
{
	unsigned place = tage_place(head);

	tage->ring[place] = tage->ring[place + TAGE_HISTORY_RING] = bits;
}

/* Enters `count` bits, the lowest first, and a hash for the path. At most
 * TAGE_MOST_PUSHED, fewer than the shortest history has. `undo` may be NULL. */
TAGE_INLINE void tage_push_bits(const struct tage_sizes *sizes,
				struct tage *tage, struct tage_undo *undo,
				uint32_t bits, uint32_t path, unsigned count)
{
	struct tage_history *now = &tage->now;
	uint64_t trail = now->path;
	unsigned newest = tage->ring[tage_place(now->head)];
	const uint8_t *oldest =
		tage->ring + tage_place(now->head - (int32_t)count);

	if (undo) {
		undo->before.head = now->head;
		undo->before.path = now->path;
		undo->count = (uint8_t)count;
	}
	for (unsigned i = 0; i < count; i++) {
		now->head--;
		if (undo)
			undo->ring[i] = tage->ring[tage_place(now->head)];
		newest = newest << 1 | (bits >> i & 1);
		tage_set_ring(tage, now->head, (uint8_t)newest);
		trail = trail << 1 ^ (path >> i & 127);
	}
	newest &= (1u << count) - 1;
	tage_turn_eight(sizes, tage, undo, oldest, (uint16_t)newest, count, 0);
	tage_turn_eight(sizes, tage, undo, oldest, (uint16_t)newest, count, 1);
	tage_turn_eight(sizes, tage, undo, oldest, (uint16_t)newest, count, 2);
	now->path = trail & ((1u << TAGE_PATH_BITS) - 1);
}

#endif
