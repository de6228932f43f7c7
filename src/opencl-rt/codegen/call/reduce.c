#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/call/call.h"

/* What makes one number of two: an operation on integers of any width, a
 * comparison for the first of them, or an operation on floats. */
struct reduction {
	const char *name;
	enum { INTEGER, CHOICE, FLOAT } kind;
	LLVMOpcode opcode;
	LLVMIntPredicate predicate;
	enum evg_alu_op op;
};

static const struct reduction reductions[] = {
	{ "add.", INTEGER, .opcode = LLVMAdd },
	{ "mul.", INTEGER, .opcode = LLVMMul },
	{ "and.", INTEGER, .opcode = LLVMAnd },
	{ "or.", INTEGER, .opcode = LLVMOr },
	{ "xor.", INTEGER, .opcode = LLVMXor },
	{ "smin.", CHOICE, .predicate = LLVMIntSLT },
	{ "smax.", CHOICE, .predicate = LLVMIntSGT },
	{ "umin.", CHOICE, .predicate = LLVMIntULT },
	{ "umax.", CHOICE, .predicate = LLVMIntUGT },
	{ "fmin.", FLOAT, .op = EVG_ALU_MIN_DX10 },
	{ "fmax.", FLOAT, .op = EVG_ALU_MAX_DX10 },
};

static bool can_reduce(const struct reduction *reduction, LLVMTypeRef type)
{
	unsigned width = select_width(type);

	switch (reduction->kind) {
	case INTEGER:
		/* Truth values are 0 and -1, which sums would not be. */
		if (width == 1)
			return reduction->opcode == LLVMAnd ||
			       reduction->opcode == LLVMOr ||
			       reduction->opcode == LLVMXor;
		return width == 8 || width == 16 || width == 32 || width == 64;
	case CHOICE:
		return width == 8 || width == 16 || width == 32 || width == 64;
	case FLOAT:
		break;
	}
	return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

static struct scalar combine(struct selection *selection,
			     const struct reduction *reduction, unsigned width,
			     struct scalar a, struct scalar b)
{
	switch (reduction->kind) {
	case INTEGER:
		return select_integer(selection, reduction->opcode, width, a,
				      b);
	case CHOICE:
		return select_choose(selection,
				     select_compare(selection,
						    reduction->predicate,
						    width, a, b),
				     a, b);
	case FLOAT:
		break;
	}
	return (struct scalar){ select_op2(selection, reduction->op, a.low,
					   b.low),
				select_number(0) };
}

bool call_reduce(struct selection *selection, LLVMValueRef call,
		 const char *name)
{
	static const char prefix[] = "llvm.vector.reduce.";
	struct parts parts, result = { 0 };
	unsigned width, count;
	size_t i = 0;

	if (strncmp(name, prefix, strlen(prefix)))
		return false;
	name += strlen(prefix);
	while (i < ARRAY_SIZE(reductions) &&
	       strncmp(name, reductions[i].name, strlen(reductions[i].name)))
		i++;
	if (i == ARRAY_SIZE(reductions) ||
	    !can_reduce(&reductions[i], LLVMTypeOf(call)))
		return false;
	width = select_width(LLVMTypeOf(call));
	parts = select_parts(selection, LLVMGetOperand(call, 0));
	count = select_elements(LLVMTypeOf(LLVMGetOperand(call, 0)));
	/* Neighbours first: as few steps as there can be. An odd one waits. */
	for (; count > 1; count = (count + 1) / 2)
		for (unsigned k = 0; k < count; k += 2) {
			struct scalar one = select_scalar(&parts, width, k);

			if (k + 1 < count)
				one = combine(selection, &reductions[i], width,
					      one,
					      select_scalar(&parts, width,
							    k + 1));
			select_set_scalar(&parts, width, k / 2, one);
		}
	result.count = select_count(LLVMTypeOf(call));
	select_set_scalar(&result, width, 0, select_scalar(&parts, width, 0));
	select_define(selection, call, &result);
	return true;
}
