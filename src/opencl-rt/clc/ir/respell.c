/* LLVM's types never change, so the module goes through its text. Texts in
 * quotation marks stay as they are. */
#include "opencl-rt/clc/ir/respell.h"

#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/ir/retype.h"

static const struct {
	enum front_end from;
	unsigned theirs, ours;
} spaces[] = {
#define FRONT_END_SPACE(id, theirs, ours) { FRONT_END_##id, theirs, ours },
#include "opencl-rt/clc/front-end.def"
};

static const struct {
	enum front_end from;
	const char *theirs, *ours;
} words[] = {
#define FRONT_END_WORD(id, theirs, ours) { FRONT_END_##id, theirs, ours },
#include "opencl-rt/clc/front-end.def"
}, types[] = {
#define FRONT_END_TYPE(id, theirs, ours) { FRONT_END_##id, theirs, ours },
#include "opencl-rt/clc/front-end.def"
};

static const char layout[] =
#define FRONT_END_LAYOUT(text) text
#include "opencl-rt/clc/front-end.def"
	;

struct respelling {
	enum front_end from;
	FILE *out;
	bool in_variable; /* behind alloca, on its line */
};

static unsigned our_space(const struct respelling *respelling, unsigned space)
{
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		if (spaces[i].from == respelling->from &&
		    spaces[i].theirs == space)
			return spaces[i].ours;
	return space;
}

/* --- Names of functions ---------------------------------------------- */

/* A number in the text, and what is behind it. */
static unsigned number_at(const char **at)
{
	char *end;
	unsigned long value = strtoul(*at, &end, 10);

	*at = end;
	return (unsigned)value;
}

/* The address space in a mangled type. */
static void write_space(const struct respelling *respelling, unsigned space)
{
	fprintf(respelling->out, "U3AS%u", our_space(respelling, space));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The parameters in a mangled name (Itanium C++ ABI, section 5.1.5). Names have
 * their length before them, address spaces are names behind a U, and a pointer
 * without one is to private memory, which has none in some front ends. */
static const char *write_parameters(const struct respelling *respelling,
				    const char *at, const char *end)
{
	FILE *out = respelling->out;

	while (at < end) {
		if (is_digit(*at)) {
			const char *name = at;
			unsigned length = number_at(&name);

			if (length > (size_t)(end - name))
				length = (unsigned)(end - name);
			fwrite(at, 1, (size_t)(name + length - at), out);
			at = name + length;
		} else if (starts_with(at, "U3AS") && is_digit(at[4])) {
			/* One digit: what follows may be a length. */
			write_space(respelling, (unsigned)(at[4] - '0'));
			at += 5;
		} else if (*at == 'P') {
			putc(*at++, out);
			if (!starts_with(at, "U3AS"))
				write_space(respelling, 0);
		} else if (*at == 'S' || (*at == 'D' && strchr("vBU", at[1]))) {
			while (at < end && *at != '_')
				putc(*at++, out);
		} else {
			putc(*at++, out);
		}
	}
	return end;
}

/* @_Z: a function of OpenCL C with its types. */
static const char *write_mangled(const struct respelling *respelling,
				 const char *at, const char *end)
{
	const char *name = at + 3;
	unsigned length = number_at(&name);

	if (length > (size_t)(end - name))
		length = (unsigned)(end - name);
	fwrite(at, 1, (size_t)(name + length - at), respelling->out);
	return write_parameters(respelling, name + length, end);
}

/* @llvm.: address spaces are .p0, .p1 and so on. */
static const char *write_intrinsic(const struct respelling *respelling,
				   const char *at, const char *end)
{
	while (at < end) {
		const char *behind = at + 2;

		putc(*at, respelling->out);
		if (*at++ != '.' || *at != 'p' || !is_digit(at[1]))
			continue;
		behind = at + 1;
		fprintf(respelling->out, "p%u",
			our_space(respelling, number_at(&behind)));
		at = behind;
	}
	return end;
}

/* --- Words ----------------------------------------------------------- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       is_digit(c) || (c && strchr("_.$@%!-", c));
}

static bool is_text(const char *at, const char *end, const char *text)
{
	return (size_t)(end - at) == strlen(text) &&
	       !strncmp(at, text, strlen(text));
}

/* addrspace(N), for N. */
static const char *write_number(const struct respelling *respelling,
				const char *behind)
{
	const char *number = behind + 1;
	unsigned space = number_at(&number);

	fprintf(respelling->out, "addrspace(%u", our_space(respelling, space));
	return number;
}

/* target("type", ...), or a line about the target. */
static const char *write_target(const struct respelling *respelling,
				const char *at, const char *end)
{
	const char *behind = strchr(end, *end == '(' ? ')' : '\n');

	if (starts_with(end, " datalayout"))
		fprintf(respelling->out, "target datalayout = \"%s\"", layout);
	else if (starts_with(end, " triple"))
		fprintf(respelling->out, "target triple = \"%s\"",
			front_end_info[0].triple);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].from == respelling->from &&
		    starts_with(end, "(\"") &&
		    starts_with(end + 2, types[i].theirs)) {
			fputs(types[i].ours, respelling->out);
			return behind + 1;
		}
	if (*end == ' ')
		return behind;
	fwrite(at, 1, (size_t)(end - at), respelling->out);
	return end;
}

