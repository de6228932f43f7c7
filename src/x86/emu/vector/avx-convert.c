/* AVX conversions from general registers, and tests that set EFLAGS. The
 * conversions to general registers and the comparisons of scalars are the SSE
 * ones. */
#include "x86/emu/vector/avx.h"
#include "x86/emu/flags.h"

/* ---- From integers ---- */

#define FROM_INTEGER(name, host, suffix, bits, source) \
	X86_OP(name) \
	{ \
		uint##bits##_t s = source; \
		AVX_RUN("vmovaps %[a], %%xmm0\n\t" \
			#host #suffix " %[b], %%xmm0, %%xmm0\n\t" \
			AVX_STORE(x), \
			[a] "m"(*avx_register(cpu, op->src)), [b] "r"(s)); \
		X86_NEXT; \
	}
#define AVX_FROM_INTEGER(mnemonic, host) \
	FROM_INTEGER(host##_xxr32, host, l, 32, X86_REG32(cpu, op->src2)) \
	FROM_INTEGER(host##_xxr64, host, q, 64, X86_REG64(cpu, op->src2)) \
	FROM_INTEGER(host##_xxm32, host, l, 32, \
		     x86_load32(cpu, op, x86_address(cpu, op))) \
	FROM_INTEGER(host##_xxm64, host, q, 64, \
		     x86_load64(cpu, op, x86_address(cpu, op)))

/* ---- Tests of bits ---- */

#define TEST(name, w, host, source) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = source; \
		bool carry, zero; \
		__asm__ volatile("vmovaps %2, " AVX_REG(w, 0) "\n\t" \
				 #host " %3, " AVX_REG(w, 0) "\n\t" \
				 AVX_CLEAN(w) \
				 : "=@ccc"(carry), "=@ccz"(zero) \
				 : "m"(*avx_register(cpu, op->dst)), \
				   "m"(*s), "m"(cpu->op) \
				 : "xmm0"); \
		x86_set_arithmetic_flags(cpu, carry * (uint32_t)X86_CF | \
					 zero * (uint32_t)X86_ZF); \
		X86_NEXT; \
	}
#define AVX_TEST(mnemonic, host) \
	TEST(host##_xx, x, host, avx_register(cpu, op->src)) \
	TEST(host##_xm, x, host, avx_memory(cpu, op)) \
	TEST(host##_yy, y, host, avx_register(cpu, op->src)) \
	TEST(host##_ym, y, host, avx_memory(cpu, op))

#define INST(...)
#include "x86/isa/avx.def"
#undef INST
