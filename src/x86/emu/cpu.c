#include "x86/emu/cpu.h"

#include <string.h>

#include "x86/emu/emu.h"
#include "x86/emu/flags.h"

void x86_cpu_copy(struct x86_cpu *to, const struct x86_cpu *from)
{
	memcpy(to->reg, from->reg, sizeof to->reg);
	to->flags_kind = from->flags_kind;
	to->flags_x = from->flags_x;
	to->flags_y = from->flags_y;
	to->eflags = from->eflags;
	to->rip = from->rip;
	memcpy(to->vector, from->vector, sizeof to->vector);
	to->mxcsr = from->mxcsr;
	to->x87 = from->x87;
	memcpy(to->segment, from->segment, sizeof to->segment);
	to->segmented = from->segmented;
	memcpy(to->tls, from->tls, sizeof to->tls);
}

uint64_t x86_instructions(const struct x86_cpu *cpu)
{
	return cpu->budget_base - (uint64_t)cpu->budget;
}

/* ---- Flags ---- */

static uint32_t result_flags(uint64_t result)
{
	return (result == 0 ? X86_ZF : 0) | ((int64_t)result < 0 ? X86_SF : 0) |
	       (x86_parity(result) ? X86_PF : 0);
}

/* The low `shift` bits of `value` sign-extended; shift = 64 - size. */
static uint64_t extend(uint64_t value, unsigned shift)
{
	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static uint32_t add_flags(const struct x86_cpu *cpu, unsigned bits)
{
	uint64_t result = cpu->flags_x, b = cpu->flags_y;
	uint64_t a = extend(result - b, 64 - bits);

	return result_flags(result) | (result < b ? X86_CF : 0) |
	       ((a ^ b ^ result) & X86_AF) |
	       ((int64_t)((a ^ result) & (b ^ result)) < 0 ? X86_OF : 0);
}

static uint32_t sub_flags(const struct x86_cpu *cpu, unsigned bits)
{
	uint64_t a = cpu->flags_x, b = cpu->flags_y;
	uint64_t result = extend(a - b, 64 - bits);

	return result_flags(result) | (a < b ? X86_CF : 0) |
	       ((a ^ b ^ result) & X86_AF) |
	       ((int64_t)((a ^ b) & (a ^ result)) < 0 ? X86_OF : 0);
}

uint32_t x86_arithmetic_flags(const struct x86_cpu *cpu)
{
	switch (cpu->flags_kind) {
	case X86_FLAGS_LOGIC:
		return result_flags(cpu->flags_x);
	case X86_FLAGS_RESULT:
		return result_flags(cpu->flags_x) | (uint32_t)cpu->flags_y;
	case X86_FLAGS_ADD8:
		return add_flags(cpu, 8);
	case X86_FLAGS_ADD16:
		return add_flags(cpu, 16);
	case X86_FLAGS_ADD32:
		return add_flags(cpu, 32);
	case X86_FLAGS_ADD64:
		return add_flags(cpu, 64);
	case X86_FLAGS_SUB8:
		return sub_flags(cpu, 8);
	case X86_FLAGS_SUB16:
		return sub_flags(cpu, 16);
	case X86_FLAGS_SUB32:
		return sub_flags(cpu, 32);
	case X86_FLAGS_SUB64:
		return sub_flags(cpu, 64);
	default:
		return cpu->eflags & X86_ARITHMETIC;
	}
}

uint32_t x86_eflags(const struct x86_cpu *cpu)
{
	return (cpu->eflags & ~(uint32_t)X86_ARITHMETIC) |
	       x86_arithmetic_flags(cpu);
}

void x86_eflags_set(struct x86_cpu *cpu, uint32_t eflags)
{
	const uint32_t user = X86_ARITHMETIC | X86_TF | X86_DF | X86_NT |
			      X86_AC | X86_ID;

	cpu->eflags = (eflags & user) | X86_FIXED_1 | X86_IF;
	cpu->flags_kind = X86_FLAGS_EXPLICIT;
}

bool x86_condition(const struct x86_cpu *cpu, enum x86_condition condition)
{
	uint32_t flags = x86_arithmetic_flags(cpu);
	bool less = !(flags & X86_SF) != !(flags & X86_OF);
	bool result;

	switch (condition & ~1u) {
	case X86_IF_O:
		result = flags & X86_OF;
		break;
	case X86_IF_B:
		result = flags & X86_CF;
		break;
	case X86_IF_E:
		result = flags & X86_ZF;
		break;
	case X86_IF_BE:
		result = flags & (X86_CF | X86_ZF);
		break;
	case X86_IF_S:
		result = flags & X86_SF;
		break;
	case X86_IF_P:
		result = flags & X86_PF;
		break;
	case X86_IF_L:
		result = less;
		break;
	default:
		result = less || flags & X86_ZF;
	}
	return result != (condition & 1);
}
