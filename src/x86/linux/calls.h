/* The system calls, one function per row of calls.def, and what they all
 * need. */
#ifndef M2S_X86_LINUX_CALLS_H
#define M2S_X86_LINUX_CALLS_H

#include <stdint.h>

struct context;

/* A call returns a result, a negative errno, or one of these. */
#define CALL_BLOCKS INT64_MIN        /* context->wait says for what */
#define CALL_NO_RESULT (INT64_MIN + 1) /* registers are already right */

/* What a host call that returned `result` means for the guest's. */
int64_t host_result(int64_t result);
/* A 64-bit argument, which i386 passes in two words. */
int64_t wide_argument(const struct context *context, const uint64_t *a);

/* Handlers, one per row of calls.def. */
typedef int64_t call_handler(struct context *context, const uint64_t *a);
#define CALL(name, i386, x86_64, restart, arguments, handler)                  \
	call_handler call_##handler;
#define ABSENT(name, i386, x86_64)
#include "x86/linux/calls.def"

#endif
