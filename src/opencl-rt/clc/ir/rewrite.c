#include "opencl-rt/clc/ir/rewrite.h"

#include <llvm-c/Transforms/PassBuilder.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/signature.h"

void rewrite_start(struct rewrite *rewrite, LLVMModuleRef module,
		   struct error *error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);

	rewrite->module = module;
	rewrite->context = context;
	rewrite->error = error;
	rewrite->builder = LLVMCreateBuilderInContext(context);
	rewrite->int_type = LLVMInt32TypeInContext(context);
	rewrite->global_type = LLVMPointerTypeInContext(context, SPACE_GLOBAL);
}

void rewrite_end(struct rewrite *rewrite)
{
	LLVMDisposeBuilder(rewrite->builder);
}

/* --- Finding ------------------------------------------------------------ */

static void add_instructions(struct list *list, LLVMValueRef function,
			     LLVMOpcode opcode)
{
	LLVMBasicBlockRef block;
	LLVMValueRef inst;

	for (block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			if (LLVMGetInstructionOpcode(inst) != opcode)
				continue;
			ARRAY_GROW(list->items, list->count, list->capacity);
			list->items[list->count++] = inst;
		}
}

struct list find_instructions(LLVMModuleRef module, LLVMOpcode opcode)
{
	struct list list = { NULL, 0, 0 };
	LLVMValueRef function;

	for (function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		add_instructions(&list, function, opcode);
	return list;
}

int rewrite_fail(struct rewrite *rewrite, LLVMValueRef inst,
		 const char *format, ...)
{
	unsigned length = 0, line = LLVMGetDebugLocLine(inst);
	const char *file = LLVMGetDebugLocFilename(inst, &length);
	LLVMValueRef function = LLVMGetBasicBlockParent(
		LLVMGetInstructionParent(inst));
	const char *kind = is_kernel(function) ? "kernel" : "function";
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (line && file)
		return error_set(rewrite->error, "%.*s:%u: %s '%s': %s",
				 (int)length, file, line, kind,
				 LLVMGetValueName(function), text);
	return error_set(rewrite->error, "%s '%s': %s", kind, LLVMGetValueName(function),
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
