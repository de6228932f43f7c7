/* SSE conversions between floating-point elements and general registers, and
 * the comparisons that set EFLAGS. */
#include "x86/emu/vector/sse.h"

/* ---- To integers ---- */

#define TO_INTEGER(name, host, bits, source) \
	X86_OP(name) \
	{ \
		x86_v128 s = source; \
		uint##bits##_t result; \
		cpu->op = op; \
		__asm__ volatile(#host " %1, %0" : "=r"(result) : "x"(s)); \
		x86_set##bits(cpu, op->dst, result); \
		X86_NEXT; \
	}
#define SSE_DOUBLE_TO_INTEGER(mnemonic, host) \
	TO_INTEGER(host##_r32x, host, 32, xmm(cpu, op->src)) \
	TO_INTEGER(host##_r64x, host, 64, xmm(cpu, op->src)) \
	TO_INTEGER(host##_r32m, host, 32, \
		   load_low64(cpu, op, x86_address(cpu, op))) \
	TO_INTEGER(host##_r64m, host, 64, \
		   load_low64(cpu, op, x86_address(cpu, op)))
#define SSE_SINGLE_TO_INTEGER(mnemonic, host) \
	TO_INTEGER(host##_r32x, host, 32, xmm(cpu, op->src)) \
	TO_INTEGER(host##_r64x, host, 64, xmm(cpu, op->src)) \
	TO_INTEGER(host##_r32m, host, 32, \
		   load_low32(cpu, op, x86_address(cpu, op))) \
	TO_INTEGER(host##_r64m, host, 64, \
		   load_low32(cpu, op, x86_address(cpu, op)))

/* ---- From integers ---- */

#define FROM_INTEGER(name, host, suffix, bits, source) \
	X86_OP(name) \
	{ \
		uint##bits##_t s = source; \
		x86_v128 d = xmm(cpu, op->dst); \
		cpu->op = op; \
		__asm__ volatile(#host #suffix " %1, %0" : "+x"(d) : "r"(s)); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	}
#define SSE_FROM_INTEGER(mnemonic, host) \
	FROM_INTEGER(host##_xr32, host, l, 32, X86_REG32(cpu, op->src)) \
	FROM_INTEGER(host##_xr64, host, q, 64, X86_REG64(cpu, op->src)) \
	FROM_INTEGER(host##_xm32, host, l, 32, \
		     x86_load32(cpu, op, x86_address(cpu, op))) \
	FROM_INTEGER(host##_xm64, host, q, 64, \
		     x86_load64(cpu, op, x86_address(cpu, op)))

/* ---- Comparisons ---- */

#define COMPARE(name, host, source) \
	X86_OP(name) \
	{ \
		x86_v128 s = source; \
		bool carry, zero, parity; \
		cpu->op = op; \
		__asm__ volatile(#host " %4, %3" \
				 : "=@ccc"(carry), "=@ccz"(zero), \
				   "=@ccp"(parity) \
				 : "x"(xmm(cpu, op->dst)), "x"(s)); \
		x86_set_arithmetic_flags(cpu, carry * (uint32_t)X86_CF | \
					 zero * (uint32_t)X86_ZF | \
					 parity * (uint32_t)X86_PF); \
		X86_NEXT; \
	}
#define SSE_COMPARE64(mnemonic, host) \
	COMPARE(host##_xx, host, xmm(cpu, op->src)) \
	COMPARE(host##_xm, host, load_low64(cpu, op, x86_address(cpu, op)))
#define SSE_COMPARE32(mnemonic, host) \
	COMPARE(host##_xx, host, xmm(cpu, op->src)) \
	COMPARE(host##_xm, host, load_low32(cpu, op, x86_address(cpu, op)))

#define INST(...)
#include "x86/isa/sse.def"
#undef INST

/* PTEST: ZF for no common bit, CF for no bit of the source alone. */
static void ptest(struct x86_cpu *cpu, x86_v128 d, x86_v128 s)
{
	sse_u64 both = (sse_u64)(d & s), only = (sse_u64)(~d & s);

	x86_set_arithmetic_flags(cpu,
				 (both[0] | both[1] ? 0 : X86_ZF) |
				 (only[0] | only[1] ? 0 : X86_CF));
}

X86_OP(ptest_xx)
{
	ptest(cpu, xmm(cpu, op->dst), xmm(cpu, op->src));
	X86_NEXT;
}

X86_OP(ptest_xm)
{
	ptest(cpu, xmm(cpu, op->dst),
	      x86_load128_aligned(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}
