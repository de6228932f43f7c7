/* Futexes: what other folders need of them. */
#ifndef M2S_X86_LINUX_FUTEX_FUTEX_H
#define M2S_X86_LINUX_FUTEX_FUTEX_H

#include <stdint.h>

struct context;
struct guest_memory;
struct linux_system;

int futex_wake(struct linux_system *system, struct guest_memory *memory,
	       uint64_t address, int count, uint32_t bits);
/* To be called when a thread ends: marks the futexes that it held, and hands
 * them to waiters. */
void futex_exit(struct context *context);

#endif
