/* Single bits, bit scans and counts, BMI. */
#include "x86/emu/integer/integer.h"

/* ---- BT BTS BTR BTC: CF is the old bit, other flags stay ---- */

#define BIT_CHANGE_bt(bits, a, mask) (a)
#define BIT_CHANGE_bts(bits, a, mask) ((a) | (mask))
#define BIT_CHANGE_btr(bits, a, mask) ((a) & (UINT(bits))~(mask))
#define BIT_CHANGE_btc(bits, a, mask) ((a) ^ (mask))

/* The word of a bit string that holds the bit. The bit number is signed, and
 * the word may lie far from the address. */
#define BIT_WORD(bits) \
	((x86_address(cpu, op) + \
	  (uint64_t)((INT(bits))X86_REG##bits(cpu, op->src) / bits - \
		     ((INT(bits))X86_REG##bits(cpu, op->src) % bits < 0)) * \
		  (bits / 8)) & cpu->address_mask)

#define BIT_R(name, form, N, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		unsigned n = (unsigned)(N) & (bits - 1); \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		x86_change_carry(cpu, X86_CF, (uint32_t)(a >> n) & 1); \
		x86_set##bits(cpu, op->dst, \
			      (UINT(bits))BIT_CHANGE_##name( \
				      bits, a, (UINT(bits))1 << n)); \
		X86_NEXT; \
	}
#define BIT_TEST(form, N, bits) \
	X86_OP(bt##bits##_##form) \
	{ \
		unsigned n = (unsigned)(N) & (bits - 1); \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		x86_change_carry(cpu, X86_CF, (uint32_t)(a >> n) & 1); \
		X86_NEXT; \
	}
#define BIT_TEST_M(form, N, ADDRESS, bits) \
	X86_OP(bt##bits##_##form) \
	{ \
		UINT(bits) a = x86_load##bits(cpu, op, ADDRESS); \
		unsigned n = (unsigned)(N) & (bits - 1); \
		x86_change_carry(cpu, X86_CF, (uint32_t)(a >> n) & 1); \
		X86_NEXT; \
	}
#define BIT_M(name, form, N, ADDRESS, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		uint64_t address = ADDRESS; \
		unsigned n = (unsigned)(N) & (bits - 1); \
		UINT(bits) a = x86_load##bits(cpu, op, address); \
		x86_store##bits(cpu, op, address, \
				(UINT(bits))BIT_CHANGE_##name( \
					bits, a, (UINT(bits))1 << n)); \
		x86_change_carry(cpu, X86_CF, (uint32_t)(a >> n) & 1); \
		X86_NEXT; \
	}
#define BIT_LOCK(name, FETCH, form, N, ADDRESS, MASK, bits) \
	X86_OP(name##bits##_lock_##form) \
	{ \
		X86_ATOMIC(bits) *memory = \
			(void *)x86_host_for(cpu, op, ADDRESS, bits / 8, \
				     X86_MODIFY); \
		unsigned n = (unsigned)(N) & (bits - 1); \
		UINT(bits) bit = (UINT(bits))((UINT(bits))1 << n); \
		UINT(bits) a = FETCH(memory, (UINT(bits))(MASK), \
				     __ATOMIC_SEQ_CST); \
		x86_change_carry(cpu, X86_CF, (uint32_t)(a >> n) & 1); \
		X86_NEXT; \
	}

#define REG_N X86_REG8(cpu, op->src)
#define IMM_N op->imm
#define HERE x86_address(cpu, op)
#define BITS(bits) \
	BIT_TEST(rr, REG_N, bits) \
	BIT_TEST(ri, IMM_N, bits) \
	BIT_TEST_M(mr, REG_N, BIT_WORD(bits), bits) \
	BIT_TEST_M(mi, IMM_N, HERE, bits) \
	BIT_CHANGES(bts, bits) \
	BIT_CHANGES(btr, bits) \
	BIT_CHANGES(btc, bits) \
	BIT_LOCKS(bts, __atomic_fetch_or, bit, bits) \
	BIT_LOCKS(btr, __atomic_fetch_and, ~bit, bits) \
	BIT_LOCKS(btc, __atomic_fetch_xor, bit, bits)
#define BIT_CHANGES(name, bits) \
	BIT_R(name, rr, REG_N, bits) \
	BIT_R(name, ri, IMM_N, bits) \
	BIT_M(name, mr, REG_N, BIT_WORD(bits), bits) \
	BIT_M(name, mi, IMM_N, HERE, bits)
#define BIT_LOCKS(name, FETCH, MASK, bits) \
	BIT_LOCK(name, FETCH, mr, REG_N, BIT_WORD(bits), MASK, bits) \
	BIT_LOCK(name, FETCH, mi, IMM_N, HERE, MASK, bits)
BITS(16)
BITS(32)
BITS(64)

/* ---- Scans and counts ---- */

#define SOURCE_rr(bits) X86_REG##bits(cpu, op->src)
#define SOURCE_rm(bits) x86_load##bits(cpu, op, x86_address(cpu, op))
/* Counts on zero-extended 64-bit values. */
#define TRAILING(bits, a) ((unsigned)__builtin_ctzll(a))
#define LEADING(bits, a) ((unsigned)__builtin_clzll(a) - (64 - bits))

/* ZF: the source is 0. Then the destination keeps all of its 64 bits. */
#define SCAN(name, INDEX, form, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		UINT(bits) a = SOURCE_##form(bits); \
		x86_flags_logic(cpu, (INT(bits))a); \
		if (a) \
			x86_set##bits(cpu, op->dst, \
				      (UINT(bits))(INDEX)); \
		X86_NEXT; \
	}
