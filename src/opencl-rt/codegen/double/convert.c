/* Doubles to and from other numbers. */
#include "opencl-rt/codegen/double/double.h"

/* High dwords of numbers made from an integer's bits: 2^52 + u has the low
 * dword u; 2^84 + 2^32 u likewise. */
enum { HIGH_2_52 = 0x43300000, HIGH_2_84 = 0x45300000 };

/* The least normal single, 2^-126. */
enum { LEAST_NORMAL = 0x00800000 };
/* The least double that rounds to it. */
static const double least_to_normal = 0x1.fffffep-127;

static const uint32_t sign_bit = 0x80000000;

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

/* --- From integers -------------------------------------------------------- */

/* Its bits as the low dword of 2^52 + u, less 2^52. With a sign the bits of
 * u = s + 2^31 are those of s with the first one turned. */
static struct scalar from_dword(struct selection *selection,
				struct machine_source value, bool is_signed)
{
	struct scalar number = { value, select_number(HIGH_2_52) };

	if (is_signed)
		number.low = op2(selection, EVG_ALU_XOR_INT, value,
				 select_number(sign_bit));
	return double_add(selection, number,
			  double_number(is_signed ? -0x1.000008p52
						  : -0x1p52));
}

/* Both halves of 64 bits so; only the last addition rounds. */
static struct scalar from_wide(struct selection *selection, struct scalar value,
			       bool is_signed)
{
	struct scalar high = { value.high, select_number(HIGH_2_84) };
	struct scalar low = { value.low, select_number(HIGH_2_52) };

	if (is_signed)
		high.low = op2(selection, EVG_ALU_XOR_INT, value.high,
			       select_number(sign_bit));
	high = double_add(selection, high,
			  double_number(is_signed ? -0x1.00000801p84
						  : -0x1.00000001p84));
	return double_add(selection, high, low);
}

static struct scalar from_integer(struct selection *selection, unsigned width,
				  struct scalar value, bool is_signed)
{
	value = select_extend(selection, width, value, is_signed);
	return width > SELECT_DWORD
		       ? from_wide(selection, value, is_signed)
		       : from_dword(selection, value.low, is_signed);
}

/* --- To integers ---------------------------------------------------------- */

/* Adding 2^52 rounds a number from 0 up to, but not, 2^32 to an integer in the low
 * dword; where that was up, `is_above` is -1. */
static struct machine_source nearest_dword(struct selection *selection,
					   struct scalar a,
					   struct machine_source *is_above)
{
	struct scalar sum = double_add(selection, a, double_number(0x1p52));
	struct scalar rounded =
		double_add(selection, sum, double_number(-0x1p52));

	*is_above = double_test(selection, EVG_ALU_SETGT_64, rounded, a);
	return sum.low;
}

static struct machine_source floor_dword(struct selection *selection,
					 struct scalar a)
{
	struct machine_source is_above;
	struct machine_source nearest = nearest_dword(selection, a, &is_above);

	return op2(selection, EVG_ALU_ADD_INT, nearest, is_above);
}

static struct scalar magnitude(struct scalar a)
{
	a.high.absolute = true;
	a.high.negate = false;
	return a;
}

/* -1 of negative numbers. */
static struct machine_source sign_mask(struct selection *selection,
				       struct scalar a)
{
	return op2(selection, EVG_ALU_ASHR_INT, a.high, select_number(31));
}

/* Unsigned numbers, too: what is above -1 is 0. Both numbers that it can be are
 * ready when the test is: n and n - 1 or, with ~n = -n - 1, -n and -(n - 1). */
static struct machine_source to_dword(struct selection *selection,
				      struct scalar a)
{
	struct machine_source is_above, nearest, sign, one_less;

