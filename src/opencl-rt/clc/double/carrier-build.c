#include "opencl-rt/clc/double/carrier-build.h"

static const unsigned char result_words[CARRIER_COUNT] = {
#define CARRIER(id, operation, sources, results) results,
#include "opencl-rt/clc/double/carrier.def"
};

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

/* On p, q and, for FMA, r. */
static void build_words(struct lowering *lowering,
			enum carrier_operation operation, struct operand p,
			struct operand q, struct operand r,
			LLVMValueRef *result)
{
	LLVMValueRef first[4], second[4], arguments[2];
	unsigned number = operation - 1;

	first[0] = word_as_single(lowering, p.low);
	second[1] = operand_high_word(lowering, p);
	second[0] = word_as_single(lowering, q.low);
	first[1] = operand_high_word(lowering, q);
	if (operation == CARRIER_FMA) {
		first[2] = word_as_single(lowering, r.low);
		second[3] = operand_high_word(lowering, r);
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
		result[i] = single_as_word(
			lowering,
			LLVMBuildCall2(lowering->builder, lowering->dot_type,
				       lowering->dot, arguments, 2, ""));
	}
}

void carrier_build(struct lowering *lowering, enum carrier_operation operation,
		   struct operand p, struct operand q, LLVMValueRef *result)
{
	build_words(lowering, operation, p, q, p, result);
}

struct operand carrier_add(struct lowering *lowering, struct operand p,
			   struct operand q)
{
	LLVMValueRef result[2];

	carrier_build(lowering, CARRIER_ADD, p, q, result);
	return operand_of(result[0], result[1]);
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

struct operand carrier_multiply_add(struct lowering *lowering,
				    struct operand a, struct operand b,
				    struct operand c)
{
	LLVMValueRef result[2];
	bool swap = is_fixed(a.high) && !is_fixed(b.high);

	/* Operations with three sources have no absolute values. */
	a = without_absolute(lowering, a);
	b = without_absolute(lowering, b);
	c = without_absolute(lowering, c);
	build_words(lowering, CARRIER_FMA, c, swap ? b : a, swap ? a : b,
		    result);
	return operand_of(result[0], result[1]);
}
