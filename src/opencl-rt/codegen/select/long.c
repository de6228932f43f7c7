/* Integers of more than 64 bits, which LLVM makes of vectors and structures:
 * everything but quotients. */
#include "opencl-rt/codegen/select/select.h"

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

/* Makes the bits above a number's own zeros, or signs. One bit in a dword above
 * others is no truth value, which would be 0 or -1. */
static void extend(struct selection *selection, unsigned width,
		   struct parts *parts, bool is_signed)
{
	struct machine_source *last = &parts->part[parts->count - 1];
	const struct scalar low = { *last, select_number(0) };
	const struct scalar high = { select_number(0), *last };

	if (width < SELECT_DWORD)
		*last = select_extend(selection, width, low, is_signed).low;
	else if (width % SELECT_DWORD)
		*last = select_extend(selection,
				      SELECT_DWORD + width % SELECT_DWORD,
				      high, is_signed)
				.high;
}

/* --- Shifts --------------------------------------------------------------- */

/* The dword at `place` and what is beyond the number's ends. */
static struct machine_source dword_at(const struct parts *parts, int place,
				      struct machine_source above)
{
	if (place < 0)
		return select_number(0);
	return place < (int)parts->count ? parts->part[place] : above;
}

/* To the right by so many bits; to the left by less than none. */
static struct parts shift_by(struct selection *selection,
			     const struct parts *parts, int count,
			     struct machine_source above)
{
	struct parts result = { .count = parts->count };
	int far = count >> 5;
	uint32_t near = (uint32_t)count & 31;

	for (int k = 0; k < (int)parts->count; k++) {
		struct machine_source low = dword_at(parts, k + far, above);
		struct machine_source high =
			dword_at(parts, k + far + 1, above);

		result.part[k] = near ? select_op3(selection,
						   EVG_ALU_BIT_ALIGN_INT, high,
						   low, select_number(near))
				      : low;
	}
	return result;
}

static struct parts shift(struct selection *selection, LLVMOpcode opcode,
			  unsigned width, struct parts a, struct parts count)
{
	int sign = opcode == LLVMShl ? -1 : 1;
	struct machine_source above = select_number(0);
	uint32_t number;

	if (opcode != LLVMShl)
		extend(selection, width, &a, opcode == LLVMAShr);
	if (opcode == LLVMAShr)
		above = op2(selection, EVG_ALU_ASHR_INT, a.part[a.count - 1],
			    select_number(31));
	if (select_is_number(&count.part[0], &number))
		return shift_by(selection, &a, sign * (int)(number % width),
				above);
	for (unsigned bit = 1; bit < width; bit *= 2) {
		struct parts moved = shift_by(selection, &a, sign * (int)bit,
					      above);
		struct machine_source moves =
			op2(selection, EVG_ALU_AND_INT, count.part[0],
			    select_number(bit));

		for (unsigned k = 0; k < a.count; k++)
			a.part[k] = select_either(selection, moves,
						  moved.part[k], a.part[k]);
	}
	return a;
}

/* --- Sums and comparisons ------------------------------------------------- */

/* a becomes the sum or difference; the carry or borrow behind it, 0 or 1. */
static struct machine_source add(struct selection *selection, bool adds,
				 struct parts *a, const struct parts *b)
{
	enum evg_alu_op op = adds ? EVG_ALU_ADD_INT : EVG_ALU_SUB_INT;
	enum evg_alu_op carry_op = adds ? EVG_ALU_ADDC_UINT
					: EVG_ALU_SUBB_UINT;
	struct machine_source carry = select_number(0);

	for (unsigned k = 0; k < a->count; k++) {
		struct machine_source sum =
			op2(selection, op, a->part[k], b->part[k]);
		struct machine_source first =
			op2(selection, carry_op, a->part[k], b->part[k]);
		struct machine_source second =
			op2(selection, carry_op, sum, carry);

		a->part[k] = op2(selection, op, sum, carry);
		carry = op2(selection, EVG_ALU_OR_INT, first, second);
	}
	return carry;
}

/* Adds to a dword; the carry, 0 or 1. */
static struct machine_source add_to(struct selection *selection,
				    struct machine_source *sum,
				    struct machine_source term)
{
	struct machine_source carry =
		op2(selection, EVG_ALU_ADDC_UINT, *sum, term);

	*sum = op2(selection, EVG_ALU_ADD_INT, *sum, term);
	return carry;
}

/* As by hand: each dword with each, as far as the number goes. */
static void multiply(struct selection *selection, struct parts *a,
		     const struct parts *b)
{
	struct parts product = { .count = a->count };
	uint32_t number;

	for (unsigned i = 0; i < a->count; i++)
		product.part[i] = select_number(0);
	for (unsigned i = 0; i < a->count; i++) {
		struct machine_source carry = select_number(0);

		for (unsigned j = 0; i + j < a->count; j++) {
			struct machine_source *sum = &product.part[i + j];
			struct machine_source over, high = select_number(0);

			if (!select_is_number(&b->part[j], &number) || number) {
				high = op2(selection, EVG_ALU_MULHI_UINT,
					   a->part[i], b->part[j]);
				over = add_to(selection, sum,
					      op2(selection, EVG_ALU_MULLO_INT,
						  a->part[i], b->part[j]));
				high = op2(selection, EVG_ALU_ADD_INT, high,
					   over);
			}
			over = add_to(selection, sum, carry);
			carry = op2(selection, EVG_ALU_ADD_INT, high, over);
		}
	}
	*a = product;
}

