#include "base/optimize.h"

/* The names of registers in a saved state. */
#include "x86/timing/core/memo/state.h"

#include <string.h>

/* The places within an instruction that have values which are still read. */
static uint32_t inner_places(const struct core_flow *flow)
{
	uint32_t places = 0;

	for (unsigned i = 0; flow && i < flow->next_uop; i++) {
		const struct x86_uop *what = &flow->form->uop[i];

		for (unsigned k = 0; k < what->result_count; k++)
			if (what->result[k].place >= X86_PLACE_INTERNAL)
				places |= 1u << (what->result[k].place -
						 X86_PLACE_INTERNAL);
	}
	return places;
}

/* What memory renaming knows of registers. */
static void save_memory(const struct x86_core *core,
			const struct core_names *names, struct saved_names *to)
{
	for (unsigned i = 0; i < CORE_GENERAL; i++)
		if (names->written[i] > core->store_head)
			to->written[i] = (uint8_t)(names->written[i] -
						   core->store_head);
	to->stack_depth = names->stack_depth - core->names.stack_depth;
}

void core_memo_save_names(const struct x86_core *core,
		       const struct core_names *names,
		       const struct core_flow *flow, struct saved_names *to)
{
	uint32_t inner = inner_places(flow);
	uint64_t inside = core->uop_tail - core->uop_head;
	uint8_t number[MOVE_GROUPS + 1] = { 0 }, numbers = 0;

	memset(to, 0, sizeof *to);
	for (unsigned i = 0; i < X86_PLACE_COUNT; i++) {
		struct core_value value = names->map[i];
		uint64_t at = (value.word & VALUE_READY) - core->uop_head;

		if (i >= X86_PLACE_INTERNAL &&
		    !(inner >> (i - X86_PLACE_INTERNAL) & 1))
			continue;
		if (at < inside) {
			value.sequence = at + 1;
		} else {
			value.sequence = 0;
			value.latency = 0;
		}
		/* Which number a group has makes no difference: they count in
		 * the order of places. */
		if (value.group && !number[value.group])
			number[value.group] = ++numbers;
		value.group = number[value.group];
		to->map[i] = value.word;
	}
	for (unsigned i = 1; i <= MOVE_GROUPS; i++) {
		if (!names->group_names[i])
			continue;
		if (!number[i])
			number[i] = ++numbers;
		to->group_places[number[i]] = names->group_places[i];
		to->group_names[number[i]] = names->group_names[i];
		to->group_vector[number[i]] = names->group_vector[i];
	}
	to->groups[0] = names->groups[0];
	to->groups[1] = names->groups[1];
	for (unsigned i = 1; i < 8 && core->now >= i; i++) {
		uint64_t cycle = core->now - i;

		if (names->eliminated_cycle[cycle % 8] != cycle)
			continue;
		to->eliminated[0][i] = names->eliminated[0][cycle % 8];
		to->eliminated[1][i] = names->eliminated[1][cycle % 8];
	}
	if (core->figure.memory_renaming)
		save_memory(core, names, to);
	to->high_apart = names->high_apart;
	to->stack_offset = (uint32_t)names->stack_offset;
	to->x87_top = names->x87_top % 8;
}

void core_memo_load_names(const struct x86_core *core,
		       const struct saved_names *from, struct core_names *names)
{
	for (unsigned i = 0; i < X86_PLACE_COUNT; i++) {
		struct core_value value = { .word = from->map[i] };

		value.sequence = value.sequence
					 ? (core->uop_head + value.sequence - 1) &
						   VALUE_READY
					 : VALUE_READY;
		names->map[i] = value;
	}
	memcpy(names->group_places, from->group_places,
	       sizeof names->group_places);
	memcpy(names->group_names, from->group_names,
	       sizeof names->group_names);
	for (unsigned i = 0; i <= MOVE_GROUPS; i++)
		names->group_vector[i] = from->group_vector[i];
	names->groups[0] = from->groups[0];
	names->groups[1] = from->groups[1];
	names->eliminated_cycle[core->now % 8] = UINT64_MAX;
	for (unsigned i = 1; i < 8 && core->now >= i; i++) {
		uint64_t cycle = core->now - i;

		names->eliminated_cycle[cycle % 8] = cycle;
		names->eliminated[0][cycle % 8] = from->eliminated[0][i];
		names->eliminated[1][cycle % 8] = from->eliminated[1][i];
	}
	for (unsigned i = 0; i < CORE_GENERAL; i++)
		names->written[i] = core->store_head + from->written[i];
	names->stack_depth = from->stack_depth;
	names->high_apart = from->high_apart;
	names->stack_offset = (int)from->stack_offset;
	names->x87_top = from->x87_top;
}
