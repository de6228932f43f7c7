/* Integers of 64 bits in two dwords. */
#include "opencl-rt/codegen/select/select.h"

enum { EXPONENT = 23 }; /* where a float has it */

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

static bool is_zero(const struct machine_source *source)
{
	uint32_t number;

	return select_is_number(source, &number) && !number;
}

/* --- Sums, products, bits ------------------------------------------------- */

static struct scalar add(struct selection *selection, struct scalar a,
			 struct scalar b)
{
	struct scalar sum = {
		.low = op2(selection, EVG_ALU_ADD_INT, a.low, b.low),
		.high = op2(selection, EVG_ALU_ADD_INT, a.high, b.high),
	};

	if (!is_zero(&a.low) && !is_zero(&b.low))
		sum.high = op2(selection, EVG_ALU_ADD_INT, sum.high,
			       op2(selection, EVG_ALU_ADDC_UINT, a.low,
				   b.low));
	return sum;
}

static struct scalar subtract(struct selection *selection, struct scalar a,
			      struct scalar b)
{
	struct scalar rest = {
		.low = op2(selection, EVG_ALU_SUB_INT, a.low, b.low),
		.high = op2(selection, EVG_ALU_SUB_INT, a.high, b.high),
	};

	if (!is_zero(&b.low))
		rest.high = op2(selection, EVG_ALU_SUB_INT, rest.high,
				op2(selection, EVG_ALU_SUBB_UINT, a.low,
				    b.low));
	return rest;
}

static struct scalar multiply(struct selection *selection, struct scalar a,
			      struct scalar b)
{
	struct scalar product = {
		.low = op2(selection, EVG_ALU_MULLO_INT, a.low, b.low),
		.high = op2(selection, EVG_ALU_MULHI_UINT, a.low, b.low),
	};

	if (!is_zero(&a.low) && !is_zero(&b.high))
		product.high = op2(selection, EVG_ALU_ADD_INT, product.high,
				   op2(selection, EVG_ALU_MULLO_INT, a.low,
				       b.high));
	if (!is_zero(&a.high) && !is_zero(&b.low))
		product.high = op2(selection, EVG_ALU_ADD_INT, product.high,
				   op2(selection, EVG_ALU_MULLO_INT, a.high,
				       b.low));
	return product;
}

struct scalar wide_operation(struct selection *selection, LLVMOpcode opcode,
			     struct scalar a, struct scalar b)
{
	enum evg_alu_op op = EVG_ALU_AND_INT;

	switch (opcode) {
	case LLVMAdd:
		return add(selection, a, b);
	case LLVMSub:
		return subtract(selection, a, b);
	case LLVMMul:
		return multiply(selection, a, b);
	case LLVMOr:
		op = EVG_ALU_OR_INT;
		break;
	case LLVMXor:
		op = EVG_ALU_XOR_INT;
		break;
	default:
		break;
	}
	return (struct scalar){ op2(selection, op, a.low, b.low),
				op2(selection, op, a.high, b.high) };
}

struct scalar wide_negate_if(struct selection *selection, struct scalar a,
			     struct machine_source mask)
{
	const struct scalar both = { mask, mask };

	return subtract(selection,
			wide_operation(selection, LLVMXor, a, both), both);
}

/* --- Shifts --------------------------------------------------------------- */

static struct scalar shift_left(struct selection *selection, struct scalar a,
				struct machine_source count,
				struct machine_source far)
{
	struct machine_source near = op2(selection, EVG_ALU_AND_INT, count,
					 select_number(31));
	struct machine_source low =
		op2(selection, EVG_ALU_LSHL_INT, a.low, near);
	struct machine_source high;

	/* Both dwords to the right by 32 - count, which may be 32: by one and
	 * by 31 - count. */
	high = select_op3(selection, EVG_ALU_BIT_ALIGN_INT,
			  op2(selection, EVG_ALU_LSHR_INT, a.high,
			      select_number(1)),
			  select_op3(selection, EVG_ALU_BIT_ALIGN_INT, a.high,
				     a.low, select_number(1)),
			  select_op1(selection, EVG_ALU_NOT_INT, near));
	return (struct scalar){
		select_either(selection, far, select_number(0), low),
		select_either(selection, far, low, high),
	};
}

struct scalar wide_shift(struct selection *selection, LLVMOpcode opcode,
			 struct scalar a, struct machine_source count)
{
	enum evg_alu_op op = opcode == LLVMAShr ? EVG_ALU_ASHR_INT
						: EVG_ALU_LSHR_INT;
	struct machine_source far, near, low, high, above = select_number(0);
	uint32_t number;

