/* MMX: 64-bit vectors in the mantissas of the physical x87 registers.
 *
 * Every instruction except EMMS marks all registers full and sets TOP to 0. An
 * instruction that writes a register sets its sign and exponent to ones. As
 * with SSE, the host's own instruction does the work, followed by EMMS, since
 * the host's x87 stack must stay empty. */
#include "x86/emu/vector/sse.h"
#include "x86/emu/x87/x87.h"

static inline uint64_t mm(const struct x86_cpu *cpu, unsigned number)
{
	return cpu->x87.reg[number].mantissa;
}

/* Comes at the end of an instruction: nothing may change before its last memory
 * access. */
static inline void use_mmx(struct x86_cpu *cpu)
{
	cpu->x87.top = 0;
	cpu->x87.empty = 0;
}

static inline void set_mm(struct x86_cpu *cpu, unsigned number, uint64_t value)
{
	cpu->x87.reg[number].mantissa = value;
	cpu->x87.reg[number].sign_exponent = 0xffff;
	use_mmx(cpu);
}

#define MMX_CLOBBERS X87_CLOBBERS, "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"
#define HOST(host, d, s) \
	__asm__ volatile("movq %0, %%mm0\n\t" \
			 #host " %1, %%mm0\n\t" \
			 "movq %%mm0, %0\n\t" \
			 "emms" \
			 : "+m"(d) : "m"(s) : MMX_CLOBBERS)

#define BINARY(name, host, type, source) \
	X86_OP(name) \
	{ \
		uint64_t d; \
		type s; \
		\
		X87_WAIT; \
		d = mm(cpu, op->dst); \
		s = source; \
		HOST(host, d, s); \
		set_mm(cpu, op->dst, d); \
		X86_NEXT; \
	}
