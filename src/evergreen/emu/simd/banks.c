/* evg_bank_cycles in vectors, for windows of 32 lanes and at most 32 banks. */
#include "evergreen/emu/count/bank-cycles.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/simd.h"

#if VECTOR_BYTES >= 32
#include "evergreen/emu/count/bank-rows.h"

/* One kind of addresses of a window. */
struct bank_requests {
	const uint32_t *address; /* of the window */
	uint32_t lanes;          /* that take part */
	vsort row[BANK_VECTORS];
	uint32_t used;           /* banks */
	bool alone;              /* each lane has a bank for itself */
};

SIMD uint32_t join_lanes(__m256i a)
{
	__m128i half = _mm_or_si128(_mm256_castsi256_si128(a),
				    _mm256_extracti128_si256(a, 1));

	half = _mm_or_si128(half, _mm_srli_si128(half, 8));
	half = _mm_or_si128(half, _mm_srli_si128(half, 4));
	return (uint32_t)_mm_cvtsi128_si32(half);
}

/* Of the lanes' banks, one bit each: those that the halves of a vector, its
 * quarters and so on have in common. */
SIMD __m256i common_banks(__m256i used)
{
	__m256i other = _mm256_permute2x128_si256(used, used, 1), twice;

	twice = used & other;
	used |= other;
	other = _mm256_shuffle_epi32(used, _MM_SHUFFLE(1, 0, 3, 2));
	twice |= used & other;
	used |= other;
	other = _mm256_shuffle_epi32(used, _MM_SHUFFLE(2, 3, 0, 1));
	return twice | (used & other);
}

static void find_banks(struct bank_requests *kind, uint32_t banks)
{
	__m256i used = _mm256_setzero_si256(), twice = used;

	bank_row(kind->row, kind->address, kind->lanes);
	SORT_LOOP(i, BANK_VECTORS) {
		/* The host's shift gives 0 for a lane that takes no part. */
		__m256i bit = _mm256_sllv_epi32(
			_mm256_set1_epi32(1),
			(__m256i)(kind->row[i] >> 2 &
				  (banks - 1 + (1u << 29))));

		twice |= used & bit;
		used |= bit;
	}
	kind->used = join_lanes(used);
	kind->alone = sort_is_zero((vsort)(twice | common_banks(used)));
}

/* A mask of the lanes that have equal addresses in two vectors. */
SIMD uint32_t same_lanes(vsort a, vsort b)
{
	return (uint32_t)_mm256_movemask_ps((__m256)(a == b));
}

/* Leaves out lanes that read the word of a neighbour, or of other rows of a
 * work-group of 8 or 16 columns: as find_repeated() has them. */
static void drop_repeated(struct bank_requests *kind, uint32_t banks)
{
	const vsort *row = kind->row;
	uint32_t next = 0, below = 0, far = 0, lanes = kind->lanes;

	next = same_lanes(row[0], __builtin_shufflevector(
					  row[0], row[0], 0, 0, 1, 2, 3, 4, 5,
					  6));
	SORT_LOOP(i, BANK_VECTORS - 1) {
		vsort before;

		memcpy(&before, kind->address + 8 * i + 7, sizeof before);
		next |= same_lanes(row[i + 1], before) << (8 * i + 8);
		below |= same_lanes(row[i + 1], row[i]) << (8 * i + 8);
	}
	SORT_LOOP(i, BANK_VECTORS - 2)
		far |= same_lanes(row[i + 2], row[i]) << (8 * i + 16);
	kind->lanes = lanes & ~(next & lanes << 1) & ~(below & lanes << ROW) &
		      ~(far & lanes << LONG_ROW);
	find_banks(kind, banks);
}

/* Whether all addresses of one kind are below those of the other. */
static bool lie_apart(const struct bank_requests kind[2])
{
	uint32_t least[2], most[2];

	for (unsigned k = 0; k < 2; k++) {
		const vsort *row = kind[k].row;
		vsort low = row[0];
		__m256i high = (__m256i)row[0];
		uint32_t lows[SORT_LANES];
		int32_t highs[SORT_LANES];

		/* Lanes that take no part are negative, or great. */
		SORT_LOOP(i, BANK_VECTORS - 1) {
			low = sort_least(low, row[i + 1]);
			high = _mm256_max_epi32(high, (__m256i)row[i + 1]);
		}
		memcpy(lows, &low, sizeof lows);
		memcpy(highs, &high, sizeof highs);
		least[k] = lows[0];
		most[k] = (uint32_t)highs[0];
		for (unsigned i = 1; i < SORT_LANES; i++) {
			least[k] = lows[i] < least[k] ? lows[i] : least[k];
			most[k] = highs[i] > (int32_t)most[k]
					  ? (uint32_t)highs[i]
					  : most[k];
		}
	}
	return most[0] / 4 < least[1] / 4 || most[1] / 4 < least[0] / 4;
}

