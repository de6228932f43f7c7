/* AVX: elements and halves of a vector in or out, broadcasts of a half, masks
 * of sign bits. */
#include "x86/emu/vector/avx.h"

/* ---- Elements in ---- */

#define INSERT(name, type, lanes, source) \
	X86_OP(name) \
	{ \
		type value = source; \
		union x86_vector d = cpu->vector[op->src]; \
		d.lanes[(unsigned)op->imm % (16 / sizeof(type))] = value; \
		avx_set_xmm(cpu, op->dst, *(x86_v128 *)&d); \
		X86_NEXT; \
	}
INSERT(vpinsrb_xxr, uint8_t, u8, X86_REG8(cpu, op->src2))
INSERT(vpinsrw_xxr, uint16_t, u16, X86_REG16(cpu, op->src2))
INSERT(vpinsrd_xxr, uint32_t, u32, X86_REG32(cpu, op->src2))
INSERT(vpinsrq_xxr, uint64_t, u64, X86_REG64(cpu, op->src2))
INSERT(vpinsrb_xxm, uint8_t, u8, x86_load8(cpu, op, x86_address(cpu, op)))
INSERT(vpinsrw_xxm, uint16_t, u16, x86_load16(cpu, op, x86_address(cpu, op)))
INSERT(vpinsrd_xxm, uint32_t, u32, x86_load32(cpu, op, x86_address(cpu, op)))
INSERT(vpinsrq_xxm, uint64_t, u64, x86_load64(cpu, op, x86_address(cpu, op)))

/* ---- Halves in ---- */

/* Takes the lower half from one place and the upper from another, with loads of
 * 16 bytes: a 128-bit instruction often wrote the first source shortly before,
 * and a wider load would wait for that store. */
#define INSERT_HALF(name, source) \
	X86_OP(name) \
	{ \
		void *s = source; \
		const struct avx_half *low = op->imm & 1 ? \
			avx_half(cpu, op->src, 0) : s; \
		const struct avx_half *high = op->imm & 1 ? \
			s : avx_half(cpu, op->src, 1); \
		AVX_RUN("vmovups %[a], %%xmm0\n\t" \
			"vinsertf128 $1, %[b], %%ymm0, %%ymm0\n\t" \
			AVX_STORE(y), [a] "m"(*low), [b] "m"(*high)); \
		X86_NEXT; \
	}
INSERT_HALF(vinsertf128_yyx, avx_half(cpu, op->src2, 0))
INSERT_HALF(vinsertf128_yym, avx_memory(cpu, op))

X86_OP(vbroadcastf128_ym)
{
	struct avx_bytes *s = avx_memory(cpu, op);

	AVX_RUN("vbroadcastf128 %[a], %%ymm0\n\t" AVX_STORE(y), [a] "m"(*s));
	X86_NEXT;
}

/* ---- Halves out ---- */

static inline x86_v128 half(struct x86_cpu *cpu, const struct x86_op *op)
{
	return *(x86_v128 *)avx_half(cpu, op->src, op->imm & 1);
}

X86_OP(vextractf128_xy)
{
	avx_set_xmm(cpu, op->dst, half(cpu, op));
	X86_NEXT;
}

X86_OP(vextractf128_my)
{
	x86_store128(cpu, op, x86_address(cpu, op), half(cpu, op));
	X86_NEXT;
}

/* ---- Masks ---- */

#define AVX_MASK(mnemonic, host, legacy) \
	X86_OP(host##_ry) \
	{ \
		uint32_t mask; \
		__asm__("vmovaps %1, %%ymm0\n\t" \
			#host " %%ymm0, %0\n\t" \
			"vzeroupper" \
			: "=r"(mask) : "m"(*avx_register(cpu, op->src)) \
			: "xmm0"); \
		x86_set32(cpu, op->dst, mask); \
		X86_NEXT; \
	}

#define INST(...)
#include "x86/isa/avx.def"
#undef INST
