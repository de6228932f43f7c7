/* Breakpoints and watchpoints in the debug registers of a traced thread (Intel
 * SDM volume 3, chapter 18). */
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/ptrace/watch.h"
#include "x86/linux/state.h"

static bool enabled(const struct tracee *tracee, unsigned number)
{
	return tracee->debug[DR7] >> 2 * number & 3;
}

unsigned debug_register_kind(uint64_t control, unsigned number)
{
	return control >> (16 + 4 * number) & 3;
}

unsigned debug_register_length(uint64_t control, unsigned number)
{
	static const uint8_t lengths[] = { 1, 2, 8, 4 };

	return lengths[control >> (18 + 4 * number) & 3];
}

bool debug_register_breaks(const struct tracee *tracee, unsigned number,
			   uint64_t address)
{
	return enabled(tracee, number) &&
	       debug_register_kind(tracee->debug[DR7], number) == EXECUTE &&
	       tracee->debug[number] == address;
}

bool ptrace_has_breakpoint(const struct context *context, uint64_t address)
{
	return debug_registers_break(context, address) != 0;
}

uint64_t debug_registers_break(const struct context *context, uint64_t address)
{
	uint64_t hits = 0;

	for (unsigned i = 0; i < BREAKPOINT_REGISTERS; i++)
		if (debug_register_breaks(context->tracee, i, address))
			hits |= UINT64_C(1) << i;
	return hits;
}

static bool watches(const struct tracee *tracee, unsigned number,
		    struct watchpoint *watch)
{
	uint64_t control = tracee->debug[DR7];

	if (!enabled(tracee, number) ||
	    debug_register_kind(control, number) == EXECUTE)
		return false;
	*watch = (struct watchpoint){
		tracee->debug[number], debug_register_length(control, number),
		debug_register_kind(control, number) == WRITE
			? LINUX_WATCH_WRITE : LINUX_WATCH_ACCESS,
	};
	return true;
}

size_t ptrace_watchpoints(const struct context *context,
			  struct watchpoint list[PTRACE_WATCHPOINTS])
{
	size_t count = 0;

	for (unsigned i = 0; i < BREAKPOINT_REGISTERS; i++)
		count += watches(context->tracee, i, list + count);
	return count;
}

uint64_t debug_registers_watch(const struct context *context)
{
	struct watchpoint watch;
	uint64_t hits = 0;

	for (unsigned i = 0; i < BREAKPOINT_REGISTERS; i++)
		if (watches(context->tracee, i, &watch) &&
		    watch_hits(&watch, context->cpu))
			hits |= UINT64_C(1) << i;
	return hits;
}
