/* Shifts and rotates. Where the manual leaves OF undefined (counts above 1), OF
 * is that of a shift by 1 of the same operand, and AF is 0. Intel's processors
 * do the same, except for rotates by an immediate. */
#include "x86/emu/integer/integer.h"

/* A shift amount as the processor uses it. */
#define COUNT(bits, count) ((unsigned)(count) & (bits == 64 ? 63 : 31))
#define TOP(bits, value) ((uint32_t)((value) >> (bits - 1) & 1))
#define BELOW_TOP(bits, value) ((uint32_t)((value) >> (bits - 2) & 1))

static inline uint32_t carry_overflow(uint32_t carry, uint32_t overflow)
{
	return (carry & 1) | (overflow & 1) << 11;
}

/* ---- SHL SHR SAR: all flags ----
 *
 * compute: from a and a count n > 0, the result, CF and OF bits in *flags. */
#define SHIFT_FUNCTIONS(bits) \
	static inline UINT(bits) shl##bits(UINT(bits) a, unsigned n, \
					   uint32_t *flags) \
	{ \
		UINT(bits) r = (UINT(bits))((uint64_t)a << n); \
		uint32_t carry = n <= bits ? \
			(uint32_t)((uint64_t)a >> (bits - n)) & 1 : 0; \
		*flags = carry_overflow(carry, \
					TOP(bits, a) ^ BELOW_TOP(bits, a)); \
		return r; \
	} \
	static inline UINT(bits) shr##bits(UINT(bits) a, unsigned n, \
					   uint32_t *flags) \
	{ \
		UINT(bits) r = (UINT(bits))((uint64_t)a >> n); \
		*flags = carry_overflow( \
			(uint32_t)((uint64_t)a >> (n - 1)), TOP(bits, a)); \
		return r; \
	} \
	static inline UINT(bits) sar##bits(UINT(bits) a, unsigned n, \
					   uint32_t *flags) \
	{ \
		int64_t wide = (INT(bits))a; \
		*flags = carry_overflow((uint32_t)(wide >> (n - 1)), 0); \
		return (UINT(bits))(wide >> n); \
	}
SHIFT_FUNCTIONS(8)
SHIFT_FUNCTIONS(16)
SHIFT_FUNCTIONS(32)
SHIFT_FUNCTIONS(64)

/* `operands`: those of name##bits(), of which r and n are two. */
#define SHIFT_REGISTER(name, form, N, bits, operands) \
	X86_OP(name##bits##_##form) \
	{ \
		unsigned n = COUNT(bits, N); \
		UINT(bits) r = X86_REG##bits(cpu, op->dst); \
		uint32_t flags; \
		if (n) { \
			r = name##bits operands; \
			x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
				  flags); \
		} \
		x86_set##bits(cpu, op->dst, r); \
		X86_NEXT; \
	}
/* Memory is read and written even when the count is 0. */
#define SHIFT_MEMORY(name, form, N, bits, operands) \
	X86_OP(name##bits##_##form) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		unsigned n = COUNT(bits, N); \
		UINT(bits) r = x86_load##bits(cpu, op, address); \
		uint32_t flags = 0; \
		if (n) \
			r = name##bits operands; \
		x86_store##bits(cpu, op, address, r); \
		if (n) \
			x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
				  flags); \
		X86_NEXT; \
	}
#define SHIFT_R(name, form, N, bits) \
	SHIFT_REGISTER(name, form, N, bits, (r, n, &flags))
#define SHIFT_M(name, form, N, bits) \
	SHIFT_MEMORY(name, form, N, bits, (r, n, &flags))
#define SHIFT(name) \
	X86_SIZES(SHIFT_R, name, ri, op->imm) \
	X86_SIZES(SHIFT_R, name, rc, cpu->reg[X86_RCX]) \
	X86_SIZES(SHIFT_M, name, mi, op->imm) \
	X86_SIZES(SHIFT_M, name, mc, cpu->reg[X86_RCX])
SHIFT(shl)
SHIFT(shr)
SHIFT(sar)

/* ---- ROL ROR RCL RCR: only CF and OF ----
 *
 * compute: as above; `carry` is CF before. A count that is a multiple of the
 * size leaves the value but still sets the flags of ROL and ROR. */
