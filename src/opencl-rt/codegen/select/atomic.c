/* Atomic operations on dwords, and fences. */
#include "base/memory.h"
#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/target.h"

static const struct operation {
	LLVMAtomicRMWBinOp op;
	enum evg_rat_op plain, returning;
	enum evg_lds_op local, local_returning;
} operations[] = {
	{ LLVMAtomicRMWBinOpAdd, EVG_RAT_ADD, EVG_RAT_ADD_RTN, EVG_LDS_ADD,
	  EVG_LDS_ADD_RET },
	{ LLVMAtomicRMWBinOpSub, EVG_RAT_SUB, EVG_RAT_SUB_RTN, EVG_LDS_SUB,
	  EVG_LDS_SUB_RET },
	{ LLVMAtomicRMWBinOpMin, EVG_RAT_MIN_INT, EVG_RAT_MIN_INT_RTN,
	  EVG_LDS_MIN_INT, EVG_LDS_MIN_INT_RET },
	{ LLVMAtomicRMWBinOpMax, EVG_RAT_MAX_INT, EVG_RAT_MAX_INT_RTN,
	  EVG_LDS_MAX_INT, EVG_LDS_MAX_INT_RET },
	{ LLVMAtomicRMWBinOpUMin, EVG_RAT_MIN_UINT, EVG_RAT_MIN_UINT_RTN,
	  EVG_LDS_MIN_UINT, EVG_LDS_MIN_UINT_RET },
	{ LLVMAtomicRMWBinOpUMax, EVG_RAT_MAX_UINT, EVG_RAT_MAX_UINT_RTN,
	  EVG_LDS_MAX_UINT, EVG_LDS_MAX_UINT_RET },
	{ LLVMAtomicRMWBinOpAnd, EVG_RAT_AND, EVG_RAT_AND_RTN, EVG_LDS_AND,
	  EVG_LDS_AND_RET },
	{ LLVMAtomicRMWBinOpOr, EVG_RAT_OR, EVG_RAT_OR_RTN, EVG_LDS_OR,
	  EVG_LDS_OR_RET },
	{ LLVMAtomicRMWBinOpXor, EVG_RAT_XOR, EVG_RAT_XOR_RTN, EVG_LDS_XOR,
	  EVG_LDS_XOR_RET },
	/* Without a result an exchange is a store. */
	{ LLVMAtomicRMWBinOpXchg, EVG_RAT_STORE_RAW, EVG_RAT_XCHG_RTN,
	  EVG_LDS_WRITE, EVG_LDS_XCHG_RET },
};

static const struct operation exchange = {
	.plain = EVG_RAT_CMPXCHG_INT, .returning = EVG_RAT_CMPXCHG_INT_RTN,
	.local = EVG_LDS_CMP_STORE, .local_returning = EVG_LDS_CMP_XCHG_RET,
};

static const struct operation *find_operation(LLVMValueRef inst)
{
	if (LLVMIsAAtomicCmpXchgInst(inst))
		return &exchange;
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (operations[i].op == LLVMGetAtomicRMWBinOp(inst))
			return &operations[i];
	return NULL;
}

static void wait(struct selection *selection)
{
	machine_add(&selection->machine, MACHINE_STORE)->waits = true;
}

void select_fence(struct selection *selection)
{
	selection->machine.fences = true;
	wait(selection);
}

/* The old value is in the buffer that each lane has for it once the operation
 * is acknowledged. The fetch's address does not matter there. */
static struct machine_source fetch_result(struct selection *selection,
					  struct machine_source address)
{
	int reg = machine_register(&selection->machine);
	struct machine_inst *inst;

	wait(selection);
	inst = machine_add(&selection->machine, MACHINE_FETCH);
	inst->source[0] = address;
	inst->source_count = 1;
	inst->resource = CLC_RESOURCE_RETURN;
	inst->unit = 4;
	inst->dest[0] = reg;
	inst->dest_count = 1;
	return select_register(reg);
}

/* The operand goes in x, what a comparison expects in w. */
static struct machine_source apply_global(struct selection *selection,
					  const struct operation *operation,
					  struct address address,
					  const struct machine_source *operand,
					  const struct machine_source *expected,
					  bool returns)
{
	const struct machine_source data[] = {
		*operand, select_number(0), select_number(0),
		expected ? *expected : select_number(0),
	};
	struct machine_inst *inst =
		select_global(selection, address,
			      expected ? ARRAY_SIZE(data) : 1, data);

	inst->rat_op = returns ? operation->returning : operation->plain;
	inst->returns = returns;
	return returns ? fetch_result(selection, inst->source[0])
		       : select_number(0);
}

static struct machine_source apply_local(struct selection *selection,
					 const struct operation *operation,
					 struct address address,
					 const struct machine_source *operand,
					 const struct machine_source *expected,
					 bool returns)
{
	const struct machine_source operands[] = {
		expected ? *expected : *operand, *operand,
	};

	return select_local(selection,
			    returns ? operation->local_returning
				    : operation->local,
			    address, expected ? 2 : 1, operands);
}

static void define(struct selection *selection, LLVMValueRef inst,
		   struct machine_source old,
		   const struct machine_source *expected)
{
	struct parts parts = { .count = 1, .part = { old } };

	if (expected)
		parts.part[parts.count++] = select_op2(
			selection, EVG_ALU_SETE_INT, old, *expected);
	select_define(selection, inst, &parts);
}

void select_atomic(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	bool compares = LLVMIsAAtomicCmpXchgInst(inst);
	const struct operation *operation = find_operation(inst);
	struct machine_source operand, old, expected;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 1));
	struct address address;
	bool returns = LLVMGetFirstUse(inst);

	if (!operation || select_width(type) != SELECT_DWORD ||
	    (space != SPACE_GLOBAL && space != SPACE_LOCAL)) {
		select_refuse(selection, inst, "an atomic operation of its "
					       "kind");
		return;
	}
	address = select_address_of(selection, pointer);
	operand = select_value(selection, LLVMGetOperand(inst, 1 + compares));
	expected = select_value(selection, LLVMGetOperand(inst, 1));
	old = (space == SPACE_LOCAL ? apply_local : apply_global)(
		selection, operation, address, &operand,
		compares ? &expected : NULL, returns);
	if (returns)
		define(selection, inst, old, compares ? &expected : NULL);
}
