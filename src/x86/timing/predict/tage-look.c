/* TAGE's look-ups and histories, with copies for each of the sizes. */
#include "base/optimize.h"

#include <emmintrin.h>
#include <stdlib.h>

#include "x86/timing/predict/tage-history.h"
#include "x86/timing/predict/tage-tables.h"

/* Lengths are a geometric series, rounded. Four even levels are missing, and
 * only odd levels of middle lengths exist. */
const struct tage_sizes tage_sizes_64 = {
	.pairs = 18,
	.first_long = 13,
	.lanes = 21,
	.short_lanes = 6,
	.level = { 2, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
		   24, 26, 28, 32, 36 },
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
	.lanes = 18,
	.short_lanes = 4,
	.level = { 2, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
		   26, 30 },
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

/* The path, with as many branches as the history has bits, folded to an index.
 * Each level turns it differently. */
TAGE_INLINE uint32_t turn(uint32_t value, unsigned by, unsigned width)
{
	if (by >= width)
		return value;
	return (value << by & ((1u << width) - 1)) + (value >> (width - by));
}

/* Both ways of a length use its odd level. */
TAGE_INLINE unsigned odd_level(const struct tage_sizes *sizes, unsigned lane)
{
	return (sizes->level[lane] - 1u) / 2 * 2 + 1;
}

TAGE_INLINE uint16_t mixed_path(const struct tage_sizes *sizes, uint32_t path,
				unsigned lane)
{
	unsigned length = tage_length(sizes, lane), width = sizes->log_entries;
	unsigned level = odd_level(sizes, lane);
	uint32_t used = length < TAGE_PATH_BITS ? path & ((1u << length) - 1)
						: path;
	uint32_t low = used & ((1u << width) - 1);

	return (uint16_t)turn(low ^ turn(used >> width, level, width), level,
			      width);
}

/* By how many bits a lane's index shifts the address. */
TAGE_INLINE unsigned shift_of(const struct tage_sizes *sizes, unsigned lane)
{
	return (unsigned)abs((int)sizes->log_entries -
			     (int)odd_level(sizes, lane)) + 1;
}

/* The upper half of a product with this is a piece of 16 bits of the address,
 * shifted. Piece p begins at bit p * piece_bits(); a lane whose shift begins in
 * another one gets 0. */
TAGE_INLINE unsigned piece_bits(const struct tage_sizes *sizes)
{
	return 15u - sizes->log_entries;
}

TAGE_INLINE uint16_t piece_shift(const struct tage_sizes *sizes,
				 unsigned piece, unsigned lane)
{
	unsigned by = shift_of(sizes, lane), bits = piece_bits(sizes);

	return lane < sizes->lanes && (by - 1) / bits == piece
		       ? (uint16_t)(1u << (16 - (by - piece * bits)))
		       : 0;
}

TAGE_INLINE bool has_piece(const struct tage_sizes *sizes, unsigned piece,
			   unsigned k)
{
	for (unsigned lane = 8 * k; lane < 8 * k + 8; lane++)
		if (piece_shift(sizes, piece, lane))
			return true;
	return false;
}

TAGE_INLINE tage_vector shifted_piece(const struct tage_sizes *sizes,
				      uint32_t address, unsigned piece,
				      unsigned k)
{
	tage_vector factor = TAGE_EIGHT(k, piece_shift, sizes, piece);
	tage_vector value = { 0 };

	if (!has_piece(sizes, piece, k))
		return value;
	value += (uint16_t)(address >> piece * piece_bits(sizes));
	return (tage_vector)_mm_mulhi_epu16((__m128i)value, (__m128i)factor);
}

/* The address of eight lanes, each shifted by its own number of bits; right in the
 * bits of an index. */
TAGE_INLINE tage_vector shifted(const struct tage_sizes *sizes,
				uint32_t address, unsigned k)
{
	return shifted_piece(sizes, address, 0, k) |
	       shifted_piece(sizes, address, 1, k) |
	       shifted_piece(sizes, address, 2, k) |
	       shifted_piece(sizes, address, 3, k) |
	       shifted_piece(sizes, address, 4, k) |
	       shifted_piece(sizes, address, 5, k);
}

/* All bits in the lanes of short levels, or of second ways. */
TAGE_INLINE uint16_t is_short(const struct tage_sizes *sizes, unsigned lane)
{
	return lane < sizes->short_lanes ? 0xffff : 0;
}

TAGE_INLINE uint16_t is_second(const struct tage_sizes *sizes, unsigned lane)
{
	return sizes->level[lane] % 2 ? 0 : 0xffff;
}

/* The number of a lane in its group. */
TAGE_INLINE uint16_t in_group(const struct tage_sizes *sizes, unsigned lane)
{
	return (uint16_t)(lane - (is_short(sizes, lane) ? 0
							: sizes->short_lanes));
}

TAGE_INLINE uint16_t banks_of(const struct tage_sizes *sizes, unsigned lane)
{
	return is_short(sizes, lane) ? sizes->short_banks : sizes->long_banks;
}

TAGE_INLINE uint16_t first_bank(const struct tage_sizes *sizes, unsigned lane)
{
	return is_short(sizes, lane) ? 0 : sizes->short_banks;
}

/* The address and the path of a group's shortest length choose the bank of its
 * first level. The others get the following ones in turn, so no two levels get
 * the same bank. */
TAGE_INLINE uint16_t choose_bank(const struct tage_sizes *sizes, uint32_t path,
				 uint64_t address, unsigned lane)
{
	unsigned length = tage_length(sizes, lane);

	if (length < TAGE_PATH_BITS)
		path &= (1u << length) - 1;
	return (uint16_t)((address ^ path) % banks_of(sizes, lane));
}

/* The indices and tags of eight lanes. Of the address, only 32 bits matter. */
TAGE_INLINE void find_eight(const struct tage_sizes *sizes,
			    struct tage_history *now, uint32_t address,
			    uint16_t short_bank, uint16_t long_bank, unsigned k,
			    struct tage_keys *keys)
{
	tage_vector short_lanes = TAGE_EIGHT(k, is_short, sizes);
	tage_vector banks = TAGE_EIGHT(k, banks_of, sizes);
	tage_vector bank = (short_lanes & short_bank) |
			   (~short_lanes & long_bank);
	tage_vector index, tag;

	if (8 * k >= sizes->lanes)
		return;
	bank += TAGE_EIGHT(k, in_group, sizes);
	bank -= banks & (tage_vector)(bank >= banks);
	bank += TAGE_EIGHT(k, first_bank, sizes);
	tag = *tage_vector_at(now->folds[2], k) << 1 ^
	      *tage_vector_at(now->folds[1], k) ^ (uint16_t)address;
	tag &= TAGE_EIGHT(k, tage_all, sizes, 1);
	index = *tage_vector_at(now->folds[0], k) ^ (uint16_t)address;
	index ^= shifted(sizes, address, k);
	index ^= TAGE_EIGHT(k, mixed_path, sizes, now->path);
	index ^= tag & TAGE_EIGHT(k, is_second, sizes);
	index &= (uint16_t)((1u << sizes->log_entries) - 1);
	*tage_vector_at(keys->index, k) = index + (bank << sizes->log_entries);
	*tage_vector_at(keys->tag, k) = tag;
}

TAGE_INLINE void find(const struct tage_sizes *sizes, struct tage_history *now,
		      uint64_t address, struct tage_keys *keys)
{
	uint16_t short_bank = choose_bank(sizes, now->path, address, 0);
	uint16_t long_bank =
		choose_bank(sizes, now->path, address, sizes->short_lanes);

	find_eight(sizes, now, (uint32_t)address, short_bank, long_bank, 0,
		   keys);
	find_eight(sizes, now, (uint32_t)address, short_bank, long_bank, 1,
		   keys);
	find_eight(sizes, now, (uint32_t)address, short_bank, long_bank, 2,
		   keys);
	keys->bimodal_index = (uint32_t)(address ^ address >> 2) &
			      ((1u << sizes->log_bimodal) - 1);
}

TAGE_INLINE uint16_t tag_at(const struct tage_sizes *sizes,
			    const struct tage *tage,
			    const struct tage_keys *keys, unsigned lane)
{
	return lane < sizes->lanes ? tage->entries[keys->index[lane]].tag : 0;
}

/* Of eight lanes, those whose entry is the branch's have all bits. */
TAGE_INLINE __m128i match_eight(const struct tage_sizes *sizes,
				const struct tage *tage,
				struct tage_keys *keys, unsigned k)
{
	tage_vector tags = TAGE_EIGHT(k, tag_at, sizes, tage, keys);

	return (__m128i)(tags == *tage_vector_at(keys->tag, k));
}

/* The lanes that have an entry of the branch, bit by bit. */
TAGE_INLINE uint32_t find_matches(const struct tage_sizes *sizes,
				  const struct tage *tage,
				  struct tage_keys *keys)
{
	__m128i third = match_eight(sizes, tage, keys, 2);
	uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
		match_eight(sizes, tage, keys, 0),
		match_eight(sizes, tage, keys, 1)));
	uint32_t high =
		(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(third, third));

	return (low | high << 16) & ((1u << sizes->lanes) - 1);
}

