/* What a CF instruction and a clause need before they start: instructions, from
 * the instruction cache, and the constants that it locks, from the constant
 * cache. Both are tags only, direct-mapped. They are empty when a kernel starts:
 * its code and constants are new.
 *
 *	CF instruction, clause ─► line ─► miss ─► loads below the L1
 *	         ▲                         │ line_wait: who waits
 *	         └── all lines are there ──┘
 *
 * Or a miss costs a latency and nothing else; then further lines of the same
 * clause follow one a cycle.
 *
 * A few neighbouring compute units share a cache. What one of them is waiting
 * for the others wait for, too. These units are in one island. */
#include "base/optimize.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"

enum {
	CODE_UNIT_BYTES = 8,
	CONSTANT_LINE_BYTES = 256, /* what KCACHE_MODE locks: 16 x 128 bits */
};

/* A line on its way. Another one may have taken its place meanwhile. */
struct code_miss {
	struct compute_unit *cu;
	struct code_line *line;
	uint32_t pending; /* loads */
	struct line_wait *first, *last; /* who waits */
	struct code_miss *next; /* free list */
	struct code_miss *next_made;
};

struct line_wait {
	struct resident *resident;
	struct line_wait *next; /* of the same miss, or free list */
	struct line_wait *next_made;
};

static struct code_cache *create_cache(uint32_t bytes, uint32_t line,
				       int misses, uint32_t latency)
{
	struct code_cache *cache = xcalloc_aligned(sizeof *cache);

	*cache = (struct code_cache){
		.lines = bytes / line,
		.line_bytes = line,
		.mask = bytes / line & (bytes / line - 1) ? 0
							  : bytes / line - 1,
		.unit_shift = (unsigned)__builtin_ctz(line / CODE_UNIT_BYTES),
		.loads = misses == EVG_MISSES_HIERARCHY,
		.latency = latency,
	};
	if (cache->lines)
		cache->line = xcalloc_aligned(cache->lines *
					      sizeof *cache->line);
	return cache;
}

static void free_cache(struct code_cache *cache)
{
	if (!cache)
		return;
	free(cache->line);
	free(cache);
}

/* The first of the units that share a cache with this one. It owns it. */
static struct compute_unit *first_unit(const struct compute_unit *cu,
				       uint32_t shared_by)
{
	return &cu->timing->units[cu->id - cu->id % shared_by];
}

void evg_timing_together(const struct evg_config *config, unsigned together[2])
{
	together[0] = config->code_size ? config->code_shared : 0;
	together[1] = config->constant_size ? config->constant_shared : 0;
}

int code_caches_create(struct compute_unit *cu, struct error *error)
{
	const struct evg_config *config = &cu->timing->config;
	const struct compute_unit *code = first_unit(cu, config->code_shared);
	const struct compute_unit *constants =
		first_unit(cu, config->constant_shared);

	if ((config->code_size && code->events != cu->events) ||
	    (config->constant_size && constants->events != cu->events))
		return error_set(error, "compute unit %u shares a cache with "
				 "one in another island", cu->id);
	cu->code = code != cu ? code->code
			      : create_cache(config->code_size,
					     config->code_line,
					     config->code_misses,
					     config->code_latency);
	cu->constants =
		constants != cu ? constants->constants
				: create_cache(config->constant_size,
					       CONSTANT_LINE_BYTES,
					       config->constant_misses,
					       config->constant_latency);
	return 0;
}

void code_caches_free(struct compute_unit *cu)
{
	while (cu->made_misses) {
		struct code_miss *next = cu->made_misses->next_made;

		free(cu->made_misses);
		cu->made_misses = next;
	}
	while (cu->made_waits) {
		struct line_wait *next = cu->made_waits->next_made;

		free(cu->made_waits);
		cu->made_waits = next;
	}
	if (!cu->timing)
		return; /* not made */
	if (first_unit(cu, cu->timing->config.code_shared) == cu)
		free_cache(cu->code);
	if (first_unit(cu, cu->timing->config.constant_shared) == cu)
		free_cache(cu->constants);
}

static struct code_miss *miss_take(struct compute_unit *cu)
{
	struct code_miss *miss = cu->free_misses;

