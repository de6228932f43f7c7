/* System calls, traps, CPUID, the time-stamp counter, flag control. */
#include "x86/emu/block.h"
#include "x86/emu/decode/foreign.h"
#include "x86/emu/integer/integer.h"
#include "x86/emu/observe/redirect.h"

/* ---- Leaving for the system-call layer ---- */

/* Retires the op's instruction: the state becomes that behind the
 * instruction. */
static void retire(struct x86_cpu *cpu, const struct x86_op *op)
{
	cpu->budget -= op->count + 1;
	cpu->rip = x86_op_next_rip(op);
}

X86_OP(syscall)
{
	retire(cpu, op);
	cpu->reg[X86_RCX] = cpu->rip;
	cpu->reg[X86_R11] = x86_eflags(cpu);
	return X86_LEAVE_SYSCALL;
}

X86_OP(sysenter)
{
	retire(cpu, op);
	return X86_LEAVE_SYSENTER;
}

/* A trap: a fault that is reported after its instruction. */
static int trap(struct x86_cpu *cpu, const struct x86_op *op, int signal,
		int code, uint64_t address, int vector)
{
	x86_raise(cpu, op, signal, code, address, vector);
	retire(cpu, op);
	cpu->op = NULL;
	return X86_LEAVE_FAULT;
}

static int protection_fault(struct x86_cpu *cpu, const struct x86_op *op)
{
	return x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
}

/* A NOP that tells the simulator something: see is_marker() in decode.c. */
X86_OP(marker)
{
	retire(cpu, op);
	cpu->marker = x86_foreign_code((unsigned)op->imm, cpu->reg[X86_RAX],
				       cpu->reg[X86_RCX]);
	return X86_LEAVE_MARKER;
}

/* INT n. 0x80 is a system call in both modes. User code may use no other
 * numbers but 3 and 4, which are INT3 and INTO. */
X86_OP(int)
{
	unsigned n = (uint8_t)op->imm;

	if (n == 0x80) {
		retire(cpu, op);
		return X86_LEAVE_INT80;
	}
	if (n == 3)
		return trap(cpu, op, SIGTRAP, SI_KERNEL, 0, 3);
	if (n == 4)
		return trap(cpu, op, SIGSEGV, SI_KERNEL, 0, 4);
	x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	cpu->fault.error_code = (uint16_t)(n * 8 + 2);
	return X86_LEAVE_FAULT;
}

X86_OP(int3)
{
	return trap(cpu, op, SIGTRAP, SI_KERNEL, 0, 3);
}

X86_OP(int1)
{
	return trap(cpu, op, SIGTRAP, TRAP_BRKPT, x86_op_next_rip(op), 1);
}

X86_OP(into)
{
	if (x86_condition(cpu, X86_IF_O))
		return trap(cpu, op, SIGSEGV, SI_KERNEL, 0, 4);
	X86_NEXT;
}

/* BOUND index, [lower, upper]: 32-bit mode only. */
#define BOUND(bits) \
	X86_OP(bound##bits) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		INT(bits) low = (INT(bits))x86_load##bits(cpu, op, address); \
		INT(bits) high = (INT(bits))x86_load##bits( \
			cpu, op, (address + bits / 8) & cpu->address_mask); \
		INT(bits) index = (INT(bits))X86_REG##bits(cpu, op->dst); \
		if (index < low || index > high) \
			return x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 5); \
		X86_NEXT; \
	}
BOUND(16)
BOUND(32)

X86_OP(undefined)
{
	return x86_raise(cpu, op, SIGILL, ILL_ILLOPN, x86_op_rip(op), 6);
}

/* HLT, CLI, IN and others that only the kernel may use. */
X86_OP(privileged)
{
	return protection_fault(cpu, op);
}

/* ---- What the processor says about itself ---- */

X86_OP(cpuid)
{
	uint32_t result[4];

	x86_cpuid(&cpu->emulator->model,
		  X86_REG32(cpu, X86_RAX * 8), X86_REG32(cpu, X86_RCX * 8),
		  result);
	cpu->reg[X86_RAX] = result[0];
	cpu->reg[X86_RBX] = result[1];
	cpu->reg[X86_RCX] = result[2];
	cpu->reg[X86_RDX] = result[3];
	X86_NEXT;
}

/* Without a source of time, the time-stamp counter counts instructions, one
 * nanosecond each, from the time at which the machine's clock stood. */
