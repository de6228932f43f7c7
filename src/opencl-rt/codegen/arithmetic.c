/* Arithmetic, comparisons, conversions and vectors. */
#include "opencl-rt/codegen/select.h"

#include "base/memory.h"

/* --- One operation for one ------------------------------------------------ */

static const struct {
	LLVMOpcode opcode;
	enum evg_alu_op op;
	bool is_float;
} binaries[] = {
	{ LLVMAdd, EVG_ALU_ADD_INT, false },
	{ LLVMSub, EVG_ALU_SUB_INT, false },
	{ LLVMMul, EVG_ALU_MULLO_INT, false },
	{ LLVMShl, EVG_ALU_LSHL_INT, false },
	{ LLVMLShr, EVG_ALU_LSHR_INT, false },
	{ LLVMAShr, EVG_ALU_ASHR_INT, false },
	{ LLVMAnd, EVG_ALU_AND_INT, false },
	{ LLVMOr, EVG_ALU_OR_INT, false },
	{ LLVMXor, EVG_ALU_XOR_INT, false },
	{ LLVMFAdd, EVG_ALU_ADD, true },
	{ LLVMFMul, EVG_ALU_MUL_IEEE, true },
};

static bool is_number(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	       LLVMGetIntTypeWidth(type) == 32;
}

/* i1 has its operations where 0 and -1 stay 0 and -1. */
static bool is_allowed(LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	return is_number(LLVMTypeOf(inst)) || opcode == LLVMAnd ||
	       opcode == LLVMOr || opcode == LLVMXor;
}

static bool select_binary(struct selection *selection, LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	struct parts a, b, result;
	size_t i = 0;

	while (i < ARRAY_SIZE(binaries) && binaries[i].opcode != opcode)
		i++;
	if (opcode != LLVMFSub &&
	    (i == ARRAY_SIZE(binaries) || !is_allowed(inst)))
		return false;
	a = select_parts(selection, LLVMGetOperand(inst, 0));
	b = select_parts(selection, LLVMGetOperand(inst, 1));
	result.count = a.count;
	for (unsigned k = 0; k < a.count; k++) {
		if (opcode == LLVMFSub)
			b.part[k].negate ^= true;
		result.part[k] = select_op2(
			selection,
			opcode == LLVMFSub ? EVG_ALU_ADD : binaries[i].op,
			a.part[k], b.part[k]);
	}
	select_define(selection, inst, &result);
	return true;
}

/* --- Comparisons ---------------------------------------------------------- */

/* The result is 0 or -1. `swap`: of the operands; `invert`: of the result. */
struct comparison {
	enum evg_alu_op op;
	bool swap, invert;
};

static struct comparison compare_integers(LLVMIntPredicate predicate)
{
	switch (predicate) {
	case LLVMIntEQ:
		return (struct comparison){ .op = EVG_ALU_SETE_INT };
	case LLVMIntNE:
		return (struct comparison){ .op = EVG_ALU_SETNE_INT };
	case LLVMIntUGT:
		return (struct comparison){ .op = EVG_ALU_SETGT_UINT };
	case LLVMIntUGE:
		return (struct comparison){ .op = EVG_ALU_SETGE_UINT };
	case LLVMIntULT:
		return (struct comparison){ .op = EVG_ALU_SETGT_UINT,
					    .swap = true };
	case LLVMIntULE:
		return (struct comparison){ .op = EVG_ALU_SETGE_UINT,
					    .swap = true };
	case LLVMIntSGT:
		return (struct comparison){ .op = EVG_ALU_SETGT_INT };
	case LLVMIntSGE:
		return (struct comparison){ .op = EVG_ALU_SETGE_INT };
	case LLVMIntSLT:
		return (struct comparison){ .op = EVG_ALU_SETGT_INT,
					    .swap = true };
	case LLVMIntSLE:
	default:
		return (struct comparison){ .op = EVG_ALU_SETGE_INT,
					    .swap = true };
	}
}

/* Ordered comparisons are false with a NaN; SETNE is true. The unordered ones
 * are the opposites of the ordered ones. */
