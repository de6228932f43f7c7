#include <llvm-c/Core.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/double/carrier.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/double/words.h"
#include "opencl-rt/clc/marker.h"
#include "opencl-rt/clc/rewrite.h"

#define DOT_NAME "llvm.r600.dot4"
#define LDEXP_NAME "llvm.amdgcn.ldexp.f64" /* in helper/double-*.cl */

/* High words of powers of two, and of numbers made from an integer's bits:
 * 2^52 + u has the low word u; 2^84 + 2^32 u likewise. */
enum {
	SIGN = (int)0x80000000,
	HIGH_2_52 = 0x43300000,
	HIGH_2_84 = 0x45300000,
	ROOM_MARKS = 32,
};

static const unsigned char result_words[CARRIER_COUNT] = {
#define CARRIER(id, operation, sources, results) results,
#include "opencl-rt/clc/double/carrier.def"
};

/* An operand: words with a sign modifier. */
struct operand {
	LLVMValueRef low, high;
	bool negate, absolute;
};

static struct operand operand(LLVMValueRef low, LLVMValueRef high)
{
	return (struct operand){ low, high, false, false };
}

static struct operand negated(struct operand operand)
{
	operand.negate = !operand.negate;
	return operand;
}

static struct operand constant(const struct lowering *lowering, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return operand(word_constant(lowering, (uint32_t)bits),
		       word_constant(lowering, (uint32_t)(bits >> 32)));
}

/* --- Carriers ----------------------------------------------------------- */

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

static LLVMValueRef as_single(struct lowering *lowering, LLVMValueRef word)
{
	if (word == word_constant(lowering, SIGN))
		word = sign_word(lowering);
	return LLVMBuildBitCast(lowering->builder, word, lowering->single, "");
}

static LLVMValueRef as_word(struct lowering *lowering, LLVMValueRef single)
{
	return LLVMBuildBitCast(lowering->builder, single, lowering->word, "");
}

/* The high word: its modifiers become those of the ALU instruction. */
static LLVMValueRef high_word(struct lowering *lowering,
			      struct operand operand)
{
	LLVMValueRef high = as_single(lowering, operand.high);

	if (operand.absolute)
		high = LLVMBuildCall2(lowering->builder, lowering->fabs_type,
				      lowering->fabs, &high, 1, "");
	if (operand.negate)
		high = LLVMBuildFNeg(lowering->builder, high, "");
	return high;
}

static LLVMValueRef digit(const struct lowering *lowering, unsigned value)
{
	return LLVMConstReal(lowering->single, value / 2.0);
}

static LLVMValueRef insert_all(struct lowering *lowering, LLVMValueRef vector,
			       LLVMValueRef *elements)
{
	for (unsigned i = 0; i < 4; i++)
		vector = LLVMBuildInsertElement(lowering->builder, vector,
						elements[i],
						word_constant(lowering, i),
						"");
	return vector;
}

/* Both vectors of a carrier. LLVM must neither share them between basic blocks
 * nor take one out of a loop: then their constants come from registers. So they
 * start from a constant that no other carrier has, and from a vector that
 * depends on every element; of both nothing is left in the end. */
static void make_vectors(struct lowering *lowering, LLVMValueRef *first,
			 LLVMValueRef *second, LLVMValueRef vectors[2])
{
	LLVMValueRef start[4], base;

	for (unsigned i = 0; i < 4; i++)
		start[i] = LLVMConstReal(lowering->single,
					 lowering->carrier_count);
	lowering->carrier_count++;
	base = insert_all(lowering, LLVMConstVector(start, 4), first);
	base = insert_all(lowering, base, second);
	vectors[0] = insert_all(lowering, base, first);
	vectors[1] = insert_all(lowering, base, second);
}

/* An operation on p, q and, for FMA, r (carrier.h). `result` gets its one or
 * two words. */
