/* Futexes with priority inheritance. */
#ifndef M2S_X86_LINUX_FUTEX_LOCK_H
#define M2S_X86_LINUX_FUTEX_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct context;

int64_t futex_lock_pi(struct context *context, const uint64_t *a, bool try,
		      int clock, bool wide);
int64_t futex_unlock_pi(struct context *context, uint64_t address);
/* The value of a lock's word when a thread holds the lock. */
uint32_t futex_thread(const struct context *context);
/* Gives a lock to its first waiter. The word keeps these flags. */
int futex_hand_over(struct context *context, uint64_t address, uint32_t flags);

#endif