/* The requests of all kinds, and those of the busiest bank. */
struct bank_load {
	uint32_t requests, most;
};

/* Leaves out all repeated words, whichever lanes read them. */
static struct bank_load without_equal(const struct bank_requests kind[2],
				      uint32_t banks)
{
	vsort row[2 * BANK_VECTORS], repeated[2 * BANK_VECTORS];
	struct bank_load load = {.requests = 2 * BANK_WINDOW};
	__m256i loads;

	SORT_LOOP(i, 2 * BANK_VECTORS)
		row[i] = kind[i / BANK_VECTORS].row[i % BANK_VECTORS] & ~3u;
	sort_row(row, 2 * BANK_VECTORS);
	sort_repeated(row, 2 * BANK_VECTORS, repeated);
	SORT_LOOP(i, 2 * BANK_VECTORS) {
		row[i] |= repeated[i];
		load.requests -= sort_highest_bits(row[i]);
	}
	loads = _mm256_add_epi8(bank_loads(row, banks),
				bank_loads(row + BANK_VECTORS, banks));
	load.most = bank_greatest(loads);
	return load;
}

/* The same of one kind. */
static struct bank_load without_equal_lanes(const struct bank_requests *kind,
					    uint32_t banks)
{
	vsort row[BANK_VECTORS], repeated[BANK_VECTORS];
	struct bank_load load = {.requests = BANK_WINDOW};

	SORT_LOOP(i, BANK_VECTORS)
		row[i] = kind->row[i] & ~3u;
	sort_row(row, BANK_VECTORS);
	sort_repeated(row, BANK_VECTORS, repeated);
	SORT_LOOP(i, BANK_VECTORS) {
		row[i] |= repeated[i];
		load.requests -= sort_highest_bits(row[i]);
	}
	load.most = bank_greatest(bank_loads(row, banks));
	return load;
}

static struct bank_load load_of_one(struct bank_requests *kind, uint32_t banks,
				    bool merge)
{
	struct bank_load load = {.most = 1};

	find_banks(kind, banks);
	if (!kind->alone && merge) {
		drop_repeated(kind, banks);
		if (!kind->alone)
			return without_equal_lanes(kind, banks);
	}
	load.requests = (uint32_t)__builtin_popcount(kind->lanes);
	if (!kind->alone)
		load.most = bank_greatest(bank_loads(kind->row, banks));
	return load;
}

static struct bank_load load_of_two(struct bank_requests kind[2],
				    uint32_t banks, bool merge)
{
	struct bank_load load = {.most = 1};
	bool alone = true;
	uint32_t shared;

	for (unsigned k = 0; k < 2; k++) {
		find_banks(&kind[k], banks);
		if (!kind[k].alone && merge)
			drop_repeated(&kind[k], banks);
		alone &= kind[k].alone;
		load.requests += (uint32_t)__builtin_popcount(kind[k].lanes);
	}
	shared = kind[0].used & kind[1].used;
	if (merge && !(alone && (!shared || lie_apart(kind))))
		return without_equal(kind, banks);
	if (alone)
		load.most += shared != 0;
	else
		load.most = bank_greatest(_mm256_add_epi8(
			bank_loads(kind[0].row, banks),
			bank_loads(kind[1].row, banks)));
	return load;
}

struct evg_bank_cycles EVG_LEVEL(evg_bank_cycles)(const struct evg_step *step,
						  uint32_t banks,
						  uint32_t window_size)
{
	bool merge = !step->memory_write && !step->memory_atomic;
	struct evg_bank_cycles cycles = { 0 };

	if (window_size != BANK_WINDOW || banks > BANK_WINDOW ||
	    (banks & (banks - 1)))
		return bank_cycles(step, banks, window_size);
	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE;
	     start += BANK_WINDOW) {
		struct bank_requests kind[2] = {
			{.address = step->memory_address + start,
			 .lanes = (uint32_t)(step->memory_mask >> start)},
			{.address = step->memory_address2 + start,
			 .lanes = (uint32_t)(step->memory_mask2 >> start)},
		};
		struct bank_load load;

		if (kind[1].lanes)
			load = load_of_two(kind, banks, merge);
		else if (kind[0].lanes)
			load = load_of_one(kind, banks, merge);
		else
			continue;
		cycles.all += load.most;
		cycles.requests += load.requests;
		cycles.conflicts +=
			load.most - (load.requests + banks - 1) / banks;
	}
	return cycles;
}
#else
struct evg_bank_cycles EVG_LEVEL(evg_bank_cycles)(const struct evg_step *step,
						  uint32_t banks,
						  uint32_t window_size)
{
	return bank_cycles(step, banks, window_size);
}
#endif
