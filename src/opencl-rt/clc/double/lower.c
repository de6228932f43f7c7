#include <llvm-c/Core.h>
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/double/lower.h"
#include "opencl-rt/clc/double/words.h"
#include "opencl-rt/clc/ir/marker.h"
#include "opencl-rt/clc/ir/rewrite.h"

#define DOT_NAME "llvm.r600.dot4" /* carriers are its calls */

enum { ROOM_MARKS = 32 };

int lower_unknown(struct lowering *lowering, LLVMValueRef inst)
{
	char *text = LLVMPrintValueToString(inst);

	error_set(lowering->error, "m2s-clc does not know this operation on "
				   "doubles:%.200s", text);
	LLVMDisposeMessage(text);
	return -1;
}

/* --- Values ------------------------------------------------------------- */

int double_lower_value(struct lowering *lowering, LLVMValueRef inst)
{
	unsigned count = element_count(LLVMTypeOf(inst));
	LLVMValueRef *result = xcalloc(2 * (size_t)count, sizeof *result);
	int status = 0;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
		LLVMPositionBuilderBefore(lowering->builder, inst);
		words_load(lowering, inst, result, 2 * count);
		break;
	case LLVMBitCast:
		if (is_double(LLVMTypeOf(LLVMGetOperand(inst, 0)))) {
			status = lower_copy(lowering, inst, result, count);
			break;
		}
		LLVMPositionBuilderBefore(lowering->builder, inst);
		words_split(lowering, LLVMGetOperand(inst, 0), result,
			    2 * count);
		break;
	case LLVMFPExt:
	case LLVMSIToFP:
	case LLVMUIToFP:
		lower_from_number(lowering, inst, result, count);
		break;
	case LLVMSelect:
		status = lower_select(lowering, inst, result, count);
		break;
	case LLVMExtractElement:
		status = lower_extract(lowering, inst, result);
		break;
	case LLVMInsertElement:
		status = lower_insert(lowering, inst, result, count);
		break;
	case LLVMShuffleVector:
		status = lower_shuffle(lowering, inst, result, count);
		break;
	case LLVMExtractValue:
		lower_member(lowering, inst, result, count);
		break;
	case LLVMFreeze:
		status = lower_copy(lowering, inst, result, count);
		break;
	case LLVMPHI: /* their incoming values come last */
		LLVMPositionBuilderBefore(lowering->builder, inst);
		for (unsigned i = 0; i < 2 * count; i++)
			result[i] = LLVMBuildPhi(lowering->builder,
						 lowering->word, "");
		break;
	default:
		status = lower_arithmetic(lowering, inst, result, count);
	}
	if (status)
		free(result);
	else
		words_set(lowering, inst, result);
	return status;
}

static int fill_phi(struct lowering *lowering, LLVMValueRef phi)
{
	LLVMValueRef *words = words_find(lowering, phi);
	unsigned count = 2 * element_count(LLVMTypeOf(phi));

	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef *incoming =
			words_of(lowering, LLVMGetIncomingValue(phi, i));

		if (!incoming)
			return -1;
		for (unsigned k = 0; k < count; k++)
			LLVMAddIncoming(words[k], &incoming[k], &block, 1);
	}
	return 0;
}

/* --- The module --------------------------------------------------------- */

/* What kind of work an instruction is. */
enum use { USE_NONE, USE_RESULT, USE_PHI, USE_OPERAND };

static enum use use_of(LLVMValueRef inst)
{
	if (is_double(LLVMTypeOf(inst)))
		return LLVMGetInstructionOpcode(inst) == LLVMPHI ? USE_PHI
								 : USE_RESULT;
	for (int i = 0; i < LLVMGetNumOperands(inst); i++)
		if (is_double(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i))))
			return USE_OPERAND;
	return USE_NONE;
}

static struct list find_doubles(LLVMModuleRef module)
{
	struct list list = { NULL, 0, 0 };

	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		     block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
			     inst; inst = LLVMGetNextInstruction(inst)) {
				if (use_of(inst) != USE_NONE)
					list_add(&list, inst);
			}
	return list;
}