static void build(struct lowering *lowering, enum carrier_operation operation,
		  struct operand p, struct operand q, struct operand r,
		  LLVMValueRef *result)
{
	LLVMValueRef first[4], second[4], arguments[2];
	unsigned number = operation - 1;

	first[0] = as_single(lowering, p.low);
	second[1] = high_word(lowering, p);
	second[0] = as_single(lowering, q.low);
	first[1] = high_word(lowering, q);
	if (operation == CARRIER_FMA) {
		first[2] = as_single(lowering, r.low);
		second[3] = high_word(lowering, r);
		second[2] = digit(lowering, 0);
	} else {
		first[2] = digit(lowering, number % CARRIER_BASE);
		number /= CARRIER_BASE;
		second[3] = digit(lowering, number % CARRIER_BASE);
		number /= CARRIER_BASE;
		second[2] = digit(lowering, 1 + number);
	}
	for (unsigned i = 0; i < result_words[operation]; i++) {
		first[3] = digit(lowering, 2 * i);
		make_vectors(lowering, first, second, arguments);
		result[i] = as_word(
			lowering,
			LLVMBuildCall2(lowering->builder, lowering->dot_type,
				       lowering->dot, arguments, 2, ""));
	}
}

static void build_two(struct lowering *lowering,
		      enum carrier_operation operation, struct operand p,
		      struct operand q, LLVMValueRef *result)
{
	build(lowering, operation, p, q, p, result);
}

static struct operand add(struct lowering *lowering, struct operand p,
			  struct operand q)
{
	LLVMValueRef result[2];

	build_two(lowering, CARRIER_ADD, p, q, result);
	return operand(result[0], result[1]);
}

/* Values that need not be copied to other channels in a loop. */
static bool is_fixed(LLVMValueRef word)
{
	return LLVMIsConstant(word) || LLVMIsAArgument(word);
}

static struct operand without_absolute(struct lowering *lowering,
				       struct operand a)
{
	if (a.absolute)
		a.high = LLVMBuildAnd(lowering->builder, a.high,
				      word_constant(lowering, ~SIGN), "");
	a.absolute = false;
	return a;
}

/* a * b + c. */
static struct operand multiply_add(struct lowering *lowering,
				   struct operand a, struct operand b,
				   struct operand c)
{
	LLVMValueRef result[2];
	bool swap = is_fixed(a.high) && !is_fixed(b.high);

	/* Operations with three sources have no absolute values. */
	a = without_absolute(lowering, a);
	b = without_absolute(lowering, b);
	c = without_absolute(lowering, c);
	build(lowering, CARRIER_FMA, c, swap ? b : a, swap ? a : b, result);
	return operand(result[0], result[1]);
}

/* --- Operands ----------------------------------------------------------- */

static const char *called_name(LLVMValueRef inst)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(inst))
		return "";
	callee = LLVMGetCalledValue(inst);
	return LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
}

static bool is_fabs(LLVMValueRef inst)
{
	return starts_with(called_name(inst), "llvm.fabs.");
}

/* The words of a value's elements, with signs taken off as modifiers. -1 after
 * an error. */
struct operands {
	LLVMValueRef *words;
	bool negate, absolute;
};

static int read_operands(struct lowering *lowering, LLVMValueRef value,
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

static struct operand element(const struct operands *operands, unsigned index)
{
	return (struct operand){
		operands->words[2 * index], operands->words[2 * index + 1],
		operands->negate, operands->absolute,
	};
}

/* --- Conversions -------------------------------------------------------- */

static LLVMValueRef number_element(struct lowering *lowering,
				   LLVMValueRef value, unsigned index)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
		return value;
	return LLVMBuildExtractElement(lowering->builder, value,
				       word_constant(lowering, index), "");
}

static LLVMValueRef set_element(struct lowering *lowering,
				 LLVMValueRef vector, LLVMValueRef value,
				 unsigned index)
{
	if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
		return value;
	return LLVMBuildInsertElement(lowering->builder, vector, value,
				      word_constant(lowering, index), "");
}

