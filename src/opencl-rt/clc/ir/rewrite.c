#include "opencl-rt/clc/ir/rewrite.h"

#include <llvm-c/Transforms/PassBuilder.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/signature.h"

#define STORE_NAME "llvm.r600.rat.store.typed"

void rewrite_start(struct rewrite *rewrite, LLVMModuleRef module,
		   struct error *error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef arguments[3];

	rewrite->module = module;
	rewrite->context = context;
	rewrite->error = error;
	rewrite->builder = LLVMCreateBuilderInContext(context);
	rewrite->int_type = LLVMInt32TypeInContext(context);
	rewrite->vector_type = LLVMVectorType(rewrite->int_type, 4);
	rewrite->global_type = LLVMPointerTypeInContext(context, SPACE_GLOBAL);
	arguments[0] = arguments[1] = rewrite->vector_type;
	arguments[2] = rewrite->int_type;
	rewrite->store_type = LLVMFunctionType(LLVMVoidTypeInContext(context),
					       arguments, 3, false);
	rewrite->store = LLVMGetNamedFunction(module, STORE_NAME);
	if (!rewrite->store)
		rewrite->store = LLVMAddFunction(module, STORE_NAME,
						 rewrite->store_type);
}

void rewrite_end(struct rewrite *rewrite)
{
	LLVMDisposeBuilder(rewrite->builder);
}

/* --- Finding ------------------------------------------------------------ */

void list_add(struct list *list, LLVMValueRef item)
{
	ARRAY_GROW(list->items, list->count, list->capacity);
	list->items[list->count++] = item;
}

static void add_instructions(struct list *list, LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef inst;

	for (block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			list_add(list, inst);
}

struct list function_instructions(LLVMValueRef function)
{
	struct list list = { NULL, 0, 0 };

	add_instructions(&list, function);
	return list;
}

struct list find_instructions(LLVMModuleRef module, LLVMOpcode opcode,
			      LLVMOpcode other)
{
	struct list list = { NULL, 0, 0 };
	LLVMValueRef function;
	size_t kept = 0;

	for (function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		add_instructions(&list, function);
	for (size_t i = 0; i < list.count; i++) {
		LLVMOpcode is = LLVMGetInstructionOpcode(list.items[i]);

		if (is == opcode || is == other)
			list.items[kept++] = list.items[i];
	}
	list.count = kept;
	return list;
}

const char *kernel_of(LLVMValueRef inst)
{
	return LLVMGetValueName(
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
}

int rewrite_fail(struct rewrite *rewrite, LLVMValueRef inst,
		 const char *format, ...)
{
	unsigned length = 0, line = LLVMGetDebugLocLine(inst);
	const char *file = LLVMGetDebugLocFilename(inst, &length);
	LLVMValueRef function = LLVMGetBasicBlockParent(
		LLVMGetInstructionParent(inst));
	const char *kind = LLVMGetFunctionCallConv(function) == CALL_KERNEL
				   ? "kernel"
				   : "function";
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (line && file)
		return error_set(rewrite->error, "%.*s:%u: %s '%s': %s",
				 (int)length, file, line, kind,
				 kernel_of(inst), text);
	return error_set(rewrite->error, "%s '%s': %s", kind, kernel_of(inst),
			 text);
}

bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* --- Building ----------------------------------------------------------- */

LLVMValueRef number(const struct rewrite *rewrite, unsigned value)
{
	return LLVMConstInt(rewrite->int_type, value, false);
}

void build_mark(struct rewrite *rewrite, LLVMValueRef data, LLVMValueRef index,
		unsigned id)
{
	LLVMValueRef arguments[] = { data, index, number(rewrite, id) };

	LLVMBuildCall2(rewrite->builder, rewrite->store_type, rewrite->store,
		       arguments, 3, "");
}

LLVMValueRef with_element(struct rewrite *rewrite, LLVMValueRef vector,
			  LLVMValueRef element, unsigned index)
{
	return LLVMBuildInsertElement(rewrite->builder, vector, element,
				      number(rewrite, index), "");
}

LLVMValueRef dword_index(struct rewrite *rewrite, LLVMValueRef pointer)
{
	LLVMValueRef address = LLVMBuildPtrToInt(
		rewrite->builder, pointer, rewrite->int_type, "");

	return LLVMBuildLShr(rewrite->builder, address, number(rewrite, 2),
			     "");
}

void freeze(struct rewrite *rewrite, LLVMValueRef inst)
{
	LLVMValueRef next = LLVMGetNextInstruction(inst), frozen;

	LLVMPositionBuilderBefore(rewrite->builder, next);
	frozen = LLVMBuildFreeze(rewrite->builder, inst, "");
	LLVMReplaceAllUsesWith(inst, frozen);
	LLVMSetOperand(frozen, 0, inst);
}

int run_passes(LLVMModuleRef module, const char *passes, struct error *error)
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

void set_attribute(LLVMContextRef context, LLVMValueRef function,
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

/* Passes leave functions with the attribute optnone alone. */
static void exclude_others(LLVMModuleRef module, LLVMValueRef function,
			   bool exclude)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef other;

	for (other = LLVMGetFirstFunction(module); other;
	     other = LLVMGetNextFunction(other))
		if (other != function && !LLVMIsDeclaration(other)) {
			set_attribute(context, other, "optnone", exclude);
			set_attribute(context, other, "noinline", exclude);
		}
}

int run_kernel_passes(LLVMModuleRef module, LLVMValueRef kernel,
		      const char *passes, struct error *error)
{
	int status;

	exclude_others(module, kernel, true);
	status = run_passes(module, passes, error);
	exclude_others(module, kernel, false);
	return status;
}
