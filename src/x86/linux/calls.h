/* The system calls, one function per row of calls.def, and the declarations
 * that all of them need. */
#ifndef M2S_X86_LINUX_CALLS_H
#define M2S_X86_LINUX_CALLS_H

#include <stdint.h>

struct context;

/* A call returns a result, a negative errno, or one of these. */
#define CALL_BLOCKS INT64_MIN        /* see context->wait */
#define CALL_NO_RESULT (INT64_MIN + 1) /* the registers are already set */

/* The guest call's result for a host call that returned `result`: a negative
 * errno if the host call failed. */
int64_t host_result(int64_t result);
/* A 64-bit argument, which i386 passes in two words. */
int64_t wide_argument(const struct context *context, const uint64_t *a);

/* Sets the number of the call in progress, and its arguments from the
 * registers. */
void call_arguments(struct context *context, int number);

/* Handlers, one per row of calls.def. */
typedef int64_t call_handler(struct context *context, const uint64_t *a);
#define CALL(name, i386, x86_64, restart, arguments, handler)                  \
	call_handler call_##handler;
#define ABSENT(name, i386, x86_64)
#include "x86/linux/calls.def"

#endif
