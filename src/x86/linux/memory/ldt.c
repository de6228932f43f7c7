/* Local descriptor tables. The table belongs to the memory, as in Linux. */
#include <string.h>

#include "base/memory.h"
#include "x86/linux/memory/ldt.h"
#include "x86/linux/state.h"

void ldt_apply(struct guest_memory *memory)
{
	x86_emulator_set_ldt(memory->emulator,
			     (const void *)memory->ldt,
			     memory->ldt_size / LDT_ENTRY);
}

void ldt_copy(struct guest_memory *to, const struct guest_memory *from)
{
	if (!from->ldt_size)
		return;
	to->ldt = xmalloc(from->ldt_size);
	to->ldt_size = from->ldt_size;
	memcpy(to->ldt, from->ldt, from->ldt_size);
	ldt_apply(to);
}

void ldt_set(struct guest_memory *memory, uint32_t entry, uint64_t descriptor)
{
	size_t needed = (entry + 1) * (size_t)LDT_ENTRY;

	if (needed > memory->ldt_size) {
		memory->ldt = xrealloc(memory->ldt, needed);
		memset(memory->ldt + memory->ldt_size, 0,
		       needed - memory->ldt_size);
		memory->ldt_size = needed;
	}
	memcpy(memory->ldt + entry * (size_t)LDT_ENTRY, &descriptor, LDT_ENTRY);
	ldt_apply(memory);
}
