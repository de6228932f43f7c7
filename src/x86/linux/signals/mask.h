/* Masks of signals for the duration of a call. */
#ifndef M2S_X86_LINUX_SIGNALS_MASK_H
#define M2S_X86_LINUX_SIGNALS_MASK_H

#include <stdint.h>

struct context;

/* Masks signals for the duration of a call (ppoll, pselect, epoll_pwait). */
int64_t mask_enter(struct context *context, uint64_t address, uint64_t size);
int64_t mask_leave(struct context *context, int64_t result);

#endif
