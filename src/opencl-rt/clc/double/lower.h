/* The kinds of instructions that have to do with doubles, each turned into
 * instructions on words in front of it. For lower.c.
 *
 * `result` gets the words of the instruction's `count` elements. The functions
 * that return something return -1 and the lowering's error when an operand, or
 * the instruction, is unknown. */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_LOWER_H
#define M2S_OPENCL_RT_CLC_DOUBLE_LOWER_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "opencl-rt/clc/double/operand.h"
#include "opencl-rt/clc/double/words.h"

/* Sets the error that m2s-clc does not know the operation. Returns -1. */
int lower_unknown(struct lowering *lowering, LLVMValueRef inst);

/* arithmetic.c: operators and calls of intrinsics. */
int lower_arithmetic(struct lowering *lowering, LLVMValueRef inst,
		     LLVMValueRef *result, unsigned count);

/* convert.c: conversions from singles and integers; conversions to integers (of
 * any width up to 64) and singles, one number at a time. */
void lower_from_number(struct lowering *lowering, LLVMValueRef inst,
		       LLVMValueRef *result, unsigned count);
LLVMValueRef double_to_integer(struct lowering *lowering, struct operand a,
			       LLVMTypeRef type);
LLVMValueRef double_to_single(struct lowering *lowering, struct operand a);
/* A shorter conversion, for values no smaller than the normal singles. */
LLVMValueRef double_to_normal_single(struct lowering *lowering,
				     struct operand a);

/* move.c: instructions that only move words. */
int lower_select(struct lowering *lowering, LLVMValueRef inst,
		 LLVMValueRef *result, unsigned count);
int lower_extract(struct lowering *lowering, LLVMValueRef inst,
		  LLVMValueRef *result);
int lower_insert(struct lowering *lowering, LLVMValueRef inst,
		 LLVMValueRef *result, unsigned count);
int lower_shuffle(struct lowering *lowering, LLVMValueRef inst,
		  LLVMValueRef *result, unsigned count);
/* A bitcast between doubles, or a freeze. */
int lower_copy(struct lowering *lowering, LLVMValueRef inst,
	       LLVMValueRef *result, unsigned count);
/* A member of a structure that is a kernel's parameter. */
void lower_member(struct lowering *lowering, LLVMValueRef inst,
		  LLVMValueRef *result, unsigned count);

/* consume.c: instructions that read doubles and give none. */
int lower_from_double(struct lowering *lowering, LLVMValueRef inst);

#endif