static void look_bimodal(const struct tage_sizes *sizes,
			 const struct tage *tage, struct tage_lookup *lookup)
{
	uint32_t index = lookup->keys->bimodal_index;

	lookup->bimodal =
		(uint8_t)(tage_bimodal(sizes, tage)[index] * 2 +
			  tage_hysteresis(sizes, tage)[index >>
						       TAGE_HYSTERESIS_SHIFT]);
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
	int8_t counter = tage->entries[lookup->hit_index].counter;
	unsigned sure = tage_strength(counter);

	lookup->longest_taken = counter >= 0;
	if (lookup->alternate) {
		int8_t other = tage->entries[lookup->alternate_index].counter;

		lookup->alternate_taken = other >= 0;
		lookup->alternate_confident = tage_strength(other) > 1;
	}
	lookup->taken =
		sure > 1 || tage->use_alt[tage_use_alt(sizes, lookup)] < 0
			? lookup->longest_taken
			: lookup->alternate_taken;
	lookup->high = sure == 7;
	lookup->medium = sure == 5;
	lookup->low = sure == 1;
}

TAGE_INLINE void look(const struct tage_sizes *sizes, const struct tage *tage,
		      struct tage_keys *keys, struct tage_lookup *lookup)
{
	uint32_t matches = find_matches(sizes, tage, keys);
	unsigned lane;