	if (miss) {
		cu->free_misses = miss->next;
		return miss;
	}
	miss = xcalloc(1, sizeof *miss);
	miss->cu = cu;
	miss->next_made = cu->made_misses;
	cu->made_misses = miss;
	return miss;
}

static void wait_for_line(struct code_miss *miss, struct resident *resident)
{
	struct compute_unit *cu = miss->cu;
	struct line_wait *wait = cu->free_waits;

	if (wait) {
		cu->free_waits = wait->next;
	} else {
		wait = xcalloc(1, sizeof *wait);
		wait->next_made = cu->made_waits;
		cu->made_waits = wait;
	}
	wait->resident = resident;
	wait->next = NULL;
	if (miss->first)
		miss->last->next = wait;
	else
		miss->first = wait;
	miss->last = wait;
	resident->missing++;
}

/* One of the things for which a wavefront waits is there. */
static void wait_over(void *owner, uint64_t tag)
{
	struct resident *resident = owner;

	if (--resident->missing)
		return;
	*resident->waits += unit_cycle(resident->cu) - resident->asked;
	resident->arrived(resident, tag);
}

/* One of the loads of a line has ended. */
static void load_done(void *owner, uint64_t tag)
{
	struct code_miss *miss = owner;
	struct compute_unit *cu = miss->cu;
	struct line_wait *wait, *next;

	(void)tag;
	if (--miss->pending)
		return;
	if (miss->line->miss == miss)
		miss->line->miss = NULL;
	wait = miss->first;
	miss->first = NULL;
	miss->next = cu->free_misses;
	cu->free_misses = miss;
	for (; wait; wait = next) {
		struct resident *resident = wait->resident;

		next = wait->next;
		wait->next = cu->free_waits;
		cu->free_waits = wait;
		wait_over(resident, 0);
	}
}