static unsigned number_width(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetIntTypeWidth(type);
}

/* Of an integer: its bits as the low word of 2^52 + u, less 2^52. With a sign
 * the bits of u = s + 2^31 are those of s with the first one turned. */
static struct operand from_word(struct lowering *lowering, LLVMValueRef value,
				bool is_signed)
{
	if (is_signed)
		value = LLVMBuildXor(lowering->builder, value,
				     word_constant(lowering, SIGN), "");
	return add(lowering,
		   operand(value, word_constant(lowering, HIGH_2_52)),
		   constant(lowering, is_signed ? -0x1.000008p52
						: -0x1p52));
}

/* Both halves of 64 bits so; only the last addition rounds. */
static struct operand from_quad(struct lowering *lowering, LLVMValueRef value,
				bool is_signed)
{
	LLVMValueRef words[2];
	struct operand high, low;

	words_split(lowering, value, words, 2);
	if (is_signed)
		words[1] = LLVMBuildXor(lowering->builder, words[1],
					word_constant(lowering, SIGN), "");
	high = operand(words[1], word_constant(lowering, HIGH_2_84));
	low = operand(words[0], word_constant(lowering, HIGH_2_52));
	high = add(lowering, high,
		   constant(lowering, is_signed ? -0x1.00000801p84
						: -0x1.00000001p84));
	return add(lowering, high, low);
}

static struct operand from_integer(struct lowering *lowering,
				   LLVMValueRef value, bool is_signed)
{
	unsigned width = number_width(LLVMTypeOf(value));

	if (width > 32 && width < 64)
		value = is_signed ? LLVMBuildSExt(lowering->builder, value,
						  lowering->quad, "")
				  : LLVMBuildZExt(lowering->builder, value,
						  lowering->quad, "");
	if (width > 32)
		return from_quad(lowering, value, is_signed);
	if (width < 32)
		value = is_signed ? LLVMBuildSExt(lowering->builder, value,
						  lowering->word, "")
				  : LLVMBuildZExt(lowering->builder, value,
						  lowering->word, "");
	return from_word(lowering, value, is_signed);
}

/* floor(a) of a number from 0 up to, but not, 2^32. Adding 2^52 rounds it to an
 * integer in the low word; where that was up, 1 too much. */
static LLVMValueRef floor_word(struct lowering *lowering, struct operand a)
{
	struct operand sum = add(lowering, a, constant(lowering, 0x1p52));
	struct operand rounded = add(lowering, sum,
				     constant(lowering, -0x1p52));
	LLVMValueRef up;

	build_two(lowering, CARRIER_GREATER, rounded, a, &up);
	return LLVMBuildAdd(lowering->builder, sum.low, as_word(lowering, up),
			    "");
}

static LLVMValueRef sign_mask(struct lowering *lowering, struct operand a)
{
	LLVMValueRef high = as_word(lowering, high_word(lowering, a));

	return LLVMBuildAShr(lowering->builder, high,
			     word_constant(lowering, 31), "");
}

static struct operand magnitude(struct operand a)
{
	a.absolute = true;
	a.negate = false;
	return a;
}

static LLVMValueRef to_word(struct lowering *lowering, struct operand a,
			    bool is_signed)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef number, sign;

	if (!is_signed)
		return floor_word(lowering, a);
	number = floor_word(lowering, magnitude(a));
	sign = sign_mask(lowering, a);
	return LLVMBuildSub(builder, LLVMBuildXor(builder, number, sign, ""),
			    sign, "");
}

