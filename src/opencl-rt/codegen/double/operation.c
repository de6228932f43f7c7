#include "opencl-rt/codegen/double/double.h"

#include <string.h>

#include "base/memory.h"

static const uint32_t sign_bit = 0x80000000;

enum { LITERAL_OPERANDS = 2 };

bool double_is_type(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

struct scalar double_number(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return (struct scalar){ select_number((uint32_t)bits),
				select_number((uint32_t)(bits >> 32)) };
}

struct scalar double_settled(struct selection *selection, struct scalar a)
{
	bool negate = a.high.negate, absolute = a.high.absolute;

	a.high.negate = a.high.absolute = false;
	if (absolute)
		a.high = select_op2(selection, EVG_ALU_AND_INT, a.high,
				    select_number(~sign_bit));
	if (negate)
		a.high = select_op2(selection, EVG_ALU_XOR_INT, a.high,
				    select_number(sign_bit));
	return a;
}

/* --- Operands ------------------------------------------------------------- */

static bool is_call_of(LLVMValueRef value, const char *begin)
{
	LLVMValueRef callee =
		LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;

	return callee && LLVMIsAFunction(callee) &&
	       !strncmp(LLVMGetValueName(callee), begin, strlen(begin));
}

struct parts double_operands(struct selection *selection, LLVMValueRef value,
			     bool magnitudes)
{
	bool negate = false, absolute = false;
	struct parts parts;

	for (;;) {
		if (LLVMIsAInstruction(value) &&
		    LLVMGetInstructionOpcode(value) == LLVMFNeg)
			negate ^= !absolute;
		else if (magnitudes && is_call_of(value, "llvm.fabs."))
			absolute = true;
		else
			break;
		value = LLVMGetOperand(value, 0);
	}
	parts = select_parts(selection, value);
	for (unsigned k = 1; k < parts.count; k += 2) {
		parts.part[k].negate = negate;
		parts.part[k].absolute = absolute;
	}
	return parts;
}

/* --- Operations ----------------------------------------------------------- */

/* A dword that the slots of an operation can read side by side: low dwords in x
 * and z, high ones in y and w, where the register has the choice. Constants of
 * arguments pass through a register, as there are not enough ports for more
 * than one. */
static struct machine_source settle(struct selection *selection,
				    struct machine_source source, bool is_high)
{
	struct machine_source plain = source;
	struct machine_register *reg;

	if (source.reg == MACHINE_NONE &&
	    source.select >= EVG_SELECT_KCACHE0 &&
	    source.select < EVG_SELECT_KCACHE1 + SELECT_WINDOW) {
		plain.negate = plain.absolute = false;
		source.reg = select_in_register(selection, plain).reg;
	}
	if (source.reg == MACHINE_NONE)
		return source;
	reg = &selection->machine.registers[source.reg];
	if (!reg->preferred)
		reg->preferred = is_high ? MACHINE_ODD : MACHINE_EVEN;
	return source;
}

/* The result's first dword is in the operation's first slot, and the second in
 * the next: where there is a choice, each operation takes the other pair. */
static void add_results(struct selection *selection, enum evg_alu_op op,
			unsigned count, int *results)
{
	bool is_pair = evg_alu_info[op].slots == EVG_SLOTS_PAIR;
	unsigned first = is_pair && selection->next_pair ? EVG_Z : EVG_X;

	selection->next_pair ^= is_pair;
	for (unsigned k = 0; k < count; k++) {
		results[k] = machine_register(&selection->machine);
		selection->machine.registers[results[k]].channel =
			(int8_t)(first + k);
	}
}

static void add(struct selection *selection, enum evg_alu_op op,
		unsigned count, const struct scalar *operands,
		unsigned result_count, int *results)
{
	struct machine_source sources[2 * 3];
	struct machine_inst *inst;

	for (unsigned k = 0; k < count; k++) {
		struct scalar operand = operands[k];

		/* A group has no more than four literals. */
		if (k == LITERAL_OPERANDS &&
		    operand.high.reg == MACHINE_NONE) {
			operand = double_settled(selection, operand);
			operand.low = select_in_register(selection,
							 operand.low);
			operand.high = select_in_register(selection,
							  operand.high);
		}
		sources[2 * k] = settle(selection, operand.low, false);
		sources[2 * k + 1] = settle(selection, operand.high, true);
	}
	add_results(selection, op, result_count, results);
	inst = machine_add(&selection->machine, MACHINE_ALU);
	inst->op = op;
	inst->source_count = 2 * count;
	memcpy(inst->source, sources, 2 * count * sizeof *sources);
	inst->dest_count = result_count;
	for (unsigned k = 0; k < result_count; k++)
		inst->dest[k] = results[k];
}

struct scalar double_operation(struct selection *selection, enum evg_alu_op op,
			       unsigned count, const struct scalar *operands)
{
	int results[2];

	add(selection, op, count, operands, 2, results);
	return (struct scalar){ select_register(results[0]),
				select_register(results[1]) };
}

struct scalar double_add(struct selection *selection, struct scalar a,
			 struct scalar b)
{
	const struct scalar operands[] = { a, b };

	return double_operation(selection, EVG_ALU_ADD_64, 2, operands);
}

struct machine_source double_test(struct selection *selection,
				  enum evg_alu_op op, struct scalar a,
				  struct scalar b)
{
	const struct scalar operands[] = { a, b };
	int result;

	add(selection, op, evg_alu_info[op].source_count, operands, 1, &result);
	return select_register(result);
}