#define ROTATE_FUNCTIONS(bits) \
	static inline UINT(bits) rol##bits(UINT(bits) a, unsigned n, \
					   uint64_t carry, uint32_t *flags) \
	{ \
		unsigned by = n & (bits - 1); \
		UINT(bits) r = (UINT(bits))(a << by | \
					    a >> ((bits - by) & (bits - 1))); \
		(void)carry; \
		*flags = carry_overflow((uint32_t)r, \
					TOP(bits, a) ^ BELOW_TOP(bits, a)); \
		return r; \
	} \
	static inline UINT(bits) ror##bits(UINT(bits) a, unsigned n, \
					   uint64_t carry, uint32_t *flags) \
	{ \
		unsigned by = n & (bits - 1); \
		UINT(bits) r = (UINT(bits))(a >> by | \
					    a << ((bits - by) & (bits - 1))); \
		(void)carry; \
		*flags = carry_overflow(TOP(bits, r), \
					TOP(bits, a) ^ (uint32_t)a); \
		return r; \
	} \
	static inline UINT(bits) rcl##bits(UINT(bits) a, unsigned n, \
					   uint64_t carry, uint32_t *flags) \
	{ \
		uint32_t overflow = TOP(bits, a) ^ BELOW_TOP(bits, a); \
		for (n %= bits + 1; n; n--) { \
			uint64_t out = TOP(bits, a); \
			a = (UINT(bits))(a << 1 | carry); \
			carry = out; \
		} \
		*flags = carry_overflow((uint32_t)carry, overflow); \
		return a; \
	} \
	static inline UINT(bits) rcr##bits(UINT(bits) a, unsigned n, \
					   uint64_t carry, uint32_t *flags) \
	{ \
		uint32_t overflow = TOP(bits, a) ^ (uint32_t)carry; \
		for (n %= bits + 1; n; n--) { \
			uint64_t out = a & 1; \
			a = (UINT(bits))(a >> 1 | carry << (bits - 1)); \
			carry = out; \
		} \
		*flags = carry_overflow((uint32_t)carry, overflow); \
		return a; \
	}
ROTATE_FUNCTIONS(8)
ROTATE_FUNCTIONS(16)
ROTATE_FUNCTIONS(32)
ROTATE_FUNCTIONS(64)

/* The counts that change OF. The manual leaves OF undefined unless the count is
 * 1. Intel's processors (measured on one of 2023) keep OF in ROL and ROR of a
 * register by an immediate, and in RCL and RCR when nothing moves. */
#define OVERFLOW_ALWAYS(n, bits) true
#define OVERFLOW_BY_ONE(n, bits) ((n) == 1)
#define OVERFLOW_IF_MOVED(n, bits) ((n) % ((bits) + 1) != 0)

#define ROTATE_R(name, form, N, CARRY, OVERFLOW, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		unsigned n = COUNT(bits, N); \
		UINT(bits) r = X86_REG##bits(cpu, op->dst); \
		uint32_t flags; \
		if (n) { \
			uint32_t mask = OVERFLOW(n, bits) ? X86_CF | X86_OF \
							  : X86_CF; \
			r = name##bits(r, n, CARRY, &flags); \
			x86_change_carry(cpu, mask, flags & mask); \
		} \
		x86_set##bits(cpu, op->dst, r); \
		X86_NEXT; \
	}
#define ROTATE_M(name, form, N, CARRY, OVERFLOW, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		unsigned n = COUNT(bits, N); \
		UINT(bits) r = x86_load##bits(cpu, op, address); \
		uint32_t mask = OVERFLOW(n, bits) ? X86_CF | X86_OF \
						  : X86_CF; \
		uint32_t flags = 0; \
		if (n) \
			r = name##bits(r, n, CARRY, &flags); \
		x86_store##bits(cpu, op, address, r); \
		if (n) \
			x86_change_carry(cpu, mask, flags & mask); \
		X86_NEXT; \
	}
#define ROTATE(name, CARRY, IMMEDIATE, OTHER) \
	X86_SIZES(ROTATE_R, name, ri, op->imm, CARRY, IMMEDIATE) \
	X86_SIZES(ROTATE_R, name, rc, cpu->reg[X86_RCX], CARRY, OTHER) \
	X86_SIZES(ROTATE_M, name, mi, op->imm, CARRY, OTHER) \
	X86_SIZES(ROTATE_M, name, mc, cpu->reg[X86_RCX], CARRY, OTHER)
ROTATE(rol, 0, OVERFLOW_BY_ONE, OVERFLOW_ALWAYS)
ROTATE(ror, 0, OVERFLOW_BY_ONE, OVERFLOW_ALWAYS)
ROTATE(rcl, x86_carry(cpu), OVERFLOW_IF_MOVED, OVERFLOW_IF_MOVED)
ROTATE(rcr, x86_carry(cpu), OVERFLOW_IF_MOVED, OVERFLOW_IF_MOVED)

/* ---- SHLD SHRD ----
 *
 * a is shifted, and bits of b come in. A 16-bit count above 16 is undefined; in
 * processors a then follows b. */