static bool compare_floats(LLVMRealPredicate predicate,
			   struct comparison *comparison)
{
	switch (predicate) {
	case LLVMRealOEQ:
		*comparison = (struct comparison){ .op = EVG_ALU_SETE_DX10 };
		return true;
	case LLVMRealUNE:
		*comparison = (struct comparison){ .op = EVG_ALU_SETNE_DX10 };
		return true;
	case LLVMRealOGT:
	case LLVMRealULE:
		*comparison = (struct comparison){ .op = EVG_ALU_SETGT_DX10 };
		break;
	case LLVMRealOGE:
	case LLVMRealULT:
		*comparison = (struct comparison){ .op = EVG_ALU_SETGE_DX10 };
		break;
	case LLVMRealOLT:
	case LLVMRealUGE:
		*comparison = (struct comparison){ .op = EVG_ALU_SETGT_DX10,
						   .swap = true };
		break;
	case LLVMRealOLE:
	case LLVMRealUGT:
		*comparison = (struct comparison){ .op = EVG_ALU_SETGE_DX10,
						   .swap = true };
		break;
	default:
		return false;
	}
	comparison->invert = predicate == LLVMRealULE ||
			     predicate == LLVMRealULT ||
			     predicate == LLVMRealUGE ||
			     predicate == LLVMRealUGT;
	return true;
}

static struct machine_source inverted(struct selection *selection,
				      struct machine_source source)
{
	return select_op1(selection, EVG_ALU_NOT_INT, source);
}

static struct machine_source compare(struct selection *selection,
				     const struct comparison *comparison,
				     struct machine_source a,
				     struct machine_source b)
{
	struct machine_source result =
		comparison->swap ? select_op2(selection, comparison->op, b, a)
				 : select_op2(selection, comparison->op, a, b);

	return comparison->invert ? inverted(selection, result) : result;
}

/* Ordered, unordered, and equal or not with a NaN: from two comparisons. */
static struct machine_source compare_twice(struct selection *selection,
					   LLVMRealPredicate predicate,
					   struct machine_source a,
					   struct machine_source b)
{
	struct machine_source first, second;

	switch (predicate) {
	case LLVMRealORD:
	case LLVMRealUNO:
		first = select_op2(selection, EVG_ALU_SETNE_DX10, a, a);
		second = select_op2(selection, EVG_ALU_SETNE_DX10, b, b);
		break;
	case LLVMRealONE:
	case LLVMRealUEQ:
		first = select_op2(selection, EVG_ALU_SETGT_DX10, a, b);
		second = select_op2(selection, EVG_ALU_SETGT_DX10, b, a);
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

static void select_comparison(struct selection *selection, LLVMValueRef inst)
{
	struct parts a = select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(inst, 1));
	struct parts result = { .count = a.count };
	bool is_float = LLVMGetInstructionOpcode(inst) == LLVMFCmp;

	for (unsigned k = 0; k < a.count; k++) {
		struct comparison comparison;

		if (is_float && !compare_floats(LLVMGetFCmpPredicate(inst),
						&comparison)) {
			result.part[k] = compare_twice(
				selection, LLVMGetFCmpPredicate(inst),
				a.part[k], b.part[k]);
			continue;
		}
		if (!is_float)
			comparison =
				compare_integers(LLVMGetICmpPredicate(inst));
		result.part[k] = compare(selection, &comparison, a.part[k],
					 b.part[k]);
	}
	select_define(selection, inst, &result);
}

/* --- Choices and conversions ---------------------------------------------- */

static void select_choice(struct selection *selection, LLVMValueRef inst)
{
	struct parts condition =
		select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts yes = select_parts(selection, LLVMGetOperand(inst, 1));
	struct parts no = select_parts(selection, LLVMGetOperand(inst, 2));
	struct parts result = { .count = yes.count };

	for (unsigned k = 0; k < yes.count; k++)
		result.part[k] = select_op3(
			selection, EVG_ALU_CNDE_INT,
			condition.part[condition.count == 1 ? 0 : k],
			no.part[k], yes.part[k]);
	select_define(selection, inst, &result);
}

static unsigned width_of(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind
		       ? LLVMGetIntTypeWidth(type)
		       : 32;
}

/* A number to a number; i1 is 0 or -1. */
static struct machine_source convert(struct selection *selection,
				     LLVMValueRef inst,
				     struct machine_source a)
{
	bool from_bit = width_of(LLVMTypeOf(LLVMGetOperand(inst, 0))) == 1;
	struct machine_source whole;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMZExt:
		return select_op2(selection, EVG_ALU_AND_INT, a,
				  select_number(1));
	case LLVMSExt:
	case LLVMBitCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return a;
	case LLVMTrunc: /* to i1 */
		a = select_op2(selection, EVG_ALU_AND_INT, a,
			       select_number(1));
		return select_op2(selection, EVG_ALU_SUB_INT, select_number(0),
				  a);
	case LLVMUIToFP:
		if (from_bit)
			return select_op2(selection, EVG_ALU_AND_INT, a,
					  select_number(0x3f800000));
		return select_op1(selection, EVG_ALU_UINT_TO_FLT, a);
	case LLVMSIToFP:
		return select_op1(selection, EVG_ALU_INT_TO_FLT, a);
	case LLVMFPToUI:
	case LLVMFPToSI:
		whole = select_op1(selection, EVG_ALU_TRUNC, a);
		return select_op1(selection,
				  LLVMGetInstructionOpcode(inst) == LLVMFPToUI
					  ? EVG_ALU_FLT_TO_UINT
					  : EVG_ALU_FLT_TO_INT,
				  whole);
	case LLVMFNeg:
		a.negate = true;
		return select_op1(selection, EVG_ALU_MOV, a);
	default: /* freeze */
		return a;
	}
}