/* The high word is floor(a / 2^32), the low one that of the exact rest. */
static LLVMValueRef to_quad(struct lowering *lowering, struct operand a,
			    bool is_signed)
{
	struct operand size = is_signed ? magnitude(a) : a, rest;
	LLVMValueRef words[2], number, sign;
	LLVMBuilderRef builder = lowering->builder;

	build_two(lowering, CARRIER_MUL, size, constant(lowering, 0x1p-32),
		  words);
	words[1] = floor_word(lowering, operand(words[0], words[1]));
	rest = multiply_add(lowering, from_word(lowering, words[1], false),
			    constant(lowering, -0x1p32), size);
	words[0] = floor_word(lowering, rest);
	number = words_join(lowering, words, 2, lowering->quad);
	if (!is_signed)
		return number;
	sign = LLVMBuildSExt(builder, sign_mask(lowering, a), lowering->quad,
			     "");
	return LLVMBuildSub(builder, LLVMBuildXor(builder, number, sign, ""),
			    sign, "");
}

static LLVMValueRef to_integer(struct lowering *lowering, struct operand a,
			       LLVMTypeRef type, bool is_signed)
{
	LLVMValueRef value = LLVMGetIntTypeWidth(type) > 32
				     ? to_quad(lowering, a, is_signed)
				     : to_word(lowering, a, is_signed);

	if (LLVMTypeOf(value) == type)
		return value;
	return LLVMBuildTrunc(lowering->builder, value, type, "");
}

static LLVMValueRef to_single(struct lowering *lowering, struct operand a)
{
	LLVMValueRef result;

	build_two(lowering, CARRIER_TO_SINGLE, a,
		  operand(word_constant(lowering, 0),
			  word_constant(lowering, 0)), &result);
	return as_single(lowering, result);
}

static struct operand from_single(struct lowering *lowering,
				  LLVMValueRef single)
{
	struct operand zero = constant(lowering, 0);
	LLVMValueRef result[2];

	build_two(lowering, CARRIER_TO_DOUBLE,
		  operand(as_word(lowering, single), zero.high), zero,
		  result);
	return operand(result[0], result[1]);
}

/* --- Comparisons -------------------------------------------------------- */

static LLVMValueRef test(struct lowering *lowering,
			 enum carrier_operation operation, struct operand a,
			 struct operand b)
{
	LLVMValueRef mask;

	build_two(lowering, operation, a, b, &mask);
	return mask;
}

static LLVMValueRef compare(struct lowering *lowering,
			    LLVMRealPredicate predicate, struct operand a,
			    struct operand b)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef mask = NULL;
	bool invert = false;

	switch (predicate) {
	case LLVMRealPredicateFalse:
	case LLVMRealPredicateTrue:
		return LLVMConstInt(lowering->bit,
				    predicate == LLVMRealPredicateTrue, false);
	case LLVMRealOEQ: mask = test(lowering, CARRIER_EQUAL, a, b); break;
	case LLVMRealUNE: mask = test(lowering, CARRIER_NOT_EQUAL, a, b); break;
	case LLVMRealULE: invert = true; /* fall through */
	case LLVMRealOGT: mask = test(lowering, CARRIER_GREATER, a, b); break;
	case LLVMRealULT: invert = true; /* fall through */
	case LLVMRealOGE: mask = test(lowering, CARRIER_NOT_LESS, a, b); break;
	case LLVMRealUGE: invert = true; /* fall through */
	case LLVMRealOLT: mask = test(lowering, CARRIER_GREATER, b, a); break;
	case LLVMRealUGT: invert = true; /* fall through */
	case LLVMRealOLE: mask = test(lowering, CARRIER_NOT_LESS, b, a); break;
	case LLVMRealUEQ: invert = true; /* fall through */
	case LLVMRealONE:
		mask = LLVMBuildOr(builder,
				   test(lowering, CARRIER_GREATER, a, b),
				   test(lowering, CARRIER_GREATER, b, a), "");
		break;
	case LLVMRealUNO: invert = true; /* fall through */
	case LLVMRealORD:
		mask = test(lowering, CARRIER_EQUAL, a, a);
		if (!LLVMIsConstant(b.high))
			mask = LLVMBuildAnd(
				builder, mask,
				test(lowering, CARRIER_EQUAL, b, b), "");
		break;
	}
	return LLVMBuildICmp(builder, invert ? LLVMIntEQ : LLVMIntNE, mask,
			     word_constant(lowering, 0), "");
}

