/* Arithmetic, comparisons and choices. */
#include "opencl-rt/codegen/double/double.h"

#include "base/memory.h"

/* --- One operation for one ------------------------------------------------ */

static bool is_float_op(LLVMOpcode opcode)
{
	return opcode == LLVMFAdd || opcode == LLVMFSub ||
	       opcode == LLVMFMul || opcode == LLVMFDiv;
}

static struct machine_source float_op(struct selection *selection,
				      LLVMOpcode opcode,
				      struct machine_source a,
				      struct machine_source b)
{
	if (opcode == LLVMFDiv)
		return select_quotient(selection, a, b);
	if (opcode == LLVMFSub)
		b.negate ^= true;
	return select_op2(selection,
			  opcode == LLVMFMul ? EVG_ALU_MUL_IEEE : EVG_ALU_ADD,
			  a, b);
}

/* The product that a sum's operand is, if nothing else needs it. Within a block
 * the product's operands still have their values. */
static LLVMValueRef find_product(LLVMValueRef sum, unsigned operand)
{
	LLVMValueRef value = LLVMGetOperand(sum, operand);
	LLVMUseRef use;

	if (!LLVMIsAInstruction(value) ||
	    LLVMGetInstructionOpcode(value) != LLVMFMul ||
	    LLVMGetInstructionParent(value) != LLVMGetInstructionParent(sum))
		return NULL;
	use = LLVMGetFirstUse(value);
	return LLVMGetNextUse(use) ? NULL : value;
}

/* A sum or difference, one of whose operands is a product, as one operation. The
 * product's own turns out to be unused. */
static bool select_mad(struct selection *selection, LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	struct parts a, b, c;
	unsigned operand = 0;
	LLVMValueRef product;

	if (!select_may(selection, PERMIT_MAD) ||
	    (opcode != LLVMFAdd && opcode != LLVMFSub))
		return false;
	product = find_product(inst, operand);
	if (!product)
		product = find_product(inst, ++operand);
	if (!product)
		return false;
	a = select_parts(selection, LLVMGetOperand(product, 0));
	b = select_parts(selection, LLVMGetOperand(product, 1));
	c = select_parts(selection, LLVMGetOperand(inst, 1 - operand));
	for (unsigned k = 0; k < a.count; k++) {
		if (opcode == LLVMFSub && operand)
			a.part[k].negate ^= true;
		else if (opcode == LLVMFSub)
			c.part[k].negate ^= true;
		a.part[k] = select_op3(selection, EVG_ALU_MULADD_IEEE,
				       a.part[k], b.part[k], c.part[k]);
	}
	select_define(selection, inst, &a);
	return true;
}

static bool select_binary(struct selection *selection, LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	LLVMTypeRef type = LLVMTypeOf(inst);
	unsigned width = select_width(type);
	struct parts a, b, result;

	if (!select_is_integer_op(opcode) &&
	    !(is_float_op(opcode) && select_is_float(type)))
		return false;
	if (select_mad(selection, inst))
		return true;
	a = select_parts(selection, LLVMGetOperand(inst, 0));
	b = select_parts(selection, LLVMGetOperand(inst, 1));
	result.count = a.count;
	for (unsigned k = 0; k < select_elements(type); k++)
		if (is_float_op(opcode))
			result.part[k] = float_op(selection, opcode, a.part[k],
						  b.part[k]);
		else
			select_set_scalar(
				&result, width, k,
				select_integer(selection, opcode, width,
					       select_scalar(&a, width, k),
					       select_scalar(&b, width, k)));
	select_define(selection, inst, &result);
	return true;
}

/* --- Comparisons ---------------------------------------------------------- */

/* The result is 0 or -1. `swap`: of the operands; `invert`: of the result. */
struct comparison {
	enum evg_alu_op op;
	bool swap, invert;
};

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