#define ZERO_COUNT(name, COUNT, form, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		UINT(bits) a = SOURCE_##form(bits); \
		UINT(bits) r = (UINT(bits))(a ? COUNT(bits, a) : bits); \
		x86_set##bits(cpu, op->dst, r); \
		x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
			  a ? 0 : X86_CF); \
		X86_NEXT; \
	}
#define POPCNT(form, bits) \
	X86_OP(popcnt##bits##_##form) \
	{ \
		UINT(bits) a = SOURCE_##form(bits); \
		x86_set##bits(cpu, op->dst, \
			      (UINT(bits))__builtin_popcountll(a)); \
		x86_set_arithmetic_flags(cpu, a ? 0 : X86_ZF); \
		X86_NEXT; \
	}
X86_SIZES_16_UP(SCAN, bsf, __builtin_ctzll(a), rr)
X86_SIZES_16_UP(SCAN, bsf, __builtin_ctzll(a), rm)
X86_SIZES_16_UP(SCAN, bsr, 63 - __builtin_clzll(a), rr)
X86_SIZES_16_UP(SCAN, bsr, 63 - __builtin_clzll(a), rm)
X86_SIZES_16_UP(ZERO_COUNT, tzcnt, TRAILING, rr)
X86_SIZES_16_UP(ZERO_COUNT, tzcnt, TRAILING, rm)
X86_SIZES_16_UP(ZERO_COUNT, lzcnt, LEADING, rr)
X86_SIZES_16_UP(ZERO_COUNT, lzcnt, LEADING, rm)
X86_SIZES_16_UP(POPCNT, rr)
X86_SIZES_16_UP(POPCNT, rm)

/* ---- BMI1 ---- */

#define SOURCE2_rr(bits) X86_REG##bits(cpu, op->src2)
#define SOURCE2_rm(bits) x86_load##bits(cpu, op, x86_address(cpu, op))

#define ANDN(form, bits) \
	X86_OP(andn##bits##_r##form) \
	{ \
		UINT(bits) b = SOURCE2_##form(bits); \
		UINT(bits) r = ~X86_REG##bits(cpu, op->src) & b; \
		x86_set##bits(cpu, op->dst, r); \
		FLAGS_LOGIC(bits); \
		X86_NEXT; \
	}
/* op->dst is the destination, op->src the source. */
#define LOWEST(name, EXPRESSION, CARRY, form, bits) \
	X86_OP(name##bits##_##form) \
	{ \
		UINT(bits) a = SOURCE_##form(bits); \
		UINT(bits) r = EXPRESSION; \
		x86_set##bits(cpu, op->dst, r); \
		x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
			  (CARRY) ? X86_CF : 0); \
		X86_NEXT; \
	}
/* start in bits 7:0 of the control, length in 15:8 */
#define BEXTR(form, bits) \
	X86_OP(bextr##bits##_##form##r) \
	{ \
		UINT(bits) a = SOURCE_##form(bits), r = 0; \
		unsigned control = X86_REG16(cpu, op->src2); \
		unsigned start = control & 255, length = control >> 8; \
		if (start < bits) \
			r = a >> start; \
		if (length < bits) \
			r &= ((UINT(bits))1 << length) - 1; \
		x86_set##bits(cpu, op->dst, r); \
		FLAGS_LOGIC(bits); \
		X86_NEXT; \
	}
#define BZHI(form, bits) \
	X86_OP(bzhi##bits##_##form##r) \
	{ \
		UINT(bits) r = SOURCE_##form(bits); \
		unsigned n = X86_REG8(cpu, op->src2); \
		if (n < bits) \
			r &= ((UINT(bits))1 << n) - 1; \
		x86_set##bits(cpu, op->dst, r); \
		x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
			  n >= bits ? X86_CF : 0); \
		X86_NEXT; \
	}

/* ---- BMI2: deposit and extract ---- */

static uint64_t deposit(uint64_t value, uint64_t mask)
{
	uint64_t result = 0;

	for (; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			result |= mask & -mask;
	return result;
}

static uint64_t extract(uint64_t value, uint64_t mask)
{
	uint64_t result = 0;

	for (unsigned at = 0; mask; mask &= mask - 1, at++)
		if (value & mask & -mask)
			result |= 1ull << at;
	return result;
}

#define PACK(name, FUNCTION, form, bits) \
	X86_OP(name##bits##_r##form) \
	{ \
		UINT(bits) mask = SOURCE2_##form(bits); \
		x86_set##bits(cpu, op->dst, \
			      (UINT(bits))FUNCTION( \
				      X86_REG##bits(cpu, op->src), mask)); \
		X86_NEXT; \
	}

#define BMI(form, bits) \
	ANDN(form, bits) \
	LOWEST(blsi, a & (0 - a), a != 0, form, bits) \
	LOWEST(blsr, a & (a - 1), a == 0, form, bits) \
	LOWEST(blsmsk, a ^ (a - 1), a == 0, form, bits) \
	BEXTR(form, bits) \
	BZHI(form, bits) \
	PACK(pdep, deposit, form, bits) \
	PACK(pext, extract, form, bits)
BMI(rr, 32)
BMI(rm, 32)
BMI(rr, 64)
BMI(rm, 64)
