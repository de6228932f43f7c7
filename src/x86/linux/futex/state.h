/* The wait of a thread for a futex, or for one of several. */
#ifndef M2S_X86_LINUX_FUTEX_STATE_H
#define M2S_X86_LINUX_FUTEX_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct guest_memory;

struct futex_wait {
	uint64_t key;
	struct guest_memory *memory;
	uint32_t bits;
	/* A lock with priority inheritance, which is handed over. */
	bool pi;
	uint64_t order;
	int owner;           /* id of the thread that hands it over */
	int index;           /* which of several futexes woke the context */
	uint64_t *list;      /* of several futexes: `count` of them */
	int count;
};

#endif
