#include "opencl-rt/clc/spill.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/block.h"
#include "opencl-rt/clc/live.h"
#include "opencl-rt/clc/rewrite.h"

/* Instructions over which a value stays in its register between two uses. */
enum { NEAR = 16 };
/* Instructions of a block that is not cut. */
enum { BLOCK_LENGTH = 48 };
/* How much more often the inside of a loop runs, and loops that count. */
enum { LOOP_TIMES = 8, DEPTH_MAX = 5 };

/* A value that may be moved. */
struct candidate {
	uint32_t at;          /* where it is defined */
	uint64_t cost;        /* accesses, weighted by loops; 0: not yet known */
	bool moved, useless;  /* all uses are near */
	size_t slot;
};

/* A use, or several close together, that take the value from one access. */
struct fetch {
	uint32_t at, last;
	bool direct; /* so close to the definition that there is no access */
	LLVMValueRef value;
};

struct placed_use {
	LLVMUseRef use;
	uint32_t at;   /* the place before it */
	size_t order;  /* among those of the value */
	size_t fetch;  /* which */
};

struct slot {
	uint32_t dwords;
	uint64_t *taken; /* a bit for each position */
	LLVMValueRef variable;
};

struct spill {
	struct live live;
	struct candidate *candidates;
	size_t candidate_count, candidate_capacity, moved_count;
	struct fetch *fetches; /* of one value */
	size_t fetch_count, fetch_capacity;
	struct placed_use *uses; /* likewise, in the order of their places */
	size_t use_count, use_capacity;
	uint32_t *crowded; /* for each position: crowded ones before it */
	bool *hopeless;    /* positions where nothing can be done */
	struct slot *slots;
	size_t slot_count, slot_capacity;
	uint32_t limit; /* dwords */
};

/* --- Uses --------------------------------------------------------------- */

