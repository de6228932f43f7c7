#include "opencl-rt/clc/ir/lower.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/ir/float.h"
#include "opencl-rt/clc/ir/images.h"
#include "opencl-rt/clc/ir/marker.h"
#include "opencl-rt/clc/ir/narrow.h"
#include "opencl-rt/clc/ir/print.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/ir/signature.h"
#include "opencl-rt/clc/ir/unaligned.h"
#include "opencl-rt/clc/ir/wide.h"
#include "opencl-rt/clc/ir/zero.h"

/* The helper library's memory fence (helper/fence.cl). */
#define FENCE_NAME "__m2s_fence"
/* For functions that clang did not optimise together with the program. */
#define AFTER_INLINING                                                         \
	"function(sroa,early-cse,instcombine,simplifycfg,early-cse,adce)"

/* An atomic that gives back the old value (marker.h). */
static LLVMValueRef build_atomic(struct rewrite *rewrite,
				 enum atomic_operation operation,
				 LLVMValueRef pointer, LLVMValueRef operand,
				 LLVMValueRef comparand)
{
	LLVMValueRef none = LLVMGetUndef(rewrite->vector_type);
	LLVMValueRef index, data, place, old;

	index = with_element(rewrite, none, dword_index(rewrite, pointer),
			     0);
	data = with_element(rewrite, none, operand, 0);
	if (comparand)
		data = with_element(rewrite, data, comparand, 3);
	build_mark(rewrite, data, index, MARKER_ATOMIC);
	build_mark(rewrite, none, none, MARKER_WAIT);
	place = LLVMConstIntToPtr(
		number(rewrite, MARKER_LOAD + 4 * (unsigned)operation),
		rewrite->global_type);
	old = LLVMBuildLoad2(rewrite->builder, rewrite->int_type, place, "");
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
static void lower_plain(struct rewrite *rewrite, LLVMValueRef inst,
			enum atomic_operation operation)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);

	if (operation == ATOMIC_XCHG) {
		LLVMValueRef store =
			LLVMBuildStore(rewrite->builder,
				       LLVMGetOperand(inst, 1), pointer);

		LLVMSetVolatile(store, true);
		LLVMSetAlignment(store, 4);
		LLVMInstructionEraseFromParent(inst);
		return;
	}
	LLVMSetOperand(inst, 0,
		       LLVMBuildIntToPtr(rewrite->builder,
					 dword_index(rewrite, pointer),
					 rewrite->global_type, ""));
}

/* Replaces a cmpxchg's pair {old value, whether it was the expected one}. */
static void replace_pair(struct rewrite *rewrite, LLVMValueRef inst,
			 LLVMValueRef old)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef same, pair;

	same = LLVMBuildICmp(rewrite->builder, LLVMIntEQ, old,
			     LLVMGetOperand(inst, 1), "");
	pair = LLVMBuildInsertValue(rewrite->builder, LLVMGetUndef(type), old,
				    0, "");
	pair = LLVMBuildInsertValue(rewrite->builder, pair, same, 1, "");
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

static int lower_atomic(struct rewrite *rewrite, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);
	bool is_exchange = LLVMGetInstructionOpcode(inst) == LLVMAtomicCmpXchg;
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 1));
	int operation = operation_of(inst);
	LLVMValueRef old;

	if (operation < 0 ||
	    (space != SPACE_GLOBAL && space != SPACE_LOCAL) ||
	    type != rewrite->int_type)
		return rewrite_fail(rewrite, inst,
				    "an atomic operation that the device does "
				    "not have (32-bit integers in global and "
				    "local memory only)");
	if (space == SPACE_LOCAL)
		return 0;
	LLVMPositionBuilderBefore(rewrite->builder, inst);
	if (!LLVMGetFirstUse(inst)) {
		lower_plain(rewrite, inst, (enum atomic_operation)operation);
		return 0;
	}
	if (is_exchange) {
		old = build_atomic(rewrite, ATOMIC_CMPXCHG_INT, pointer,
				   LLVMGetOperand(inst, 2),
				   LLVMGetOperand(inst, 1));
		replace_pair(rewrite, inst, old);
	} else {
		old = build_atomic(rewrite, (enum atomic_operation)operation,
				   pointer, LLVMGetOperand(inst, 1), NULL);
		LLVMReplaceAllUsesWith(inst, old);
	}
	LLVMInstructionEraseFromParent(inst);
	return 0;
}

static int lower_atomics(struct rewrite *rewrite)
{
	struct list list = find_instructions(
		rewrite->module, LLVMAtomicRMW, LLVMAtomicCmpXchg);
	int status = 0;

	for (size_t i = 0; !status && i < list.count; i++)
		status = lower_atomic(rewrite, list.items[i]);
	free(list.items);
	return status;
}

/* --- Loads and stores --------------------------------------------------- */

