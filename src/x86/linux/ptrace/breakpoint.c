/* Debug registers of traced threads: breakpoints and watchpoints in the
 * processor (Intel SDM volume 3, chapter 18). */
#include <errno.h>

#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/ptrace/watch.h"
#include "x86/linux/state.h"

enum { DR6 = 6, DR7 = 7 };

/* The bits of DR6 that are always set. */
#define DR6_FIXED UINT64_C(0xffff0ff0)

enum { EXECUTE, WRITE, INPUT_OUTPUT, READ_OR_WRITE };

static bool enabled(const struct tracee *tracee, unsigned number)
{
	return tracee->debug[DR7] >> 2 * number & 3;
}

static unsigned kind(uint64_t control, unsigned number)
{
	return control >> (16 + 4 * number) & 3;
}

static unsigned length(uint64_t control, unsigned number)
{
	static const uint8_t lengths[] = { 1, 2, 8, 4 };

	return lengths[control >> (18 + 4 * number) & 3];
}

static bool breaks_at(const struct tracee *tracee, unsigned number,
		      uint64_t address)
{
	return enabled(tracee, number) &&
	       kind(tracee->debug[DR7], number) == EXECUTE &&
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
		if (breaks_at(context->tracee, i, address))
			hits |= UINT64_C(1) << i;
	return hits;
}

static bool watches(const struct tracee *tracee, unsigned number,
		    struct watchpoint *watch)
{
	uint64_t control = tracee->debug[DR7];

	if (!enabled(tracee, number) || kind(control, number) == EXECUTE)
		return false;
	*watch = (struct watchpoint){
		tracee->debug[number], length(control, number),
		kind(control, number) == WRITE ? LINUX_WATCH_WRITE
					       : LINUX_WATCH_ACCESS,
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

/* ---- Access ---- */

uint64_t debug_register_get(const struct context *context, unsigned number)
{
	const uint64_t *debug = context->tracee->debug;

	return number == DR6 ? debug[DR6] ^ DR6_FIXED : debug[number];
}

static bool is_valid(uint64_t control, unsigned number, uint64_t address)
{
	if (kind(control, number) == INPUT_OUTPUT)
		return false;
	if (kind(control, number) == EXECUTE && length(control, number) != 1)
		return false;
	return address % length(control, number) == 0;
}

static void apply(struct context *context, const uint64_t *new)
{
	struct linux_system *system = context->process->system;
	struct guest_memory *memory = context->process->memory;
	uint64_t old[DEBUG_REGISTERS];
	struct tracee before;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		old[i] = context->tracee->debug[i];
	before = *context->tracee;
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		context->tracee->debug[i] = new[i];
	for (unsigned i = 0; i < BREAKPOINT_REGISTERS; i++) {
		if (breaks_at(&before, i, old[i]))
			breakpoint_drop(system, memory, old[i]);
		if (breaks_at(context->tracee, i, new[i]))
			x86_breakpoint_insert(memory->emulator, new[i]);
	}
	watch_apply(system, memory);
}

int64_t debug_register_set(struct context *context, unsigned number,
			   uint64_t value)
{
	uint64_t new[DEBUG_REGISTERS];

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		new[i] = context->tracee->debug[i];
	if (number == 4 || number == 5)
		return -EIO;
	if (number < BREAKPOINT_REGISTERS &&
	    value >= context->process->memory->space->end)
		return -EINVAL;
	new[number] = number == DR6 ? value ^ DR6_FIXED : value;
	for (unsigned i = 0; i < BREAKPOINT_REGISTERS; i++)
		if (new[DR7] >> 2 * i & 3 && !is_valid(new[DR7], i, new[i]))
			return -EINVAL;
	apply(context, new);
	return 0;
}

void debug_registers_drop(struct context *context)
{
	const uint64_t none[DEBUG_REGISTERS] = { 0 };

	if (context->tracee->debug[DR7])
		apply(context, none);
}
