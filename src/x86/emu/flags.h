/* Lazy arithmetic flags.
 *
 * An instruction that sets all six arithmetic flags only notes its kind and one
 * or two numbers. The numbers are sign-extended to 64 bits, so that most
 * conditions do not depend on the operand size (sign extension keeps both the
 * signed and the unsigned order):
 *
 *	kind      flags_x   flags_y
 *	LOGIC     result                   CF = OF = AF = 0
 *	ADDn      result    one addend     n: operand size in bits
 *	SUBn      minuend   subtrahend     also CMP and NEG
 *	RESULT    result    CF, OF and AF as EFLAGS bits
 *	EXPLICIT                           all in cpu->eflags */
#ifndef M2S_X86_EMU_FLAGS_H
#define M2S_X86_EMU_FLAGS_H

#include "x86/emu/cpu.h"

/* Condition codes as encoded in Jcc, SETcc and CMOVcc. */
enum x86_condition {
	X86_IF_O, X86_IF_NO, X86_IF_B, X86_IF_AE, X86_IF_E, X86_IF_NE,
	X86_IF_BE, X86_IF_A, X86_IF_S, X86_IF_NS, X86_IF_P, X86_IF_NP,
	X86_IF_L, X86_IF_GE, X86_IF_LE, X86_IF_G,
};

/* The six arithmetic flags as EFLAGS bits. */
uint32_t x86_arithmetic_flags(const struct x86_cpu *cpu);

/* Replaces all six arithmetic flags (COMISS, PTEST, SAHF, ...). */
static inline void x86_set_arithmetic_flags(struct x86_cpu *cpu, uint32_t bits)
{
	cpu->eflags = (cpu->eflags & ~(uint32_t)X86_ARITHMETIC) | bits;
	cpu->flags_kind = X86_FLAGS_EXPLICIT;
}

/* Replaces only the flags in `mask`. */
static inline void x86_change_arithmetic_flags(struct x86_cpu *cpu,
					       uint32_t mask, uint32_t bits)
{
	x86_set_arithmetic_flags(
		cpu, (x86_arithmetic_flags(cpu) & ~mask) | (bits & mask));
}

/* Replaces CF, or CF and OF, cheaply where the kind allows. */
static inline void x86_change_carry(struct x86_cpu *cpu, uint32_t mask,
				    uint32_t bits)
{
	switch (cpu->flags_kind) {
	case X86_FLAGS_LOGIC:
		cpu->flags_kind = X86_FLAGS_RESULT;
		cpu->flags_y = bits;
		break;
	case X86_FLAGS_RESULT:
		cpu->flags_y = (cpu->flags_y & ~(uint64_t)mask) | bits;
		break;
	default:
		x86_change_arithmetic_flags(cpu, mask, bits);
	}
}

static inline void x86_flags(struct x86_cpu *cpu, enum x86_flags_kind kind,
			     int64_t x, int64_t y)
{
	cpu->flags_kind = kind;
	cpu->flags_x = (uint64_t)x;
	cpu->flags_y = (uint64_t)y;
}

static inline void x86_flags_logic(struct x86_cpu *cpu, int64_t result)
{
	cpu->flags_kind = X86_FLAGS_LOGIC;
	cpu->flags_x = (uint64_t)result;
}

/* PF of a result. */
static inline bool x86_parity(uint64_t result)
{
	return !__builtin_parity((unsigned)(result & 0xff));
}

/* CF alone, which is cheaper than all six flags. */
static inline bool x86_carry(const struct x86_cpu *cpu)
{
	switch (cpu->flags_kind) {
	case X86_FLAGS_LOGIC:
		return false;
	case X86_FLAGS_RESULT:
		return cpu->flags_y & X86_CF;
	case X86_FLAGS_EXPLICIT:
		return cpu->eflags & X86_CF;
	default:
		return cpu->flags_x < cpu->flags_y; /* ADDn, SUBn */
	}
}

/* Whether a condition holds, whatever set the flags. */
bool x86_condition(const struct x86_cpu *cpu, enum x86_condition condition);

#endif
