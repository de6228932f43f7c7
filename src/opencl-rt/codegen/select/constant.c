/* Constants, and expressions of them, such as the distance of two variables. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/codegen/select/select.h"

/* A half holds the number exactly: the numbers below 2^-14 are multiples of
 * 2^-24. */
static uint16_t half_bits(double number)
{
	float single = (float)number, magnitude;
	uint32_t bits, sign;

	memcpy(&bits, &single, sizeof bits);
	sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	if (bits >= 0x7f800000) /* infinite, or no number */
		return (uint16_t)(sign | 0x7c00 | (bits >> 13 & 0x3ff));
	if (bits >= 0x38800000)
		return (uint16_t)(sign | (bits - 0x38000000) >> 13);
	memcpy(&magnitude, &bits, sizeof magnitude);
	return (uint16_t)(sign | (uint32_t)(magnitude * 0x1p24f));
}

bool select_known_bits(LLVMValueRef value, uint64_t *bits)
{
	LLVMBool lost;
	double number;
	float single;

	*bits = 0;
	if (LLVMIsNull(value) || LLVMIsAUndefValue(value))
		return true;
	if (LLVMIsAConstantInt(value) && !select_is_long(LLVMTypeOf(value))) {
		*bits = LLVMConstIntGetZExtValue(value);
		return true;
	}
	if (!LLVMIsAConstantFP(value))
		return false;
	number = LLVMConstRealGetDouble(value, &lost);
	single = (float)number;
	switch (LLVMGetTypeKind(LLVMTypeOf(value))) {
	case LLVMHalfTypeKind:
		*bits = half_bits(number);
		return true;
	case LLVMFloatTypeKind:
		memcpy(bits, &single, sizeof single);
		return true;
	case LLVMDoubleTypeKind:
		memcpy(bits, &number, sizeof number);
		return true;
	default:
		return false;
	}
}

/* An integer of any width: LLVM gives its digits. */
static void add_long(LLVMValueRef value, struct parts *parts)
{
	unsigned count = select_count(LLVMTypeOf(value));
	char *text = LLVMPrintValueToString(value);
	const char *digit = strchr(text, ' ') + 1;
	bool negative = *digit == '-';
	uint32_t dwords[SELECT_PARTS] = { 0 };
	uint64_t carry;

	for (digit += negative; *digit; digit++) {
		carry = (uint64_t)(*digit - '0');
		for (unsigned k = 0; k < count; k++) {
			carry += dwords[k] * UINT64_C(10);
			dwords[k] = (uint32_t)carry;
			carry >>= SELECT_DWORD;
		}
	}
	LLVMDisposeMessage(text);
	carry = 1;
	for (unsigned k = 0; k < count; k++) {
		if (negative)
			carry += (uint32_t)~dwords[k];
		parts->part[parts->count++] = select_number(
			negative ? (uint32_t)carry : dwords[k]);
		carry >>= SELECT_DWORD;
	}
}

static void add_constant(struct selection *selection, LLVMValueRef value,
			 struct parts *parts)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned count = 0;
	uint64_t bits;

	if (LLVMIsAUndefValue(value) || LLVMIsNull(value)) {
		for (count = select_count(type); count; count--)
			parts->part[parts->count++] = select_number(0);
		return;
	}
	if (kind == LLVMVectorTypeKind)
		count = LLVMGetVectorSize(type);
	else if (select_has_members(type))
		count = select_members(type);
	for (unsigned i = 0; i < count; i++)
		add_constant(selection, LLVMGetAggregateElement(value, i),
			     parts);
	if (count)
		return;
	if (LLVMIsAConstantExpr(value) || LLVMIsAGlobalValue(value)) {
		struct parts inner = select_parts(selection, value);

		for (unsigned i = 0; i < inner.count; i++)
			parts->part[parts->count++] = inner.part[i];
		return;
	}
	if (LLVMIsAConstantInt(value) && select_is_long(type)) {
		add_long(value, parts);
		return;
	}
	if (!select_known_bits(value, &bits))
		select_refuse(selection, NULL, "a constant of its kind");
	if (select_width(type) == 1)
		bits = bits ? 0xffffffff : 0;
	parts->part[parts->count++] = select_number((uint32_t)bits);
	if (select_width(type) > SELECT_DWORD)
		parts->part[parts->count++] =
			select_number((uint32_t)(bits >> SELECT_DWORD));
}

struct parts select_constant_value(struct selection *selection,
				   LLVMValueRef value)
{
	struct parts parts = { .count = 0 };

	add_constant(selection, value, &parts);
	return parts;
}

/* --- Expressions ---------------------------------------------------------- */

/* Of numbers; the operands have been selected. */
static bool select_number_expression(struct selection *selection,
				     LLVMValueRef value,
				     const struct parts *operands,
				     struct scalar *result)
{
	LLVMOpcode opcode = LLVMGetConstOpcode(value);
	unsigned width = select_width(LLVMTypeOf(value));
	unsigned from = select_width(LLVMTypeOf(LLVMGetOperand(value, 0)));
	struct scalar a = select_scalar(&operands[0], from, 0), b = a;

	if (LLVMGetNumOperands(value) > 1)
		b = select_scalar(&operands[1], from, 0);
	switch (opcode) {
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMAddrSpaceCast:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
		*result = select_resize(selection, from, width, a,
					opcode == LLVMSExt);
		return true;
	case LLVMICmp:
		result->low = select_compare(selection,
					     LLVMGetICmpPredicate(value), from,
					     a, b);
		return true;
	default:
		if (!select_is_integer_op(opcode))
			return false;
		*result = select_integer(selection, opcode, width, a, b);
		return true;
	}
}

bool select_expression(struct selection *selection, LLVMValueRef value,
		       struct parts *parts)
{
	enum { OPERANDS = 3 };
	struct parts operands[OPERANDS];
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMOpcode opcode = LLVMGetConstOpcode(value);
	struct scalar result;
	int count = LLVMGetNumOperands(value);

	if (!count || count > OPERANDS)
		return false;
	for (int k = 0; k < count; k++) {
		LLVMTypeRef own = LLVMTypeOf(LLVMGetOperand(value,
							    (unsigned)k));

		if (select_elements(own) > 1 || select_is_long(own))
			return false;
		operands[k] = select_parts(selection,
					   LLVMGetOperand(value, (unsigned)k));
	}
	if (opcode == LLVMSelect) {
		*parts = operands[1];
		for (unsigned k = 0; k < parts->count; k++)
			parts->part[k] = select_either(
				selection, operands[0].part[0],
				operands[1].part[k], operands[2].part[k]);
		return true;
	}
	parts->count = select_count(type);
	if (opcode == LLVMBitCast) {
		*parts = operands[0];
		return select_same_bits(
			selection, LLVMTypeOf(LLVMGetOperand(value, 0)), type,
			parts);
	}
	if (select_elements(type) > 1 || select_is_long(type) ||
	    !select_number_expression(selection, value, operands, &result))
		return false;
	select_set_scalar(parts, select_width(type), 0, result);
	return true;
}
