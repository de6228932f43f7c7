/* Division. The device has reciprocals only. */
#include "opencl-rt/codegen/divisor/divisor.h"
#include "opencl-rt/codegen/select/select.h"

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

struct quotient {
	struct scalar quotient, rest;
};

/* --- 32 bits -------------------------------------------------------------- */

/* One more, where the rest still holds a divisor. */
static void correct(struct selection *selection, struct quotient *result,
		    struct machine_source divisor)
{
	struct machine_source more = op2(selection, EVG_ALU_SETGE_UINT,
					 result->rest.low, divisor);

	/* -1 where there is more. */
	result->quotient.low = op2(selection, EVG_ALU_SUB_INT,
				   result->quotient.low, more);
	result->rest.low = op2(selection, EVG_ALU_SUB_INT, result->rest.low,
			       op2(selection, EVG_ALU_AND_INT, divisor, more));
}

/* The reciprocal times 2^32, at most what it really is: the float's error is
 * below what 0x4f7ffffe, a little less than 2^32, takes off. One step of
 * Newton's method makes it so exact that the quotient is at most two too
 * small. */
static struct quotient divide(struct selection *selection,
			      struct machine_source a,
			      struct machine_source divisor)
{
	struct quotient result = { { select_number(0), select_number(0) },
				   { select_number(0), select_number(0) } };
	struct machine_source inverse, error;

	inverse = select_op1(selection, EVG_ALU_UINT_TO_FLT, divisor);
	inverse = select_op1(selection, EVG_ALU_RECIP_IEEE, inverse);
	inverse = op2(selection, EVG_ALU_MUL_IEEE, inverse,
		      select_number(0x4f7ffffe));
	inverse = select_op1(selection, EVG_ALU_TRUNC, inverse);
	inverse = select_op1(selection, EVG_ALU_FLT_TO_UINT, inverse);
	error = op2(selection, EVG_ALU_MULLO_INT, inverse, divisor);
	error = op2(selection, EVG_ALU_SUB_INT, select_number(0), error);
	error = op2(selection, EVG_ALU_MULHI_UINT, inverse, error);
	inverse = op2(selection, EVG_ALU_ADD_INT, inverse, error);
	result.quotient.low = op2(selection, EVG_ALU_MULHI_UINT, a, inverse);
	result.rest.low = op2(selection, EVG_ALU_SUB_INT, a,
			      op2(selection, EVG_ALU_MULLO_INT,
				  result.quotient.low, divisor));
	correct(selection, &result, divisor);
	correct(selection, &result, divisor);
	return result;
}

/* --- 64 bits -------------------------------------------------------------- */

/* A register that is written more than once. */
static struct machine_source variable(struct selection *selection,
				      struct machine_source first)
{
	int reg = machine_register(&selection->machine);

	select_copy(selection, reg, first);
	return select_register(reg);
}

/* The next bit of the quotient: the rest takes one from `low`, which takes the
 * quotient's from the right. */
static void add_bit(struct selection *selection, struct machine_source low,
		    struct scalar rest, struct scalar divisor)
{
	const struct machine_source one = select_number(1);
	struct scalar next, less;
	struct machine_source enough;

	next.high = select_op3(selection, EVG_ALU_BIT_ALIGN_INT, rest.high,
			       rest.low, select_number(31));
	next.low = select_op3(selection, EVG_ALU_BIT_ALIGN_INT, rest.low, low,
			      select_number(31));
	enough = wide_compare(selection, LLVMIntUGE, next, divisor);
	less = wide_operation(selection, LLVMSub, next, divisor);
	next = select_choose(selection, enough, less, next);
	enough = op2(selection, EVG_ALU_SUB_INT,
		     op2(selection, EVG_ALU_LSHL_INT, low, one), enough);
	select_copy(selection, rest.low.reg, next.low);
	select_copy(selection, rest.high.reg, next.high);
	select_copy(selection, low.reg, enough);
}

/* The high dword as a number of its own, the low one bit by bit. A divisor of
 * more than 32 bits leaves the whole high dword as the rest. */
static struct quotient divide_wide(struct selection *selection, struct scalar a,
				   struct scalar divisor)
{
	struct quotient upper, result;
	struct machine_source low, count;
	struct scalar rest;
	struct machine_inst *inst;

