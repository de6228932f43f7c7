/* The blocks that the lanes of an instruction touch: of all lanes of a block at
 * once, since the host would guess wrong where a lane begins another block. */
#include "evergreen/timing/coalesce.h"

#include <emmintrin.h>

/* No branch per lane, for hosts that compare several at a time. */
bool coalesce_is_run(uint64_t mask, const uint32_t *address, uint32_t bytes)
{
	uint32_t other = 0;

	if (~mask || address[EVG_WAVEFRONT_SIZE - 1] - address[0] !=
			     (EVG_WAVEFRONT_SIZE - 1) * bytes)
		return false;
	for (uint32_t lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		other |= address[lane] ^ (address[0] + lane * bytes);
	return !other && address[0] <= UINT32_MAX - EVG_WAVEFRONT_SIZE * bytes;
}

/* The blocks of a run. */
static unsigned blocks_of_run(uint32_t from, uint32_t end, uint32_t bytes,
			      uint32_t size, struct coalesce_block *blocks)
{
	unsigned count = 0;

	while (from < end && count < COALESCE_MAX) {
		uint32_t next = (from | (size - 1)) + 1;

		if (next > end || !next)
			next = end;
		blocks[count++] = (struct coalesce_block){
			from, next, (next - from + bytes - 1) / bytes};
		from = next;
	}
	return count;
}

/* The block among the first `count` in which an address lies, or NULL.
 * Neighbours share blocks: searches backwards. */
static struct coalesce_block *find_block(struct coalesce_block *blocks,
					 unsigned count, uint32_t address,
					 uint32_t size)
{
	while (count > 0 && (blocks[count - 1].address ^ address) >= size)
		count--;
	return count ? &blocks[count - 1] : NULL;
}

static void touch(struct coalesce_block *block, uint32_t address, uint32_t end)
{
	block->address = address < block->address ? address : block->address;
	block->end = end > block->end ? end : block->end;
}

/* Adds one lane, whose bytes may lie in several blocks. */
static unsigned add_lane(uint32_t from, uint32_t bytes, uint32_t size,
			 struct coalesce_block *blocks, unsigned count)
{
	uint32_t end = from + bytes;

	while (from < end && count < COALESCE_MAX) {
		uint32_t base = from & ~(size - 1);
		uint32_t next = end < base + size ? end : base + size;
		struct coalesce_block *block =
			find_block(blocks, count, from, size);

		if (block) {
			block->elements++;
			touch(block, from, next);
		} else {
			blocks[count++] =
				(struct coalesce_block){from, next, 1};
		}
		from = next;
	}
	return count;
}

/* The lanes whose address lies in the block that begins at `base`. */
static uint64_t lanes_in(const uint32_t *address, uint32_t base, uint32_t size)
{
	__m128i within = _mm_set1_epi32((int)~(size - 1));
	__m128i wanted = _mm_set1_epi32((int)base);
	uint64_t lanes = 0;

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane += 16) {
		__m128i same[4];

		for (unsigned i = 0; i < 4; i++)
			same[i] = _mm_cmpeq_epi32(
				_mm_and_si128(
					_mm_loadu_si128((const void *)(
						address + lane + 4 * i)),
					within),
				wanted);
		lanes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(
				 _mm_packs_epi32(same[0], same[1]),
				 _mm_packs_epi32(same[2], same[3])))
			 << lane;
	}
	return lanes;
}

static bool is_power_within(uint32_t bytes, uint32_t size)
{
	return !(bytes & (bytes - 1)) && bytes <= size;
}

/* Whether the bytes of each lane lie in one block, since they are aligned. */
static bool lanes_are_aligned(const uint32_t *address, uint32_t bytes,
			      uint32_t size)
{
	uint32_t any = 0;

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		any |= address[lane];
	return is_power_within(bytes, size) && !(any & (bytes - 1));
}

/* Lanes that follow each other in one block. */
struct stretches {
	uint64_t first;  /* the first lane of each */
	uint64_t follow; /* lanes whose bytes begin where those before end */
	bool aligned;    /* the bytes of each lane lie in one block */
};

