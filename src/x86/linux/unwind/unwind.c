/* Walking the frames of a thread. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/state.h"
#include "x86/linux/unwind/cfi.h"
#include "x86/linux/unwind/symbol.h"
#include "x86/linux/unwind/unwind.h"

static bool step_by_pointer(struct cfi_machine *machine)
{
	uint64_t frame = machine->reg[machine->bp], next, from;
	bool failed = false;

	if (frame % machine->word || frame < machine->reg[machine->sp])
		return false;
	next = cfi_load(machine, frame, machine->word, &failed);
	from = cfi_load(machine, frame + machine->word, machine->word, &failed);
	if (failed || next <= frame)
		return false;
	machine->reg[machine->sp] = frame + 2 * machine->word;
	machine->reg[machine->bp] = next;
	machine->reg[machine->ra] = from;
	return true;
}

/* The code that a handler returns to, which makes the system call that takes
 * the frame away; i386 libraries have no information about it. On the stack
 * is what frame.c put there. */
static bool step_by_signal(struct cfi_machine *machine)
{
	static const uint8_t code64[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f,
					  0x05 };
	static const uint8_t code32[] = { 0x58, 0xb8, 119, 0, 0, 0, 0xcd,
					  0x80 };
	static const uint8_t code32_rt[] = { 0xb8, 173, 0, 0, 0, 0xcd, 0x80 };
	/* Words of struct sigcontext by DWARF number. */
	static const uint8_t order64[CFI_REGISTERS] = {
		13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16
	};
	static const uint8_t order32[CFI_REGISTERS] = {
		11, 10, 9, 8, 7, 6, 5, 4, 14
	};
	uint64_t rip = machine->reg[machine->ra];
	uint64_t at = machine->reg[machine->sp];
	uint8_t code[9] = { 0 };
	bool failed = false;

	if (space_read(machine->space, rip, code, sizeof code))
		return false;
	if (machine->wide && !memcmp(code, code64, sizeof code64))
		at += 40; /* of struct ucontext */
	else if (!machine->wide && !memcmp(code, code32, sizeof code32))
		at += 4; /* behind the signal's number */
	else if (!machine->wide && !memcmp(code, code32_rt, sizeof code32_rt))
		at = cfi_load(machine, at + 8, 4, &failed) + 20;
	else
		return false;
	for (unsigned i = 0; i <= machine->ra; i++)
		machine->reg[i] = cfi_load(
		    machine,
		    at + (machine->wide ? order64 : order32)[i] * machine->word,
		    machine->word, &failed);
	return !failed;
}

/* A jump to where no code is: what called has pushed where to return. */
static bool step_by_return(struct cfi_machine *machine)
{
	bool failed = false;
	uint64_t sp = machine->reg[machine->sp];
	uint64_t from = cfi_load(machine, sp, machine->word, &failed);

	if (failed || !space_check(machine->space, from, 1, SPACE_EXECUTE))
		return false;
	machine->reg[machine->ra] = from;
	machine->reg[machine->sp] = sp + machine->word;
	return true;
}

/* 1: stepped; 0: the outermost frame; -1: no information. */
static int step_by_table(struct linux_system *system,
			 struct cfi_machine *machine, uint64_t address,
			 uint8_t *bytes, bool *signal)
{
	uint64_t header = symbol_unwind_table(system, machine->space, address);
	struct cfi_rules rules;
	struct cfi_entry entry;
	uint64_t fde;

	if (!header)
		return -1;
	fde = cfi_search(machine, header, address);
	if (!fde || !cfi_read(machine, fde, bytes, &entry) ||
	    address - entry.start >= entry.size ||
	    !cfi_find_rules(&entry, machine, address, &rules))
		return -1;
	*signal = entry.signal;
	return cfi_apply(machine, &rules);
}

static void start_machine(struct cfi_machine *machine,
			  const struct context *context)
{
	static const uint8_t order64[] = {
		X86_RAX, X86_RDX, X86_RCX, X86_RBX, X86_RSI, X86_RDI, X86_RBP,
		X86_RSP, X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R13,
		X86_R14, X86_R15
	};
	const struct x86_cpu *cpu = context->cpu;

	*machine = (struct cfi_machine){
		.space = cpu->space, .wide = cpu->mode == X86_MODE_64,
	};
	machine->word = machine->wide ? 8 : 4;
	machine->sp = machine->wide ? 7 : 4;
	machine->bp = machine->wide ? 6 : 5;
	machine->ra = machine->wide ? 16 : 8;
	for (unsigned i = 0; i < machine->ra; i++)
		machine->reg[i] = cpu->reg[machine->wide ? order64[i] : i];
	machine->reg[machine->ra] = cpu->rip;
}

size_t unwind(const struct context *context, struct unwind_frame *list,
	      size_t max)
{
	uint8_t *bytes = xmalloc(2 * CFI_ENTRY_MAX);
	struct cfi_machine machine;
	bool called = false;
	size_t count = 0;

	start_machine(&machine, context);
	while (count < max) {
		uint64_t rip = machine.reg[machine.ra];
		uint64_t sp = machine.reg[machine.sp];
		bool signal = false, code;
		int result;

		code = space_check(machine.space, rip, 1, SPACE_EXECUTE);
		if (!code && count)
			break;
		list[count++] = (struct unwind_frame){ rip, called };
		result = code ? step_by_table(context->process->system,
					      &machine, rip - called, bytes,
					      &signal)
			      : -1;
		if (result < 0 && code && step_by_signal(&machine))
			result = signal = true;
		else if (result < 0)
			result = code ? step_by_pointer(&machine)
				      : step_by_return(&machine);
		if (!result)
			break;
		/* Stacks shrink towards the outermost frame; only a signal
		 * may lead to another stack. */
		if (machine.reg[machine.sp] <= sp && !signal)
			break;
		called = !signal;
	}
	free(bytes);
	return count;
}