static void lower_memory(struct rewrite *rewrite)
{
	struct list list = find_instructions(rewrite->module, LLVMLoad,
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

static int reject_call(struct rewrite *rewrite, LLVMValueRef call,
		       LLVMValueRef callee)
{
	char name[128];

	if (!LLVMIsAFunction(callee))
		return rewrite_fail(rewrite, call,
				    "a call through a pointer: the device has "
				    "no function pointers");
	plain_name(LLVMGetValueName(callee), name, sizeof name);
	if (!LLVMIsDeclaration(callee))
		return rewrite_fail(rewrite, call,
				    "a call to '%s' that cannot be inlined: "
				    "the device has no recursion", name);
	return rewrite_fail(rewrite, call,
			    "a call to '%s', which has no definition in the "
			    "program and is not among the built-in functions "
			    "that m2s-clc supports", name);
}

static int lower_call(struct rewrite *rewrite, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name;

	if (LLVMIsAInlineAsm(callee))
		return rewrite_fail(rewrite, call,
				    "inline assembly is not supported");
	if (!LLVMIsAFunction(callee) ||
	    !LLVMGetIntrinsicID(callee)) {
		name = LLVMGetValueName(callee);
		if (!strcmp(name, "printf"))
			return print_lower(rewrite, call);
		if (strcmp(name, FENCE_NAME))
			return reject_call(rewrite, call, callee);
		LLVMPositionBuilderBefore(rewrite->builder, call);
		build_mark(rewrite, LLVMGetUndef(rewrite->vector_type),
			   LLVMGetUndef(rewrite->vector_type), MARKER_WAIT);
		LLVMInstructionEraseFromParent(call);
		return 0;
	}
	name = LLVMGetValueName(callee);
	if (starts_with(name, "llvm.r600.read.tidig.") ||
	    starts_with(name, "llvm.r600.read.tgid."))
		freeze(rewrite, call);
	return 0;
}

static int lower_calls(struct rewrite *rewrite)
{
	struct list list = find_instructions(rewrite->module, LLVMCall,
					     LLVMFence);
	int status = 0;

	for (size_t i = 0; !status && i < list.count; i++) {
		LLVMValueRef inst = list.items[i];

		if (LLVMGetInstructionOpcode(inst) == LLVMCall) {
			status = lower_call(rewrite, inst);
			continue;
		}
		LLVMPositionBuilderBefore(rewrite->builder, inst);
		build_mark(rewrite, LLVMGetUndef(rewrite->vector_type),
			   LLVMGetUndef(rewrite->vector_type), MARKER_WAIT);
		LLVMInstructionEraseFromParent(inst);
	}
	free(list.items);
	return status;
}

static void mark_tails(struct rewrite *rewrite)
{
	struct list list = find_instructions(rewrite->module, LLVMRet,
					     LLVMRet);

	for (size_t i = 0; i < list.count; i++) {
		LLVMPositionBuilderBefore(rewrite->builder, list.items[i]);
		build_mark(rewrite, LLVMGetUndef(rewrite->vector_type),
			   LLVMGetUndef(rewrite->vector_type), MARKER_TAIL);
	}
	free(list.items);
}

/* --- The module --------------------------------------------------------- */

int lower_inline(LLVMModuleRef module, struct error *error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef value;

	for (value = LLVMGetFirstFunction(module); value;
	     value = LLVMGetNextFunction(value)) {
		if (LLVMIsDeclaration(value))
			continue;
		set_attribute(context, value, "noinline", false);
		set_attribute(context, value, "optnone", false);
		if (!is_kernel(value))
			LLVMSetLinkage(value, LLVMInternalLinkage);
		set_attribute(context, value, "alwaysinline", true);
	}
	for (value = LLVMGetFirstGlobal(module); value;
	     value = LLVMGetNextGlobal(value))
		if (!LLVMIsDeclaration(value) &&
		    LLVMGetLinkage(value) != LLVMAppendingLinkage)
			LLVMSetLinkage(value, LLVMInternalLinkage);
	return run_passes(module, "always-inline,globaldce", error);
}

int lower_module(LLVMModuleRef module, struct evg_program *program,
		 struct error *error)
{
	bool has_doubles = double_is_used(module);
	struct rewrite rewrite;
	int status;

	if (lower_inline(module, error) ||
	    images_lower(module, program, error) ||
	    (has_doubles && run_passes(module, AFTER_INLINING, error)))
		return -1;
	wide_lower(module);
	rewrite_start(&rewrite, module, error);
	status = lower_calls(&rewrite);
	if (!status)
		float_lower(&rewrite);
	if (!status && has_doubles)
		status = double_lower(module, error);
	if (!status)
		status = lower_atomics(&rewrite);
	if (!status) {
		lower_memory(&rewrite);
		narrow_lower(&rewrite);
		unaligned_lower(&rewrite);
		images_split_coordinates(module);
		zero_lower(&rewrite);
		mark_tails(&rewrite);
	}
	rewrite_end(&rewrite);
	return status;
}

int lower_vectors(LLVMModuleRef module, LLVMValueRef kernel,
		  struct error *error)
{
	struct rewrite rewrite;
	struct list list;

	if (run_kernel_passes(module, kernel, "function(scalarizer)", error))
		return -1;
	rewrite_start(&rewrite, module, error);
	narrow_split_stores(&rewrite, kernel);
	list = function_instructions(kernel);
	for (size_t i = 0; i < list.count; i++) {
		LLVMTypeRef type;

		if (!LLVMIsAExtractElementInst(list.items[i]))
			continue;
		type = LLVMTypeOf(LLVMGetOperand(list.items[i], 0));
		if (LLVMGetVectorSize(type) == 2 ||
		    LLVMGetVectorSize(type) == 3)
			freeze(&rewrite, list.items[i]);
	}
	free(list.items);
	rewrite_end(&rewrite);
	return 0;
}
