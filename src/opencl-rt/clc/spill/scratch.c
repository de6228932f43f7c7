#include "opencl-rt/clc/spill/scratch.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/clc/ir/access.h"
#include "opencl-rt/clc/ir/block.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/spill/spill.h"

static uint64_t variable_size(LLVMTargetDataRef layout, LLVMValueRef variable)
{
	LLVMValueRef count = LLVMGetOperand(variable, 0);
	uint64_t size = LLVMABISizeOfType(layout,
					  LLVMGetAllocatedType(variable));

	/* OpenCL C has no arrays of variable length. */
	return LLVMIsAConstantInt(count)
		       ? size * LLVMConstIntGetZExtValue(count)
		       : EVG_SCRATCH_SIZE_MAX + 1;
}

/* Gives every variable its address. */
static int place_variables(struct rewrite *rewrite, const struct list *insts,
			   uint32_t *bytes)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(rewrite->module);
	LLVMTypeRef pointer = LLVMPointerTypeInContext(rewrite->context,
						       SPACE_PRIVATE);
	uint64_t end = 0;

	for (size_t i = 0; i < insts->count; i++) {
		LLVMValueRef variable = insts->items[i];
		uint64_t alignment;

		if (!LLVMIsAAllocaInst(variable))
			continue;
		alignment = LLVMGetAlignment(variable);
		alignment = alignment < 4 ? 4 : alignment;
		end = (end + alignment - 1) / alignment * alignment;
		LLVMReplaceAllUsesWith(
			variable,
			LLVMConstIntToPtr(number(rewrite, (unsigned)end),
					  pointer));
		end += variable_size(layout, variable);
		if (end > EVG_SCRATCH_SIZE_MAX)
			return error_set(rewrite->error,
					 "kernel '%s' has more than %d bytes of "
					 "private variables; make its private "
					 "arrays smaller or put them in local "
					 "or global memory",
					 kernel_of(variable),
					 EVG_SCRATCH_SIZE_MAX);
	}
	*bytes = (uint32_t)((end + 3) / 4 * 4);
	return 0;
}

/* Statements about variables that have no meaning in scratch memory. */
static bool is_remark(LLVMValueRef inst)
{
	const char *name;

	if (LLVMIsAAllocaInst(inst))
		return true;
	if (!LLVMIsACallInst(inst) || !LLVMIsAFunction(LLVMGetCalledValue(inst)))
		return false;
	name = LLVMGetValueName(LLVMGetCalledValue(inst));
	return starts_with(name, "llvm.lifetime.") ||
	       starts_with(name, "llvm.dbg.declare");
}

static bool has_variable(const struct list *insts)
{
	for (size_t i = 0; i < insts->count; i++)
		if (LLVMIsAAllocaInst(insts->items[i]))
			return true;
	return false;
}

static int lower_instruction(struct rewrite *rewrite, LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	switch (opcode) {
	case LLVMLoad:
		if (is_private(LLVMGetOperand(inst, 0)))
			return access_load(rewrite, inst);
		return 0;
	case LLVMStore:
		if (is_private(LLVMGetOperand(inst, 1)))
			return access_store(rewrite, inst);
		return 0;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMAddrSpaceCast:
		if (is_private(LLVMGetOperand(inst, 0)))
			return error_set(rewrite->error,
					 "kernel '%s': %s private memory",
					 kernel_of(inst),
					 opcode == LLVMAddrSpaceCast
						 ? "a generic pointer to"
						 : "an atomic operation on");
		return 0;
	case LLVMCall:
		return access_copy(rewrite, inst);
	default:
		return 0;
	}
}

int scratch_lower(LLVMModuleRef module, LLVMValueRef kernel, uint32_t *bytes,
		  struct error *error)
{
	struct list insts = function_instructions(kernel);
	struct rewrite rewrite;
	size_t kept = 0;
	int status;

	*bytes = 0;
	if (!has_variable(&insts)) {
		free(insts.items);
		return 0;
	}
	rewrite_start(&rewrite, module, error);
	status = place_variables(&rewrite, &insts, bytes);
	for (size_t i = 0; !status && i < insts.count; i++)
		if (is_remark(insts.items[i]))
			LLVMInstructionEraseFromParent(insts.items[i]);
		else
			insts.items[kept++] = insts.items[i];
	for (size_t i = 0; !status && i < kept; i++)
		status = lower_instruction(&rewrite, insts.items[i]);
	free(insts.items);
	rewrite_end(&rewrite);
	return status;
}

/* --- Spilling ----------------------------------------------------------- */

/* Instructions of a block that is not cut: what they need at once fits into
 * the registers even if all are vectors of four. */
enum { BLOCK_LENGTH = 24 };

int scratch_spill(LLVMModuleRef module, LLVMValueRef kernel,
		  struct error *error)
{
	struct list insts = function_instructions(kernel);
	LLVMBasicBlockRef block = NULL;
	unsigned length = 0;

	for (size_t i = 0; i < insts.count; i++) {
		LLVMBasicBlockRef here = LLVMGetInstructionParent(
			insts.items[i]);

		/* Cutting leaves what follows in the block. */
		if (here != block)
			length = 0;
		block = here;
		if (LLVMIsAPHINode(insts.items[i]) ||
		    LLVMIsAAllocaInst(insts.items[i]))
			continue;
		if (++length > BLOCK_LENGTH) {
			block_cut(insts.items[i]);
			length = 1;
		}
	}
	free(insts.items);
	spill_bring_parameters(module, kernel);
	return run_kernel_passes(module, kernel, "function(reg2mem)", error);
}