	nearest = nearest_dword(selection, magnitude(a), &is_above);
	sign = sign_mask(selection, a);
	one_less = select_op3(selection, EVG_ALU_CNDE_INT, sign,
			      select_number(UINT32_MAX), select_number(2));
	nearest = op2(selection, EVG_ALU_XOR_INT, nearest, sign);
	one_less = op2(selection, EVG_ALU_ADD_INT, nearest, one_less);
	nearest = op2(selection, EVG_ALU_SUB_INT, nearest, sign);
	return select_op3(selection, EVG_ALU_CNDE_INT, is_above, nearest,
			  one_less);
}

/* The high dword is floor(a / 2^32), the low one that of the exact rest. */
static struct scalar to_wide(struct selection *selection, struct scalar a)
{
	const struct scalar parts[] = { magnitude(a), double_number(0x1p-32) };
	struct scalar positive = magnitude(a), number, rest[3];

	number.high = floor_dword(selection,
				  double_operation(selection, EVG_ALU_MUL_64, 2,
						   parts));
	/* Operations with three operands have no magnitudes. */
	rest[0] = from_dword(selection, number.high, false);
	rest[1] = double_number(-0x1p32);
	rest[2] = double_settled(selection, positive);
	number.low = floor_dword(selection,
				 double_operation(selection, EVG_ALU_FMA_64, 3,
						  rest));
	return wide_negate_if(selection, number, sign_mask(selection, a));
}

/* --- Singles -------------------------------------------------------------- */

static struct scalar from_single(struct selection *selection,
				 struct machine_source single)
{
	const struct scalar operand = { select_number(0), single };

	return double_operation(selection, EVG_ALU_FLT32_TO_FLT64, 1, &operand);
}

/* The instruction makes 0 of some numbers whose nearest single is the least
 * normal one. Of their size and all above no result is less than that. */
static struct machine_source to_single(struct selection *selection,
				       struct scalar a)
{
	struct machine_source result = double_test(
		selection, EVG_ALU_FLT64_TO_FLT32, a, a);
	struct machine_source least = double_test(
		selection, EVG_ALU_SETGE_64, magnitude(a),
		double_number(least_to_normal));
	struct machine_source size = op2(selection, EVG_ALU_AND_INT, result,
					 select_number(~sign_bit));

	least = op2(selection, EVG_ALU_AND_INT, least,
		    select_number(LEAST_NORMAL));
	size = op2(selection, EVG_ALU_MAX_UINT, size, least);
	return select_op3(selection, EVG_ALU_BFI_INT, select_number(~sign_bit),
			  size, result);
}

/* --- Instructions --------------------------------------------------------- */

static struct scalar convert(struct selection *selection, LLVMOpcode opcode,
			     unsigned from, unsigned width, struct scalar a)
{
	struct scalar result = { select_number(0), select_number(0) };

	switch (opcode) {
	case LLVMUIToFP:
	case LLVMSIToFP:
		return from_integer(selection, from, a, opcode == LLVMSIToFP);
	case LLVMFPToUI:
	case LLVMFPToSI:
		if (width > SELECT_DWORD)
			return to_wide(selection, a);
		result.low = to_dword(selection, a);
		return result;
	case LLVMFPExt:
		if (from < SELECT_DWORD)
			a.low = select_op1(selection, EVG_ALU_FLT16_TO_FLT32,
					   a.low);
		return from_single(selection, a.low);
	default: /* LLVMFPTrunc */
		result.low = to_single(selection, a);
		return result;
	}
}

static bool is_convertible(LLVMOpcode opcode, LLVMTypeRef from, LLVMTypeRef to)
{
	switch (opcode) {
	case LLVMUIToFP:
	case LLVMSIToFP:
		return double_is_type(to);
	case LLVMFPToUI:
	case LLVMFPToSI:
		return double_is_type(from) && select_width(to) > 1;
	case LLVMFPExt:
		return double_is_type(to);
	case LLVMFPTrunc:
		return double_is_type(from) && select_is_float(to);
	default:
		return false;
	}
}

bool double_conversion(struct selection *selection, LLVMValueRef inst)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
	LLVMTypeRef to = LLVMTypeOf(inst);
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	struct parts parts, result = { .count = select_count(to) };

	if (!is_convertible(opcode, from, to) || !result.count)
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
