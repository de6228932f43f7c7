/* Access to a process's memory from outside: for debuggers, tracers and
 * /proc. */
#ifndef M2S_X86_LINUX_MEMORY_PEEK_H
#define M2S_X86_LINUX_MEMORY_PEEK_H

#include <stddef.h>
#include <stdint.h>

struct guest_memory;

/* Copy from and to memory (NULL: none), whatever its protection. Read-only
 * shared memory is not changed. Return how many bytes, from the first on, could
 * be copied. Code may be written. */
size_t memory_peek(struct guest_memory *memory, uint64_t address,
		   void *buffer, size_t size);
size_t memory_poke(struct guest_memory *memory, uint64_t address,
		   const void *buffer, size_t size);

#endif
