/* Arithmetic and comparisons of doubles, and the intrinsics on them. */
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/double/double.h"

/* --- Arithmetic ----------------------------------------------------------- */

static void select_each(struct selection *selection, LLVMValueRef inst,
			enum evg_alu_op op, unsigned count, bool subtracts)
{
	struct parts operands[3], result = { 0 };

	for (unsigned k = 0; k < count; k++)
		operands[k] = double_operands(selection,
					      LLVMGetOperand(inst, k),
					      count < 3);
	result.count = select_count(LLVMTypeOf(inst));
	for (unsigned n = 0; n < result.count / 2; n++) {
		struct scalar each[3];

		for (unsigned k = 0; k < count; k++)
			each[k] = select_scalar(&operands[k], 64, n);
		each[1].high.negate ^= subtracts;
		select_set_scalar(&result, 64, n,
				  double_operation(selection, op, count, each));
	}
	select_define(selection, inst, &result);
}

static void select_signs(struct selection *selection, LLVMValueRef inst)
{
	struct parts parts = double_operands(selection, inst, true);

	for (unsigned n = 0; n < parts.count / 2; n++)
		select_set_scalar(&parts, 64, n,
				  double_settled(selection,
						 select_scalar(&parts, 64, n)));
	select_define(selection, inst, &parts);
}

bool double_arithmetic(struct selection *selection, LLVMValueRef inst)
{
	if (!double_is_type(LLVMTypeOf(inst)))
		return false;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMFAdd:
	case LLVMFSub:
		select_each(selection, inst, EVG_ALU_ADD_64, 2,
			    LLVMGetInstructionOpcode(inst) == LLVMFSub);
		return true;
	case LLVMFMul:
		select_each(selection, inst, EVG_ALU_MUL_64, 2, false);
		return true;
	case LLVMFNeg:
		select_signs(selection, inst);
		return true;
	default:
		return false;
	}
}

/* --- Comparisons ---------------------------------------------------------- */

/* Ordered comparisons are false with a NaN; the unordered ones are the
 * opposites of the ordered ones. */
static const struct {
	LLVMRealPredicate predicate;
	enum evg_alu_op op;
	bool swap, invert;
} comparisons[] = {
	{ LLVMRealOEQ, EVG_ALU_SETE_64, false, false },
	{ LLVMRealUNE, EVG_ALU_SETNE_64, false, false },
	{ LLVMRealOGT, EVG_ALU_SETGT_64, false, false },
	{ LLVMRealULE, EVG_ALU_SETGT_64, false, true },
	{ LLVMRealOGE, EVG_ALU_SETGE_64, false, false },
	{ LLVMRealULT, EVG_ALU_SETGE_64, false, true },
	{ LLVMRealOLT, EVG_ALU_SETGT_64, true, false },
	{ LLVMRealUGE, EVG_ALU_SETGT_64, true, true },
	{ LLVMRealOLE, EVG_ALU_SETGE_64, true, false },
	{ LLVMRealUGT, EVG_ALU_SETGE_64, true, true },
};

static struct machine_source inverted(struct selection *selection,
				      struct machine_source mask)
{
	return select_op1(selection, EVG_ALU_NOT_INT, mask);
}

static struct machine_source compare(struct selection *selection,
				     LLVMRealPredicate predicate,
				     struct scalar a, struct scalar b)
{
	struct machine_source first, second;

	for (size_t i = 0; i < ARRAY_SIZE(comparisons); i++) {
		if (comparisons[i].predicate != predicate)
			continue;
		first = double_test(selection, comparisons[i].op,
				    comparisons[i].swap ? b : a,
				    comparisons[i].swap ? a : b);
		return comparisons[i].invert ? inverted(selection, first)
					     : first;
	}
	switch (predicate) {
	case LLVMRealORD:
	case LLVMRealUNO:
		first = double_test(selection, EVG_ALU_SETNE_64, a, a);
		second = double_test(selection, EVG_ALU_SETNE_64, b, b);
		break;
	case LLVMRealONE:
	case LLVMRealUEQ:
		first = double_test(selection, EVG_ALU_SETGT_64, a, b);
		second = double_test(selection, EVG_ALU_SETGT_64, b, a);
		break;
	default:
		return select_number(predicate == LLVMRealPredicateTrue
					     ? 0xffffffff
					     : 0);
	}
	first = select_op2(selection, EVG_ALU_OR_INT, first, second);
	return predicate == LLVMRealORD || predicate == LLVMRealUEQ
		       ? inverted(selection, first)
		       : first;
}

