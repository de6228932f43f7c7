/* SSE instructions that are register = register op source.
 *
 * Each executes the host's own instruction, which gives its results, its
 * NaNs and, as the host's MXCSR is the guest's (see float.h), its rounding
 * and exception flags. The operands are exactly those of the guest: compiled
 * C expressions would not do, because compilers exchange the operands of
 * commutative operations, and then the wrong one of two NaNs comes out.
 *
 * An exception that the guest has unmasked stops the host's instruction as it
 * would the guest's: hence cpu->op is set in the register forms too. */
#include "x86/emu/vector/sse.h"

/* Runs one host instruction on *d and s. */
#define HOST(host, d, s) \
	__asm__ volatile(#host " %1, %0" : "+x"(d) : "x"(s))
#define HOST_XMM0(host, d, s, xmm0) \
	__asm__ volatile(#host " %1, %0" : "+x"(d) : "x"(s), "Yz"(xmm0))

#define REGISTER_FORM(host) \
	X86_OP(host##_xx) \
	{ \
		x86_v128 d = xmm(cpu, op->dst), s = xmm(cpu, op->src); \
		cpu->op = op; \
		HOST(host, d, s); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	}
#define MEMORY_FORM(host, load) \
	X86_OP(host##_xm) \
	{ \
		x86_v128 d = xmm(cpu, op->dst); \
		x86_v128 s = load(cpu, op, x86_address(cpu, op)); \
		HOST(host, d, s); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	}

#define SSE_PACKED(mnemonic, host) \
	REGISTER_FORM(host) \
	MEMORY_FORM(host, x86_load128_aligned)
#define SSE_LOW64(mnemonic, host) \
	REGISTER_FORM(host) \
	MEMORY_FORM(host, load_low64)
#define SSE_LOW32(mnemonic, host) \
	REGISTER_FORM(host) \
	MEMORY_FORM(host, load_low32)
#define SSE_LOW16(mnemonic, host) \
	REGISTER_FORM(host) \
	MEMORY_FORM(host, load_low16)

#define SSE_PACKED_XMM0(mnemonic, host) \
	X86_OP(host##_xx) \
	{ \
		x86_v128 d = xmm(cpu, op->dst), s = xmm(cpu, op->src); \
		HOST_XMM0(host, d, s, xmm(cpu, 0)); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	} \
	X86_OP(host##_xm) \
	{ \
		x86_v128 d = xmm(cpu, op->dst); \
		x86_v128 s = x86_load128_aligned(cpu, op, \
						 x86_address(cpu, op)); \
		HOST_XMM0(host, d, s, xmm(cpu, 0)); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	}

/* The host's shift by a register reads the count's low 64 bits, so an immediate
 * works like any other count. */
#define SSE_SHIFT(mnemonic, host) \
	REGISTER_FORM(host) \
	MEMORY_FORM(host, x86_load128_aligned) \
	X86_OP(host##_xi) \
	{ \
		x86_v128 d = xmm(cpu, op->dst); \
		x86_v128 s = from_low64((uint8_t)op->imm); \
		HOST(host, d, s); \
		set_xmm(cpu, op->dst, d); \
		X86_NEXT; \
	}

#define INST(...)
#include "x86/isa/sse.def"
#undef INST