/* --- Instructions with doubles as results ------------------------------- */

static int unknown(struct lowering *lowering, LLVMValueRef inst)
{
	char *text = LLVMPrintValueToString(inst);

	error_set(lowering->error, "an operation on doubles that m2s-clc does "
		  "not know:%.200s", text);
	LLVMDisposeMessage(text);
	return -1;
}

/* For one element of operations with up to three operands. False: unknown. */
static bool lower_element(struct lowering *lowering, LLVMValueRef inst,
			  const struct operand *a, LLVMValueRef *result)
{
	LLVMBuilderRef builder = lowering->builder;
	const char *name = called_name(inst);
	struct operand value;
	LLVMValueRef sign;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMFAdd:
		build_two(lowering, CARRIER_ADD, a[0], a[1], result);
		return true;
	case LLVMFSub:
		build_two(lowering, CARRIER_ADD, a[0], negated(a[1]), result);
		return true;
	case LLVMFMul:
		build_two(lowering, CARRIER_MUL, a[0], a[1], result);
		return true;
	case LLVMFNeg: /* its operand came with the sign taken off */
		break;
	case LLVMCall:
		if (starts_with(name, "llvm.minnum.")) {
			build_two(lowering, CARRIER_MIN, a[0], a[1], result);
			return true;
		}
		if (starts_with(name, "llvm.maxnum.")) {
			build_two(lowering, CARRIER_MAX, a[0], a[1], result);
			return true;
		}
		if (starts_with(name, "llvm.fma.") ||
		    starts_with(name, "llvm.fmuladd.")) {
			value = multiply_add(lowering, a[0], a[1], a[2]);
			result[0] = value.low;
			result[1] = value.high;
			return true;
		}
		if (!starts_with(name, "llvm.copysign."))
			return false;
		sign = as_word(lowering, high_word(lowering, a[1]));
		sign = LLVMBuildAnd(builder, sign,
				    word_constant(lowering, SIGN), "");
		result[0] = a[0].low;
		result[1] = LLVMBuildAnd(builder, a[0].high,
					 word_constant(lowering, ~SIGN), "");
		result[1] = LLVMBuildOr(builder, result[1], sign, "");
		return true;
	default:
		return false;
	}
	return false;
}

/* A sign by itself, where it is no other operation's modifier. */
static void apply_sign(struct lowering *lowering, struct operand a,
		       LLVMValueRef *result)
{
	result[0] = a.low;
	result[1] = a.high;
	if (a.absolute)
		result[1] = LLVMBuildAnd(lowering->builder, result[1],
					 word_constant(lowering, ~SIGN), "");
	if (a.negate)
		result[1] = LLVMBuildXor(lowering->builder, result[1],
					 word_constant(lowering, SIGN), "");
}

static int lower_arithmetic(struct lowering *lowering, LLVMValueRef inst,
			    LLVMValueRef *result, unsigned count)
{
	bool is_sign = LLVMGetInstructionOpcode(inst) == LLVMFNeg ||
		       is_fabs(inst);
	int operand_count = LLVMIsACallInst(inst)
				    ? (int)LLVMGetNumArgOperands(inst)
				    : LLVMGetNumOperands(inst);
	struct operands operands[3];

	if (operand_count > 3)
		return unknown(lowering, inst);
	if (is_sign) {
		if (read_operands(lowering, inst, &operands[0]))
			return -1;
	} else {
		for (int k = 0; k < operand_count; k++) {
			LLVMValueRef value = LLVMGetOperand(inst, k);

			if (!is_double(LLVMTypeOf(value)))
				return unknown(lowering, inst);
			if (read_operands(lowering, value, &operands[k]))
				return -1;
		}
	}
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < count; i++) {
		struct operand a[3];

		if (is_sign) {
			apply_sign(lowering, element(&operands[0], i),
				   result + 2 * i);
			continue;
		}
		for (int k = 0; k < operand_count; k++)
			a[k] = element(&operands[k], i);
		if (!lower_element(lowering, inst, a, result + 2 * i))
			return unknown(lowering, inst);
	}
	return 0;
}

