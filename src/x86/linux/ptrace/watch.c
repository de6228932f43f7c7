#include "x86/linux/ptrace/watch.h"

#include "x86/linux/state.h"

struct range {
	uint64_t start, end;
};

static void cover(struct range *range, const struct watchpoint *list,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].address < range->start)
			range->start = list[i].address;
		if (list[i].address + list[i].size > range->end)
			range->end = list[i].address + list[i].size;
	}
}

static bool uses(const struct context *context,
		 const struct guest_memory *memory)
{
	return !context->ended && context->tracee &&
	       context->process->memory == memory;
}

void watch_apply(struct linux_system *system, struct guest_memory *memory)
{
	struct range range = { .start = UINT64_MAX };
	struct watchpoint own[PTRACE_WATCHPOINTS];
	const struct watchpoint *list;
	size_t count = debug_watchpoints(system, memory, &list);

	cover(&range, list, count);
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (uses(context, memory))
			cover(&range, own, ptrace_watchpoints(context, own));
	x86_watch(memory->emulator, range.end ? range.start : 0, range.end);
}

void breakpoint_drop(struct linux_system *system, struct guest_memory *memory,
		     uint64_t address)
{
	if (debug_has_breakpoint(system, memory, address))
		return;
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (uses(context, memory) &&
		    ptrace_has_breakpoint(context, address))
			return;
	x86_breakpoint_remove(memory->emulator, address);
}
