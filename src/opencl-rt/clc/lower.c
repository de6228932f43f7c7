#include "opencl-rt/clc/lower.h"

#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/marker.h"
#include "opencl-rt/clc/signature.h"

/* The target's address spaces. */
enum { SPACE_GLOBAL = 1, SPACE_LOCAL = 3 };

/* The helper library's memory fence (helper/fence.cl). */
#define FENCE_NAME "__m2s_fence"
#define STORE_NAME "llvm.r600.rat.store.typed"

struct lowering {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef int_type, vector_type, store_type, global_type;
	LLVMValueRef store; /* the intrinsic behind the marks */
	struct error *error;
};

/* An instruction list taken before changing the function. */
struct list {
	LLVMValueRef *items;
	size_t count, capacity;
};

static void list_add(struct list *list, LLVMValueRef item)
{
	ARRAY_GROW(list->items, list->count, list->capacity);
	list->items[list->count++] = item;
}

/* Every instruction with one of two opcodes. */
static struct list find_instructions(LLVMModuleRef module, LLVMOpcode opcode,
				     LLVMOpcode other)
{
	struct list list = { NULL, 0, 0 };
	LLVMValueRef function, inst;
	LLVMBasicBlockRef block;

	for (function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		for (block = LLVMGetFirstBasicBlock(function); block;
		     block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst;
			     inst = LLVMGetNextInstruction(inst)) {
				LLVMOpcode is = LLVMGetInstructionOpcode(inst);

				if (is == opcode || is == other)
					list_add(&list, inst);
			}
	return list;
}

static const char *kernel_of(LLVMValueRef inst)
{
	return LLVMGetValueName(
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
}

static LLVMValueRef number(const struct lowering *lowering, unsigned value)
{
	return LLVMConstInt(lowering->int_type, value, false);
}

/* --- Marks -------------------------------------------------------------- */

static void build_mark(struct lowering *lowering, LLVMValueRef data,
		       LLVMValueRef index, unsigned id)
{
	LLVMValueRef arguments[] = { data, index, number(lowering, id) };

	LLVMBuildCall2(lowering->builder, lowering->store_type,
		       lowering->store, arguments, 3, "");
}

static LLVMValueRef with_element(struct lowering *lowering, LLVMValueRef vector,
				 LLVMValueRef element, unsigned index)
{
	return LLVMBuildInsertElement(lowering->builder, vector, element,
				      number(lowering, index), "");
}

/* The address in dwords, as RATs count. */
static LLVMValueRef dword_index(struct lowering *lowering, LLVMValueRef pointer)
{
	LLVMValueRef address = LLVMBuildPtrToInt(
		lowering->builder, pointer, lowering->int_type, "");

	return LLVMBuildLShr(lowering->builder, address, number(lowering, 2),
			     "");
}

/* An atomic that gives back the old value (marker.h). */
static LLVMValueRef build_atomic(struct lowering *lowering,
				 enum atomic_operation operation,
				 LLVMValueRef pointer, LLVMValueRef operand,
				 LLVMValueRef comparand)
{
	LLVMValueRef none = LLVMGetUndef(lowering->vector_type);
	LLVMValueRef index, data, place, old;

	index = with_element(lowering, none, dword_index(lowering, pointer),
			     0);
	data = with_element(lowering, none, operand, 0);
	if (comparand)
		data = with_element(lowering, data, comparand, 3);
	build_mark(lowering, data, index, MARKER_ATOMIC);
	build_mark(lowering, none, none, MARKER_WAIT);
	place = LLVMConstIntToPtr(
		number(lowering, MARKER_LOAD + 4 * (unsigned)operation),
		lowering->global_type);
	old = LLVMBuildLoad2(lowering->builder, lowering->int_type, place, "");
	LLVMSetVolatile(old, true);
	LLVMSetAlignment(old, 4);
	return old;
}

/* --- Atomics ------------------------------------------------------------ */

/* Index into atomics.def, or -1. */
static int operation_of(LLVMValueRef inst)
{
	if (LLVMGetInstructionOpcode(inst) == LLVMAtomicCmpXchg)
		return ATOMIC_CMPXCHG_INT;
	switch (LLVMGetAtomicRMWBinOp(inst)) {
	case LLVMAtomicRMWBinOpXchg: return ATOMIC_XCHG;
	case LLVMAtomicRMWBinOpAdd: return ATOMIC_ADD;
	case LLVMAtomicRMWBinOpSub: return ATOMIC_SUB;
	case LLVMAtomicRMWBinOpMin: return ATOMIC_MIN_INT;
	case LLVMAtomicRMWBinOpUMin: return ATOMIC_MIN_UINT;
	case LLVMAtomicRMWBinOpMax: return ATOMIC_MAX_INT;
	case LLVMAtomicRMWBinOpUMax: return ATOMIC_MAX_UINT;
	case LLVMAtomicRMWBinOpAnd: return ATOMIC_AND;
	case LLVMAtomicRMWBinOpOr: return ATOMIC_OR;
	case LLVMAtomicRMWBinOpXor: return ATOMIC_XOR;
	default: return -1;
	}
}

/* Without a result LLVM's own pattern will do, except that it takes the
 * address for the dword index; and an exchange is only a store. */
static void lower_plain(struct lowering *lowering, LLVMValueRef inst,
			enum atomic_operation operation)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);

	if (operation == ATOMIC_XCHG) {
		LLVMValueRef store =
			LLVMBuildStore(lowering->builder,
				       LLVMGetOperand(inst, 1), pointer);

		LLVMSetVolatile(store, true);
		LLVMSetAlignment(store, 4);
		LLVMInstructionEraseFromParent(inst);
		return;
	}
	LLVMSetOperand(inst, 0,
		       LLVMBuildIntToPtr(lowering->builder,
					 dword_index(lowering, pointer),
					 lowering->global_type, ""));
}

