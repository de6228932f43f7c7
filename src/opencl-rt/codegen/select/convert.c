/* Conversions from one type to another. */
#include "opencl-rt/codegen/select/select.h"

bool select_is_float(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

static struct scalar single(struct machine_source low)
{
	return (struct scalar){ low, select_number(0) };
}

struct scalar select_resize(struct selection *selection, unsigned from,
			    unsigned width, struct scalar a, bool is_signed)
{
	if (width == 1)
		return single(select_op3(selection, EVG_ALU_BFE_INT, a.low,
					 select_number(0), select_number(1)));
	if (width <= from)
		return a;
	a = select_extend(selection, from, a, is_signed);
	if (from <= SELECT_DWORD && width > SELECT_DWORD)
		a.high = is_signed ? select_op2(selection, EVG_ALU_ASHR_INT,
						a.low, select_number(31))
				   : select_number(0);
	return a;
}

static struct machine_source to_float(struct selection *selection,
				      unsigned from, struct scalar a,
				      bool is_signed)
{
	a = select_extend(selection, from, a, is_signed);
	if (from > SELECT_DWORD)
		return wide_to_float(selection, a, is_signed);
	return select_op1(selection,
			  is_signed ? EVG_ALU_INT_TO_FLT : EVG_ALU_UINT_TO_FLT,
			  a.low);
}

/* What is out of a narrow integer's range is undefined: the low bits of the
 * conversion to int are what processors give. */
static struct scalar from_float(struct selection *selection, unsigned width,
				struct machine_source a, bool is_signed)
{
	if (width > SELECT_DWORD)
		return wide_from_float(selection, a, is_signed);
	return single(select_op1(
		selection,
		is_signed || width < SELECT_DWORD ? EVG_ALU_FLT_TO_INT
						  : EVG_ALU_FLT_TO_UINT,
		select_op1(selection, EVG_ALU_TRUNC, a)));
}

/* A number of `from` bits to one of `width`. */
static struct scalar convert(struct selection *selection, LLVMOpcode opcode,
			     unsigned from, unsigned width, struct scalar a)
{
	switch (opcode) {
	case LLVMZExt:
	case LLVMTrunc:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return select_resize(selection, from, width, a, false);
	case LLVMSExt:
		return select_resize(selection, from, width, a, true);
	case LLVMUIToFP:
	case LLVMSIToFP:
		return single(to_float(selection, from, a,
				       opcode == LLVMSIToFP));
	case LLVMFPToUI:
	case LLVMFPToSI:
		return from_float(selection, width, a.low,
				  opcode == LLVMFPToSI);
	case LLVMFNeg:
		a.low.negate ^= true;
		return single(select_op1(selection, EVG_ALU_MOV, a.low));
	case LLVMFPTrunc: /* to a half */
		return single(select_op1(selection, EVG_ALU_FLT32_TO_FLT16,
					 a.low));
	case LLVMFPExt: /* of a half */
		return single(select_op1(selection, EVG_ALU_FLT16_TO_FLT32,
					 a.low));
	default:
		return a;
	}
}

static bool is_convertible(LLVMOpcode opcode, LLVMTypeRef from, LLVMTypeRef to)
{
	switch (opcode) {
	case LLVMUIToFP:
	case LLVMSIToFP:
		return select_is_float(to);
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMFNeg:
		return select_is_float(from) && select_width(to) > 1;
	case LLVMFPExt:
		return select_is_float(to) && select_width(from) == 16;
	case LLVMFPTrunc:
		return select_is_float(from) && select_width(to) == 16;
	default:
		return true;
	}
}

bool select_conversion(struct selection *selection, LLVMValueRef inst)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
	LLVMTypeRef to = LLVMTypeOf(inst);
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	struct parts parts, result = { .count = select_count(to) };

	if (!is_convertible(opcode, from, to))
		return false;
	parts = select_parts(selection, LLVMGetOperand(inst, 0));
	for (unsigned k = 0; k < select_elements(to); k++)
		select_set_scalar(
			&result, select_width(to), k,
			convert(selection, opcode, select_width(from),
				select_width(to),
				select_scalar(&parts, select_width(from), k)));
	select_define(selection, inst, &result);
	return true;
}

/* The same bits as another type. */
bool select_cast(struct selection *selection, LLVMValueRef inst)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
	LLVMTypeRef to = LLVMTypeOf(inst);
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));

	if (!select_same_bits(selection, from, to, &parts))
		return false;
	select_define(selection, inst, &parts);
	return true;
}
