#include "opencl-rt/codegen/registers.h"
#include "opencl-rt/codegen/spill/spill.h"

/* Dwords that a round leaves free more than the one before it. */
enum { STEP = CODEGEN_CHANNELS };

/* Moves at least one value, so that fewer than *room are left. False: none can be
 * moved. */
static bool move_some(struct machine *machine, int *room)
{
	struct move_uses uses;
	unsigned count = 0;

	machine_find_uses(machine);
	uses = move_uses_find(machine);
	while (!count && *room > 0) {
		*room -= STEP;
		count = move_choose(&uses, *room);
	}
	if (count)
		move_rewrite(machine, &uses);
	move_uses_free(&uses);
	return count;
}

const char *machine_spill(struct machine *machine)
{
	const char *why = machine_allocate(machine);
	int room = CODEGEN_CHANNELS * (int)(machine->most_registers
						    ? machine->most_registers
						    : EVG_FIRST_TEMPORARY);

	if (!why)
		return NULL;
	move_untie(machine);
	for (;;) {
		why = machine_allocate(machine);
		if (!why || !move_some(machine, &room))
			return why;
	}
}