#define DOUBLE_FUNCTIONS(bits) \
	static inline UINT(bits) shld##bits(UINT(bits) a, UINT(bits) b, \
					    unsigned n, uint32_t *flags) \
	{ \
		uint32_t carry = (uint32_t)(a >> (bits - n)); \
		UINT(bits) r = (UINT(bits))(a << n | b >> (bits - n)); \
		*flags = carry_overflow(carry, \
					TOP(bits, a) ^ BELOW_TOP(bits, a)); \
		return r; \
	} \
	static inline UINT(bits) shrd##bits(UINT(bits) a, UINT(bits) b, \
					    unsigned n, uint32_t *flags) \
	{ \
		uint32_t carry = (uint32_t)(a >> (n - 1)); \
		UINT(bits) r = (UINT(bits))(a >> n | b << (bits - n)); \
		*flags = carry_overflow(carry, TOP(bits, a) ^ (uint32_t)b); \
		return r; \
	}
DOUBLE_FUNCTIONS(32)
DOUBLE_FUNCTIONS(64)

static inline uint16_t shld16(uint16_t a, uint16_t b, unsigned n,
			      uint32_t *flags)
{
	uint64_t wide = ((uint64_t)a << 32 | (uint64_t)b << 16 | a) << n;
	uint16_t r = (uint16_t)(wide >> 32);

	*flags = carry_overflow((uint32_t)(wide >> 48),
				TOP(16, a) ^ BELOW_TOP(16, a));
	return r;
}

static inline uint16_t shrd16(uint16_t a, uint16_t b, unsigned n,
			      uint32_t *flags)
{
	uint64_t wide = (uint64_t)a << 32 | (uint64_t)b << 16 | a;
	uint16_t r = (uint16_t)(wide >> n);

	*flags = carry_overflow((uint32_t)(wide >> (n - 1)),
				TOP(16, a) ^ b);
	return r;
}

#define DOUBLE_R(name, form, N, bits) \
	SHIFT_REGISTER(name, form, N, bits, \
		       (r, X86_REG##bits(cpu, op->src), n, &flags))
#define DOUBLE_M(name, form, N, bits) \
	SHIFT_MEMORY(name, form, N, bits, \
		     (r, X86_REG##bits(cpu, op->src), n, &flags))
#define DOUBLE(name) \
	X86_SIZES_16_UP(DOUBLE_R, name, rri, op->imm) \
	X86_SIZES_16_UP(DOUBLE_R, name, rrc, cpu->reg[X86_RCX]) \
	X86_SIZES_16_UP(DOUBLE_M, name, mri, op->imm) \
	X86_SIZES_16_UP(DOUBLE_M, name, mrc, cpu->reg[X86_RCX])
DOUBLE(shld)
DOUBLE(shrd)

/* ---- BMI2: no flags. dst = value shifted by count ---- */

#define MEMORY(bits) x86_load##bits(cpu, op, x86_address(cpu, op))
#define SRC(bits) X86_REG##bits(cpu, op->src)
#define FLAGLESS(name, EXPRESSION, bits) \
	X86_OP(name##bits##_rrr) \
	{ \
		UINT(bits) a = SRC(bits); \
		unsigned n = COUNT(bits, X86_REG8(cpu, op->src2)); \
		x86_set##bits(cpu, op->dst, (UINT(bits))(EXPRESSION)); \
		X86_NEXT; \
	} \
	X86_OP(name##bits##_rmr) \
	{ \
		UINT(bits) a = MEMORY(bits); \
		unsigned n = COUNT(bits, X86_REG8(cpu, op->src2)); \
		x86_set##bits(cpu, op->dst, (UINT(bits))(EXPRESSION)); \
		X86_NEXT; \
	}
FLAGLESS(shlx, a << n, 32)
FLAGLESS(shlx, a << n, 64)
FLAGLESS(shrx, a >> n, 32)
FLAGLESS(shrx, a >> n, 64)
FLAGLESS(sarx, (int32_t)a >> n, 32)
FLAGLESS(sarx, (int64_t)a >> n, 64)

#define RORX(form, A, bits) \
	X86_OP(rorx##bits##_##form) \
	{ \
		UINT(bits) a = A(bits); \
		unsigned n = (unsigned)op->imm & (bits - 1); \
		x86_set##bits(cpu, op->dst, \
			      a >> n | a << ((bits - n) & (bits - 1))); \
		X86_NEXT; \
	}
RORX(rri, SRC, 32)
RORX(rri, SRC, 64)
RORX(rmi, MEMORY, 32)
RORX(rmi, MEMORY, 64)
