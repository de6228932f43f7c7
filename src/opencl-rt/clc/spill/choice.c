/* Which values are moved to scratch memory: where too many live, the one whose
 * absence relieves most for each access that it will cost, again and again. */
#include "opencl-rt/clc/spill/internal.h"

#include <stdlib.h>

#include "base/memory.h"

/* Instructions over which a value stays in its register between two uses. */
enum { NEAR = 16 };
/* How much more often the inside of a loop runs, and loops that count. */
enum { LOOP_TIMES = 8, DEPTH_MAX = 5 };

/* --- Uses --------------------------------------------------------------- */

static int compare_uses(const void *a, const void *b)
{
	const struct spill_use *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void collect_uses(struct spill *spill, LLVMValueRef inst)
{
	spill->use_count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(inst); use;
	     use = LLVMGetNextUse(use)) {
		uint32_t at = live_use_position(&spill->live, use);

		ARRAY_GROW(spill->uses, spill->use_count,
			   spill->use_capacity);
		spill->uses[spill->use_count] = (struct spill_use){
			.use = use,
			.at = spill->live.before[at],
			.order = spill->use_count,
		};
		spill->use_count++;
	}
	qsort(spill->uses, spill->use_count, sizeof *spill->uses,
	      compare_uses);
}

static void add_fetch(struct spill *spill, uint32_t at, bool direct)
{
	ARRAY_GROW(spill->fetches, spill->fetch_count, spill->fetch_capacity);
	spill->fetches[spill->fetch_count++] =
		(struct spill_fetch){ at, at, direct, NULL };
}

/* Whether an instruction comes so soon that it uses the same register. */
static bool is_near(const struct live *live, uint32_t from, uint32_t at)
{
	return live->block_of[from] == live->block_of[at] && at <= from + NEAR;
}

void spill_group_uses(struct spill *spill, uint32_t definition)
{
	const struct live *live = &spill->live;
	uint32_t from = live->after[definition];

	collect_uses(spill, live->insts.items[definition]);
	spill->fetch_count = 0;
	add_fetch(spill, from, true);
	for (size_t i = 0; i < spill->use_count; i++) {
		uint32_t position = live_use_position(live,
						      spill->uses[i].use);
		uint32_t at = spill->uses[i].at;
		struct spill_fetch *fetch;

		if (is_near(live, from, at))
			spill->uses[i].fetch = 0;
		else if (spill->fetch_count > 1 &&
			 is_near(live,
				 spill->fetches[spill->fetch_count - 1].at, at))
			spill->uses[i].fetch = spill->fetch_count - 1;
		else {
			add_fetch(spill, at, false);
			spill->uses[i].fetch = spill->fetch_count - 1;
		}
		fetch = &spill->fetches[spill->uses[i].fetch];
		if (position > fetch->last)
			fetch->last = position;
	}
}

static uint64_t weight_at(const struct live *live, uint32_t position)
{
	unsigned depth = live->blocks[live->block_of[position]].depth;
	uint64_t weight = 1;

	for (unsigned i = 0; i < depth && i < DEPTH_MAX; i++)
		weight *= LOOP_TIMES;
	return weight;
}

static uint64_t cost_of(struct spill *spill, struct spill_candidate *candidate)
{
	if (candidate->cost)
		return candidate->cost;
	spill_group_uses(spill, candidate->at);
	candidate->cost = weight_at(&spill->live, candidate->at);
	candidate->useless = spill->fetch_count == 1;
	for (size_t i = 0; i < spill->fetch_count; i++)
		if (!spill->fetches[i].direct)
			candidate->cost += weight_at(&spill->live,
						     spill->fetches[i].at);
	return candidate->cost;
}

/* --- Candidates --------------------------------------------------------- */

static bool is_number(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) <= 64;
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		return true;
	default:
		return false;
	}
}

static bool can_move(const struct live *live, uint32_t at)
{
	LLVMValueRef inst = live->insts.items[at];
	LLVMTypeRef type = LLVMTypeOf(inst);

	if (!live->dwords[at])
		return false;
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		/* The place of a parameter must stay visible. */
		return LLVMGetPointerAddressSpace(type) != SPACE_PARAMETERS;
	case LLVMVectorTypeKind:
		/* A vector that is being put together stays so. */
		return is_number(LLVMGetElementType(type)) &&
		       live->dwords[at] >= LLVMGetVectorSize(type) &&
		       live->before[at] == live->after[at];
	default:
		return is_number(type);
	}
}

