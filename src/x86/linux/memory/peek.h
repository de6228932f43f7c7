/* A process's memory for others than its program: debuggers, tracers, /proc. */
#ifndef M2S_X86_LINUX_MEMORY_PEEK_H
#define M2S_X86_LINUX_MEMORY_PEEK_H

#include <stddef.h>
#include <stdint.h>

struct guest_memory;

/* Copies from and to memory (NULL: there is none), whatever its protection;
 * shared memory that is read-only stays so. Returns how many bytes from the
 * first on could be. Code may be written. */
size_t memory_peek(struct guest_memory *memory, uint64_t address,
		   void *buffer, size_t size);
size_t memory_poke(struct guest_memory *memory, uint64_t address,
		   const void *buffer, size_t size);

#endif
