/* Parts of the renamer. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_RENAME_H
#define M2S_X86_TIMING_CORE_RENAME_H

#include "x86/timing/core/state.h"

/* Chooses the port of a uop among `ports`. The uop is issued in slot `slot` of
 * the cycle. */
unsigned core_choose_of_several(struct x86_core *core, unsigned ports,
				unsigned slot);
static inline unsigned core_choose_port(struct x86_core *core, unsigned ports,
					unsigned slot)
{
	if (!(ports & (ports - 1)))
		return (unsigned)__builtin_ctz(ports);
	return core_choose_of_several(core, ports, slot);
}

/* Sets the unit that a uop needs besides its port: the divider, or, for the
 * first uop of an instruction with a least time between two of them, a unit of
 * this kind of instruction. */
void core_unit_give(struct core_uop *uop, const struct core_flow *flow,
		    const struct x86_uop *what);

/* Those of `ports` whose scheduler queue has room. */
unsigned core_ports_with_room(const struct x86_core *core, unsigned ports);

/* Exchanges the names of two x87 registers. */
void core_move_exchange(struct x86_core *core,
			const struct x86_template *form);
/* Eliminates a move: *value becomes the value of the source register, for the
 * target register. False when no elimination slot is free. */
bool core_move_eliminate(struct x86_core *core,
			 const struct x86_template *form,
			 struct core_value *value);
/* To be called before a place is overwritten. */
void core_move_leave_group(struct x86_core *core, unsigned place);
static inline void core_move_forget(struct x86_core *core, unsigned place)
{
	if (core->names.map[place].group)
		core_move_leave_group(core, place);
}
/* Overwrites it. */
static inline void core_move_join(struct x86_core *core, unsigned place,
				  struct core_value value)
{
	core->names.map[place] = value;
	if (value.group)
		core->names.group_places[value.group] |= X86_AT(place);
}

#endif
