/* MUL IMUL DIV IDIV MULX. */
#include "x86/emu/integer/integer.h"

__extension__ typedef unsigned __int128 uint128_t;
__extension__ typedef __int128 int128_t;

/* The double-width type of an operand size. */
#define WIDE_UINT8 uint16_t
#define WIDE_UINT16 uint32_t
#define WIDE_UINT32 uint64_t
#define WIDE_UINT64 uint128_t
#define WIDE_INT8 int16_t
#define WIDE_INT16 int32_t
#define WIDE_INT32 int64_t
#define WIDE_INT64 int128_t

/* CF and OF: the product does not fit. SF and PF: those of the low half. */
static inline void flags_product(struct x86_cpu *cpu, int64_t low, bool wide)
{
	x86_flags(cpu, X86_FLAGS_RESULT, low, wide ? X86_CF | X86_OF : 0);
}

/* The accumulator pair: AX, DX:AX, EDX:EAX, RDX:RAX. */
#define PAIR(bits) \
	static inline WIDE_UINT##bits pair##bits(const struct x86_cpu *cpu) \
	{ \
		return (WIDE_UINT##bits)((WIDE_UINT##bits) \
			X86_REG##bits(cpu, X86_RDX * 8) << bits | \
			X86_REG##bits(cpu, X86_RAX * 8)); \
	} \
	static inline void set_pair##bits(struct x86_cpu *cpu, UINT(bits) high, \
					  UINT(bits) low) \
	{ \
		x86_set##bits(cpu, X86_RAX * 8, low); \
		x86_set##bits(cpu, X86_RDX * 8, high); \
	}
PAIR(16)
PAIR(32)
PAIR(64)

static inline uint16_t pair8(const struct x86_cpu *cpu)
{
	return X86_REG16(cpu, X86_RAX * 8);
}

static inline void set_pair8(struct x86_cpu *cpu, uint8_t high, uint8_t low)
{
	X86_REG16(cpu, X86_RAX * 8) = (uint16_t)(high << 8 | low);
}

/* ---- Multiplication ---- */

#define MULTIPLY(bits) \
	static void mul##bits(struct x86_cpu *cpu, UINT(bits) b) \
	{ \
		WIDE_UINT##bits r = (WIDE_UINT##bits)((WIDE_UINT##bits) \
			X86_REG##bits(cpu, X86_RAX * 8) * b); \
		set_pair##bits(cpu, (UINT(bits))(r >> bits), (UINT(bits))r); \
		flags_product(cpu, (INT(bits))r, (r >> bits) != 0); \
	} \
	static void imul##bits(struct x86_cpu *cpu, UINT(bits) b) \
	{ \
		WIDE_INT##bits r = (WIDE_INT##bits)((WIDE_INT##bits)(INT(bits)) \
			X86_REG##bits(cpu, X86_RAX * 8) * (INT(bits))b); \
		set_pair##bits(cpu, (UINT(bits))(r >> bits), (UINT(bits))r); \
		flags_product(cpu, (INT(bits))r, r != (INT(bits))r); \
	} \
	X86_OP(mul##bits##_r) \
	{ \
		mul##bits(cpu, X86_REG##bits(cpu, op->dst)); \
		X86_NEXT; \
	} \
	X86_OP(mul##bits##_m) \
	{ \
		mul##bits(cpu, x86_load##bits(cpu, op, \
					      x86_address(cpu, op))); \
		X86_NEXT; \
	} \
	X86_OP(imul##bits##_r) \
	{ \
		imul##bits(cpu, X86_REG##bits(cpu, op->dst)); \
		X86_NEXT; \
	} \
	X86_OP(imul##bits##_m) \
	{ \
		imul##bits(cpu, x86_load##bits(cpu, op, \
					       x86_address(cpu, op))); \
		X86_NEXT; \
	}
MULTIPLY(8)
MULTIPLY(16)
MULTIPLY(32)
MULTIPLY(64)