static int compare_uses(const void *a, const void *b)
{
	const struct placed_use *x = a, *y = b;

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
		spill->uses[spill->use_count] = (struct placed_use){
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
		(struct fetch){ at, at, direct, NULL };
}

/* Whether an instruction comes so soon that it uses the same register. */
static bool is_near(const struct live *live, uint32_t from, uint32_t at)
{
	return live->block_of[from] == live->block_of[at] && at <= from + NEAR;
}

/* Groups spill->uses, which belong to the value defined at a position; the
 * first group is that of its own register. Uses of one place are in one group,
 * so that the carriers of an operation on doubles keep the same operands. */
static void group_uses(struct spill *spill, uint32_t definition)
{
	const struct live *live = &spill->live;
	uint32_t from = live->after[definition];

	spill->fetch_count = 0;
	add_fetch(spill, from, true);
	for (size_t i = 0; i < spill->use_count; i++) {
		uint32_t position = live_use_position(live,
						      spill->uses[i].use);
		uint32_t at = spill->uses[i].at;
		struct fetch *fetch;

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

static uint64_t cost_of(struct spill *spill, struct candidate *candidate)
{
	if (candidate->cost)
		return candidate->cost;
	collect_uses(spill, spill->live.insts.items[candidate->at]);
	group_uses(spill, candidate->at);
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
			(struct candidate){ .at = i };
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
static struct candidate *choose(struct spill *spill, uint32_t at)
{
	struct candidate *best = NULL;
	uint64_t best_relief = 0;

	for (size_t i = 0; i < spill->candidate_count; i++) {
		struct candidate *candidate = &spill->candidates[i];
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
static void move(struct spill *spill, struct candidate *candidate)
{
	const struct live *live = &spill->live;
	uint32_t value = candidate->at, dwords = live->dwords[value];

	collect_uses(spill, live->insts.items[value]);
	group_uses(spill, value);
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

static void choose_all(struct spill *spill)
{
	uint32_t at;

	while ((at = most_crowded(spill)) != UINT32_MAX) {
		struct candidate *candidate;

		count_crowded(spill);
		candidate = choose(spill, at);
		if (candidate)
			move(spill, candidate);
		for (uint32_t i = at; !candidate && i <= at + NEAR &&
				      i < spill->live.insts.count; i++)
			spill->hopeless[i] = true;
	}
}

/* --- Variables ---------------------------------------------------------- */

/* A variable for one value, before the kernel's first instruction. */
static LLVMValueRef build_variable(struct rewrite *rewrite, LLVMValueRef inst,
				   uint32_t dwords)
{
	LLVMValueRef kernel = LLVMGetBasicBlockParent(
		LLVMGetInstructionParent(inst));
	LLVMValueRef variable;

	LLVMPositionBuilderBefore(
		rewrite->builder,
		LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
	variable = LLVMBuildAlloca(rewrite->builder,
				   LLVMArrayType(rewrite->int_type, dwords),
				   "");
	LLVMSetAlignment(variable, 4);
	return variable;
}

/* Integers of less than a dword take a whole one. */
static LLVMTypeRef stored_type(struct rewrite *rewrite, LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
			       LLVMGetIntTypeWidth(type) < 32
		       ? rewrite->int_type
		       : type;
}

static LLVMValueRef build_fetch(struct rewrite *rewrite, LLVMTypeRef type,
				LLVMValueRef variable)
{
	LLVMTypeRef stored = stored_type(rewrite, type);
	LLVMValueRef load = LLVMBuildLoad2(rewrite->builder, stored, variable,
					   "");

	LLVMSetAlignment(load, 4);
	return stored == type ? load
			      : LLVMBuildTrunc(rewrite->builder, load, type,
					       "");
}

static void build_keep(struct rewrite *rewrite, LLVMValueRef value,
		       LLVMValueRef variable)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeRef stored = stored_type(rewrite, type);

	if (stored != type)
		value = LLVMBuildZExt(rewrite->builder, value, stored, "");
	LLVMSetAlignment(LLVMBuildStore(rewrite->builder, value, variable), 4);
}

/* Whether a slot is free wherever a value lives; with `take`, no more. */
static bool is_free(struct slot *slot, const struct live *live, uint32_t value,
		    bool take)
{
	for (size_t s = live->start[value]; s < live->start[value + 1]; s++)
		for (uint32_t i = live->spans[s].first;
		     i <= live->spans[s].last; i++)
			if (take)
				slot->taken[i / 64] |= 1ull << i % 64;
			else if (slot->taken[i / 64] >> i % 64 & 1)
				return false;
	return true;
}

static void find_slot(struct spill *spill, struct rewrite *rewrite,
		      struct candidate *candidate)
{
	const struct live *live = &spill->live;
	uint32_t dwords = live->dwords[candidate->at];
	size_t i;

	for (i = 0; i < spill->slot_count; i++)
		if (spill->slots[i].dwords == dwords &&
		    is_free(&spill->slots[i], live, candidate->at, false))
			break;
	if (i == spill->slot_count) {
		ARRAY_GROW(spill->slots, spill->slot_count,
			   spill->slot_capacity);
		spill->slots[spill->slot_count++] = (struct slot){
			dwords,
			xcalloc(live->insts.count / 64 + 1, sizeof(uint64_t)),
			build_variable(rewrite,
				       live->insts.items[candidate->at],
				       dwords),
		};
	}
	is_free(&spill->slots[i], live, candidate->at, true);
	candidate->slot = i;
}

/* --- Rewriting ---------------------------------------------------------- */

static void set_use(LLVMUseRef use, LLVMValueRef value)
{
	LLVMValueRef user = LLVMGetUser(use);

	for (int i = 0; i < LLVMGetNumOperands(user); i++)
		if (LLVMGetOperandUse(user, (unsigned)i) == use) {
			LLVMSetOperand(user, (unsigned)i, value);
			return;
		}
}

static void rewrite_value(struct spill *spill, struct rewrite *rewrite,
			  struct candidate *candidate)
{
	const struct live *live = &spill->live;
	LLVMValueRef inst = live->insts.items[candidate->at];
	LLVMValueRef variable = spill->slots[candidate->slot].variable;

	collect_uses(spill, inst);
	group_uses(spill, candidate->at);
	for (size_t i = 1; i < spill->fetch_count; i++) {
		LLVMValueRef place = live->insts.items[spill->fetches[i].at];

		LLVMPositionBuilderBefore(rewrite->builder, place);
		spill->fetches[i].value = build_fetch(
			rewrite, LLVMTypeOf(inst), variable);
	}
	for (size_t i = 0; i < spill->use_count; i++)
		if (spill->uses[i].fetch)
			set_use(spill->uses[i].use,
				spill->fetches[spill->uses[i].fetch].value);
	LLVMPositionBuilderBefore(
		rewrite->builder,
		LLVMGetNextInstruction(
			live->insts.items[live->after[candidate->at]]));
	build_keep(rewrite, inst, variable);
}

/* A phi that is moved becomes a variable that the blocks before it set, and a
 * value that is fetched from it. */
static void demote_phi(struct rewrite *rewrite, LLVMValueRef phi,
		       uint32_t dwords)
{
	LLVMValueRef variable = build_variable(rewrite, phi, dwords), first;

	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);

		LLVMPositionBuilderBefore(rewrite->builder,
					  LLVMGetBasicBlockTerminator(from));
		build_keep(rewrite, LLVMGetIncomingValue(phi, i), variable);
	}
	first = phi;
	while (LLVMIsAPHINode(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(rewrite->builder, first);
	LLVMReplaceAllUsesWith(phi, build_fetch(rewrite, LLVMTypeOf(phi),
						variable));
	LLVMInstructionEraseFromParent(phi);
}

/* Whether there were any. */
static bool demote_phis(struct spill *spill, struct rewrite *rewrite)
{
	bool found = false;

	for (size_t i = 0; i < spill->candidate_count; i++) {
		uint32_t at = spill->candidates[i].at;
		LLVMValueRef inst = spill->live.insts.items[at];

		if (!spill->candidates[i].moved || !LLVMIsAPHINode(inst))
			continue;
		demote_phi(rewrite, inst, spill->live.dwords[at]);
		found = true;
	}
	return found;
}

/* --- Parameters --------------------------------------------------------- */

static bool is_parameter(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	return LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) &&
	       LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == SPACE_PARAMETERS;
}

/* Computes the operands of an instruction that point to kernel parameters just
 * before it, so that the place stays visible in the fetch. */
static void bring_parameters(LLVMBuilderRef builder, LLVMValueRef inst)
{
	for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
		LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)i), copy;

		if (!is_parameter(operand))
			continue;
		copy = LLVMInstructionClone(operand);
		LLVMPositionBuilderBefore(builder, inst);
		LLVMInsertIntoBuilder(builder, copy);
		LLVMSetOperand(inst, (unsigned)i, copy);
		bring_parameters(builder, copy);
	}
}

void spill_bring_parameters(LLVMModuleRef module, LLVMValueRef kernel)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(
		LLVMGetModuleContext(module));
	struct list insts = function_instructions(kernel);

	for (size_t i = 0; i < insts.count; i++)
		if (LLVMIsALoadInst(insts.items[i]))
			bring_parameters(builder, insts.items[i]);
	free(insts.items);
	LLVMDisposeBuilder(builder);
}

/* --- Blocks ------------------------------------------------------------- */

/* Cuts long blocks: LLVM makes what a block computes twice only once, as the
 * addresses of variables, and each would take a register from then on. */
static void cut_blocks(LLVMValueRef kernel)
{
	struct live live;
	uint32_t length = 0;

	live_start(&live, kernel);
	for (uint32_t i = 0; i < live.insts.count; i++) {
		bool is_first = i == live.blocks[live.block_of[i]].first;

		length = is_first ? 1 : length + 1;
		if (length <= BLOCK_LENGTH || live.before[i] < i ||
		    LLVMIsAPHINode(live.insts.items[i]) ||
		    LLVMIsAAllocaInst(live.insts.items[i]))
			continue;
		block_cut(live.insts.items[i]);
		length = 1;
	}
	live_end(&live);
}

/* ------------------------------------------------------------------------ */

static void spill_start(struct spill *spill, LLVMValueRef kernel,
			uint32_t limit)
{
	*spill = (struct spill){ .limit = limit };
	live_start(&spill->live, kernel);
	spill->crowded = xcalloc(spill->live.insts.count + 1,
				 sizeof(uint32_t));
	spill->hopeless = xcalloc(spill->live.insts.count, sizeof(bool));
	find_candidates(spill);
	choose_all(spill);
}

static void spill_end(struct spill *spill)
{
	for (size_t i = 0; i < spill->slot_count; i++)
		free(spill->slots[i].taken);
	free(spill->slots);
	free(spill->candidates);
	free(spill->fetches);
	free(spill->uses);
	free(spill->crowded);
	free(spill->hopeless);
	live_end(&spill->live);
}

/* One round: true when there were phis to demote, which changes what lives
 * where, so that the others are chosen anew. */
static bool run_round(struct rewrite *rewrite, LLVMValueRef kernel,
		      uint32_t limit)
{
	struct spill spill;
	bool again;

	spill_start(&spill, kernel, limit);
	again = demote_phis(&spill, rewrite);
	for (size_t i = 0; !again && i < spill.candidate_count; i++)
		if (spill.candidates[i].moved)
			find_slot(&spill, rewrite, &spill.candidates[i]);
	for (size_t i = 0; !again && i < spill.candidate_count; i++)
		if (spill.candidates[i].moved)
			rewrite_value(&spill, rewrite, &spill.candidates[i]);
	spill_end(&spill);
	return again;
}

int spill_values(LLVMModuleRef module, LLVMValueRef kernel, unsigned dwords,
		 struct error *error)
{
	struct rewrite rewrite;

	rewrite_start(&rewrite, module, error);
	spill_bring_parameters(module, kernel);
	while (run_round(&rewrite, kernel, dwords))
		;
	cut_blocks(kernel);
	rewrite_end(&rewrite);
	return 0;
}
