/* General registers as struct user_regs_struct of either ABI has them
 * (asm/user_64.h, asm/user_32.h). */
#include <errno.h>

#include "base/memory.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/state.h"

/* Beyond the numbers of the general registers. */
enum {
	ORIGINAL = X86_REG_COUNT, RIP, FLAGS,
	SELECTOR, /* + X86_ES ... X86_GS */
	FS_BASE = SELECTOR + X86_SEGMENT_COUNT, GS_BASE,
};

static const uint8_t layout_64[USER_REGISTERS_64] = {
	X86_R15, X86_R14, X86_R13, X86_R12, X86_RBP, X86_RBX, X86_R11, X86_R10,
	X86_R9, X86_R8, X86_RAX, X86_RCX, X86_RDX, X86_RSI, X86_RDI, ORIGINAL,
	RIP, SELECTOR + X86_CS, FLAGS, X86_RSP, SELECTOR + X86_SS, FS_BASE,
	GS_BASE, SELECTOR + X86_DS, SELECTOR + X86_ES, SELECTOR + X86_FS,
	SELECTOR + X86_GS,
};
static const uint8_t layout_32[USER_REGISTERS_32] = {
	X86_RBX, X86_RCX, X86_RDX, X86_RSI, X86_RDI, X86_RBP, X86_RAX,
	SELECTOR + X86_DS, SELECTOR + X86_ES, SELECTOR + X86_FS,
	SELECTOR + X86_GS, ORIGINAL, RIP, SELECTOR + X86_CS, FLAGS, X86_RSP,
	SELECTOR + X86_SS,
};

/* The flags that a tracer may change. */
#define TRACER_FLAGS (X86_ARITHMETIC | X86_TF | X86_DF | X86_RF | X86_AC)

static uint64_t get_register(const struct context *context, unsigned which)
{
	const struct x86_cpu *cpu = context->cpu;

	switch (which) {
	case ORIGINAL:
		return (uint64_t)context->call.original_rax;
	case RIP:
		return cpu->rip;
	case FLAGS:
		return x86_eflags(cpu);
	case FS_BASE:
		return cpu->segment[X86_FS].base;
	case GS_BASE:
		return cpu->segment[X86_GS].base;
	case X86_RAX:
		/* The result of a call, which the kernel has in 64 bits. */
		if (context->process->memory->abi32 &&
		    (int)context->call.original_rax != -1)
			return (uint64_t)(int32_t)cpu->reg[X86_RAX];
		return cpu->reg[X86_RAX];
	default:
		return which < X86_REG_COUNT
			       ? cpu->reg[which]
			       : cpu->segment[which - SELECTOR].selector;
	}
}

uint64_t user_register(const struct context *context, unsigned index,
		       bool abi32)
{
	return abi32 ? (uint32_t)get_register(context, layout_32[index])
		     : get_register(context, layout_64[index]);
}

/* A program cannot be moved to another mode, which CS would do. */
static int64_t set_selector(struct x86_cpu *cpu, int segment, uint64_t value)
{
	uint16_t selector = (uint16_t)value;

	if (selector == cpu->segment[segment].selector)
		return 0;
	return segment == X86_CS || x86_segment_load(cpu, segment, selector)
		       ? -EIO
		       : 0;
}

static int64_t set_base(struct x86_cpu *cpu, int segment, uint64_t value)
{
	if (value >> 47)
		return -EIO;
	if (cpu->mode == X86_MODE_64)
		cpu->segment[segment].base = value;
	return 0;
}

static int64_t set_register(struct context *context, unsigned which,
			    uint64_t value)
{
	struct x86_cpu *cpu = context->cpu;

	switch (which) {
	case ORIGINAL:
		context->call.original_rax = context->process->memory->abi32
						     ? (int32_t)value
						     : (int64_t)value;
		return 0;
	case RIP:
		cpu->rip = value & cpu->address_mask;
		return 0;
	case FLAGS:
		x86_eflags_set(cpu,
			       (x86_eflags(cpu) & ~(uint32_t)TRACER_FLAGS) |
				       ((uint32_t)value & TRACER_FLAGS));
		cpu->eflags |= (uint32_t)value & X86_RF;
		return 0;
	case FS_BASE:
		return set_base(cpu, X86_FS, value);
	case GS_BASE:
		return set_base(cpu, X86_GS, value);
	default:
		if (which >= SELECTOR)
			return set_selector(cpu, (int)(which - SELECTOR),
					    value);
		cpu->reg[which] = value & cpu->address_mask;
		return 0;
	}
}

int64_t user_register_set(struct context *context, unsigned index, bool abi32,
			  uint64_t value)
{
	return set_register(context,
			    abi32 ? layout_32[index] : layout_64[index], value);
}

int64_t registers_get(struct context *tracer, const struct context *context,
		      bool abi32, uint64_t address, uint64_t size)
{
	unsigned word = abi32 ? 4 : 8;

	for (unsigned i = 0; i < size / word; i++) {
		uint64_t value = user_register(context, i, abi32);

		if (guest_put(tracer, address + i * word, &value, word))
			return -EFAULT;
	}
	return 0;
}

int64_t registers_set(struct context *tracer, struct context *context,
		      bool abi32, uint64_t address, uint64_t size)
{
	unsigned word = abi32 ? 4 : 8;

	for (unsigned i = 0; i < size / word; i++) {
		uint64_t value = 0;
		int64_t result;

		if (guest_get(tracer, address + i * word, &value, word))
			return -EFAULT;
		result = user_register_set(context, i, abi32, value);
		if (result)
			return result;
	}
	return 0;
}

/* The tracer's ABI decides the layout of PTRACE_GETREGS. */
int64_t ptrace_get_registers(struct context *tracer, struct context *context,
			     uint64_t address, uint64_t data)
{
	(void)address;
	return registers_get(tracer, context, tracer->abi32, data,
			     registers_size(tracer->abi32));
}

int64_t ptrace_set_registers(struct context *tracer, struct context *context,
			     uint64_t address, uint64_t data)
{
	(void)address;
	return registers_set(tracer, context, tracer->abi32, data,
			     registers_size(tracer->abi32));
}
