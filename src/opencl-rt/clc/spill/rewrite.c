/* What moved values become: a variable, a store behind the definition, and a
 * fetch before each group of uses. Values that do not live at once share
 * variables. */
#include "opencl-rt/clc/spill/internal.h"

#include "base/memory.h"

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

/* Whether a slot is free wherever a value lives. */
static bool is_free(const struct spill_slot *slot, const struct live *live,
		    uint32_t value)
{
	for (size_t s = live->start[value]; s < live->start[value + 1]; s++)
		for (uint32_t i = live->spans[s].first;
		     i <= live->spans[s].last; i++)
			if (slot->taken[i / 64] >> i % 64 & 1)
				return false;
	return true;
}

static void take_spans(struct spill_slot *slot, const struct live *live,
		       uint32_t value)
{
	for (size_t s = live->start[value]; s < live->start[value + 1]; s++)
		for (uint32_t i = live->spans[s].first;
		     i <= live->spans[s].last; i++)
			slot->taken[i / 64] |= 1ull << i % 64;
}

static void find_slot(struct spill *spill, struct rewrite *rewrite,
		      struct spill_candidate *candidate)
{
	const struct live *live = &spill->live;
	uint32_t dwords = live->dwords[candidate->at];
	size_t i;

	for (i = 0; i < spill->slot_count; i++)
		if (spill->slots[i].dwords == dwords &&
		    is_free(&spill->slots[i], live, candidate->at))
			break;
	if (i == spill->slot_count) {
		ARRAY_GROW(spill->slots, spill->slot_count,
			   spill->slot_capacity);
		spill->slots[spill->slot_count++] = (struct spill_slot){
			dwords,
			xcalloc(live->insts.count / 64 + 1, sizeof(uint64_t)),
			build_variable(rewrite,
				       live->insts.items[candidate->at],
				       dwords),
		};
	}
	take_spans(&spill->slots[i], live, candidate->at);
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
			  struct spill_candidate *candidate)
{
	const struct live *live = &spill->live;
	LLVMValueRef inst = live->insts.items[candidate->at];
	LLVMValueRef variable = spill->slots[candidate->slot].variable;

	spill_group_uses(spill, candidate->at);
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

bool spill_demote_phis(struct spill *spill, struct rewrite *rewrite)
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

void spill_rewrite(struct spill *spill, struct rewrite *rewrite)
{
	for (size_t i = 0; i < spill->candidate_count; i++)
		if (spill->candidates[i].moved)
			find_slot(spill, rewrite, &spill->candidates[i]);
	for (size_t i = 0; i < spill->candidate_count; i++)
		if (spill->candidates[i].moved)
			rewrite_value(spill, rewrite, &spill->candidates[i]);
}
