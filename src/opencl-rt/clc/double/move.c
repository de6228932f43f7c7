#include "opencl-rt/clc/double/lower.h"
#include "opencl-rt/clc/double/words.h"

int lower_select(struct lowering *lowering, LLVMValueRef inst,
		 LLVMValueRef *result, unsigned count)
{
	LLVMValueRef condition = LLVMGetOperand(inst, 0);
	LLVMValueRef *yes = words_of(lowering, LLVMGetOperand(inst, 1));
	LLVMValueRef *no = yes ? words_of(lowering, LLVMGetOperand(inst, 2))
			       : NULL;

	if (!no)
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < 2 * count; i++)
		result[i] = LLVMBuildSelect(
			lowering->builder,
			number_element(lowering, condition, i / 2), yes[i],
			no[i], "");
	return 0;
}

/* An element by a number that is not constant: a chain of selections. */
static LLVMValueRef is_index(struct lowering *lowering, LLVMValueRef index,
			     unsigned number)
{
	return LLVMBuildICmp(lowering->builder, LLVMIntEQ, index,
			     LLVMConstInt(LLVMTypeOf(index), number, false),
			     "");
}

int lower_extract(struct lowering *lowering, LLVMValueRef inst,
		  LLVMValueRef *result)
{
	LLVMValueRef vector = LLVMGetOperand(inst, 0);
	LLVMValueRef index = LLVMGetOperand(inst, 1);
	LLVMValueRef *words = words_of(lowering, vector);
	unsigned count = element_count(LLVMTypeOf(vector));

	if (!words)
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	result[0] = words[0];
	result[1] = words[1];
	for (unsigned i = 1; i < count; i++) {
		LLVMValueRef is = is_index(lowering, index, i);

		for (unsigned k = 0; k < 2; k++)
			result[k] = LLVMBuildSelect(lowering->builder, is,
						    words[2 * i + k],
						    result[k], "");
	}
	return 0;
}

int lower_insert(struct lowering *lowering, LLVMValueRef inst,
		 LLVMValueRef *result, unsigned count)
{
	LLVMValueRef *words = words_of(lowering, LLVMGetOperand(inst, 0));
	LLVMValueRef *value = words ? words_of(lowering,
					       LLVMGetOperand(inst, 1))
				    : NULL;
	LLVMValueRef index = LLVMGetOperand(inst, 2);

	if (!value)
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef is = is_index(lowering, index, i);

		for (unsigned k = 0; k < 2; k++)
			result[2 * i + k] = LLVMBuildSelect(
				lowering->builder, is, value[k],
				words[2 * i + k], "");
	}
	return 0;
}

int lower_shuffle(struct lowering *lowering, LLVMValueRef inst,
		  LLVMValueRef *result, unsigned count)
{
	LLVMValueRef *first = words_of(lowering, LLVMGetOperand(inst, 0));
	LLVMValueRef *second = first ? words_of(lowering,
						LLVMGetOperand(inst, 1))
				     : NULL;
	int first_count =
		(int)element_count(LLVMTypeOf(LLVMGetOperand(inst, 0)));

	if (!second)
		return -1;
	for (unsigned i = 0; i < 2 * count; i++) {
		int from = LLVMGetMaskValue(inst, i / 2);

		result[i] = from == LLVMGetUndefMaskElem()
				    ? LLVMGetUndef(lowering->word)
			    : from < first_count
				    ? first[2 * from + (int)i % 2]
				    : second[2 * (from - first_count) +
					     (int)i % 2];
	}
	return 0;
}

int lower_copy(struct lowering *lowering, LLVMValueRef inst,
	       LLVMValueRef *result, unsigned count)
{
	LLVMValueRef *words = words_of(lowering, LLVMGetOperand(inst, 0));

	if (!words)
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < 2 * count; i++)
		result[i] = LLVMBuildFreeze(lowering->builder, words[i], "");
	return 0;
}

/* Taken out once more, as a double that is only taken apart. */
void lower_member(struct lowering *lowering, LLVMValueRef inst,
		  LLVMValueRef *result, unsigned count)
{
	LLVMValueRef value = LLVMGetOperand(inst, 0);
	const unsigned *indices = LLVMGetIndices(inst);

	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < LLVMGetNumIndices(inst); i++)
		value = LLVMBuildExtractValue(lowering->builder, value,
					      indices[i], "");
	words_split(lowering, value, result, 2 * count);
}