/* Replaces a cmpxchg's pair {old value, whether it was the expected one}. */
static void replace_pair(struct lowering *lowering, LLVMValueRef inst,
			 LLVMValueRef old)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef same, pair;

	same = LLVMBuildICmp(lowering->builder, LLVMIntEQ, old,
			     LLVMGetOperand(inst, 1), "");
	pair = LLVMBuildInsertValue(lowering->builder, LLVMGetUndef(type), old,
				    0, "");
	pair = LLVMBuildInsertValue(lowering->builder, pair, same, 1, "");
	for (LLVMUseRef use = LLVMGetFirstUse(inst), next; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (!LLVMIsAExtractValueInst(user))
			continue;
		LLVMReplaceAllUsesWith(user, *LLVMGetIndices(user) ? same
								   : old);
		LLVMInstructionEraseFromParent(user);
	}
	LLVMReplaceAllUsesWith(inst, pair);
}

static int lower_atomic(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);
	bool is_exchange = LLVMGetInstructionOpcode(inst) == LLVMAtomicCmpXchg;
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 1));
	int operation = operation_of(inst);
	LLVMValueRef old;

	if (operation < 0 ||
	    (space != SPACE_GLOBAL && space != SPACE_LOCAL) ||
	    type != lowering->int_type)
		return error_set(lowering->error,
				 "kernel '%s': an atomic operation that the "
				 "device does not have (32-bit integers in "
				 "global and local memory only)",
				 kernel_of(inst));
	if (space == SPACE_LOCAL)
		return 0;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	if (!LLVMGetFirstUse(inst)) {
		lower_plain(lowering, inst, (enum atomic_operation)operation);
		return 0;
	}
	if (is_exchange) {
		old = build_atomic(lowering, ATOMIC_CMPXCHG_INT, pointer,
				   LLVMGetOperand(inst, 2),
				   LLVMGetOperand(inst, 1));
		replace_pair(lowering, inst, old);
	} else {
		old = build_atomic(lowering, (enum atomic_operation)operation,
				   pointer, LLVMGetOperand(inst, 1), NULL);
		LLVMReplaceAllUsesWith(inst, old);
	}
	LLVMInstructionEraseFromParent(inst);
	return 0;
}

static int lower_atomics(struct lowering *lowering)
{
	struct list list = find_instructions(
		lowering->module, LLVMAtomicRMW, LLVMAtomicCmpXchg);
	int status = 0;

	for (size_t i = 0; !status && i < list.count; i++)
		status = lower_atomic(lowering, list.items[i]);
	free(list.items);
	return status;
}

/* --- Loads and stores --------------------------------------------------- */

static void lower_memory(struct lowering *lowering)
{
	struct list list = find_instructions(lowering->module, LLVMLoad,
					     LLVMStore);

	for (size_t i = 0; i < list.count; i++) {
		LLVMValueRef inst = list.items[i];

		/* Each is one access of one work-item in any case. */
		if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic) {
			LLVMSetOrdering(inst, LLVMAtomicOrderingNotAtomic);
			LLVMSetVolatile(inst, true);
		}
		if (LLVMGetInstructionOpcode(inst) == LLVMLoad &&
		    !LLVMGetFirstUse(inst) &&
		    LLVMGetPointerAddressSpace(LLVMTypeOf(
			    LLVMGetOperand(inst, 0))) == SPACE_LOCAL)
			LLVMInstructionEraseFromParent(inst);
	}
	free(list.items);
}