static uint64_t length_of(const struct live *live, uint32_t at)
{
	uint64_t length = 0;

	for (size_t s = live->start[at]; s < live->start[at + 1]; s++)
		length += live->spans[s].last - live->spans[s].first + 1;
	return length;
}

static void find_candidates(struct spill *spill)
{
	for (uint32_t i = 0; i < spill->live.insts.count; i++) {
		if (length_of(&spill->live, i) <= NEAR ||
		    !can_move(&spill->live, i))
			continue;
		ARRAY_GROW(spill->candidates, spill->candidate_count,
			   spill->candidate_capacity);
		spill->candidates[spill->candidate_count++] =
			(struct spill_candidate){ .at = i };
	}
}

static bool lives_at(const struct live *live, uint32_t value, uint32_t at)
{
	for (size_t s = live->start[value]; s < live->start[value + 1]; s++)
		if (live->spans[s].first <= at && at <= live->spans[s].last)
			return true;
	return false;
}

/* --- Choice ------------------------------------------------------------- */

/* The most crowded position above the limit, or UINT32_MAX. */
static uint32_t most_crowded(const struct spill *spill)
{
	uint32_t worst = UINT32_MAX;
	const uint32_t *pressure = spill->live.pressure;

	for (uint32_t i = 0; i < spill->live.insts.count; i++)
		if (pressure[i] > spill->limit && !spill->hopeless[i] &&
		    (worst == UINT32_MAX || pressure[i] > pressure[worst]))
			worst = i;
	return worst;
}

static void count_crowded(struct spill *spill)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < spill->live.insts.count; i++) {
		spill->crowded[i] = count;
		count += spill->live.pressure[i] > spill->limit;
	}
	spill->crowded[spill->live.insts.count] = count;
}

static uint64_t relief_of(const struct spill *spill, uint32_t value)
{
	const struct live *live = &spill->live;
	uint64_t count = 0;

	for (size_t s = live->start[value]; s < live->start[value + 1]; s++)
		count += spill->crowded[live->spans[s].last + 1] -
			 spill->crowded[live->spans[s].first];
	return count * live->dwords[value];
}

/* The value to move for a position: most relief for each access. */
static struct spill_candidate *choose_candidate(struct spill *spill,
						uint32_t at)
{
	struct spill_candidate *best = NULL;
	uint64_t best_relief = 0;

	for (size_t i = 0; i < spill->candidate_count; i++) {
		struct spill_candidate *candidate = &spill->candidates[i];
		uint64_t relief;

		if (candidate->moved ||
		    !lives_at(&spill->live, candidate->at, at))
			continue;
		relief = relief_of(spill, candidate->at);
		if (best && relief * best->cost <=
				    best_relief * cost_of(spill, candidate))
			continue;
		cost_of(spill, candidate);
		if (candidate->useless)
			continue;
		best = candidate;
		best_relief = relief;
	}
	return best;
}

static void change_pressure(struct spill *spill, uint32_t first, uint32_t last,
			    uint32_t dwords)
{
	for (uint32_t i = first; i <= last; i++)
		spill->live.pressure[i] += dwords;
}

/* What a moved value still takes: from each access to the last of its uses. */
static void move(struct spill *spill, struct spill_candidate *candidate)
{
	const struct live *live = &spill->live;
	uint32_t value = candidate->at, dwords = live->dwords[value];

	spill_group_uses(spill, value);
	for (size_t s = live->start[value]; s < live->start[value + 1]; s++)
		change_pressure(spill, live->spans[s].first,
				live->spans[s].last, -dwords);
	change_pressure(spill, value + 1, live->after[value], dwords);
	for (size_t i = 0; i < spill->fetch_count; i++)
		change_pressure(spill, spill->fetches[i].at,
				spill->fetches[i].last, dwords);
	candidate->moved = true;
	spill->moved_count++;
}

void spill_choose(struct spill *spill)
{
	uint32_t at;

	find_candidates(spill);
	while ((at = most_crowded(spill)) != UINT32_MAX) {
		struct spill_candidate *candidate;

		count_crowded(spill);
		candidate = choose_candidate(spill, at);
		if (candidate)
			move(spill, candidate);
		for (uint32_t i = at; !candidate && i <= at + NEAR &&
				      i < spill->live.insts.count; i++)
			spill->hopeless[i] = true;
	}
}