static const char *write_word(struct respelling *respelling, const char *at)
{
	const char *end = at;

	while (is_word(*end))
		end++;
	if (starts_with(at, "@_Z"))
		return write_mangled(respelling, at, end);
	if (starts_with(at, "@llvm."))
		return write_intrinsic(respelling, at, end);
	if (is_text(at, end, "target"))
		return write_target(respelling, at, end);
	if (is_text(at, end, "addrspace") && *end == '(')
		return write_number(respelling, end);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].from == respelling->from &&
		    is_text(at, end, words[i].theirs)) {
			fputs(words[i].ours, respelling->out);
			return end;
		}
	respelling->in_variable |= is_text(at, end, "alloca");
	fwrite(at, 1, (size_t)(end - at), respelling->out);
	if (is_text(at, end, "ptr") && !starts_with(end, " addrspace("))
		fprintf(respelling->out, " addrspace(%u)",
			our_space(respelling, 0));
	return end;
}

/* A variable's address space stands before metadata. */
static void end_variable(struct respelling *respelling, const char *at)
{
	if (!respelling->in_variable ||
	    (*at != '\n' && !starts_with(at, ", !")))
		return;
	fprintf(respelling->out, ", addrspace(%u)", our_space(respelling, 0));
	respelling->in_variable = false;
}

static void write_text(struct respelling *respelling, const char *at)
{
	while (*at) {
		end_variable(respelling, at);
		if (*at == '"') {
			const char *end = strchr(at + 1, '"');

			end = end ? end + 1 : at + strlen(at);
			fwrite(at, 1, (size_t)(end - at), respelling->out);
			at = end;
		} else if (is_word(*at)) {
			at = write_word(respelling, at);
		} else {
			putc(*at++, respelling->out);
		}
	}
}

/* --- Kernels --------------------------------------------------------- */

/* The structure that a parameter points to a copy of; NULL: it is none. */
static LLVMTypeRef copied_type(LLVMValueRef function, unsigned parameter)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
		function, parameter + 1, kind);

	return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

/* The structure as a parameter is stored to a variable. */
static void store_parameter(LLVMBuilderRef builder, LLVMValueRef old,
			    LLVMValueRef parameter)
{
	LLVMValueRef variable = LLVMBuildAlloca(builder,
						LLVMTypeOf(parameter), "");

	LLVMBuildStore(builder, parameter, variable);
	LLVMReplaceAllUsesWith(old, variable);
}

