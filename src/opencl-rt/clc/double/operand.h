/* The operands of an operation on doubles: the words of a double with the sign
 * modifiers of an ALU instruction. */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_OPERAND_H
#define M2S_OPENCL_RT_CLC_DOUBLE_OPERAND_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "opencl-rt/clc/double/words.h"

/* The sign in a high word. */
enum { SIGN = (int)0x80000000 };

struct operand {
	LLVMValueRef low, high;
	bool negate, absolute;
};

/* Operands of two words without modifiers, and of a number. */
struct operand operand_of(LLVMValueRef low, LLVMValueRef high);
struct operand operand_constant(const struct lowering *lowering, double value);

/* --- In LLVM's representation, at the builder's place ------------------- */

LLVMValueRef word_as_single(struct lowering *lowering, LLVMValueRef word);
LLVMValueRef single_as_word(struct lowering *lowering, LLVMValueRef single);
/* The high word as a single: its modifiers become those of the ALU
 * instruction. */
LLVMValueRef operand_high_word(struct lowering *lowering,
			       struct operand operand);

/* --- Reading ------------------------------------------------------------ */

/* The words of a value's elements, with signs taken off as modifiers. They
 * belong to the table of words. */
struct operands {
	LLVMValueRef *words;
	bool negate, absolute;
};

/* Reads the operands of a value of type double or vector of double. -1 after an
 * error. The builder may have moved (words_of). */
int operands_read(struct lowering *lowering, LLVMValueRef value,
		  struct operands *operands);
struct operand operands_element(const struct operands *operands,
				unsigned index);

/* The name of the function that an instruction calls; "" where it calls none
 * that is known. */
const char *called_name(LLVMValueRef inst);
bool is_fabs(LLVMValueRef inst);

#endif