/* Without NaNs numbers are always ordered. */
static LLVMRealPredicate ordered(LLVMRealPredicate predicate)
{
	switch (predicate) {
	case LLVMRealUEQ:
		return LLVMRealOEQ;
	case LLVMRealULT:
		return LLVMRealOLT;
	case LLVMRealULE:
		return LLVMRealOLE;
	case LLVMRealUGT:
		return LLVMRealOGT;
	case LLVMRealUGE:
		return LLVMRealOGE;
	case LLVMRealONE:
		return LLVMRealUNE;
	case LLVMRealORD:
		return LLVMRealPredicateTrue;
	case LLVMRealUNO:
		return LLVMRealPredicateFalse;
	default:
		return predicate;
	}
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

static bool select_comparison(struct selection *selection, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
	bool is_integer = LLVMGetInstructionOpcode(inst) == LLVMICmp;
	unsigned width = select_width(type);
	struct parts a, b, result = { .count = select_elements(type) };
	LLVMRealPredicate predicate = LLVMRealPredicateFalse;

	if (!is_integer && !select_is_float(type))
		return false;
	if (!is_integer)
		predicate = LLVMGetFCmpPredicate(inst);
	if (select_may(selection, PERMIT_NO_NANS))
		predicate = ordered(predicate);
	a = select_parts(selection, LLVMGetOperand(inst, 0));
	b = select_parts(selection, LLVMGetOperand(inst, 1));
	for (unsigned k = 0; k < result.count; k++) {
		struct comparison comparison;

		if (is_integer)
			result.part[k] = select_compare(
				selection, LLVMGetICmpPredicate(inst), width,
				select_scalar(&a, width, k),
				select_scalar(&b, width, k));
		else if (compare_floats(predicate, &comparison))
			result.part[k] = compare(selection, &comparison,
						 a.part[k], b.part[k]);
		else
			result.part[k] = compare_twice(selection, predicate,
						       a.part[k], b.part[k]);
	}
	select_define(selection, inst, &result);
	return true;
}

/* --- Choices --------------------------------------------------------------- */

static void select_choice(struct selection *selection, LLVMValueRef inst)
{
	struct parts condition =
		select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts yes = select_parts(selection, LLVMGetOperand(inst, 1));
	struct parts no = select_parts(selection, LLVMGetOperand(inst, 2));
	unsigned each = yes.count / select_elements(LLVMTypeOf(inst));
	struct parts result = { .count = yes.count };

	for (unsigned k = 0; k < yes.count; k++)
		result.part[k] = select_either(
			selection,
			condition.part[condition.count == 1 ? 0 : k / each],
			yes.part[k], no.part[k]);
	select_define(selection, inst, &result);
}

/* Whether an instruction does more with integers of more than 64 bits than to
 * pass their dwords on. */
static bool is_long(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMBitCast:
	case LLVMSelect:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
		return false;
	default:
		return select_is_long(LLVMTypeOf(inst)) ||
		       select_is_long(LLVMTypeOf(LLVMGetOperand(inst, 0)));
	}
}

bool select_arithmetic(struct selection *selection, LLVMValueRef inst)
{
	if (!select_count(LLVMTypeOf(inst)))
		return false;
	if (is_long(inst))
		return select_long(selection, inst);
	if (double_arithmetic(selection, inst) ||
	    double_comparison(selection, inst) ||
	    double_conversion(selection, inst))
		return true;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMICmp:
	case LLVMFCmp:
		return select_comparison(selection, inst);
	case LLVMSelect:
		select_choice(selection, inst);
		return true;
	case LLVMBitCast:
		return select_count(LLVMTypeOf(LLVMGetOperand(inst, 0))) &&
		       select_cast(selection, inst);
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMTrunc:
	case LLVMUIToFP:
	case LLVMSIToFP:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMFNeg:
	case LLVMFPExt:
	case LLVMFPTrunc:
		return select_count(LLVMTypeOf(LLVMGetOperand(inst, 0))) &&
		       select_conversion(selection, inst);
	case LLVMExtractElement:
		select_extract(selection, inst);
		return true;
	case LLVMInsertElement:
		select_insert(selection, inst);
		return true;
	case LLVMShuffleVector:
		select_shuffle(selection, inst);
		return true;
	case LLVMExtractValue:
		if (select_argument_member(selection, inst))
			return true;
		select_member_value(selection, inst);
		return true;
	case LLVMInsertValue:
		select_member_value(selection, inst);
		return true;
	default:
		return select_binary(selection, inst);
	}
}