/* --- Calls -------------------------------------------------------------- */

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* "printf" for "_Z6printfPU3AS2Kcz" and "printf". */
static void plain_name(const char *mangled, char *name, size_t size)
{
	size_t length = strlen(mangled);

	if (starts_with(mangled, "_Z")) {
		char *end;
		unsigned long digits = strtoul(mangled + 2, &end, 10);

		if (end != mangled + 2 && digits <= strlen(end)) {
			mangled = end;
			length = digits;
		}
	}
	if (length > size - 1)
		length = size - 1;
	memcpy(name, mangled, length);
	name[length] = 0;
}

static void freeze(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMValueRef next = LLVMGetNextInstruction(inst), frozen;

	LLVMPositionBuilderBefore(lowering->builder, next);
	frozen = LLVMBuildFreeze(lowering->builder, inst, "");
	LLVMReplaceAllUsesWith(inst, frozen);
	LLVMSetOperand(frozen, 0, inst);
}

static int reject_call(struct lowering *lowering, LLVMValueRef call,
		       LLVMValueRef callee)
{
	char name[128];

	if (!LLVMIsAFunction(callee))
		return error_set(lowering->error,
				 "kernel '%s': a call through a pointer: the "
				 "device has no function pointers",
				 kernel_of(call));
	plain_name(LLVMGetValueName(callee), name, sizeof name);
	if (!LLVMIsDeclaration(callee))
		return error_set(lowering->error,
				 "'%s': a call to '%s' that cannot be inlined: "
				 "the device has no recursion",
				 kernel_of(call), name);
	return error_set(lowering->error,
			 "kernel '%s': a call to '%s', which has no definition "
			 "in the program and is not among the built-in "
			 "functions that m2s-clc supports (printf and images "
			 "are not yet)", kernel_of(call), name);
}

static int lower_call(struct lowering *lowering, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name;

	if (LLVMIsAInlineAsm(callee))
		return error_set(lowering->error,
				 "kernel '%s': inline assembly is not "
				 "supported", kernel_of(call));
	if (!LLVMIsAFunction(callee) ||
	    !LLVMGetIntrinsicID(callee)) {
		name = LLVMGetValueName(callee);
		if (strcmp(name, FENCE_NAME))
			return reject_call(lowering, call, callee);
		LLVMPositionBuilderBefore(lowering->builder, call);
		build_mark(lowering, LLVMGetUndef(lowering->vector_type),
			   LLVMGetUndef(lowering->vector_type), MARKER_WAIT);
		LLVMInstructionEraseFromParent(call);
		return 0;
	}
	name = LLVMGetValueName(callee);
	if (starts_with(name, "llvm.r600.read.tidig.") ||
	    starts_with(name, "llvm.r600.read.tgid."))
		freeze(lowering, call);
	return 0;
}

static int lower_calls(struct lowering *lowering)
{
	struct list list = find_instructions(lowering->module, LLVMCall,
					     LLVMFence);
	int status = 0;

	for (size_t i = 0; !status && i < list.count; i++) {
		LLVMValueRef inst = list.items[i];

		if (LLVMGetInstructionOpcode(inst) == LLVMCall) {
			status = lower_call(lowering, inst);
			continue;
		}
		LLVMPositionBuilderBefore(lowering->builder, inst);
		build_mark(lowering, LLVMGetUndef(lowering->vector_type),
			   LLVMGetUndef(lowering->vector_type), MARKER_WAIT);
		LLVMInstructionEraseFromParent(inst);
	}
	free(list.items);
	return status;
}

static void mark_tails(struct lowering *lowering)
{
	struct list list = find_instructions(lowering->module, LLVMRet,
					     LLVMRet);

	for (size_t i = 0; i < list.count; i++) {
		LLVMPositionBuilderBefore(lowering->builder, list.items[i]);
		build_mark(lowering, LLVMGetUndef(lowering->vector_type),
			   LLVMGetUndef(lowering->vector_type), MARKER_TAIL);
	}
	free(list.items);
}

/* --- The module --------------------------------------------------------- */