static void select_conversion(struct selection *selection, LLVMValueRef inst)
{
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));

	if (select_count(LLVMTypeOf(inst)) != parts.count) {
		select_refuse(selection, inst, "a conversion to another width");
		return;
	}
	for (unsigned k = 0; k < parts.count; k++)
		parts.part[k] = convert(selection, inst, parts.part[k]);
	select_define(selection, inst, &parts);
}

/* --- Vectors -------------------------------------------------------------- */

static void select_element(struct selection *selection, LLVMValueRef inst)
{
	bool inserts = LLVMGetInstructionOpcode(inst) == LLVMInsertElement;
	LLVMValueRef index = LLVMGetOperand(inst, inserts ? 2 : 1);
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));
	unsigned long long place;

	if (!LLVMIsAConstantInt(index)) {
		select_refuse(selection, inst, "an element by a variable "
			      "index");
		return;
	}
	place = LLVMConstIntGetZExtValue(index);
	if (place >= parts.count)
		place = 0; /* poison */
	if (inserts)
		parts.part[place] =
			select_value(selection, LLVMGetOperand(inst, 1));
	else
		parts = (struct parts){ .count = 1,
					.part = { parts.part[place] } };
	select_define(selection, inst, &parts);
}

static void select_shuffle(struct selection *selection, LLVMValueRef inst)
{
	struct parts a = select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(inst, 1));
	struct parts result = { .count = select_count(LLVMTypeOf(inst)) };

	for (unsigned k = 0; k < result.count; k++) {
		int from = LLVMGetMaskValue(inst, k);

		if (from < 0)
			result.part[k] = select_number(0);
		else if ((unsigned)from < a.count)
			result.part[k] = a.part[from];
		else
			result.part[k] = b.part[(unsigned)from - a.count];
	}
	select_define(selection, inst, &result);
}

bool select_arithmetic(struct selection *selection, LLVMValueRef inst)
{
	if (!select_count(LLVMTypeOf(inst)))
		return false;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMICmp:
	case LLVMFCmp:
		select_comparison(selection, inst);
		return true;
	case LLVMSelect:
		select_choice(selection, inst);
		return true;
	case LLVMZExt:
	case LLVMSExt:
	case LLVMBitCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMTrunc:
	case LLVMUIToFP:
	case LLVMSIToFP:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMFNeg:
	case LLVMFreeze:
		if (!select_count(LLVMTypeOf(LLVMGetOperand(inst, 0))))
			return false;
		select_conversion(selection, inst);
		return true;
	case LLVMExtractElement:
	case LLVMInsertElement:
		select_element(selection, inst);
		return true;
	case LLVMShuffleVector:
		select_shuffle(selection, inst);
		return true;
	default:
		return select_binary(selection, inst);
	}
}
