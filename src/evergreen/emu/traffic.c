#include "evergreen/emu/traffic.h"

#include <string.h>

#include "evergreen/emu/banks.h"

/* The table has room for the most that an instruction can touch: 64 lanes,
 * two rows of 32 bytes each (filtered texels), in blocks of 4 bytes, not
 * aligned. Multiplying by the golden
 * ratio spreads neighbouring blocks (Knuth, The Art of Computer Programming,
 * volume 3, 6.4). */
_Static_assert(EVG_TRAFFIC_HASH == 1 << (32 - 21), "the shift below");

/* Whether a block is met for the first time in this instruction. */
static bool is_new(struct evg_traffic *traffic, uint32_t block)
{
	uint32_t at = block * 2654435769u >> 21;

	for (;; at = (at + 1) % EVG_TRAFFIC_HASH) {
		if (traffic->hash[at].stamp != traffic->stamp) {
			traffic->hash[at].stamp = traffic->stamp;
			traffic->hash[at].block = block;
			return true;
		}
		if (traffic->hash[at].block == block)
			return false;
	}
}

/* Blocks that `mask`'s lanes are the first to touch. */
static uint64_t count_new(struct evg_traffic *traffic, uint64_t mask,
			  const uint32_t *address, uint32_t bytes)
{
	uint32_t size = traffic->model.block_size, last = UINT32_MAX;
	uint64_t count = 0;

	for (; mask; mask &= mask - 1) {
		uint32_t from = address[__builtin_ctzll(mask)];
		uint32_t block = from / size;
		uint32_t end = (from + bytes - 1) / size;

		/* Neighbours share blocks. */
		if (block == last && end == last)
			continue;
		for (; block <= end; block++)
			count += is_new(traffic, block);
		last = end;
	}
	return count;
}

/* Distinct blocks; each lane's atomic is an access of its own. */
static uint64_t count_blocks(struct evg_traffic *traffic,
			     const struct evg_step *step)
{
	if (step->memory_atomic)
		return (uint64_t)__builtin_popcountll(step->memory_mask);
	if (!++traffic->stamp) {
		memset(traffic->hash, 0, sizeof traffic->hash);
		traffic->stamp = 1;
	}
	return count_new(traffic, step->memory_mask, step->memory_address,
			 step->memory_bytes) +
	       count_new(traffic, step->memory_mask2, step->memory_address2,
			 step->memory_bytes);
}

void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step)
{
	struct evg_traffic_count *count = &traffic->counts[line];

	if (!(step->memory_mask | step->memory_mask2))
		return;
	if (step->memory_local)
		count->conflicts += evg_bank_cycles(step, traffic->model.banks,
						    traffic->model.window)
					    .conflicts;
	else if (!step->memory_constant)
		count->transactions += count_blocks(traffic, step);
}

void evg_traffic_take(struct evg_traffic *traffic, uint32_t line)
{
	struct evg_step *step = &traffic->step;

	evg_traffic_count(traffic, line, step);
	step->memory_mask = step->memory_mask2 = 0;
	step->memory_write = step->memory_atomic = false;
	step->memory_local = step->memory_constant = false;
}
