/* Locked operations of a thread that is not alone. A locked operation is executed
 * when its line is the core's alone, as on a chip, and not as early as others:
 * threads that spin on one byte would see each change late by all the spins in
 * flight. */
#include "m2s/cores/internal.h"

/* The line is asked for so often; then the operation is executed without it: it
 * may fault, or other cores take the line again and again. */
enum { ASKS = 16 };

/* Of the memory operand of the instruction before which the thread has stopped. */
static uint64_t address_of(const struct x86_cpu *cpu,
			   const struct x86_memory *memory)
{
	uint64_t address = (uint64_t)memory->displacement;

	if (memory->base != X86_NO_REGISTER)
		address += cpu->reg[memory->base];
	if (memory->scale)
		address += cpu->reg[memory->index] * memory->scale;
	if (memory->address_size == 4)
		address = (uint32_t)address;
	return (address + cpu->segment[memory->segment].base) &
	       cpu->address_mask;
}

/* Whether the operand's line is here, and has been accessed, or *without: the
 * operation is to be executed all the same. */
static bool has_line(struct machine_core *core, bool *without)
{
	struct fetch *fetch = &core->fetch;
	const struct x86_inst *inst = fetch->cpu->inst;
	const struct x86_memory *memory = &inst->memory[0];
	enum x86_caches_line line;

	*without = !core->caches || !inst->memory_count || memory->bits ||
		   fetch->lock_asks == ASKS;
	if (*without)
		return false;
	line = x86_caches_lock(core->caches, inst->address,
			       address_of(fetch->cpu, memory), memory->size,
			       x86_core_cycle(core->core),
			       x86_template_of(fetch->templates, inst)
				       ->minimum_cycles);
	fetch->lock_asks += line == X86_LINE_ASKED;
	return line == X86_LINE_HERE;
}

bool machine_core_may_lock(struct machine_core *core)
{
	struct fetch *fetch = &core->fetch;
	bool without;

	/* One after the other: the next one's way through the front end takes
	 * about as long as a locked operation. */
	if (!*fetch->left || fetch->next_record != fetch->ring->head ||
	    x86_core_locked(core->core) < fetch->locked)
		return false;
	core->accessed = has_line(core, &without);
	return core->accessed || without;
}
