/* Local descriptor tables. */
#ifndef M2S_X86_LINUX_MEMORY_LDT_H
#define M2S_X86_LINUX_MEMORY_LDT_H

struct guest_memory;

/* Tells the emulator where the table is. */
void ldt_apply(struct guest_memory *memory);
void ldt_copy(struct guest_memory *to, const struct guest_memory *from);

#endif