static int run_passes(LLVMModuleRef module, const char *passes,
		      struct error *error)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef failure = LLVMRunPasses(module, passes, NULL, options);

	LLVMDisposePassBuilderOptions(options);
	if (failure) {
		char *text = LLVMGetErrorMessage(failure);

		error_set(error, "LLVM passes %s: %s", passes, text);
		LLVMDisposeErrorMessage(text);
		return -1;
	}
	return 0;
}

static void set_attribute(LLVMContextRef context, LLVMValueRef function,
			  const char *name, bool add)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	if (add)
		LLVMAddAttributeAtIndex(
			function, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(context, kind, 0));
	else
		LLVMRemoveEnumAttributeAtIndex(
			function, LLVMAttributeFunctionIndex, kind);
}

/* Functions that are not kernels would be compiled on their own too, badly:
 * make them disappear into the kernels that use them. */
static int inline_functions(struct lowering *lowering)
{
	LLVMValueRef value;

	for (value = LLVMGetFirstFunction(lowering->module); value;
	     value = LLVMGetNextFunction(value)) {
		if (LLVMIsDeclaration(value))
			continue;
		set_attribute(lowering->context, value, "noinline", false);
		set_attribute(lowering->context, value, "optnone", false);
		if (is_kernel(value))
			continue;
		LLVMSetLinkage(value, LLVMInternalLinkage);
		set_attribute(lowering->context, value, "alwaysinline", true);
	}
	for (value = LLVMGetFirstGlobal(lowering->module); value;
	     value = LLVMGetNextGlobal(value))
		if (!LLVMIsDeclaration(value) &&
		    LLVMGetLinkage(value) != LLVMAppendingLinkage)
			LLVMSetLinkage(value, LLVMInternalLinkage);
	return run_passes(lowering->module, "always-inline,globaldce",
			  lowering->error);
}

int lower_module(LLVMModuleRef module, struct error *error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct lowering lowering = { .module = module, .error = error };
	LLVMTypeRef arguments[3];
	int status;

	lowering.context = context;
	lowering.builder = LLVMCreateBuilderInContext(context);
	lowering.int_type = LLVMInt32TypeInContext(context);
	lowering.vector_type = LLVMVectorType(lowering.int_type, 4);
	lowering.global_type = LLVMPointerTypeInContext(context, SPACE_GLOBAL);
	arguments[0] = arguments[1] = lowering.vector_type;
	arguments[2] = lowering.int_type;
	lowering.store_type = LLVMFunctionType(LLVMVoidTypeInContext(context),
					       arguments, 3, false);
	status = inline_functions(&lowering);
	lowering.store = LLVMGetNamedFunction(module, STORE_NAME);
	if (!lowering.store)
		lowering.store = LLVMAddFunction(module, STORE_NAME,
						 lowering.store_type);
	if (!status)
		status = lower_calls(&lowering);
	if (!status)
		status = lower_atomics(&lowering);
	if (!status) {
		lower_memory(&lowering);
		mark_tails(&lowering);
	}
	LLVMDisposeBuilder(lowering.builder);
	return status;
}

uint64_t lower_private_size(LLVMModuleRef module, const char **kernel)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	struct list list = find_instructions(module, LLVMAlloca, LLVMAlloca);
	uint64_t largest = 0, sum = 0;

	for (size_t i = 0; i < list.count; i++) {
		const char *name = kernel_of(list.items[i]);

		if (!i || strcmp(name, kernel_of(list.items[i - 1])))
			sum = 0;
		sum += LLVMABISizeOfType(
			layout, LLVMGetAllocatedType(list.items[i]));
		if (sum > largest) {
			largest = sum;
			*kernel = name;
		}
	}
	free(list.items);
	return largest;
}

int lower_vectors(LLVMModuleRef module, struct error *error)
{
	struct lowering lowering = { .module = module, .error = error };
	struct list list;

	if (run_passes(module, "function(scalarizer)", error))
		return -1;
	lowering.context = LLVMGetModuleContext(module);
	lowering.builder = LLVMCreateBuilderInContext(lowering.context);
	list = find_instructions(module, LLVMExtractElement,
				 LLVMExtractElement);
	for (size_t i = 0; i < list.count; i++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(list.items[i],
							     0));

		if (LLVMGetVectorSize(type) == 2 ||
		    LLVMGetVectorSize(type) == 3)
			freeze(&lowering, list.items[i]);
	}
	free(list.items);
	LLVMDisposeBuilder(lowering.builder);
	return 0;
}