static struct machine_source differ(struct selection *selection,
				    const struct parts *a,
				    const struct parts *b)
{
	struct machine_source any = select_number(0);

	for (unsigned k = 0; k < a->count; k++)
		any = op2(selection, EVG_ALU_OR_INT, any,
			  op2(selection, EVG_ALU_XOR_INT, a->part[k],
			      b->part[k]));
	return any;
}

static const struct {
	LLVMIntPredicate predicate;
	bool swap, invert, is_signed;
} comparisons[] = {
	{ LLVMIntULT, false, false, false }, { LLVMIntUGT, true, false, false },
	{ LLVMIntUGE, false, true, false },  { LLVMIntULE, true, true, false },
	{ LLVMIntSLT, false, false, true },  { LLVMIntSGT, true, false, true },
	{ LLVMIntSGE, false, true, true },   { LLVMIntSLE, true, true, true },
};

/* 0 or -1. */
static struct machine_source compare(struct selection *selection,
				     LLVMIntPredicate predicate, unsigned width,
				     struct parts a, struct parts b)
{
	unsigned last = a.count - 1, i = 0;
	struct machine_source less;

	if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
		extend(selection, width, &a, false);
		extend(selection, width, &b, false);
		return op2(selection,
			   predicate == LLVMIntEQ ? EVG_ALU_SETE_INT
						  : EVG_ALU_SETNE_INT,
			   differ(selection, &a, &b), select_number(0));
	}
	while (comparisons[i].predicate != predicate)
		i++;
	extend(selection, width, &a, comparisons[i].is_signed);
	extend(selection, width, &b, comparisons[i].is_signed);
	if (comparisons[i].is_signed) {
		a.part[last] = op2(selection, EVG_ALU_XOR_INT, a.part[last],
				   select_number(0x80000000));
		b.part[last] = op2(selection, EVG_ALU_XOR_INT, b.part[last],
				   select_number(0x80000000));
	}
	less = comparisons[i].swap ? add(selection, false, &b, &a)
				   : add(selection, false, &a, &b);
	return op2(selection, EVG_ALU_SETE_INT, less,
		   select_number(!comparisons[i].invert));
}

/* --- Conversions ---------------------------------------------------------- */

static struct parts resize(struct selection *selection, unsigned from,
			   struct parts parts, unsigned width, bool is_signed)
{
	struct machine_source above = select_number(0);
	unsigned count = (width + SELECT_DWORD - 1) / SELECT_DWORD;

	if (width == 1)
		parts.part[0] = select_op3(selection, EVG_ALU_BFE_INT,
					   parts.part[0], select_number(0),
					   select_number(1));
	if (width > from) {
		extend(selection, from, &parts, is_signed);
		if (is_signed)
			above = op2(selection, EVG_ALU_ASHR_INT,
				    parts.part[parts.count - 1],
				    select_number(31));
	}
	while (parts.count < count)
		parts.part[parts.count++] = above;
	parts.count = count;
	return parts;
}

/* --- Instructions --------------------------------------------------------- */

static bool operate(struct selection *selection, LLVMOpcode opcode,
		    unsigned width, struct parts *a, const struct parts *b)
{
	enum evg_alu_op op;

	switch (opcode) {
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
		*a = shift(selection, opcode, width, *a, *b);
		return true;
	case LLVMAdd:
	case LLVMSub:
		add(selection, opcode == LLVMAdd, a, b);
		return true;
	case LLVMMul:
		multiply(selection, a, b);
		return true;
	case LLVMAnd:
		op = EVG_ALU_AND_INT;
		break;
	case LLVMOr:
		op = EVG_ALU_OR_INT;
		break;
	case LLVMXor:
		op = EVG_ALU_XOR_INT;
		break;
	default:
		return false;
	}
	for (unsigned k = 0; k < a->count; k++)
		a->part[k] = op2(selection, op, a->part[k], b->part[k]);
	return true;
}

/* The dwords of one of so many elements. */
static struct parts element(const struct parts *parts, unsigned count,
			    unsigned place)
{
	struct parts result = { .count = parts->count / count };

	for (unsigned d = 0; d < result.count; d++)
		result.part[d] = parts->part[place * result.count + d];
	return result;
}

/* One element's result, in *a; `b` is the second operand's. */
static bool select_one(struct selection *selection, LLVMValueRef inst,
		       struct parts *a, const struct parts *b)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	unsigned width = select_width(LLVMTypeOf(LLVMGetOperand(inst, 0)));

	switch (opcode) {
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
		*a = resize(selection, width, *a,
			    select_width(LLVMTypeOf(inst)),
			    opcode == LLVMSExt);
		return true;
	case LLVMICmp:
		a->part[0] = compare(selection, LLVMGetICmpPredicate(inst),
				     width, *a, *b);
		a->count = 1;
		return true;
	default:
		return operate(selection, opcode, width, a, b);
	}
}

bool select_long(struct selection *selection, LLVMValueRef inst)
{
	unsigned elements = select_elements(LLVMTypeOf(inst));
	struct parts a, b = { .count = 0 }, result = { .count = 0 };

	if (!select_count(LLVMTypeOf(LLVMGetOperand(inst, 0))))
		return false;
	a = select_parts(selection, LLVMGetOperand(inst, 0));
	if (LLVMGetNumOperands(inst) > 1)
		b = select_parts(selection, LLVMGetOperand(inst, 1));
	for (unsigned k = 0; k < elements; k++) {
		struct parts own = element(&a, elements, k);
		struct parts other = element(&b, elements, k);

		if (!select_one(selection, inst, &own, &other))
			return false;
		for (unsigned d = 0; d < own.count; d++)
			result.part[result.count++] = own.part[d];
	}
	select_define(selection, inst, &result);
	return true;
}
