#include "opencl-rt/clc/ir/wide.h"

#include <stdlib.h>

#include "opencl-rt/clc/ir/rewrite.h"

static LLVMValueRef convert_to_single(struct rewrite *rewrite,
				      LLVMValueRef value)
{
	LLVMTypeRef single = LLVMFloatTypeInContext(rewrite->context);
	LLVMBuilderRef builder = rewrite->builder;
	LLVMValueRef sign, size;

	sign = LLVMBuildAShr(builder, value,
			     LLVMConstInt(LLVMTypeOf(value), 63, false), "");
	size = LLVMBuildSub(builder, LLVMBuildXor(builder, value, sign, ""),
			    sign, "");
	size = LLVMBuildUIToFP(builder, size, single, "");
	size = LLVMBuildBitCast(builder, size, rewrite->int_type, "");
	sign = LLVMBuildTrunc(builder, sign, rewrite->int_type, "");
	sign = LLVMBuildAnd(builder, sign, number(rewrite, 1u << 31), "");
	return LLVMBuildBitCast(builder, LLVMBuildOr(builder, size, sign, ""),
				single, "");
}

static LLVMTypeRef element_type(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind
		       ? LLVMGetElementType(type)
		       : type;
}

static void replace(struct rewrite *rewrite, LLVMValueRef inst)
{
	LLVMValueRef source = LLVMGetOperand(inst, 0), result;
	LLVMTypeRef type = LLVMTypeOf(inst);

	if (LLVMGetTypeKind(element_type(type)) != LLVMFloatTypeKind ||
	    LLVMGetIntTypeWidth(element_type(LLVMTypeOf(source))) != 64)
		return;
	LLVMPositionBuilderBefore(rewrite->builder, inst);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
		result = convert_to_single(rewrite, source);
	} else {
		result = LLVMGetUndef(type);
		for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
			result = with_element(
			    rewrite, result,
			    convert_to_single(rewrite,
					      LLVMBuildExtractElement(
						  rewrite->builder, source,
						  number(rewrite, i), "")),
			    i);
	}
	LLVMReplaceAllUsesWith(inst, result);
	LLVMInstructionEraseFromParent(inst);
}

void wide_lower(LLVMModuleRef module)
{
	struct list list = find_instructions(module, LLVMSIToFP, LLVMSIToFP);
	struct rewrite rewrite;
	struct error error;

	rewrite_start(&rewrite, module, &error);
	for (size_t i = 0; i < list.count; i++)
		replace(&rewrite, list.items[i]);
	rewrite_end(&rewrite);
	free(list.items);
}