/* Two and three operands: the product of a and b to op->dst. */
#define MULTIPLY_TO(form, A, B, bits) \
	X86_OP(imul##bits##_##form) \
	{ \
		INT(bits) b = (INT(bits))(B(bits)); \
		INT(bits) a = (INT(bits))(A(bits)), r; \
		bool wide = __builtin_mul_overflow(a, b, &r); \
		x86_set##bits(cpu, op->dst, (UINT(bits))r); \
		flags_product(cpu, r, wide); \
		X86_NEXT; \
	}
#define DST(bits) X86_REG##bits(cpu, op->dst)
#define SRC(bits) X86_REG##bits(cpu, op->src)
#define MEMORY(bits) x86_load##bits(cpu, op, x86_address(cpu, op))
#define IMMEDIATE(bits) op->imm
X86_SIZES_16_UP(MULTIPLY_TO, rr, DST, SRC)
X86_SIZES_16_UP(MULTIPLY_TO, rm, DST, MEMORY)
X86_SIZES_16_UP(MULTIPLY_TO, rri, SRC, IMMEDIATE)
X86_SIZES_16_UP(MULTIPLY_TO, rmi, IMMEDIATE, MEMORY)

/* MULX high, low, source: no flags; high wins when both are one register. */
#define MULX(bits, B, form) \
	X86_OP(mulx##bits##_##form) \
	{ \
		WIDE_UINT##bits r = (WIDE_UINT##bits)B(bits) * \
				    X86_REG##bits(cpu, X86_RDX * 8); \
		x86_set##bits(cpu, op->src, (UINT(bits))r); \
		x86_set##bits(cpu, op->dst, (UINT(bits))(r >> bits)); \
		X86_NEXT; \
	}
#define SRC2(bits) X86_REG##bits(cpu, op->src2)
MULX(32, SRC2, rrr)
MULX(32, MEMORY, rrm)
MULX(64, SRC2, rrr)
MULX(64, MEMORY, rrm)

/* ---- Division ---- */

static int divide_error(struct x86_cpu *cpu, const struct x86_op *op)
{
	return x86_raise(cpu, op, SIGFPE, FPE_INTDIV, x86_op_rip(op), 0);
}

/* False when the quotient does not fit. Flags are undefined, and are kept.
 * Signed division works on magnitudes, so that nothing overflows in C. */
#define DIVIDE(bits) \
	static bool div##bits(struct x86_cpu *cpu, UINT(bits) d) \
	{ \
		WIDE_UINT##bits n = pair##bits(cpu); \
		if ((UINT(bits))(n >> bits) >= d) /* also d = 0 */ \
			return false; \
		if (bits == 64 && !(n >> bits)) \
			set_pair##bits(cpu, (UINT(bits))n % d, \
				       (UINT(bits))n / d); \
		else \
			set_pair##bits(cpu, (UINT(bits))(n % d), \
				       (UINT(bits))(n / d)); \
		return true; \
	} \
	static bool idiv##bits(struct x86_cpu *cpu, UINT(bits) divisor) \
	{ \
		WIDE_UINT##bits n = pair##bits(cpu), q; \
		UINT(bits) d = divisor, r; \
		bool n_negative = (WIDE_INT##bits)n < 0; \
		bool d_negative = (INT(bits))d < 0; \
		bool negative = n_negative != d_negative; \
		if (n_negative) \
			n = (WIDE_UINT##bits)(0 - n); \
		if (d_negative) \
			d = (UINT(bits))(0 - d); \
		if (!d) \
			return false; \
		if (bits == 64 && !(n >> bits)) { \
			q = (UINT(bits))n / d; \
			r = (UINT(bits))((UINT(bits))n % d); \
		} else { \
			q = (WIDE_UINT##bits)(n / d); \
			r = (UINT(bits))(n % d); \
		} \
		if (q > ((WIDE_UINT##bits)1 << (bits - 1)) - !negative) \
			return false; \
		set_pair##bits(cpu, \
			       (UINT(bits))(n_negative ? 0 - r : r), \
			       (UINT(bits))(negative ? 0 - q : q)); \
		return true; \
	}
#define DIVIDE_FORMS(name, bits) \
	X86_OP(name##bits##_r) \
	{ \
		if (!name##bits(cpu, X86_REG##bits(cpu, op->dst))) \
			return divide_error(cpu, op); \
		X86_NEXT; \
	} \
	X86_OP(name##bits##_m) \
	{ \
		if (!name##bits(cpu, x86_load##bits(cpu, op, \
						    x86_address(cpu, op)))) \
			return divide_error(cpu, op); \
		X86_NEXT; \
	}
DIVIDE(8)
DIVIDE(16)
DIVIDE(32)
DIVIDE(64)
X86_SIZES(DIVIDE_FORMS, div)
X86_SIZES(DIVIDE_FORMS, idiv)
