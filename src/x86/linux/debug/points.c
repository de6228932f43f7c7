/* Breakpoints and watchpoints as the guest runs into them. */
#include "x86/emu/access.h"
#include "x86/linux/debug/debugger.h"
#include "x86/linux/state.h"

struct guest_memory *debug_memory(const struct linux_system *system)
{
	return system->debug && system->debug->process
		       ? system->debug->process->memory
		       : NULL;
}

size_t debug_watchpoints(const struct linux_system *system,
			 const struct guest_memory *memory,
			 const struct watchpoint **list)
{
	*list = NULL;
	if (!memory || debug_memory(system) != memory)
		return 0;
	*list = system->debug->watch;
	return system->debug->watch_count;
}

bool debug_has_breakpoint(const struct linux_system *system,
			  const struct guest_memory *memory, uint64_t address)
{
	if (!memory || debug_memory(system) != memory)
		return false;
	for (size_t i = 0; i < system->debug->breakpoint_count; i++)
		if (system->debug->breakpoint[i] == address)
			return true;
	return false;
}

bool watch_hits(const struct watchpoint *watch, const struct x86_cpu *cpu)
{
	struct x86_access access[X86_ACCESSES_MAX];
	size_t count = x86_accesses(cpu, access);

	for (size_t i = 0; i < count; i++) {
		if ((watch->kind == LINUX_WATCH_WRITE && !access[i].write) ||
		    (watch->kind == LINUX_WATCH_READ && !access[i].read))
			continue;
		if (access[i].address < watch->address + watch->size &&
		    watch->address < access[i].address + access[i].size)
			return true;
	}
	return false;
}
