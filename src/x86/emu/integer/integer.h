/* What the files of integer instructions share. Internal to x86/emu.
 *
 * Macros make the handlers of all operand sizes and forms from one statement of
 * what the instruction does. A handler's name ends in the operand size and the
 * operand form: r register, m memory, i immediate. add32_mr is ADD m32, r32. */
#ifndef M2S_X86_EMU_INTEGER_H
#define M2S_X86_EMU_INTEGER_H

#include "x86/emu/flags.h"
#include "x86/emu/operand.h"

/* MACRO(argument..., bits) for each operand size. */
#define X86_SIZES_16_UP(MACRO, ...) \
	MACRO(__VA_ARGS__, 16) \
	MACRO(__VA_ARGS__, 32) \
	MACRO(__VA_ARGS__, 64)
#define X86_SIZES(MACRO, ...) \
	MACRO(__VA_ARGS__, 8) \
	X86_SIZES_16_UP(MACRO, __VA_ARGS__)

#define UINT(bits) uint##bits##_t
#define INT(bits) int##bits##_t

/* Host memory for lock-prefixed instructions. Host atomics make these
 * instructions atomic for other processes that share the mapping. */
#define X86_ATOMIC(bits) x86_atomic##bits
typedef uint8_t __attribute__((may_alias)) x86_atomic8;
typedef uint16_t __attribute__((may_alias)) x86_atomic16;
typedef uint32_t __attribute__((may_alias)) x86_atomic32;
typedef uint64_t __attribute__((may_alias)) x86_atomic64;

/* Flags after r = a op b. */
#define FLAGS_ADD(bits) \
	x86_flags(cpu, X86_FLAGS_ADD##bits, (INT(bits))r, (INT(bits))b)
#define FLAGS_SUB(bits) \
	x86_flags(cpu, X86_FLAGS_SUB##bits, (INT(bits))a, (INT(bits))b)
#define FLAGS_LOGIC(bits) x86_flags_logic(cpu, (INT(bits))r)

/* CF, OF and AF from the carries out of each bit. */
static inline uint32_t x86_carry_flags(uint64_t carries, unsigned bits)
{
	uint32_t top = (uint32_t)(carries >> (bits - 1) & 1);
	uint32_t below = (uint32_t)(carries >> (bits - 2) & 1);

	return top | (uint32_t)(carries << 1 & X86_AF) | (top ^ below) << 11;
}

#endif