	lookup->keys = keys;
	look_bimodal(sizes, tage, lookup);
	lookup->hit = lookup->alternate = 0;
	if (!matches)
		return;
	lane = 31 - (unsigned)__builtin_clz(matches);
	lookup->hit = sizes->level[lane];
	lookup->hit_index = keys->index[lane];
	matches ^= 1u << lane;
	if (matches) {
		lane = 31 - (unsigned)__builtin_clz(matches);
		lookup->alternate = sizes->level[lane];
		lookup->alternate_index = keys->index[lane];
	}
	choose(sizes, tage, lookup);
}

void tage_find(const struct tage_sizes *sizes, struct tage *tage,
	       uint64_t address, struct tage_keys *keys)
{
	if (sizes == &tage_sizes_64)
		find(&tage_sizes_64, &tage->now, address, keys);
	else
		find(&tage_sizes_8, &tage->now, address, keys);
}

void tage_look(const struct tage_sizes *sizes, const struct tage *tage,
	       struct tage_keys *keys, struct tage_lookup *lookup)
{
	if (sizes == &tage_sizes_64)
		look(&tage_sizes_64, tage, keys, lookup);
	else
		look(&tage_sizes_8, tage, keys, lookup);
}

void tage_find_and_look(const struct tage_sizes *sizes, struct tage *tage,
			uint64_t address, struct tage_keys *keys,
			struct tage_lookup *lookup)
{
	if (sizes == &tage_sizes_64) {
		find(&tage_sizes_64, &tage->now, address, keys);
		look(&tage_sizes_64, tage, keys, lookup);
	} else {
		find(&tage_sizes_8, &tage->now, address, keys);
		look(&tage_sizes_8, tage, keys, lookup);
	}
}

/* Enters two bits of address and outcome for each branch, and three bits for a
 * branch with many targets. */
TAGE_INLINE void push(const struct tage_sizes *sizes, struct tage *tage,
		      struct tage_undo *undo, const struct branch *branch,
		      bool taken)
{
	uint64_t address = branch->address;
	uint32_t bits = (uint32_t)(address ^ address >> 2) ^ taken;
	uint32_t path = (uint32_t)(address ^ address >> 2 ^ address >> 4);
	unsigned count = branch->kind >= BRANCH_INDIRECT_JUMP ? 3 : 2;

	if (sizes == &tage_sizes_64)
		tage_push_bits(&tage_sizes_64, tage, undo, bits, path, count);
	else if (count == 2)
		tage_push_bits(&tage_sizes_8, tage, undo, bits, path, 2);
	else
		tage_push_bits(&tage_sizes_8, tage, undo, bits, path, 3);
}

void tage_push(const struct tage_sizes *sizes, struct tage *tage,
	       struct tage_undo *undo, const struct branch *branch, bool taken)
{
	push(sizes, tage, undo, branch, taken);
}

void tage_enter(const struct tage_sizes *sizes, struct tage *tage,
		const struct branch *branch, bool taken)
{
	push(sizes, tage, NULL, branch, taken);
}
