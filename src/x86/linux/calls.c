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
