#include "evergreen/emu/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/banks.h"
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

/* Lanes as host vectors. */
typedef uint32_t lanes __attribute__((vector_size(32), aligned(4)));

static bool is_moved(const uint32_t *now, const uint32_t *then,
		     uint32_t distance)
{
	lanes different = { 0 };
	uint32_t any = 0;

	for (unsigned i = 0; i < EVG_WAVEFRONT_SIZE; i += 8)
		different |= (*(const lanes *)(now + i) -
			      *(const lanes *)(then + i)) ^ distance;
	for (unsigned i = 0; i < 8; i++)
		any |= different[i];
	return !any;
}

/* Whether a step costs what the pattern did. Lanes without access have the
 * address of one that has. */
static bool is_alike(const struct evg_traffic *traffic,
		     const struct evg_traffic_pattern *pattern,
		     const struct evg_step *step)
{
	uint32_t distance = step->memory_address[0] - pattern->address[0];

	if (step->memory_mask != pattern->mask ||
	    step->memory_mask2 != pattern->mask2)
		return false;
	if (distance % (step->memory_local ? 4 : traffic->model.block_size))
		return false;
	return is_moved(step->memory_address, pattern->address, distance) &&
	       (!step->memory_mask2 ||
		is_moved(step->memory_address2, pattern->address2, distance));
}

static void remember(struct evg_traffic_pattern *pattern,
		     const struct evg_step *step, uint32_t cost)
{
	pattern->cost = cost;
	pattern->mask = step->memory_mask;
	pattern->mask2 = step->memory_mask2;
	memcpy(pattern->address, step->memory_address,
	       sizeof pattern->address);
	if (step->memory_mask2)
		memcpy(pattern->address2, step->memory_address2,
		       sizeof pattern->address2);
}

void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step)
{
	struct evg_traffic_count *count = &traffic->counts[line];
	struct evg_traffic_pattern *pattern =
		&traffic->patterns[EVG_TRAFFIC_PATTERNS * line];
	unsigned way = 0;

	if (!(step->memory_mask | step->memory_mask2) || step->memory_constant)
		return;
	while (way < EVG_TRAFFIC_PATTERNS &&
	       !is_alike(traffic, &pattern[way], step))
		way++;
	if (way < EVG_TRAFFIC_PATTERNS) {
		pattern += way;
	} else {
		memmove(pattern + 1, pattern,
			(EVG_TRAFFIC_PATTERNS - 1) * sizeof *pattern);
		remember(pattern, step,
			 step->memory_local
				 ? evg_bank_cycles(step, traffic->model.banks,
						   traffic->model.window)
					   .conflicts
				 : (uint32_t)count_blocks(traffic, step));
	}
	if (step->memory_local)
		count->conflicts += pattern->cost;
	else
		count->transactions += pattern->cost;
}

void evg_traffic_take(struct evg_traffic *traffic)
{
	struct evg_step *step = &traffic->step;

	evg_traffic_count(traffic, traffic->line, step);
	step->memory_mask = step->memory_mask2 = 0;
	step->memory_write = step->memory_atomic = false;
	step->memory_local = step->memory_constant = false;
}

void evg_traffic_begin(struct evg_wavefront *wavefront, uint32_t group)
{
	struct evg_traffic *traffic = wavefront->traffic;

	evg_traffic_take(traffic);
	traffic->line = wavefront->plan->cf[wavefront->pc]
				.alu->groups[group].code->line;
}

struct evg_traffic *evg_traffic_create(const struct evg_traffic_model *model,
				       uint32_t line_count)
{
	struct evg_traffic *traffic = xcalloc(1, sizeof *traffic);

	traffic->model = *model;
	traffic->counts = xcalloc(line_count + 1, sizeof *traffic->counts);
	traffic->patterns = xcalloc_aligned((line_count + 1) *
					 EVG_TRAFFIC_PATTERNS *
					 sizeof *traffic->patterns);
	return traffic;
}

void evg_traffic_free(struct evg_traffic *traffic)
{
	if (!traffic)
		return;
	free(traffic->counts);
	free(traffic->patterns);
	free(traffic);
}