static void lower_from_number(struct lowering *lowering, LLVMValueRef inst,
			      LLVMValueRef *result, unsigned count)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef number = number_element(
			lowering, LLVMGetOperand(inst, 0), i);
		struct operand value =
			opcode == LLVMFPExt
				? from_single(lowering, number)
				: from_integer(lowering, number,
					       opcode == LLVMSIToFP);

		result[2 * i] = value.low;
		result[2 * i + 1] = value.high;
	}
}

static int lower_select(struct lowering *lowering, LLVMValueRef inst,
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

static int lower_extract(struct lowering *lowering, LLVMValueRef inst,
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

static int lower_insert(struct lowering *lowering, LLVMValueRef inst,
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

static int lower_shuffle(struct lowering *lowering, LLVMValueRef inst,
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

static int lower_copy(struct lowering *lowering, LLVMValueRef inst,
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

/* A member of a structure, which is a kernel's parameter: taken out once more,
 * as a double that is only taken apart. */
static void lower_member(struct lowering *lowering, LLVMValueRef inst,
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

/* The exponent is the same for all elements: a scalar function. */
static int lower_ldexp(struct lowering *lowering, LLVMValueRef inst,
		       LLVMValueRef *result)
{
	struct operands a;

	if (read_operands(lowering, LLVMGetOperand(inst, 0), &a))
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	build_two(lowering, CARRIER_LDEXP, element(&a, 0),
		  operand(LLVMGetOperand(inst, 1), word_constant(lowering, 0)),
		  result);
	return 0;
}

int double_lower_value(struct lowering *lowering, LLVMValueRef inst)
{
	unsigned count = element_count(LLVMTypeOf(inst));
	LLVMValueRef *result = xcalloc(2 * (size_t)count, sizeof *result);
	int status = 0;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
		LLVMPositionBuilderBefore(lowering->builder, inst);
		words_load(lowering, inst, result, 2 * count);
		break;
	case LLVMBitCast:
		if (is_double(LLVMTypeOf(LLVMGetOperand(inst, 0)))) {
			status = lower_copy(lowering, inst, result, count);
			break;
		}
		LLVMPositionBuilderBefore(lowering->builder, inst);
		words_split(lowering, LLVMGetOperand(inst, 0), result,
			    2 * count);
		break;
	case LLVMFPExt:
	case LLVMSIToFP:
	case LLVMUIToFP:
		lower_from_number(lowering, inst, result, count);
		break;
	case LLVMSelect:
		status = lower_select(lowering, inst, result, count);
		break;
	case LLVMExtractElement:
		status = lower_extract(lowering, inst, result);
		break;
	case LLVMInsertElement:
		status = lower_insert(lowering, inst, result, count);
		break;
	case LLVMShuffleVector:
		status = lower_shuffle(lowering, inst, result, count);
		break;
	case LLVMExtractValue:
		lower_member(lowering, inst, result, count);
		break;
	case LLVMFreeze:
		status = lower_copy(lowering, inst, result, count);
		break;
	case LLVMPHI: /* their incoming values come last */
		LLVMPositionBuilderBefore(lowering->builder, inst);
		for (unsigned i = 0; i < 2 * count; i++)
			result[i] = LLVMBuildPhi(lowering->builder,
						 lowering->word, "");
		break;
	default:
		status = strcmp(called_name(inst), LDEXP_NAME)
				 ? lower_arithmetic(lowering, inst, result,
						    count)
				 : lower_ldexp(lowering, inst, result);
	}
	if (status)
		free(result);
	else
		words_set(lowering, inst, result);
	return status;
}

static int fill_phi(struct lowering *lowering, LLVMValueRef phi)
{
	LLVMValueRef *words = words_find(lowering, phi);
	unsigned count = 2 * element_count(LLVMTypeOf(phi));

	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef *incoming =
			words_of(lowering, LLVMGetIncomingValue(phi, i));

		if (!incoming)
			return -1;
		for (unsigned k = 0; k < count; k++)
			LLVMAddIncoming(words[k], &incoming[k], &block, 1);
	}
	return 0;
}

/* --- Instructions with other results ------------------------------------ */

static int lower_store(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMValueRef value = LLVMGetOperand(inst, 0);
	LLVMValueRef *words = words_of(lowering, value);

	if (!words)
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	words_store(lowering, inst, words,
		    2 * element_count(LLVMTypeOf(value)));
	return 0;
}

/* Comparisons and conversions, element by element. */
static int lower_to_other(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst), part_type = type;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	LLVMValueRef result = LLVMGetUndef(type);
	struct operands a, b = { 0 };

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		part_type = LLVMGetElementType(type);
	if (read_operands(lowering, LLVMGetOperand(inst, 0), &a) ||
	    (opcode == LLVMFCmp &&
	     read_operands(lowering, LLVMGetOperand(inst, 1), &b)))
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < element_count(type); i++) {
		LLVMValueRef part;

		if (opcode == LLVMFCmp)
			part = compare(lowering, LLVMGetFCmpPredicate(inst),
				       element(&a, i), element(&b, i));
		else if (opcode == LLVMFPTrunc)
			part = to_single(lowering, element(&a, i));
		else
			part = to_integer(lowering, element(&a, i), part_type,
					  opcode == LLVMFPToSI);
		result = set_element(lowering, result, part, i);
	}
	LLVMReplaceAllUsesWith(inst, result);
	return 0;
}

static int lower_from_double(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMValueRef *words;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMStore:
		return lower_store(lowering, inst);
	case LLVMFCmp:
	case LLVMFPToSI:
	case LLVMFPToUI:
		return lower_to_other(lowering, inst);
	case LLVMFPTrunc:
		if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMFloatTypeKind ||
		    LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind)
			return lower_to_other(lowering, inst);
		return unknown(lowering, inst);
	case LLVMBitCast:
		words = words_of(lowering, LLVMGetOperand(inst, 0));
		if (!words)
			return -1;
		LLVMPositionBuilderBefore(lowering->builder, inst);
		LLVMReplaceAllUsesWith(
			inst,
			words_join(lowering, words,
				   2 * element_count(LLVMTypeOf(
					       LLVMGetOperand(inst, 0))),
				   LLVMTypeOf(inst)));
		return 0;
	default:
		return unknown(lowering, inst);
	}
}

