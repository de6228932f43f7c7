/* Move elimination: a register with several names needs one of a few slots
 * (doc/x86-timing.md, "Moves"). */
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/rename/rename.h"

/* Eliminations in the cycles that are still in the pipeline. */
static unsigned recent(const struct x86_core *core, bool vector)
{
	unsigned count = 0;

	for (unsigned i = 1; i < core->figure.move_pipeline; i++) {
		uint64_t cycle = core->now - i;

		if (core->now >= i && core->names.eliminated_cycle[cycle % 8] == cycle)
			count += core->names.eliminated[vector][cycle % 8];
	}
	return count;
}

static void note(struct x86_core *core, bool vector)
{
	unsigned at = core->now % 8;

	if (core->names.eliminated_cycle[at] != core->now) {
		core->names.eliminated_cycle[at] = core->now;
		core->names.eliminated[0][at] = core->names.eliminated[1][at] = 0;
	}
	core->names.eliminated[vector][at]++;
}

static unsigned new_group(struct x86_core *core, bool vector)
{
	for (unsigned g = 1; g <= MOVE_GROUPS; g++) {
		if (core->names.group_names[g])
			continue;
		core->names.group_vector[g] = vector;
		core->names.groups[vector]++;
		return g;
	}
	return 0;
}

void core_move_leave_group(struct x86_core *core, unsigned place)
{
	unsigned g = core->names.map[place].group;

	core->names.map[place].group = 0;
	core->names.group_places[g] &= ~X86_AT(place);
	if (--core->names.group_names[g] > core->figure.move_free_at)
		return;
	core->names.group_names[g] = 0;
	core->names.groups[core->names.group_vector[g]]--;
	/* The last name, if one is left, is an ordinary register again. */
	for (uint64_t left = core->names.group_places[g]; left; left &= left - 1)
		core->names.map[__builtin_ctzll(left)].group = 0;
	core->names.group_places[g] = 0;
}

static unsigned slots(const struct x86_core *core, bool vector)
{
	return vector ? core->figure.move_slots_vector
		      : core->figure.move_slots_general;
}

/* The target of a move gets the value of its source. False: there is no room. */
static bool share(struct x86_core *core, const struct x86_template *form,
		  struct core_value *value)
{
	unsigned g = core->names.map[form->move_from].group;

	if (!g) {
		g = new_group(core, form->vector_move);
		if (!g)
			return false;
		core->names.group_names[g] = 1;
		core->names.group_places[g] |= X86_AT(form->move_from);
		core->names.map[form->move_from].group = (uint8_t)g;
	}
	*value = core->names.map[form->move_from];
	core->names.group_names[g]++;
	return true;
}

bool core_move_eliminate(struct x86_core *core, const struct x86_template *form,
			 struct core_value *value)
{
	bool vector = form->vector_move;

	if (core->names.groups[vector] + recent(core, vector) >=
		    slots(core, vector) ||
	    !share(core, form, value))
		return false;
	note(core, vector);
	return true;
}

void x86_core_warm_begin(struct x86_core *core)
{
	core_order_warm(core);
	core->names.named_again = 0;
	for (unsigned i = 0; i < X86_LOCATION_COUNT; i++)
		if (core->names.map[i].group)
			core->names.named_again |= X86_AT(i);
}

static void warm_one(struct x86_core *core, const struct x86_inst *inst)
{
	const struct x86_template *form = inst->timing;
	uint64_t lost = inst->written & core->names.named_again;
	bool vector = form->vector_move;
	struct core_value value;

	if (form->eliminable && core->names.groups[vector] < slots(core, vector) &&
	    share(core, form, &value)) {
		core_move_forget(core, form->move_to);
		core_move_join(core, form->move_to, value);
		core->names.named_again |= X86_AT(form->move_from) |
				     X86_AT(form->move_to);
		return;
	}
	core->names.named_again &= ~lost;
	for (; lost; lost &= lost - 1)
		core_move_forget(core, (unsigned)__builtin_ctzll(lost));
}

void x86_core_warm(struct x86_core *core, const struct x86_inst *inst,
		   unsigned count, uint64_t written, uint64_t eliminable)
{
	const struct core_names *names = &core->names;

	if (count < 64)
		eliminable &= (UINT64_C(1) << count) - 1;
	if (!(written & names->named_again) && !eliminable)
		return;
	for (; count--; inst++, eliminable >>= 1)
		if (inst->written & names->named_again || eliminable & 1)
			warm_one(core, inst);
}

void core_move_exchange(struct x86_core *core, const struct x86_template *form)
{
	unsigned one = form->move_from - X86_AT_ST;
	unsigned other = form->move_to - X86_AT_ST;
	struct core_value *st = &core->names.map[X86_AT_ST];
	struct core_value value = st[(core->names.x87_top + one) % 8];

	st[(core->names.x87_top + one) % 8] = st[(core->names.x87_top + other) % 8];
	st[(core->names.x87_top + other) % 8] = value;
}
