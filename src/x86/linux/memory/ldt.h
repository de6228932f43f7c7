/* Local descriptor tables. */
#ifndef M2S_X86_LINUX_MEMORY_LDT_H
#define M2S_X86_LINUX_MEMORY_LDT_H

#include <stdint.h>

struct guest_memory;

enum { LDT_ENTRY = 8 /* bytes of a descriptor */ };

/* Tells the emulator where the table is. */
void ldt_apply(struct guest_memory *memory);
void ldt_copy(struct guest_memory *to, const struct guest_memory *from);
/* Sets an entry and tells the emulator. Threads that run keep the segments that
 * they have loaded. */
void ldt_set(struct guest_memory *memory, uint32_t entry, uint64_t descriptor);

#endif