/* --- The module --------------------------------------------------------- */

/* What kind of work an instruction is. */
enum use { USE_NONE, USE_RESULT, USE_PHI, USE_OPERAND };

static enum use use_of(LLVMValueRef inst)
{
	if (is_double(LLVMTypeOf(inst)))
		return LLVMGetInstructionOpcode(inst) == LLVMPHI ? USE_PHI
								 : USE_RESULT;
	for (int i = 0; i < LLVMGetNumOperands(inst); i++)
		if (is_double(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i))))
			return USE_OPERAND;
	return USE_NONE;
}

static struct list find_doubles(LLVMModuleRef module)
{
	struct list list = { NULL, 0, 0 };

	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		     block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
			     inst; inst = LLVMGetNextInstruction(inst)) {
				if (use_of(inst) == USE_NONE)
					continue;
				ARRAY_GROW(list.items, list.count,
					   list.capacity);
				list.items[list.count++] = inst;
			}
	return list;
}

static int lower_list(struct lowering *lowering, const struct list *list)
{
	int status = 0;

	for (size_t i = 0; !status && i < list->count; i++) {
		LLVMValueRef inst = list->items[i];

		if (use_of(inst) == USE_OPERAND)
			status = lower_from_double(lowering, inst);
		else
			status = words_of(lowering, inst) ? 0 : -1;
	}
	for (size_t i = 0; !status && i < list->count; i++)
		if (use_of(list->items[i]) == USE_PHI)
			status = fill_phi(lowering, list->items[i]);
	return status;
}

