#include "opencl-rt/clc/spill/spill.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/block.h"
#include "opencl-rt/clc/spill/internal.h"

/* Instructions of a block that is not cut. */
enum { BLOCK_LENGTH = 48 };

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

/* --- Rounds ------------------------------------------------------------- */

static void spill_start(struct spill *spill, LLVMValueRef kernel,
			uint32_t limit)
{
	*spill = (struct spill){ .limit = limit };
	live_start(&spill->live, kernel);
	spill->crowded = xcalloc(spill->live.insts.count + 1,
				 sizeof(uint32_t));
	spill->hopeless = xcalloc(spill->live.insts.count, sizeof(bool));
	spill_choose(spill);
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
	again = spill_demote_phis(&spill, rewrite);
	if (!again)
		spill_rewrite(&spill, rewrite);
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
