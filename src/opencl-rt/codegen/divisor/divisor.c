#include "opencl-rt/codegen/divisor/divisor.h"

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

static struct machine_source shift(struct selection *selection,
				   enum evg_alu_op op, struct machine_source a,
				   unsigned count)
{
	return count ? op2(selection, op, a, select_number(count)) : a;
}

/* The least power of two that is not below a divisor. */
static unsigned logarithm(uint32_t divisor)
{
	unsigned bits = 0;

	while (UINT64_C(1) << bits < divisor)
		bits++;
	return bits;
}

/* 2^(32 + bits) / divisor, rounded up; a divisor of as many bits has 33 of
 * them at most. */
static uint64_t reciprocal(uint32_t divisor, unsigned bits)
{
	uint64_t high = (UINT64_C(1) << bits) / divisor;
	uint64_t rest = (UINT64_C(1) << bits) % divisor;

	return (high << 32) + ((rest << 32) + divisor - 1) / divisor;
}

/* The reciprocal's error times any number stays below one unit while
 * reciprocal * divisor - 2^(32 + bits) <= 2^bits. */
static bool is_exact(uint32_t divisor, unsigned bits, uint64_t inverse)
{
	/* Both are the same above the 64 bits that this keeps. */
	uint64_t error = inverse * divisor - (UINT64_C(1) << 32 << bits);

	return error <= UINT64_C(1) << bits;
}

static struct machine_source of_unsigned(struct selection *selection,
					 struct machine_source a,
					 uint32_t divisor)
{
	unsigned most = logarithm(divisor);
	struct machine_source high, rest;
	uint64_t inverse;

	for (unsigned bits = 0; bits < most; bits++) {
		inverse = reciprocal(divisor, bits);
		if (inverse >> 32 || !is_exact(divisor, bits, inverse))
			continue;
		high = op2(selection, EVG_ALU_MULHI_UINT, a,
			   select_number((uint32_t)inverse));
		return shift(selection, EVG_ALU_LSHR_INT, high, bits);
	}
	/* 33 bits: the highest one is added by hand, without a carry. */
	inverse = reciprocal(divisor, most);
	high = op2(selection, EVG_ALU_MULHI_UINT, a,
		   select_number((uint32_t)inverse));
	rest = shift(selection, EVG_ALU_LSHR_INT,
		     op2(selection, EVG_ALU_SUB_INT, a, high), 1);
	return shift(selection, EVG_ALU_LSHR_INT,
		     op2(selection, EVG_ALU_ADD_INT, high, rest), most - 1);
}

/* Magnitudes have 31 bits, so a reciprocal of 32 bits always does; the device
 * takes it as negative, which adding the number makes good. */
static struct machine_source of_signed(struct selection *selection,
				       struct machine_source a,
				       int32_t divisor)
{
	uint32_t size = divisor < 0 ? 0 - (uint32_t)divisor : (uint32_t)divisor;
	unsigned bits = logarithm(size) - 1;
	uint64_t inverse = reciprocal(size, bits);
	struct machine_source quotient, sign;

	/* Powers of two: one more, since the product must not be below. */
	inverse += !(size & (size - 1));
	quotient = op2(selection, EVG_ALU_MULHI_INT, a,
		       select_number((uint32_t)inverse));
	if (inverse >> 31)
		quotient = op2(selection, EVG_ALU_ADD_INT, quotient, a);
	quotient = shift(selection, EVG_ALU_ASHR_INT, quotient, bits);
	/* Down becomes towards zero. */
	sign = op2(selection, EVG_ALU_ASHR_INT, a, select_number(31));
	return divisor < 0 ? op2(selection, EVG_ALU_SUB_INT, sign, quotient)
			   : op2(selection, EVG_ALU_SUB_INT, quotient, sign);
}

bool divisor_quotient(struct selection *selection, bool is_signed,
		      struct machine_source a, uint32_t divisor,
		      struct machine_source *quotient)
{
	if (divisor < 2 ||
	    (is_signed && (divisor == UINT32_MAX || divisor == 0x80000000)))
		return false;
	*quotient = is_signed ? of_signed(selection, a, (int32_t)divisor)
			      : of_unsigned(selection, a, divisor);
	return true;
}