/* Loads the blocks in which the line lies. */
static struct code_miss *load_line(struct compute_unit *cu,
				   struct code_line *line, uint64_t address,
				   uint32_t bytes)
{
	struct code_miss *miss = miss_take(cu);
	uint64_t end = address + bytes;

	miss->line = line;
	for (address &= ~(uint64_t)(cu->block_size - 1); address < end;
	     address += cu->block_size) {
		miss->pending++;
		module_load_below(cu->entry, address, cu->block_size, load_done,
				  miss);
	}
	return miss;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What a wavefront asks a cache for. */
struct request {
	struct resident *resident;
	struct code_cache *cache;
	uint64_t *accesses, *misses;
	uint64_t until; /* the cycle in which all is there, if that is known */
};

/* The line of a cache in which `index` of all lines may be. */
static inline struct code_line *place_of(const struct code_cache *cache,
					 uint32_t index)
{
	return &cache->line[cache->mask ? index & cache->mask
					: index % cache->lines];
}

/* Whether a line is there at once. */
static inline bool is_here(const struct code_cache *cache,
			   const struct code_line *line, uint64_t tag)
{
	return line->tag == tag && cache->loads && !line->miss;
}

/* Asks for a line that is not there, or for which the latency counts. `place`:
 * among those that the clause asks for. `hidden`: so many cycles later the
 * clause needs it. */
static __attribute__((noinline)) void
ask_missing(struct request *request, struct code_line *line, uint64_t tag,
	    uint64_t address, uint32_t place, uint32_t hidden)
{
	struct code_cache *cache = request->cache;
	struct compute_unit *cu = request->resident->cu;

	if (line->tag != tag) {
		++*request->misses;
		line->tag = tag;
		if (cache->loads)
			line->miss = load_line(cu, line, address,
					       cache->line_bytes);
		else
			line->ready = unit_cycle(cu) + cache->latency + place;
	}
	if (!cache->loads)
		request->until = later(request->until, line->ready - hidden);
	else if (line->miss)
		wait_for_line(line->miss, request->resident);
}

static bool waits(struct resident *resident, uint64_t until, uint64_t *count,
		  event_action *arrived)
{
	struct compute_unit *cu = resident->cu;
	uint64_t now = unit_cycle(cu);

	if (until > now) {
		resident->missing++;
		unit_after(cu, until - now, wait_over, resident, 0);
	}
	resident->asked = now;
	resident->waits = count;
	resident->arrived = arrived;
	return resident->missing;
}

/* Of a line of code. */
static uint64_t code_address(const struct compute_unit *cu, uint32_t line)
{
	return cu->timing->code_address + (uint64_t)line * cu->code->line_bytes;
}

/* Of a line of a constant buffer. Each launch has buffers of its own, which the
 * driver has just written, behind all memory that programs can have. */
static uint64_t constant_address(const struct compute_unit *cu, unsigned bank,
				 uint32_t line)
{
	enum { BUFFER_SHIFT = 16, LAUNCH_SHIFT = BUFFER_SHIFT + 4, RING = 4096 };

	return (UINT64_C(1) << 32) +
	       (cu->timing->launch % RING << LAUNCH_SHIFT) +
	       ((uint64_t)bank << BUFFER_SHIFT) +
	       (uint64_t)line * CONSTANT_LINE_BYTES;
}

/* The first part of a tag, which tells launches apart. 0 is no tag: the first
 * launch is number 1. */
static uint64_t launch_tag(const struct compute_unit *cu)
{
	return cu->timing->launch << 32;
}

/* The line that is `place`th of those that an instruction asks for. */
static inline void ask_code_line(struct request *request, uint32_t line,
				 uint32_t place)
{
	const struct compute_unit *cu = request->resident->cu;
	uint64_t tag = launch_tag(cu) | line;
	struct code_line *at = place_of(request->cache, line);

	++*request->accesses;
	if (!is_here(request->cache, at, tag))
		ask_missing(request, at, tag, code_address(cu, line), place,
			    place);
}

bool cf_fetch_waits(struct resident *resident, uint32_t address,
		    event_action *arrived)
{
	struct compute_unit *cu = resident->cu;
	struct request request = {
		resident, cu->code, &cu->n.cf_accesses, &cu->n.cf_misses, 0,
	};
	uint32_t line = address >> cu->code->unit_shift;

	if (!cu->code->lines)
		return false;
	ask_code_line(&request, line, 0);
	return waits(resident, request.until, &cu->n.cf_waits, arrived);
}

static uint64_t ask_code(struct resident *resident, uint32_t address,
			 uint32_t units)
{
	struct compute_unit *cu = resident->cu;
	struct request request = {
		resident, cu->code, &cu->n.code_accesses, &cu->n.code_misses,
		0,
	};
	uint32_t first = address >> cu->code->unit_shift;
	uint32_t last = (address + units - 1) >> cu->code->unit_shift;

	/* With a latency the clause starts when its first line is there: the
	 * others come faster than it uses them, unless others wait, too. */
	for (uint32_t line = first; line <= last; line++)
		ask_code_line(&request, line, line - first);
	return request.until;
}

static uint64_t ask_constants(struct resident *resident,
			      const struct evg_cf_inst *cf)
{
	struct compute_unit *cu = resident->cu;
	struct request request = {
		resident, cu->constants, &cu->n.constant_accesses,
		&cu->n.constant_misses, 0,
	};

	for (unsigned i = 0; i < 4; i++) {
		const struct evg_kcache *lock = &cf->kcache[i];
		unsigned count = lock->mode == 2 ? 2 : lock->mode != 0;

		for (unsigned j = 0; j < count; j++) {
			uint32_t line = lock->address + j;
			uint64_t tag = launch_tag(cu) | lock->bank << 16 | line;
			struct code_line *at =
				place_of(cu->constants, line + 5u * lock->bank);

			++cu->n.constant_accesses;
			if (!is_here(cu->constants, at, tag))
				ask_missing(&request, at, tag,
					    constant_address(cu, lock->bank,
							     line),
					    j, 0);
		}
	}
	return request.until;
}

bool clause_waits(struct resident *resident, const struct evg_cf_inst *cf,
		  uint32_t units, event_action *arrived)
{
	struct compute_unit *cu = resident->cu;
	uint64_t until = 0;

	if (cu->code->lines)
		until = ask_code(resident, cf->address, units);
	if (cu->constants->lines && cf->format == EVG_CF_ALU_WORD)
		until = later(until, ask_constants(resident, cf));
	return waits(resident, until, &cu->n.clause_waits, arrived);
}
