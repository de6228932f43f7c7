/* Integers of any width up to 64 bits. */
#include "base/memory.h"
#include "opencl-rt/codegen/select/select.h"

static const struct {
	LLVMOpcode opcode;
	enum evg_alu_op op;
	/* What the bits above a narrow number must be. */
	enum { ANY, ZEROS, SIGNS } above;
} operations[] = {
	{ LLVMAdd, EVG_ALU_ADD_INT, ANY },
	{ LLVMSub, EVG_ALU_SUB_INT, ANY },
	{ LLVMMul, EVG_ALU_MULLO_INT, ANY },
	{ LLVMShl, EVG_ALU_LSHL_INT, ANY },
	{ LLVMLShr, EVG_ALU_LSHR_INT, ZEROS },
	{ LLVMAShr, EVG_ALU_ASHR_INT, SIGNS },
	{ LLVMAnd, EVG_ALU_AND_INT, ANY },
	{ LLVMOr, EVG_ALU_OR_INT, ANY },
	{ LLVMXor, EVG_ALU_XOR_INT, ANY },
};

static struct machine_source extend_dword(struct selection *selection,
					  unsigned width,
					  struct machine_source a,
					  bool is_signed)
{
	uint32_t mask = width % SELECT_DWORD
				? (1u << width % SELECT_DWORD) - 1
				: 0xffffffff, number;

	if (mask == 0xffffffff)
		return a;
	if (select_is_number(&a, &number))
		return select_number(is_signed && number >> (width - 1) % 32 & 1
					     ? number | ~mask
					     : number & mask);
	if (is_signed)
		return width == 1
			       ? a
			       : select_op3(selection, EVG_ALU_BFE_INT, a,
					    select_number(0),
					    select_number(width % 32));
	return select_op2(selection, EVG_ALU_AND_INT, a, select_number(mask));
}

struct scalar select_extend(struct selection *selection, unsigned width,
			    struct scalar a, bool is_signed)
{
	if (width > SELECT_DWORD)
		a.high = extend_dword(selection, width, a.high, is_signed);
	else
		a.low = extend_dword(selection, width, a.low, is_signed);
	return a;
}

static bool is_division(LLVMOpcode opcode)
{
	return opcode == LLVMUDiv || opcode == LLVMSDiv || opcode == LLVMURem ||
	       opcode == LLVMSRem;
}

bool select_is_integer_op(LLVMOpcode opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (operations[i].opcode == opcode)
			return true;
	return is_division(opcode);
}

static bool is_shift(LLVMOpcode opcode)
{
	return opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
}

/* Of 0 and -1: modulo 2. */
static struct scalar select_bit(struct selection *selection, LLVMOpcode opcode,
				struct scalar a, struct scalar b)
{
	enum evg_alu_op op = EVG_ALU_XOR_INT;

	if (opcode == LLVMAnd || opcode == LLVMMul)
		op = EVG_ALU_AND_INT;
	else if (opcode == LLVMOr)
		op = EVG_ALU_OR_INT;
	else if (opcode != LLVMXor && opcode != LLVMAdd && opcode != LLVMSub)
		select_refuse(selection, NULL, "a shift or division of one "
					       "bit");
	a.low = select_op2(selection, op, a.low, b.low);
	return a;
}

struct scalar select_integer(struct selection *selection, LLVMOpcode opcode,
			     unsigned width, struct scalar a, struct scalar b)
{
	bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
	size_t i = 0;

	if (width == 1)
		return select_bit(selection, opcode, a, b);
	if (is_division(opcode))
		return select_divide(selection, opcode, width > SELECT_DWORD,
				     select_extend(selection, width, a,
						   is_signed),
				     select_extend(selection, width, b,
						   is_signed));
	while (operations[i].opcode != opcode)
		i++;
	if (operations[i].above != ANY)
		a = select_extend(selection, width, a,
				  operations[i].above == SIGNS);
	if (is_shift(opcode))
		b = select_extend(selection, width, b, false);
	if (width > SELECT_DWORD)
		return is_shift(opcode)
			       ? wide_shift(selection, opcode, a, b.low)
			       : wide_operation(selection, opcode, a, b);
	a.low = select_op2(selection, operations[i].op, a.low, b.low);
	return a;
}

/* --- Comparisons ---------------------------------------------------------- */

static const struct {
	LLVMIntPredicate predicate;
	enum evg_alu_op op;
	bool swap;        /* the operands */
	bool is_signed;
} comparisons[] = {
	{ LLVMIntEQ, EVG_ALU_SETE_INT, false, false },
	{ LLVMIntNE, EVG_ALU_SETNE_INT, false, false },
	{ LLVMIntUGT, EVG_ALU_SETGT_UINT, false, false },
	{ LLVMIntUGE, EVG_ALU_SETGE_UINT, false, false },
	{ LLVMIntULT, EVG_ALU_SETGT_UINT, true, false },
	{ LLVMIntULE, EVG_ALU_SETGE_UINT, true, false },
	{ LLVMIntSGT, EVG_ALU_SETGT_INT, false, true },
	{ LLVMIntSGE, EVG_ALU_SETGE_INT, false, true },
	{ LLVMIntSLT, EVG_ALU_SETGT_INT, true, true },
	{ LLVMIntSLE, EVG_ALU_SETGE_INT, true, true },
};

struct machine_source select_compare(struct selection *selection,
				     LLVMIntPredicate predicate,
				     unsigned width, struct scalar a,
				     struct scalar b)
{
	size_t i = 0;

	while (comparisons[i].predicate != predicate)
		i++;
	/* i1 is -1, which is below 0 when signs count and above when not. */
	if (width > 1) {
		a = select_extend(selection, width, a,
				  comparisons[i].is_signed);
		b = select_extend(selection, width, b,
				  comparisons[i].is_signed);
	}
	if (width > SELECT_DWORD)
		return wide_compare(selection, predicate, a, b);
	return comparisons[i].swap
		       ? select_op2(selection, comparisons[i].op, b.low, a.low)
		       : select_op2(selection, comparisons[i].op, a.low, b.low);
}

struct scalar select_choose(struct selection *selection,
			    struct machine_source condition,
			    struct scalar yes, struct scalar no)
{
	return (struct scalar){
		select_either(selection, condition, yes.low, no.low),
		select_either(selection, condition, yes.high, no.high),
	};
}