static struct stretches find_stretches(const uint32_t *address, uint32_t bytes,
				       uint32_t size)
{
	__m128i within = _mm_set1_epi32((int)~(size - 1));
	__m128i step = _mm_set1_epi32((int)bytes);
	__m128i before = _mm_setzero_si128(), any = before;
	struct stretches found = { 0 };

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane += 4) {
		__m128i here = _mm_loadu_si128((const void *)(address + lane));
		/* Of each lane the address of the one before. */
		__m128i last = _mm_castps_si128(_mm_move_ss(
			_mm_castsi128_ps(_mm_shuffle_epi32(
				here, _MM_SHUFFLE(2, 1, 0, 0))),
			_mm_castsi128_ps(_mm_shuffle_epi32(
				before, _MM_SHUFFLE(3, 3, 3, 3)))));
		__m128i same = _mm_cmpeq_epi32(
			_mm_and_si128(_mm_xor_si128(here, last), within),
			_mm_setzero_si128());
		__m128i follows =
			_mm_cmpeq_epi32(here, _mm_add_epi32(last, step));

		found.first |= (uint64_t)(unsigned)(
				       ~_mm_movemask_ps(_mm_castsi128_ps(same)) &
				       15)
			       << lane;
		found.follow |= (uint64_t)(unsigned)_mm_movemask_ps(
					_mm_castsi128_ps(follows))
				<< lane;
		any = _mm_or_si128(any, here);
		before = here;
	}
	found.first |= 1;
	any = _mm_and_si128(any, _mm_set1_epi32((int)bytes - 1));
	found.aligned = is_power_within(bytes, size) &&
			_mm_movemask_epi8(_mm_cmpeq_epi32(
				any, _mm_setzero_si128())) == 0xffff;
	return found;
}

/* Whether there are so few stretches that they are looked at one by one. */
static bool are_few(const struct stretches *stretches)
{
	enum { MOST = 24 };

	return __builtin_popcountll(stretches->first) <= MOST;
}

/* The blocks of aligned lanes, all of which take part. */
static unsigned blocks_of_stretches(const struct stretches *stretches,
				    const uint32_t *address, uint32_t bytes,
				    uint32_t size, bool whole,
				    struct coalesce_block *blocks,
				    unsigned count)
{
	uint64_t first = stretches->first;

	while (first) {
		unsigned lane = (unsigned)__builtin_ctzll(first), end;
		uint32_t from = address[lane];
		struct coalesce_block *block =
			find_block(blocks, count, from, size);

		first &= first - 1;
		end = first ? (unsigned)__builtin_ctzll(first)
			    : EVG_WAVEFRONT_SIZE;
		if (!block) {
			block = &blocks[count++];
			*block = (struct coalesce_block){from, from, 0};
		}
		block->elements += end - lane;
		if (whole) {
			block->address = from & ~(size - 1);
			block->end = block->address + size;
			continue;
		}
		touch(block, from, from + bytes);
		/* Of lanes that follow each other the first and the last one
		 * tell what there is to know. */
		for (unsigned next = lane + 1; next < end; next++)
			if (next + 1 == end ||
			    (stretches->follow >> next & 3) != 3)
				touch(block, address[next],
				      address[next] + bytes);
	}
	return count;
}

unsigned coalesce_blocks(uint64_t mask, const uint32_t *address,
			 uint32_t bytes, uint32_t size,
			 bool whole, struct coalesce_block *blocks,
			 unsigned count)
{
	unsigned before = count;

	if (!count && coalesce_is_run(mask, address, bytes))
		return blocks_of_run(address[0],
				     address[0] + EVG_WAVEFRONT_SIZE * bytes,
				     bytes, size, blocks);
	if (!~mask && count + EVG_WAVEFRONT_SIZE <= COALESCE_MAX) {
		struct stretches stretches =
			find_stretches(address, bytes, size);

		if (stretches.aligned && are_few(&stretches))
			return blocks_of_stretches(&stretches, address, bytes,
						   size, whole, blocks, count);
	}
	if (!lanes_are_aligned(address, bytes, size)) {
		for (; mask; mask &= mask - 1)
			count = add_lane(address[__builtin_ctzll(mask)], bytes,
					 size, blocks, count);
		return count;
	}
	while (mask) {
		uint32_t from = address[__builtin_ctzll(mask)];
		uint64_t lanes =
			lanes_in(address, from & ~(size - 1), size) & mask;
		struct coalesce_block *block =
			find_block(blocks, before, from, size);

		mask &= ~lanes;
		if (!block && count == COALESCE_MAX)
			break;
		if (!block) {
			block = &blocks[count++];
			*block = (struct coalesce_block){from, from, 0};
		}
		block->elements += (uint32_t)__builtin_popcountll(lanes);
		if (whole) {
			block->address = from & ~(size - 1);
			block->end = block->address + size;
			continue;
		}
		for (; lanes; lanes &= lanes - 1) {
			from = address[__builtin_ctzll(lanes)];
			touch(block, from, from + bytes);
		}
	}
	return count;
}
