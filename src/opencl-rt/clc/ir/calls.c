#include "opencl-rt/clc/ir/calls.h"

#include <stdlib.h>
#include <string.h>

#include "opencl-rt/clc/ir/print.h"
#include "opencl-rt/clc/ir/rewrite.h"

/* The helper library's memory fence (helper/fence.cl), which is the generator's
 * affair. */
#define FENCE_NAME "__m2s_fence"

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
	if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee))
		return 0;
	name = LLVMGetValueName(callee);
	if (!strcmp(name, "printf"))
		return print_lower(rewrite, call);
	return strcmp(name, FENCE_NAME) ? reject_call(rewrite, call, callee)
					: 0;
}

int calls_lower(LLVMModuleRef module, struct error *error)
{
	struct list calls = find_instructions(module, LLVMCall);
	struct rewrite rewrite;
	int status = 0;

	rewrite_start(&rewrite, module, error);
	for (size_t i = 0; !status && i < calls.count; i++)
		status = lower_call(&rewrite, calls.items[i]);
	rewrite_end(&rewrite);
	free(calls.items);
	return status;
}
