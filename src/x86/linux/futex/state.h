/* A thread that waits for a futex, or for one of several. */
#ifndef M2S_X86_LINUX_FUTEX_STATE_H
#define M2S_X86_LINUX_FUTEX_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct guest_memory;

struct futex_wait {
	uint64_t key;
	struct guest_memory *memory;
	uint32_t bits;
	bool pi;             /* a lock that is handed over */
	uint64_t order;
	int owner;           /* by whom it is handed over: a thread's id */
	int index;           /* which one of several woke the context */
	uint64_t *list;      /* when there are several; count of them */
	int count;
};

#endif
