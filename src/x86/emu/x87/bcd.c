/* Decimal adjustments: 32-bit mode only. Intel SDM volume 2. */
#include "x86/emu/integer/integer.h"

#define AL X86_REG8(cpu, X86_RAX * 8)
#define AH X86_REG8(cpu, X86_RAX * 8 + 1)
#define AX X86_REG16(cpu, X86_RAX * 8)

static uint32_t byte_flags(uint8_t result)
{
	return (result ? 0 : X86_ZF) | (result & 0x80 ? X86_SF : 0) |
	       (x86_parity(result) ? X86_PF : 0);
}

/* AAA and AAS: whether AL needs the adjustment. */
static bool ascii_adjust(const struct x86_cpu *cpu)
{
	return (AL & 15) > 9 || x86_arithmetic_flags(cpu) & X86_AF;
}

X86_OP(aaa)
{
	bool adjust = ascii_adjust(cpu);

	if (adjust)
		AX = (uint16_t)(AX + 0x106);
	AL &= 15;
	x86_set_arithmetic_flags(cpu, byte_flags(AL) |
					      (adjust ? X86_AF | X86_CF : 0));
	X86_NEXT;
}

X86_OP(aas)
{
	bool adjust = ascii_adjust(cpu);

	if (adjust)
		AX = (uint16_t)(AX - 0x106);
	AL &= 15;
	x86_set_arithmetic_flags(cpu, byte_flags(AL) |
					      (adjust ? X86_AF | X86_CF : 0));
	X86_NEXT;
}

X86_OP(aam)
{
	uint8_t base = (uint8_t)op->imm;

	if (!base)
		return x86_raise(cpu, op, SIGFPE, FPE_INTDIV, x86_op_rip(op),
				 0);
	AX = (uint16_t)(AL / base << 8 | AL % base);
	x86_set_arithmetic_flags(cpu, byte_flags(AL));
	X86_NEXT;
}

X86_OP(aad)
{
	AX = (uint8_t)(AL + AH * (uint8_t)op->imm);
	x86_set_arithmetic_flags(cpu, byte_flags(AL));
	X86_NEXT;
}

/* DAA and DAS: the high digit by the value and carry before. */
static void decimal_adjust(struct x86_cpu *cpu, int sign)
{
	uint32_t before = x86_arithmetic_flags(cpu), flags = 0;
	uint8_t al = AL;
	int value = al;

	if ((al & 15) > 9 || before & X86_AF) {
		value += sign * 6;
		flags |= X86_AF;
		/* DAS: a borrow out of the low digit may carry out. */
		if (value < 0 || (value > 255))
			flags |= X86_CF;
	}
	if (al > 0x99 || before & X86_CF) {
		value += sign * 0x60;
		flags |= X86_CF;
	}
	if (sign > 0 && !(al > 0x99 || before & X86_CF))
		flags &= ~(uint32_t)X86_CF;
	AL = (uint8_t)value;
	x86_set_arithmetic_flags(cpu, flags | byte_flags(AL));
}

X86_OP(daa)
{
	decimal_adjust(cpu, 1);
	X86_NEXT;
}

X86_OP(das)
{
	decimal_adjust(cpu, -1);
	X86_NEXT;
}