static void read_time(struct x86_cpu *cpu, const struct x86_op *op)
{
	const struct x86_emulator *emulator = cpu->emulator;
	uint64_t now = emulator->time ?
		emulator->time(emulator->time_owner, cpu) :
		cpu->time_base + x86_instructions(cpu) + op->count;

	x86_set32(cpu, X86_RAX * 8, (uint32_t)now);
	x86_set32(cpu, X86_RDX * 8, (uint32_t)(now >> 32));
}

X86_OP(rdtsc)
{
	if (cpu->time_hidden)
		return protection_fault(cpu, op);
	read_time(cpu, op);
	X86_NEXT;
}

/* ECX is the processor's number as Linux sets it: 0. */
X86_OP(rdtscp)
{
	if (cpu->time_hidden)
		return protection_fault(cpu, op);
	read_time(cpu, op);
	cpu->reg[X86_RCX] = 0;
	X86_NEXT;
}

X86_OP(rdpid)
{
	X86_REG64(cpu, op->dst) = 0;
	X86_NEXT;
}

/* ---- Random numbers ---- */

static uint64_t next_random(struct x86_cpu *cpu)
{
	struct x86_emulator *emulator = cpu->emulator;
	uint64_t z;

	/* A wrong path must leave the numbers to the right path. */
	if (cpu->redirect & X86_REDIRECT_WRONG)
		z = x86_instructions(cpu);
	else if (emulator->random)
		return emulator->random(emulator->random_owner);
	else
		z = ++emulator->random_count;
	z *= 0x9e3779b97f4a7c15u; /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number is always ready: CF is set, and no other flag. */
#define RANDOM(n) \
	X86_OP(random##n) \
	{ \
		x86_set##n(cpu, op->dst, \
			   (uint##n##_t)next_random(cpu)); \
		x86_change_arithmetic_flags(cpu, X86_ARITHMETIC, X86_CF); \
		X86_NEXT; \
	}
RANDOM(16)
RANDOM(32)
RANDOM(64)

/* ---- Segment bases ---- */

#define READ_BASE(name, segment_, n) \
	X86_OP(rd##name##n) \
	{ \
		x86_set##n(cpu, op->dst, \
			   (uint##n##_t)cpu->segment[segment_].base); \
		X86_NEXT; \
	}
READ_BASE(fsbase, X86_FS, 32)
READ_BASE(fsbase, X86_FS, 64)
READ_BASE(gsbase, X86_GS, 32)
READ_BASE(gsbase, X86_GS, 64)

static bool canonical(uint64_t address)
{
	return !((address + (1ull << 47)) >> 48);
}

#define WRITE_BASE(name, segment_, n) \
	X86_OP(wr##name##n) \
	{ \
		uint64_t base = X86_REG##n(cpu, op->dst); \
		\
		if (!canonical(base)) \
			return protection_fault(cpu, op); \
		cpu->segment[segment_].base = base; \
		X86_NEXT; \
	}
WRITE_BASE(fsbase, X86_FS, 32)
WRITE_BASE(fsbase, X86_FS, 64)
WRITE_BASE(gsbase, X86_GS, 32)
WRITE_BASE(gsbase, X86_GS, 64)

/* ---- No effect for a single guest thread at a time ---- */

X86_OP(nop)
{
	X86_NEXT;
}

/* CLFLUSH touches the line as a byte load does. */
X86_OP(flush)
{
	x86_load8(cpu, op, x86_address(cpu, op));
	X86_NEXT;
}

/* ---- Flags ---- */

X86_OP(clc)
{
	x86_change_carry(cpu, X86_CF, 0);
	X86_NEXT;
}

X86_OP(stc)
{
	x86_change_carry(cpu, X86_CF, X86_CF);
	X86_NEXT;
}

X86_OP(cmc)
{
	x86_change_carry(cpu, X86_CF, !x86_carry(cpu));
	X86_NEXT;
}

X86_OP(cld)
{
	cpu->eflags &= ~(uint32_t)X86_DF;
	X86_NEXT;
}

X86_OP(std)
{
	cpu->eflags |= X86_DF;
	X86_NEXT;
}

X86_OP(lahf)
{
	X86_REG8(cpu, X86_RAX * 8 + 1) = (uint8_t)x86_eflags(cpu);
	X86_NEXT;
}

X86_OP(sahf)
{
	const uint32_t mask = X86_SF | X86_ZF | X86_AF | X86_PF | X86_CF;

	x86_change_arithmetic_flags(cpu, mask,
				    X86_REG8(cpu, X86_RAX * 8 + 1) & mask);
	X86_NEXT;
}

/* SETALC: AL = CF ? 0xff : 0; 32-bit mode only. */
X86_OP(salc)
{
	X86_REG8(cpu, X86_RAX * 8) = x86_carry(cpu) ? 0xff : 0;
	X86_NEXT;
}
