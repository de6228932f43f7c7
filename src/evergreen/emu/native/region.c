/* Which loops become regions, and what has a home in them. */
#include "evergreen/emu/native/region.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/plan/plan.h"

enum {
	VEX_HOMES = 8,
	PACKED_ROWS = 32, /* at most */
	DEEPER = 3, /* an inner loop's uses count so many bits more */
	DEEPEST = 10,
};

/* --- What a row is used for ----------------------------------------------- */

struct use {
	uint64_t weight;   /* loads and stores that a home saves */
	bool used, written;
	bool exposed;      /* a block reads what it was before */
	bool shows_nan;    /* somebody may see the bits of a NaN */
	/* Of the block in progress. */
	uint32_t block;    /* that wrote it last */
	bool number;       /* what it wrote */
};

struct finder {
	struct flow *f;
	struct use *uses; /* by row */
	uint32_t block;
	uint64_t weight;  /* of the block */
};

static void read_source(struct finder *finder, const struct evg_uop *uop,
			uint32_t row)
{
	struct use *use = &finder->uses[row / EVG_ROW_BYTES];

	use->used = true;
	if (use->block == finder->block)
		return;
	if (!native_takes_raw(uop))
		use->shows_nan = true;
	use->exposed = true;
	use->weight += finder->weight;
}

/* Whether the result's NaNs may wait for their encoding. */
static bool gives_number(const struct finder *finder, const struct evg_uop *uop)
{
	enum evg_alu_op op = (enum evg_alu_op)(uop->op - 1);
	const struct use *use;

	if (op != EVG_ALU_MOV || uop->extra ||
	    uop->source[0].base != EVG_BASE_STATE)
		return native_gives_number(op);
	use = &finder->uses[uop->source[0].offset / EVG_ROW_BYTES];
	return use->block == finder->block && use->number;
}

static void write_result(struct finder *finder, const struct evg_uop *uop)
{
	struct use *use = &finder->uses[uop->dest / EVG_ROW_BYTES];
	bool number = gives_number(finder, uop);

	if (uop->mask != EVG_MASK_ACTIVE && !native_takes_all_lanes(uop)) {
		use->shows_nan = true;
		use->weight += finder->weight;
	}
	use->block = finder->block;
	use->number = number;
	use->used = use->written = true;
}

static void look_at_segment(struct finder *finder,
			    const struct evg_clause_plan *alu,
			    const struct evg_segment *segment)
{
	const struct evg_uop *uop = alu->uops + segment->first_uop;
	const struct evg_uop *end = uop + segment->uop_count;

	finder->block++;
	for (const struct evg_uop *u = uop; u < end; u++) {
		for (unsigned k = 0; k < 3; k++)
			if (u->source[k].base == EVG_BASE_STATE)
				read_source(finder, u, u->source[k].offset);
		if (u->dest != EVG_NO_ROW)
			write_result(finder, u);
	}
	for (uint32_t i = 0; i < finder->f->plan->row_count; i++) {
		struct use *use = &finder->uses[i];

		if (use->block != finder->block)
			continue;
		use->weight += 2 * finder->weight;
		if (!use->number)
			use->shows_nan = true;
	}
}

/* --- Homes ---------------------------------------------------------------- */

static bool goes_back(const struct flow *f, uint32_t address)
{
	const struct evg_code_cf *cf = f->plan->cf[address].cf;

	return cf && f->parts[address] &&
	       evg_action_does(f->plan->cf[address].action, EVG_EFFECT_AGAIN) &&
	       cf->inst.address <= address;
}

/* In how many of the region's loops the instruction is. */
static unsigned depth_of(const struct flow *f,
			 const struct native_region *region, uint32_t address)
{
	unsigned depth = 0;

	for (uint32_t i = address; i <= region->last; i++)
		depth += goes_back(f, i) &&
			 f->plan->cf[i].cf->inst.address <= address;
	return depth < DEEPEST ? depth : DEEPEST;
}

static void look_at_rows(struct finder *finder,
			 const struct native_region *region)
{
	const struct flow *f = finder->f;

	for (uint32_t i = region->first; i <= region->last; i++) {
		const struct evg_clause_plan *alu = f->plan->cf[i].alu;

		if (!alu)
			continue;
		finder->weight = UINT64_C(1)
				 << DEEPER * depth_of(f, region, i);
		for (uint32_t k = 0; k < alu->segment_count; k++)
			look_at_segment(finder, alu, &alu->segments[k]);
	}
}

