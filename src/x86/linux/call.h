/* A thread makes a system call. */
#ifndef M2S_X86_LINUX_CALL_H
#define M2S_X86_LINUX_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* By an instruction: with the number and the registers as they are. */
void call_enter(struct context *context, int number, bool abi32);
/* The call in progress is made, for the first time or again. */
void call_attempt(struct context *context);
/* Takes number and arguments of the call in progress from the registers. */
void call_arguments(struct context *context, int number);
/* Another call than the one in progress, in its place. */
int64_t call_handle(struct context *context, int number, const uint64_t *a);

#endif