	far = op2(selection, EVG_ALU_AND_INT, count, select_number(32));
	if (select_is_number(&count, &number)) {
		far = select_number(number & 32 ? 0xffffffff : 0);
		count = select_number(number & 31);
		if (number >= 32 && opcode == LLVMShl)
			return (struct scalar){
				select_number(0),
				op2(selection, EVG_ALU_LSHL_INT, a.low, count),
			};
		if (!(number & 63))
			return a;
		if (opcode == LLVMShl)
			return (struct scalar){
				op2(selection, EVG_ALU_LSHL_INT, a.low, count),
				select_op3(selection, EVG_ALU_BIT_ALIGN_INT,
					   a.high, a.low,
					   select_number(SELECT_DWORD -
							 number % SELECT_DWORD)),
			};
	}
	if (opcode == LLVMShl)
		return shift_left(selection, a, count, far);
	if (opcode == LLVMAShr)
		above = op2(selection, EVG_ALU_ASHR_INT, a.high,
			    select_number(31));
	if (select_is_number(&far, &number) && number)
		return (struct scalar){ op2(selection, op, a.high, count),
					above };
	near = op2(selection, EVG_ALU_AND_INT, count, select_number(31));
	low = select_op3(selection, EVG_ALU_BIT_ALIGN_INT, a.high, a.low, near);
	high = op2(selection, op, a.high, near);
	if (select_is_number(&far, &number))
		return (struct scalar){ low, high };
	return (struct scalar){ select_either(selection, far, high, low),
				select_either(selection, far, above, high) };
}

/* --- Comparisons ---------------------------------------------------------- */

struct machine_source wide_compare(struct selection *selection,
				   LLVMIntPredicate predicate,
				   struct scalar a, struct scalar b)
{
	struct machine_source differ =
		op2(selection, EVG_ALU_XOR_INT, a.high, b.high);
	LLVMIntPredicate low = predicate;
	const struct scalar above[] = { { a.high, select_number(0) },
					{ b.high, select_number(0) } };

	if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
		differ = op2(selection, EVG_ALU_OR_INT, differ,
			     op2(selection, EVG_ALU_XOR_INT, a.low, b.low));
		return op2(selection,
			   predicate == LLVMIntEQ ? EVG_ALU_SETE_INT
						  : EVG_ALU_SETNE_INT,
			   differ, select_number(0));
	}
	/* The low dwords have no sign. */
	if (predicate >= LLVMIntSGT)
		low = predicate - LLVMIntSGT + LLVMIntUGT;
	return select_either(selection, differ,
			     select_compare(selection, predicate, SELECT_DWORD,
					    above[0], above[1]),
			     select_compare(selection, low, SELECT_DWORD, a,
					    b));
}

/* --- Floats --------------------------------------------------------------- */

/* The leading one goes to bit 31 of the high dword. What lies below it counts
 * for rounding only as "something". */
struct machine_source wide_to_float(struct selection *selection,
				    struct scalar a, bool is_signed)
{
	struct machine_source sign =
		op2(selection, EVG_ALU_ASHR_INT, a.high, select_number(31));
	struct machine_source upper, lower, zeros, result, any;

	if (is_signed)
		a = wide_negate_if(selection, a, sign);
	upper = select_op1(selection, EVG_ALU_FFBH_UINT, a.high);
	lower = op2(selection, EVG_ALU_ADD_INT,
		    select_op1(selection, EVG_ALU_FFBH_UINT, a.low),
		    select_number(32));
	zeros = select_either(selection, a.high, upper, lower);
	any = op2(selection, EVG_ALU_OR_INT, a.low, a.high);
	a = wide_shift(selection, LLVMShl, a,
		       op2(selection, EVG_ALU_AND_INT, zeros,
			   select_number(63)));
	a.high = op2(selection, EVG_ALU_OR_INT, a.high,
		     op2(selection, EVG_ALU_AND_INT,
			 op2(selection, EVG_ALU_SETNE_INT, a.low,
			     select_number(0)),
			 select_number(1)));
	result = select_op1(selection, EVG_ALU_UINT_TO_FLT, a.high);
	/* Times 2^(32 - zeros). */
	zeros = op2(selection, EVG_ALU_LSHL_INT,
		    op2(selection, EVG_ALU_SUB_INT, select_number(32), zeros),
		    select_number(EXPONENT));
	result = op2(selection, EVG_ALU_ADD_INT, result, zeros);
	result = select_either(selection, any, result, select_number(0));
	if (!is_signed)
		return result;
	return op2(selection, EVG_ALU_OR_INT, result,
		   op2(selection, EVG_ALU_AND_INT, sign,
		       select_number(0x80000000)));
}

/* All steps are exact: a float has 24 bits. */
struct scalar wide_from_float(struct selection *selection,
			      struct machine_source a, bool is_signed)
{
	struct machine_source whole = select_op1(selection, EVG_ALU_TRUNC, a);
	struct machine_source magnitude = whole, high, low;
	struct scalar result;

	if (is_signed) {
		magnitude.absolute = true;
		magnitude = select_op1(selection, EVG_ALU_MOV, magnitude);
	}
	high = select_op1(selection, EVG_ALU_FLOOR,
			  op2(selection, EVG_ALU_MUL_IEEE, magnitude,
			      select_number(0x2f800000))); /* 2^-32 */
	low = select_op3(selection, EVG_ALU_MULADD_IEEE, high,
			 select_number(0xcf800000), magnitude); /* -2^32 */
	result.high = select_op1(selection, EVG_ALU_FLT_TO_UINT, high);
	result.low = select_op1(selection, EVG_ALU_FLT_TO_UINT, low);
	if (is_signed)
		result = wide_negate_if(selection, result,
					op2(selection, EVG_ALU_ASHR_INT, whole,
					    select_number(31)));
	return result;
}