	divisor.low = select_in_register(selection, divisor.low);
	divisor.high = select_in_register(selection, divisor.high);
	upper = divide(selection, a.high, divisor.low);
	result.quotient.high = select_either(selection, divisor.high,
					     select_number(0),
					     upper.quotient.low);
	rest.low = variable(selection,
			    select_either(selection, divisor.high, a.high,
					  upper.rest.low));
	rest.high = variable(selection, select_number(0));
	low = variable(selection, a.low);
	count = variable(selection, select_number(32));
	select_flow(selection, MACHINE_LOOP);
	add_bit(selection, low, rest, divisor);
	select_copy(selection, count.reg,
		    op2(selection, EVG_ALU_ADD_INT, count,
			select_number(0xffffffff)));
	inst = select_flow(selection, MACHINE_BREAK);
	inst->op = EVG_ALU_PRED_SETNE_INT;
	inst->source[0] = count;
	inst->source[1] = select_number(0);
	inst->source_count = 2;
	select_flow(selection, MACHINE_END_LOOP);
	result.quotient.low = low;
	result.rest = rest;
	return result;
}

/* --- Signs ---------------------------------------------------------------- */

static struct machine_source sign_of(struct selection *selection, bool is_wide,
				     const struct scalar *a)
{
	return op2(selection, EVG_ALU_ASHR_INT, is_wide ? a->high : a->low,
		   select_number(31));
}

/* mask = -1: -a; 0: a. */
static struct scalar negate_if(struct selection *selection, bool is_wide,
			       struct scalar a, struct machine_source mask)
{
	if (is_wide)
		return wide_negate_if(selection, a, mask);
	a.low = op2(selection, EVG_ALU_SUB_INT,
		    op2(selection, EVG_ALU_XOR_INT, a.low, mask), mask);
	return a;
}

struct scalar select_divide(struct selection *selection, LLVMOpcode opcode,
			    bool is_wide, struct scalar a, struct scalar b)
{
	bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
	struct machine_source sign = select_number(0), other = sign;
	struct quotient result;
	uint32_t known;

	if (!is_wide && select_is_number(&b.low, &known) &&
	    divisor_quotient(selection, is_signed, a.low, known,
			     &result.quotient.low)) {
		result.quotient.high = select_number(0);
		if (opcode == LLVMURem || opcode == LLVMSRem)
			result.quotient.low = op2(
				selection, EVG_ALU_SUB_INT, a.low,
				op2(selection, EVG_ALU_MULLO_INT,
				    result.quotient.low, b.low));
		return result.quotient;
	}
	if (is_signed) {
		sign = sign_of(selection, is_wide, &a);
		other = sign_of(selection, is_wide, &b);
		a = negate_if(selection, is_wide, a, sign);
		b = negate_if(selection, is_wide, b, other);
	}
	result = is_wide ? divide_wide(selection, a, b)
			 : divide(selection, a.low, b.low);
	if (opcode == LLVMUDiv)
		return result.quotient;
	if (opcode == LLVMURem)
		return result.rest;
	/* The rest has the sign of what is divided. */
	if (opcode == LLVMSRem)
		return negate_if(selection, is_wide, result.rest, sign);
	return negate_if(selection, is_wide, result.quotient,
			 op2(selection, EVG_ALU_XOR_INT, sign, other));
}

/* --- Floats --------------------------------------------------------------- */

/* The reciprocal of a number above 2^126 is below the normal numbers, which
 * are 0 here: numbers above 2^96 are divided in two steps, unless the build
 * options permit less. */
struct machine_source select_quotient(struct selection *selection,
				      struct machine_source a,
				      struct machine_source b)
{
	static const uint32_t large = 0x6f800000, scale = 0x2f800000;
	struct machine_source magnitude = b, is_large, factor, inverse;
	uint32_t number;

	if (select_may(selection, PERMIT_APPROXIMATE) ||
	    (select_is_number(&b, &number) && (number & 0x7fffffff) <= large))
		return op2(selection, EVG_ALU_MUL_IEEE, a,
			   select_op1(selection, EVG_ALU_RECIP_IEEE, b));
	magnitude.absolute = true;
	magnitude.negate = false;
	is_large = op2(selection, EVG_ALU_SETGT_DX10, magnitude,
		       select_number(large));
	factor = select_either(selection, is_large, select_number(scale),
			       select_number(0x3f800000));
	inverse = select_op1(selection, EVG_ALU_RECIP_IEEE,
			     op2(selection, EVG_ALU_MUL_IEEE, b, factor));
	return op2(selection, EVG_ALU_MUL_IEEE,
		   op2(selection, EVG_ALU_MUL_IEEE, a, inverse), factor);
}