static int lower_list(struct lowering *lowering, const struct list *list)
{
	int status = 0;

	for (size_t i = 0; !status && i < list->count; i++) {
		LLVMValueRef inst = list->items[i];

		if (use_of(inst) == USE_OPERAND)
			status = lower_from_double(lowering, inst);
		else
			status = words_of(lowering, inst) ? 0 : -1;
	}
	for (size_t i = 0; !status && i < list->count; i++)
		if (use_of(list->items[i]) == USE_PHI)
			status = fill_phi(lowering, list->items[i]);
	return status;
}

static void erase_list(const struct list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		LLVMTypeRef type = LLVMTypeOf(list->items[i]);

		if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(list->items[i],
					       LLVMGetUndef(type));
	}
	for (size_t i = 0; i < list->count; i++)
		LLVMInstructionEraseFromParent(list->items[i]);
}

static LLVMValueRef declare(struct lowering *lowering, const char *name,
			    LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);

	return function ? function
			: LLVMAddFunction(lowering->module, name, type);
}

static void start_lowering(struct lowering *lowering)
{
	LLVMTypeRef arguments[2];

	lowering->builder = LLVMCreateBuilderInContext(lowering->context);
	lowering->bit = LLVMInt1TypeInContext(lowering->context);
	lowering->word = LLVMInt32TypeInContext(lowering->context);
	lowering->quad = LLVMInt64TypeInContext(lowering->context);
	lowering->single = LLVMFloatTypeInContext(lowering->context);
	lowering->vector = LLVMVectorType(lowering->single, 4);
	arguments[0] = arguments[1] = lowering->vector;
	lowering->dot_type =
		LLVMFunctionType(lowering->single, arguments, 2, false);
	lowering->fabs_type =
		LLVMFunctionType(lowering->single, &lowering->single, 1, false);
	lowering->groups_type = LLVMFunctionType(lowering->word, NULL, 0,
						 false);
	lowering->groups = declare(lowering, "llvm.r600.read.ngroups.x",
				   lowering->groups_type);
	lowering->dot = declare(lowering, DOT_NAME, lowering->dot_type);
	lowering->fabs = declare(lowering, "llvm.fabs.f32",
				 lowering->fabs_type);
}

/* Fused code is nearly always shorter than carriers are. For when it is not,
 * more marks than needed stand before the end; fuse.c takes them out. */
static void make_room(LLVMModuleRef module, struct error *error)
{
	LLVMValueRef nothing = LLVMGetUndef(LLVMVectorType(
		LLVMInt32TypeInContext(LLVMGetModuleContext(module)), 4));
	struct list list = find_instructions(module, LLVMRet, LLVMRet);
	struct rewrite rewrite;

	rewrite_start(&rewrite, module, error);
	for (size_t i = 0; i < list.count; i++) {
		LLVMPositionBuilderBefore(rewrite.builder, list.items[i]);
		for (unsigned n = 0; n < ROOM_MARKS; n++)
			build_mark(&rewrite, nothing, nothing, MARKER_TAIL);
	}
	rewrite_end(&rewrite);
	free(list.items);
}

int double_lower(LLVMModuleRef module, struct error *error)
{
	struct lowering lowering = {
		.module = module,
		.context = LLVMGetModuleContext(module),
		.error = error,
	};
	struct list list = find_doubles(module);
	int status;

	start_lowering(&lowering);
	status = lower_list(&lowering, &list);
	if (!status) {
		erase_list(&list);
		make_room(module, error);
	}
	for (size_t i = 0; i < lowering.table_size; i++)
		free(lowering.table[i].word);
	free(lowering.table);
	free(list.items);
	LLVMDisposeBuilder(lowering.builder);
	return status;
}

bool double_is_used(LLVMModuleRef module)
{
	struct list list = find_doubles(module);

	free(list.items);
	return list.count != 0;
}
