/* Masks of signals for the duration of a call. */
#ifndef M2S_X86_LINUX_SIGNALS_MASK_H
#define M2S_X86_LINUX_SIGNALS_MASK_H

#include <stdint.h>

struct context;

/* mask_enter() sets the mask for the duration of a call (ppoll, pselect,
 * epoll_pwait). mask_leave() restores it; `result` is the call's. */
int64_t mask_enter(struct context *context, uint64_t address, uint64_t size);
int64_t mask_leave(struct context *context, int64_t result);

#endif