#define MMX_PACKED(mnemonic, host) \
	BINARY(host##_nn, host, uint64_t, mm(cpu, op->src)) \
	BINARY(host##_nm, host, uint64_t, \
	       x86_load64(cpu, op, x86_address(cpu, op)))
#define MMX_LOW32(mnemonic, host) \
	BINARY(host##_nn, host, uint64_t, mm(cpu, op->src)) \
	BINARY(host##_nm, host, uint32_t, \
	       x86_load32(cpu, op, x86_address(cpu, op)))
#define MMX_SHIFT(mnemonic, host) \
	MMX_PACKED(mnemonic, host) \
	BINARY(host##_ni, host, uint64_t, (uint8_t)op->imm)

/* ---- Conversions ---- */

#define TO_FLOAT(host, d, s) \
	__asm__ volatile("movq %1, %%mm0\n\t" \
			 #host " %%mm0, %0\n\t" \
			 "emms" \
			 : "+x"(d) : "m"(s) : MMX_CLOBBERS)
/* With a memory operand these instructions do not touch the MMX state, and
 * raise no pending x87 exception (as current processors do). */
#define MMX_TO_FLOAT(mnemonic, host) \
	X86_OP(host##_xn) \
	{ \
		x86_v128 d = xmm(cpu, op->dst); \
		uint64_t s = mm(cpu, op->src); \
		\
		X87_WAIT; \
		cpu->op = op; \
		TO_FLOAT(host, d, s); \
		set_xmm(cpu, op->dst, d); \
		use_mmx(cpu); \
		X86_NEXT; \
	} \
	X86_OP(host##_xm) \
	{ \
		x86_v128 d = xmm(cpu, op->dst); \
		uint64_t s = x86_load64(cpu, op, x86_address(cpu, op)); \
		\
		TO_FLOAT(host, d, s); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	}

#define LOAD_M64 load_low64
#define LOAD_M128 x86_load128_aligned
#define FROM_FLOAT(name, host, source) \
	X86_OP(name) \
	{ \
		x86_v128 s; \
		uint64_t d; \
		\
		X87_WAIT; \
		s = source; \
		cpu->op = op; \
		__asm__ volatile(#host " %1, %%mm0\n\t" \
				 "movq %%mm0, %0\n\t" \
				 "emms" \
				 : "=m"(d) : "x"(s) : MMX_CLOBBERS); \
		set_mm(cpu, op->dst, d); \
		X86_NEXT; \
	}
#define MMX_FROM_FLOAT(mnemonic, host, operand) \
	FROM_FLOAT(host##_nx, host, xmm(cpu, op->src)) \
	FROM_FLOAT(host##_nm, host, \
		   LOAD_##operand(cpu, op, x86_address(cpu, op)))

#define INST(...)
#include "x86/isa/mmx.def"
#undef INST

/* ---- Moves ---- */

X86_OP(emms)
{
	X87_WAIT;
	cpu->x87.top = 0;
	cpu->x87.empty = 0xff;
	X86_NEXT;
}

#define TO_MMX(name, source) \
	X86_OP(name) \
	{ \
		uint64_t s; \
		\
		X87_WAIT; \
		s = source; \
		set_mm(cpu, op->dst, s); \
		X86_NEXT; \
	}
TO_MMX(movd_nr, X86_REG32(cpu, op->src))
TO_MMX(movd_nm, x86_load32(cpu, op, x86_address(cpu, op)))
TO_MMX(movq_nr, X86_REG64(cpu, op->src))
TO_MMX(movq_nm, x86_load64(cpu, op, x86_address(cpu, op)))
TO_MMX(movq_nn, mm(cpu, op->src))
TO_MMX(movdq2q, cpu->vector[op->src].u64[0])

#define FROM_MMX(name, action) \
	X86_OP(name) \
	{ \
		X87_WAIT; \
		action; \
		use_mmx(cpu); \
		X86_NEXT; \
	}
FROM_MMX(movd_rn, x86_set32(cpu, op->dst, (uint32_t)mm(cpu, op->src)))
FROM_MMX(movd_mn, x86_store32(cpu, op, x86_address(cpu, op),
			      (uint32_t)mm(cpu, op->src)))
FROM_MMX(movq_rn, x86_set64(cpu, op->dst, mm(cpu, op->src)))
FROM_MMX(movq_mn,
	 x86_store64(cpu, op, x86_address(cpu, op), mm(cpu, op->src)))
FROM_MMX(movq2dq, set_xmm(cpu, op->dst, from_low64(mm(cpu, op->src))))
FROM_MMX(maskmovq, x86_store_masked(cpu, op, x86_address(cpu, op),
				    cpu->x87.reg[op->dst].bytes,
				    cpu->x87.reg[op->src].bytes, 8))

/* ---- Elements and shuffles ---- */

static unsigned word_shift(const struct x86_op *op)
{
	return 16 * ((unsigned)op->imm & 3);
}

static uint64_t insert_word(const struct x86_cpu *cpu, const struct x86_op *op,
			    uint16_t word)
{
	uint64_t clear = ~(0xffffull << word_shift(op));

	return (mm(cpu, op->dst) & clear) | (uint64_t)word << word_shift(op);
}

static uint64_t shuffle_words(uint64_t s, unsigned order)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 4; i++)
		result |= (s >> 16 * (order >> 2 * i & 3) & 0xffff) << 16 * i;
	return result;
}

/* Shifts the sixteen bytes high:low right, and gives the lowest eight. */
static uint64_t align_right(uint64_t high, uint64_t low, unsigned bytes)
{
	if (bytes >= 16)
		return 0;
	if (bytes >= 8)
		return high >> 8 * (bytes - 8);
	return bytes ? low >> 8 * bytes | high << (64 - 8 * bytes) : low;
}

static uint32_t byte_signs(uint64_t s)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < 8; i++)
		mask |= (uint32_t)(s >> (8 * i + 7) & 1) << i;
	return mask;
}

TO_MMX(pinsrw_nr, insert_word(cpu, op, X86_REG16(cpu, op->src)))
TO_MMX(pinsrw_nm,
       insert_word(cpu, op, x86_load16(cpu, op, x86_address(cpu, op))))
TO_MMX(pshufw_nn, shuffle_words(mm(cpu, op->src), (uint8_t)op->imm))
TO_MMX(pshufw_nm, shuffle_words(x86_load64(cpu, op, x86_address(cpu, op)),
				(uint8_t)op->imm))
TO_MMX(palignr_nn, align_right(mm(cpu, op->dst), mm(cpu, op->src),
			       (uint8_t)op->imm))
TO_MMX(palignr_nm, align_right(mm(cpu, op->dst),
			       x86_load64(cpu, op, x86_address(cpu, op)),
			       (uint8_t)op->imm))
FROM_MMX(pextrw_rn,
	 x86_set32(cpu, op->dst,
		   (uint16_t)(mm(cpu, op->src) >> word_shift(op))))
FROM_MMX(pmovmskb_rn, x86_set32(cpu, op->dst, byte_signs(mm(cpu, op->src))))
