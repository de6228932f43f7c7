#include "opencl-rt/clc/facts.h"

#include <llvm-c/Target.h>
#include <string.h>

#include "opencl-rt/clc/ir/marker.h"
#include "opencl-rt/clc/ir/rewrite.h"

/* Of the widest store. */
enum { STORE_BYTES = 16, WORD_BYTES = 4 };

/* What a block writes. */
struct written {
	uint64_t bytes;
	unsigned parts; /* of dwords of private memory */
};

static unsigned space_of(LLVMValueRef pointer)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
}

/* The bytes of a store that it may not do without. None, if one before it in the
 * block has the same address, as the other may go; and one, if that was loaded
 * before: elements that have not changed may stay. */
static uint64_t needed_bytes(LLVMTargetDataRef layout, LLVMValueRef store)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	LLVMValueRef pointer = LLVMGetOperand(store, 1), other = store;
	uint64_t bytes = LLVMStoreSizeOfType(layout, type);

	while ((other = LLVMGetPreviousInstruction(other))) {
		if (LLVMIsAStoreInst(other) &&
		    LLVMGetOperand(other, 1) == pointer)
			return 0;
		if (LLVMIsALoadInst(other) &&
		    LLVMGetOperand(other, 0) == pointer)
			bytes = 1;
	}
	return bytes;
}

/* Whether a call writes an image: it is no mark. */
static bool writes_image(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), id;

	if (!LLVMIsAFunction(callee) ||
	    strcmp(LLVMGetValueName(callee), "llvm.r600.rat.store.typed"))
		return false;
	id = LLVMGetOperand(call, 2);
	return LLVMIsAConstantInt(id) &&
	       LLVMConstIntGetZExtValue(id) < MARKER_TAIL;
}

static void add_store(LLVMTargetDataRef layout, LLVMValueRef store,
		      struct written *written)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	unsigned space = space_of(LLVMGetOperand(store, 1));

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	if (space == SPACE_PRIVATE &&
	    LLVMStoreSizeOfType(layout, type) < WORD_BYTES)
		written->parts++;
	else if (space == SPACE_GLOBAL)
		written->bytes += needed_bytes(layout, store);
}

static void add_instruction(LLVMTargetDataRef layout, LLVMValueRef inst,
			    struct written *written)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMStore:
		add_store(layout, inst, written);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		if (space_of(LLVMGetOperand(inst, 0)) == SPACE_GLOBAL)
			written->bytes += STORE_BYTES;
		break;
	case LLVMCall:
		if (writes_image(inst))
			written->bytes += STORE_BYTES;
		break;
	default:
		break;
	}
}

static uint32_t variable_size(LLVMTargetDataRef layout, LLVMValueRef variable)
{
	LLVMValueRef count = LLVMGetOperand(variable, 0);
	uint64_t size = LLVMABISizeOfType(layout,
					  LLVMGetAllocatedType(variable));

	if (LLVMIsAConstantInt(count))
		size *= LLVMConstIntGetZExtValue(count);
	return size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)size;
}

void facts_find(LLVMModuleRef module, LLVMValueRef kernel,
		struct kernel_facts *facts)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);

	facts->array_size = facts->stores = 0;
	facts->stores_parts = false;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
	     block = LLVMGetNextBasicBlock(block)) {
		struct written written = { 0, 0 };
		uint32_t stores;

		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			add_instruction(layout, inst, &written);
			if (LLVMIsAAllocaInst(inst))
				facts->array_size +=
					variable_size(layout, inst);
		}
		stores = (uint32_t)((written.bytes + STORE_BYTES - 1) /
				    STORE_BYTES);
		if (stores > facts->stores)
			facts->stores = stores;
		facts->stores_parts |= written.parts > 1;
	}
}
