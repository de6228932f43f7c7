/* Functions that all system calls need. */
#include <errno.h>

#include "x86/linux/calls.h"
#include "x86/linux/state.h"

int64_t host_result(int64_t result)
{
	return result < 0 ? -errno : result;
}

int64_t wide_argument(const struct context *context, const uint64_t *a)
{
	return context->abi32 ? (int64_t)(a[0] | a[1] << 32) : (int64_t)a[0];
}

void call_arguments(struct context *context, int number)
{
	static const int order64[CALL_ARGUMENTS] = {
		X86_RDI, X86_RSI, X86_RDX, X86_R10, X86_R8, X86_R9
	};
	static const int order32[CALL_ARGUMENTS] = {
		X86_RBX, X86_RCX, X86_RDX, X86_RSI, X86_RDI, X86_RBP
	};

	for (int i = 0; i < CALL_ARGUMENTS; i++)
		context->call.argument[i] =
			context->abi32 ? (uint32_t)context->cpu->reg[order32[i]]
				       : context->cpu->reg[order64[i]];
	context->call.number = number;
}
