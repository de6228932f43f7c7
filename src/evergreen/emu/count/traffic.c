#include "evergreen/emu/count/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/state.h"

/* The table has room for the most that an instruction can touch: 64 lanes,
 * two rows of 32 bytes each (filtered texels), in blocks of 4 bytes, not
 * aligned. Multiplying by the golden ratio spreads neighbouring blocks (Knuth,
 * The Art of Computer Programming, volume 3, 6.4). */
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
	uint32_t shift = (uint32_t)__builtin_ctz(traffic->model.block_size);
	uint32_t last = UINT32_MAX;
	uint64_t count = 0;

	for (; mask; mask &= mask - 1) {
		uint32_t from = address[__builtin_ctzll(mask)];
		uint32_t block = from >> shift;
		uint32_t end = (from + bytes - 1) >> shift;

		/* Neighbours share blocks. */
		if (block == last && end == last)
			continue;
		for (; block <= end; block++)
			count += is_new(traffic, block);
		last = end;
	}
	return count;
}

uint32_t (*evg_traffic_second(struct evg_traffic *traffic))[EVG_WAVEFRONT_SIZE]
{
	if (!traffic->address2)
		traffic->address2 = xcalloc(EVG_TRAFFIC_SHAPES + 1,
					    sizeof *traffic->address2);
	return traffic->address2;
}

uint32_t evg_traffic_blocks(struct evg_traffic *traffic,
			    const struct evg_step *step)
{
	uint64_t count;

	if (!traffic->hash)
		traffic->hash = xcalloc(EVG_TRAFFIC_HASH,
					sizeof *traffic->hash);
	if (!++traffic->stamp) {
		memset(traffic->hash, 0,
		       EVG_TRAFFIC_HASH * sizeof *traffic->hash);
		traffic->stamp = 1;
	}
	count = count_new(traffic, step->memory_mask, step->memory_address,
			  step->memory_bytes) +
		count_new(traffic, step->memory_mask2, step->memory_address2,
			  step->memory_bytes);
	for (unsigned i = 0; i < step->corners; i++)
		count += count_new(traffic, step->corner_mask[i],
				   step->corner_address[i],
				   step->memory_bytes);
	return (uint32_t)count;
}

void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step)
{
	if (!(step->memory_mask | step->memory_mask2) || step->memory_constant)
		return;
	traffic->add(traffic, line, step);
}

void evg_traffic_take_noted(struct evg_traffic *traffic)
{
	struct evg_step *step = &traffic->step;

	evg_traffic_count(traffic, traffic->line, step);
	step->memory_mask = step->memory_mask2 = 0;
	step->memory_bytes = step->corners = 0;
	step->memory_write = step->memory_atomic = false;
	step->memory_local = step->memory_constant = false;
}

void evg_traffic_begin(struct evg_traffic *traffic, uint32_t line)
{
	evg_traffic_take(traffic);
	traffic->line = line;
}

struct evg_traffic *evg_traffic_create(const struct evg_traffic_model *model,
				       uint32_t line_count,
				       const struct evg_simd *simd)
{
	struct evg_traffic *traffic = xcalloc(1, sizeof *traffic);

	traffic->model = *model;
	traffic->counts = xcalloc(line_count + 1, sizeof *traffic->counts);
	traffic->recent = xcalloc(line_count + 1, sizeof *traffic->recent);
	traffic->shapes = xmalloc_aligned((EVG_TRAFFIC_SHAPES + 1) *
					  sizeof *traffic->shapes);
	traffic->add = simd->add_traffic;
	return traffic;
}

void evg_traffic_free(struct evg_traffic *traffic)
{
	if (!traffic)
		return;
	free(traffic->counts);
	free(traffic->recent);
	free(traffic->shapes);
	free(traffic->address2);
	free(traffic->hash);
	free(traffic);
}
