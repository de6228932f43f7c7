#include "opencl-rt/clc/double/operand.h"

#include <string.h>

#include "opencl-rt/clc/ir/rewrite.h"

struct operand operand_of(LLVMValueRef low, LLVMValueRef high)
{
	return (struct operand){ low, high, false, false };
}

struct operand operand_constant(const struct lowering *lowering, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return operand_of(word_constant(lowering, (uint32_t)bits),
			  word_constant(lowering, (uint32_t)(bits >> 32)));
}

/* --- In LLVM's representation ------------------------------------------- */

/* The word 0x80000000 as something that LLVM does not see through: as a
 * single it is -0.0, which the back end takes for the inline constant 0.0.
 * Never are there 2^31 work-groups. */
static LLVMValueRef sign_word(struct lowering *lowering)
{
	LLVMBasicBlockRef place = LLVMGetInsertBlock(lowering->builder);
	LLVMValueRef function = LLVMGetBasicBlockParent(place), count;
	LLVMBuilderRef builder;

	if (lowering->sign_function == function)
		return lowering->sign_word;
	builder = LLVMCreateBuilderInContext(lowering->context);
	LLVMPositionBuilderBefore(
		builder, LLVMGetFirstInstruction(
				 LLVMGetEntryBasicBlock(function)));
	count = LLVMBuildCall2(builder, lowering->groups_type,
			       lowering->groups, NULL, 0, "");
	lowering->sign_function = function;
	lowering->sign_word = LLVMBuildAnd(
		builder, LLVMBuildNot(builder, count, ""),
		word_constant(lowering, SIGN), "");
	LLVMDisposeBuilder(builder);
	return lowering->sign_word;
}

LLVMValueRef word_as_single(struct lowering *lowering, LLVMValueRef word)
{
	if (word == word_constant(lowering, SIGN))
		word = sign_word(lowering);
	return LLVMBuildBitCast(lowering->builder, word, lowering->single, "");
}

LLVMValueRef single_as_word(struct lowering *lowering, LLVMValueRef single)
{
	return LLVMBuildBitCast(lowering->builder, single, lowering->word, "");
}

LLVMValueRef operand_high_word(struct lowering *lowering,
			       struct operand operand)
{
	LLVMValueRef high = word_as_single(lowering, operand.high);

	if (operand.absolute)
		high = LLVMBuildCall2(lowering->builder, lowering->fabs_type,
				      lowering->fabs, &high, 1, "");
	if (operand.negate)
		high = LLVMBuildFNeg(lowering->builder, high, "");
	return high;
}

/* --- Reading ------------------------------------------------------------ */

const char *called_name(LLVMValueRef inst)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(inst))
		return "";
	callee = LLVMGetCalledValue(inst);
	return LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
}

bool is_fabs(LLVMValueRef inst)
{
	return starts_with(called_name(inst), "llvm.fabs.");
}

int operands_read(struct lowering *lowering, LLVMValueRef value,
		  struct operands *operands)
{
	memset(operands, 0, sizeof *operands);
	while (LLVMIsAInstruction(value)) {
		if (LLVMGetInstructionOpcode(value) == LLVMFNeg)
			operands->negate ^= !operands->absolute;
		else if (is_fabs(value))
			operands->absolute = true;
		else
			break;
		value = LLVMGetOperand(value, 0);
	}
	operands->words = words_of(lowering, value);
	return operands->words ? 0 : -1;
}

struct operand operands_element(const struct operands *operands, unsigned index)
{
	return (struct operand){
		operands->words[2 * index], operands->words[2 * index + 1],
		operands->negate, operands->absolute,
	};
}
