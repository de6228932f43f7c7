/* How handlers leave their block: by an exit that is not linked, by a fault. */
#include "x86/emu/op.h"

#include "x86/emu/run.h"

int x86_leave_at_exit(struct x86_cpu *cpu, const struct x86_op *op, int which)
{
	const struct x86_exit *exit = (const void *)(op + 1);

	cpu->op = op;
	cpu->rip = exit->address[which];
	/* The exit is a part of a block, which is not const in itself. */
	cpu->link = (const struct x86_op **)(uintptr_t)&exit->target[which];
	return X86_LEAVE_LINK;
}

int x86_raise(struct x86_cpu *cpu, const struct x86_op *op, int signal,
	      int code, uint64_t address, int vector)
{
	cpu->op = op;
	cpu->fault = (struct x86_fault){
		.signal = signal, .code = code, .address = address,
		.vector = (uint8_t)vector,
	};
	return X86_LEAVE_FAULT;
}

void x86_raise_now(struct x86_cpu *cpu, const struct x86_op *op, int signal,
		   int code, uint64_t address, int vector)
{
	x86_raise(cpu, op, signal, code, address, vector);
	siglongjmp(cpu->escape->environment, X86_ESCAPE_RAISED);
}

void x86_raise_access(struct x86_cpu *cpu, const struct x86_op *op,
		      uint64_t address)
{
	uint64_t rsp = cpu->reg[X86_RSP];
	/* PUSH and related instructions have no memory operand, or another
	 * one. */
	bool stack = op->base == X86_RSP * 8 || op->base == X86_RBP * 8 ||
		     address - rsp + 16 <= 32;

	if (address < cpu->space->end && space_region_at(cpu->space, address)) {
		x86_raise(cpu, op, SIGSEGV, SEGV_MAPERR, address, 14);
		siglongjmp(cpu->escape->environment, X86_ESCAPE_FAR);
	}
	/* Not canonical: a general protection or stack fault, which has no
	 * address. */
	if ((address + (1ull << 47)) >> 48) {
		if (stack)
			x86_raise_now(cpu, op, SIGBUS, SI_KERNEL, 0, 12);
		x86_raise_now(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	}
	/* Linux reports the kernel's half of the address space as mapped. */
	x86_raise(cpu, op, SIGSEGV, SEGV_MAPERR, address, 14);
	cpu->fault.error_code = address >> 47 ? 4 | 1 : 4;
	siglongjmp(cpu->escape->environment, X86_ESCAPE_RAISED);
}

void x86_raise_alignment(struct x86_cpu *cpu, const struct x86_op *op)
{
	x86_raise_now(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
}