/* The rows that are used most. */
static void choose_homes(struct finder *finder, struct native_homes *homes,
			 unsigned most)
{
	const struct evg_plan *plan = finder->f->plan;

	while (homes->count < most) {
		struct native_home *home = &homes->home[homes->count];
		struct use *best = NULL;

		for (uint32_t i = 0; i < plan->row_count; i++) {
			struct use *use = &finder->uses[i];

			if (use->weight > (best ? best->weight : 0) &&
			    !native_is_side_row(plan, i * EVG_ROW_BYTES))
				best = use;
		}
		if (!best)
			return;
		home->row = (uint32_t)(best - finder->uses) * EVG_ROW_BYTES;
		home->written = best->written;
		home->raw =
		    best->exposed && best->written && !best->shows_nan;
		best->weight = 0;
		homes->count++;
	}
}

/* Whether the registers besides the homes are enough. */
static bool fits(struct flow *f, const struct native_region *region)
{
	struct native *n = f->native;
	size_t start = f->code->used;

	n->failed = false;
	n->homes = &region->homes;
	for (uint32_t i = region->first; i <= region->last; i++) {
		const struct evg_clause_plan *alu = f->plan->cf[i].alu;

		for (uint32_t k = 0; alu && k < alu->segment_count; k++)
			native_resident_segment(n, alu, &alu->segments[k]);
	}
	n->homes = NULL;
	f->code->used = start;
	return !n->failed;
}

/* --- Regions -------------------------------------------------------------- */

static bool may_stay(const struct flow *f, const struct native_region *region)
{
	for (uint32_t i = region->first; i <= region->last; i++) {
		const struct evg_cf_plan *cf = &f->plan->cf[i];
		const struct evg_clause_plan *alu = cf->alu;

		if (!cf->cf)
			continue;
		if (!f->parts[i] || cf->fetch_count || cf->store)
			return false;
		/* With AVX2 the predicate's masks as rows take a call. */
		if (alu && alu->uses_predicate && !f->code->evex)
			return false;
		for (uint32_t k = 0; alu && k < alu->segment_count; k++)
			if (flow_has_calls(f, cf, &alu->segments[k]))
				return false;
	}
	return true;
}

/* The predicate's masks are those of all lanes: they cannot be packed. */
static void find_rows(struct finder *finder, struct native_region *region)
{
	struct evg_plan *plan = finder->f->plan;
	struct evg_packed_rows *rows = plan_allocate(plan, sizeof *rows);

	for (uint32_t i = region->first; i <= region->last; i++)
		if (plan->cf[i].alu && plan->cf[i].alu->uses_predicate)
			return;
	rows->rows = plan_allocate(plan, PACKED_ROWS * sizeof *rows->rows);
	for (uint32_t i = 0; i < plan->row_count; i++) {
		if (!finder->uses[i].used)
			continue;
		if (rows->count == PACKED_ROWS)
			return;
		rows->rows[rows->count++] = (struct evg_packed_row){
			i * EVG_ROW_BYTES, finder->uses[i].written};
	}
	region->rows = rows;
}

static bool find_homes(struct flow *f, struct native_region *region)
{
	struct finder finder = {.f = f};

	finder.uses = xcalloc(f->plan->row_count, sizeof *finder.uses);
	look_at_rows(&finder, region);
	find_rows(&finder, region);
	choose_homes(&finder, &region->homes,
		     f->code->evex ? NATIVE_HOMES : VEX_HOMES);
	free(finder.uses);
	while (region->homes.count && !fits(f, region))
		region->homes.count--;
	return region->homes.count;
}

/* Outer loops come before those in them. */
void region_find(struct flow *f)
{
	uint32_t first_taken = f->plan->cf_count, capacity = 0;

	for (uint32_t i = f->plan->cf_count; i--;) {
		struct native_region region = {.last = i};

		if (i >= first_taken || !goes_back(f, i))
			continue;
		region.first = f->plan->cf[i].cf->inst.address;
		if (!may_stay(f, &region) || !find_homes(f, &region))
			continue;
		ARRAY_GROW(f->regions, f->region_count, capacity);
		f->regions[f->region_count++] = region;
		first_taken = region.first;
	}
}

const struct native_region *region_at(const struct flow *f, uint32_t address)
{
	for (uint32_t i = 0; i < f->region_count; i++)
		if (f->regions[i].first <= address &&
		    address <= f->regions[i].last)
			return &f->regions[i];
	return NULL;
}