bool double_comparison(struct selection *selection, LLVMValueRef inst)
{
	struct parts a, b, result = { 0 };

	if (LLVMGetInstructionOpcode(inst) != LLVMFCmp ||
	    !double_is_type(LLVMTypeOf(LLVMGetOperand(inst, 0))))
		return false;
	a = double_operands(selection, LLVMGetOperand(inst, 0), true);
	b = double_operands(selection, LLVMGetOperand(inst, 1), true);
	result.count = select_elements(LLVMTypeOf(inst));
	for (unsigned k = 0; k < result.count; k++)
		result.part[k] = compare(selection,
					 LLVMGetFCmpPredicate(inst),
					 select_scalar(&a, 64, k),
					 select_scalar(&b, 64, k));
	select_define(selection, inst, &result);
	return true;
}

/* --- Intrinsics ----------------------------------------------------------- */

static const struct {
	const char *name;
	enum evg_alu_op op;
	unsigned operands;
} operations[] = {
	{ "llvm.fma.", EVG_ALU_FMA_64, 3 },
	{ "llvm.fmuladd.", EVG_ALU_FMA_64, 3 },
	{ "llvm.minnum.", EVG_ALU_MIN_64, 2 },
	{ "llvm.maxnum.", EVG_ALU_MAX_64, 2 },
};

/* The sign of another number. */
static void select_sign_of(struct selection *selection, LLVMValueRef call)
{
	struct parts a = select_parts(selection, LLVMGetOperand(call, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(call, 1));

	for (unsigned k = 1; k < a.count; k += 2)
		a.part[k] = select_op3(selection, EVG_ALU_BFI_INT,
				       select_number(0x7fffffff), a.part[k],
				       b.part[k]);
	select_define(selection, call, &a);
}

/* The exponent is added to that of a double: helper/double-basic.cl. */
static void select_ldexp(struct selection *selection, LLVMValueRef call)
{
	struct parts a = double_operands(selection, LLVMGetOperand(call, 0),
					 true);
	struct parts by = select_parts(selection, LLVMGetOperand(call, 1));

	for (unsigned k = 0; k < by.count; k++) {
		const struct scalar operands[] = {
			select_scalar(&a, 64, k),
			/* The first slot has the integer. */
			{ select_number(0), by.part[k] },
		};

		select_set_scalar(&a, 64, k,
				  double_operation(selection, EVG_ALU_LDEXP_64,
						   2, operands));
	}
	select_define(selection, call, &a);
}

/* Of a number that is known to be normal as a single:
 * helper/double-basic.cl. */
static void select_normal_single(struct selection *selection, LLVMValueRef call)
{
	struct parts a = double_operands(selection, LLVMGetOperand(call, 0),
					 true);
	struct scalar number = select_scalar(&a, 64, 0);

	select_define_one(selection, call,
			  double_test(selection, EVG_ALU_FLT64_TO_FLT32, number,
				      number));
}

bool double_call(struct selection *selection, LLVMValueRef call,
		 const char *name)
{
	if (!strcmp(name, "llvm.nvvm.d2f.rn.ftz")) {
		select_normal_single(selection, call);
		return true;
	}
	if (!double_is_type(LLVMTypeOf(call)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strncmp(name, operations[i].name,
			     strlen(operations[i].name))) {
			select_each(selection, call, operations[i].op,
				    operations[i].operands, false);
			return true;
		}
	if (!strncmp(name, "llvm.fabs.", 10))
		select_signs(selection, call);
	else if (!strncmp(name, "llvm.copysign.", 14))
		select_sign_of(selection, call);
	/* The target's own function of LLVM 16 is that of all targets in 19. */
	else if (!strcmp(name, "llvm.amdgcn.ldexp.f64") ||
		 (!strncmp(name, "llvm.ldexp.", 11) &&
		  select_width(LLVMTypeOf(LLVMGetOperand(call, 1))) ==
			  SELECT_DWORD))
		select_ldexp(selection, call);
	else
		return false;
	return true;
}