static void respell_kernel(LLVMModuleRef module, LLVMValueRef old)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	unsigned count = LLVMCountParams(old);
	LLVMTypeRef *types = xcalloc(count + 1, sizeof *types);
	char *name = xstrdup(LLVMGetValueName(old));
	LLVMBuilderRef builder;
	LLVMValueRef new;
	bool any = false;

	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef copied = copied_type(old, i);

		types[i] = copied ? copied : LLVMTypeOf(LLVMGetParam(old, i));
		any |= copied != NULL;
	}
	LLVMSetFunctionCallConv(old, front_end_info[0].kernel);
	if (any) {
		new = retype_function(module, old, types);
		builder = LLVMCreateBuilderInContext(context);
		LLVMPositionBuilderBefore(
			builder, LLVMGetFirstInstruction(
					 LLVMGetFirstBasicBlock(new)));
		for (unsigned i = 0; i < count; i++)
			if (types[i] != LLVMTypeOf(LLVMGetParam(old, i)))
				store_parameter(builder, LLVMGetParam(old, i),
						LLVMGetParam(new, i));
			else
				LLVMReplaceAllUsesWith(LLVMGetParam(old, i),
						       LLVMGetParam(new, i));
		LLVMDisposeBuilder(builder);
		LLVMReplaceAllUsesWith(old, new);
		LLVMDeleteFunction(old);
		LLVMSetValueName2(new, name, strlen(name));
	}
	free(name);
	free(types);
}

static void respell_kernels(LLVMModuleRef module, enum front_end from)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);

	while (function) {
		LLVMValueRef next = LLVMGetNextFunction(function);

		if (LLVMGetFunctionCallConv(function) ==
			    front_end_info[from].kernel &&
		    !LLVMIsDeclaration(function))
			respell_kernel(module, function);
		function = next;
	}
}

LLVMModuleRef respell_module(LLVMModuleRef module, enum front_end from,
			     struct error *error)
{
	struct respelling respelling = { .from = from };
	LLVMContextRef context = LLVMGetModuleContext(module);
	char *text = LLVMPrintModuleToString(module), *why = NULL;
	char *respelled = NULL;
	LLVMModuleRef result = NULL;
	size_t size;

	respelling.out = open_memstream(&respelled, &size);
	write_text(&respelling, text);
	fclose(respelling.out);
	LLVMDisposeMessage(text);
	LLVMDisposeModule(module);
	if (LLVMParseIRInContext(
		    context,
		    LLVMCreateMemoryBufferWithMemoryRangeCopy(respelled, size,
							      "respelled"),
		    &result, &why)) {
		error_set(error, "IR of the front end %s cannot be spelt anew: "
			  "%s", front_end_info[from].name, why);
		LLVMDisposeMessage(why);
		result = NULL;
	} else {
		respell_kernels(result, from);
	}
	free(respelled);
	return result;
}

/* --- Calls ----------------------------------------------------------- */

/* Pointers to other address spaces; a kernel's structure is loaded. */
static LLVMValueRef respell_argument(LLVMBuilderRef builder, LLVMValueRef from,
				     LLVMTypeRef type)
{
	if (LLVMTypeOf(from) == type)
		return from;
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildAddrSpaceCast(builder, from, type, "");
	return LLVMBuildLoad2(builder, type, from, "");
}

static void respell_call(LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), new;
	unsigned count = LLVMGetNumArgOperands(call);
	LLVMTypeRef type, *types;
	LLVMValueRef *arguments;

	if (!LLVMIsAFunction(callee))
		return;
	type = LLVMGlobalGetValueType(callee);
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(callee));
	if (type == LLVMGetCalledFunctionType(call) ||
	    LLVMCountParamTypes(type) != count)
		return;
	types = xcalloc(count + 1, sizeof *types);
	arguments = xcalloc(count + 1, sizeof *arguments);
	LLVMGetParamTypes(type, types);
	LLVMPositionBuilderBefore(builder, call);
	for (unsigned i = 0; i < count; i++)
		arguments[i] = respell_argument(
			builder, LLVMGetOperand(call, i), types[i]);
	new = LLVMBuildCall2(builder, type, callee, arguments, count, "");
	LLVMSetInstructionCallConv(new, LLVMGetFunctionCallConv(callee));
	LLVMReplaceAllUsesWith(call, new);
	LLVMInstructionEraseFromParent(call);
	free(arguments);
	free(types);
}

void respell_calls(LLVMModuleRef module)
{
	struct list calls = find_instructions(module, LLVMCall);
	LLVMBuilderRef builder =
		LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

	for (size_t i = 0; i < calls.count; i++)
		respell_call(builder, calls.items[i]);
	LLVMDisposeBuilder(builder);
	free(calls.items);
}