static void erase_list(const struct list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		LLVMTypeRef type = LLVMTypeOf(list->items[i]);

		if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(list->items[i],
					       LLVMGetUndef(type));
	}
	for (size_t i = 0; i < list->count; i++)
		LLVMInstructionEraseFromParent(list->items[i]);
}

static LLVMValueRef declare(struct lowering *lowering, const char *name,
			    LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);

	return function ? function
			: LLVMAddFunction(lowering->module, name, type);
}

static void start(struct lowering *lowering)
{
	LLVMTypeRef arguments[2];

	lowering->builder = LLVMCreateBuilderInContext(lowering->context);
	lowering->bit = LLVMInt1TypeInContext(lowering->context);
	lowering->word = LLVMInt32TypeInContext(lowering->context);
	lowering->quad = LLVMInt64TypeInContext(lowering->context);
	lowering->single = LLVMFloatTypeInContext(lowering->context);
	lowering->vector = LLVMVectorType(lowering->single, 4);
	arguments[0] = arguments[1] = lowering->vector;
	lowering->dot_type =
		LLVMFunctionType(lowering->single, arguments, 2, false);
	lowering->fabs_type =
		LLVMFunctionType(lowering->single, &lowering->single, 1, false);
	lowering->groups_type = LLVMFunctionType(lowering->word, NULL, 0,
						 false);
	lowering->groups = declare(lowering, "llvm.r600.read.ngroups.x",
				   lowering->groups_type);
	lowering->dot = declare(lowering, DOT_NAME, lowering->dot_type);
	lowering->fabs = declare(lowering, "llvm.fabs.f32",
				 lowering->fabs_type);
}

/* Fused code is nearly always shorter than carriers are. For when it is not,
 * more marks than needed stand before the end; fuse.c takes them out. */
static void make_room(LLVMModuleRef module, struct error *error)
{
	LLVMValueRef nothing = LLVMGetUndef(LLVMVectorType(
		LLVMInt32TypeInContext(LLVMGetModuleContext(module)), 4));
	struct list list = find_instructions(module, LLVMRet, LLVMRet);
	struct rewrite rewrite;

	rewrite_start(&rewrite, module, error);
	for (size_t i = 0; i < list.count; i++) {
		LLVMPositionBuilderBefore(rewrite.builder, list.items[i]);
		for (unsigned n = 0; n < ROOM_MARKS; n++)
			build_mark(&rewrite, nothing, nothing, MARKER_TAIL);
	}
	rewrite_end(&rewrite);
	free(list.items);
}

int double_lower(LLVMModuleRef module, struct error *error)
{
	struct lowering lowering = {
		.module = module,
		.context = LLVMGetModuleContext(module),
		.error = error,
	};
	struct list list = find_doubles(module);
	int status;

	start(&lowering);
	status = lower_list(&lowering, &list);
	if (!status) {
		erase_list(&list);
		make_room(module, error);
	}
	for (size_t i = 0; i < lowering.table_size; i++)
		free(lowering.table[i].word);
	free(lowering.table);
	free(list.items);
	LLVMDisposeBuilder(lowering.builder);
	return status;
}

bool double_is_used(LLVMModuleRef module)
{
	struct list list = find_doubles(module);

	free(list.items);
	return list.count != 0;
}
