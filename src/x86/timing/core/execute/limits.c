/* Limits that not every core has: one queue for loads and stores together, and
 * files of physical registers. A register is free again when its slot retires: then
 * another value of the same place is no longer needed. */
#include "x86/timing/core/execute/limits.h"

enum { GENERAL, X87, VECTOR };

static unsigned file_of(unsigned place)
{
	if (place >= X86_AT_VECTOR && place < X86_AT_ST)
		return VECTOR;
	if (place >= X86_AT_ST && place < X86_AT_X87_CONTROL)
		return X87;
	return GENERAL;
}

static bool is_named(unsigned place)
{
	return place < X86_AT_X87_CONTROL ||
	       (place >= X86_PLACE_CARRY && place < X86_PLACE_INTERNAL);
}

static void count(unsigned *registers, const struct x86_uop *what)
{
	for (unsigned i = 0; i < what->result_count; i++)
		if (is_named(what->result[i].place))
			registers[file_of(what->result[i].place)]++;
}

bool core_limits_fit(const struct x86_core *core, const struct core_flow *flow,
		     unsigned first, unsigned end, unsigned accesses)
{
	const uint32_t size[CORE_FILES] = {
		core->figure.registers_general, core->figure.registers_x87,
		core->figure.registers_vector,
	};
	/* Registers that hold the program's state. */
	static const unsigned kept[CORE_FILES] = {
		X86_PLAIN_GENERAL, X86_PLAIN_X87, X86_PLAIN_VECTOR,
	};
	uint64_t stores = core->store_tail - core->store_head;
	unsigned registers[CORE_FILES] = { 0 };

	if (core->figure.memory_queue &&
	    core->loads + stores + accesses > core->figure.memory_queue)
		return false;
	for (unsigned i = first; i < end; i++)
		count(registers, &flow->form->uop[i]);
	for (unsigned f = 0; f < CORE_FILES; f++)
		if (size[f] && registers[f] &&
		    kept[f] + core->registers[f] + registers[f] > size[f])
			return false;
	return !core->group ||
	       core_group_limits_fit(core, accesses, registers, kept);
}

void core_registers_take(struct x86_core *core, struct core_entry *entry,
			 const struct x86_uop *what)
{
	unsigned registers[CORE_FILES] = { 0 };

	count(registers, what);
	for (unsigned f = 0; f < CORE_FILES; f++) {
		entry->registers[f] = (uint8_t)(entry->registers[f] +
						registers[f]);
		core->registers[f] += registers[f];
	}
}

void core_registers_free(struct x86_core *core, const struct core_entry *entry)
{
	for (unsigned f = 0; f < CORE_FILES; f++)
		core->registers[f] -= entry->registers[f];
}
