/* Debug registers of traced threads as their tracers read and set them (Intel
 * SDM volume 3, chapter 18). */
#include <errno.h>

#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/ptrace/watch.h"
#include "x86/linux/state.h"

/* The bits of DR6 that are always set. */
#define DR6_FIXED UINT64_C(0xffff0ff0)

uint64_t debug_register_get(const struct context *context, unsigned number)
{
	const uint64_t *debug = context->tracee->debug;

	return number == DR6 ? debug[DR6] ^ DR6_FIXED : debug[number];
}

/* Whether a register may hold an address with this control word. */
static bool is_valid(uint64_t control, unsigned number, uint64_t address)
{
	if (debug_register_kind(control, number) == INPUT_OUTPUT)
		return false;
	if (debug_register_kind(control, number) == EXECUTE &&
	    debug_register_length(control, number) != 1)
		return false;
	return address % debug_register_length(control, number) == 0;
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
		if (debug_register_breaks(&before, i, old[i]))
			breakpoint_drop(system, memory, old[i]);
		if (debug_register_breaks(context->tracee, i, new[i]))
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
