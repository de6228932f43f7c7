/* A call that becomes instructions, what builds these, and the kinds of calls.
 * Internal to the expansion. */
#ifndef M2S_OPENCL_RT_CLC_IR_EXPAND_BUILD_H
#define M2S_OPENCL_RT_CLC_IR_EXPAND_BUILD_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Bits; there are operations for pieces of so many. */
enum { EXPAND_DWORD = 32, EXPAND_PIECE = 64 };

/* In place of a width. */
enum { EXPAND_SINGLES = 0, EXPAND_DOUBLES = -2, EXPAND_OTHERS = -1 };

struct expansion {
	LLVMBuilderRef builder; /* at the call */
	LLVMModuleRef module;
	LLVMValueRef call, a, b; /* and its first two operands */
	LLVMTypeRef type;        /* of a */
	int width; /* bits of a, or of its elements; or EXPAND_SINGLES ... */
};

/* Whether the call's function has a name that starts so. */
bool expand_is_named(const struct expansion *expansion, const char *start);

/* The type itself, or that of a vector's elements. */
LLVMTypeRef expand_element(LLVMTypeRef type);
/* Integers of `width` bits, as many as the call's first operand has elements.
 */
LLVMTypeRef expand_integers(const struct expansion *expansion, int width);
/* A number, in all elements. */
LLVMValueRef expand_constant(LLVMTypeRef type, long long value);
/* An operation, also with a number that is known. */
LLVMValueRef expand_op(const struct expansion *expansion, LLVMOpcode opcode,
		       LLVMValueRef a, LLVMValueRef b);
LLVMValueRef expand_op_by(const struct expansion *expansion, LLVMOpcode opcode,
			  LLVMValueRef a, long long number);
/* condition ? yes : no */
LLVMValueRef expand_choose(const struct expansion *expansion,
			   LLVMValueRef condition, LLVMValueRef yes,
			   LLVMValueRef no);
/* A comparison, also with a number that is known. */
LLVMValueRef expand_compare(const struct expansion *expansion,
			    LLVMIntPredicate predicate, LLVMValueRef a,
			    LLVMValueRef b);
LLVMValueRef expand_compare_with(const struct expansion *expansion,
				 LLVMIntPredicate predicate, LLVMValueRef a,
				 long long number);
/* The same number with more or fewer bits; new ones are 0. */
LLVMValueRef expand_resize(const struct expansion *expansion, LLVMValueRef a,
			   int width);

/* The call's value. */
typedef LLVMValueRef expand_function(const struct expansion *expansion);

/* Division of long integers by what is known and has at most so many bits, an
 * instruction. */
enum { EXPAND_DIVISOR = 0xffff };
expand_function expand_quotient;
expand_function expand_funnel; /* shifts of two numbers */
expand_function expand_choice; /* the least or greatest */
expand_function expand_magnitude;
expand_function expand_order;     /* -1, 0 or 1 */
expand_function expand_saturated; /* sums and differences */
expand_function expand_ones;      /* how many there are */
expand_function expand_zeros;     /* before the first one, behind the last */
expand_function expand_reversal;  /* of bytes, bits */
expand_function expand_ldexp;
expand_function expand_class; /* whether a number is of some kinds */

#endif
