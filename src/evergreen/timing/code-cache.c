/* What a CF instruction and a clause need before they start: instructions, from
 * the instruction cache, and the constants that it locks, from the constant cache. Both are
 * tags only, direct-mapped, with the cycle in which a line is there; a miss
 * costs its latency, and further lines of the same clause follow one a cycle.
 * They are empty when a kernel starts: its code and constants are new.
 *
 * The hardware shares a block of constants between four compute units; here
 * each has tags of its own for the whole block, so that units stay
 * independent of each other: kernels whose units run the same code see the
 * same hits, but for the first use, which misses in each. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"

enum {
	CODE_UNIT_BYTES = 8,
	CONSTANT_LINE_BYTES = 256, /* what KCACHE_MODE locks: 16 x 128 bits */
};

static void create_cache(struct code_cache *cache, uint32_t bytes,
			 uint32_t line, uint32_t latency)
{
	*cache = (struct code_cache){
		.lines = bytes / line,
		.latency = latency,
	};
	if (cache->lines)
		cache->line = xcalloc_aligned(cache->lines *
					      sizeof *cache->line);
}

void code_caches_create(struct compute_unit *cu)
{
	const struct evg_config *config = &cu->timing->config;

	create_cache(&cu->code, config->code_size, config->code_line,
		     config->code_latency);
	cu->code.unit_shift = (unsigned)__builtin_ctz(config->code_line /
						      CODE_UNIT_BYTES);
	create_cache(&cu->constants, config->constant_size, CONSTANT_LINE_BYTES,
		     config->constant_latency);
}

void code_caches_free(struct compute_unit *cu)
{
	free(cu->code.line);
	free(cu->constants.line);
}

/* The cycle in which a line is there. `kernel` tells launches apart. */
static uint64_t line_ready(struct code_cache *cache, uint32_t index,
			   uint64_t tag, uint64_t now, unsigned place,
			   uint64_t *accesses, uint64_t *misses)
{
	struct code_line *line = &cache->line[index % cache->lines];

	++*accesses;
	if (line->tag != tag) {
		++*misses;
		line->tag = tag;
		line->ready = now + cache->latency + place;
	}
	return line->ready;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t cf_fetch_wait(struct compute_unit *cu, uint32_t address)
{
	uint64_t now = unit_cycle(cu), ready;
	uint64_t launch = cu->timing->launch << 32;
	uint32_t line = address >> cu->code.unit_shift;

	if (!cu->code.lines)
		return 0;
	ready = line_ready(&cu->code, line, launch | line, now, 0,
			   &cu->n.cf_accesses, &cu->n.cf_misses);
	return ready > now ? ready - now : 0;
}

uint64_t clause_wait(struct compute_unit *cu, const struct evg_cf_inst *cf,
		     uint32_t units)
{
	uint64_t now = unit_cycle(cu), ready = now;
	/* 0 is no tag: the first launch is number 1. */
	uint64_t launch = cu->timing->launch << 32;

	if (cu->code.lines) {
		uint32_t first = cf->address >> cu->code.unit_shift;
		uint32_t last = (cf->address + units - 1) >>
				cu->code.unit_shift;

		/* The clause starts when its first line is there; the others
		 * come faster than it uses them, unless others wait too. */
		for (uint32_t line = first; line <= last; line++)
			ready = later(ready,
				      line_ready(&cu->code, line,
						 launch | line, now,
						 line - first,
						 &cu->n.code_accesses,
						 &cu->n.code_misses) -
					      (line - first));
	}
	if (!cu->constants.lines || cf->format != EVG_CF_ALU_WORD)
		return ready - now;
	for (unsigned i = 0; i < 4; i++) {
		const struct evg_kcache *lock = &cf->kcache[i];
		unsigned count = lock->mode == 2 ? 2 : lock->mode != 0;

		for (unsigned j = 0; j < count; j++) {
			uint32_t line = lock->address + j;

			ready = later(ready,
				      line_ready(&cu->constants,
						 line + 5u * lock->bank,
						 launch | lock->bank << 16 |
							 line,
						 now, j,
						 &cu->n.constant_accesses,
						 &cu->n.constant_misses));
		}
	}
	return ready - now;
}
