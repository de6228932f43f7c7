/* SSE instructions with an immediate that is part of the operation: shuffles,
 * blends, comparisons by predicate, rounding, dot products.
 *
 * The host's own instruction does the work here, too. Its immediate is in the
 * code, so there is a routine for each value. */
#include "x86/emu/vector/sse-stubs.h"
#include "x86/emu/vector/sse.h"

/* The type of a routine, whose operands are in XMM0 and XMM1. */
typedef x86_v128 binary_stub(x86_v128 d, x86_v128 s);

enum { STUB = 8 };

static inline x86_v128 call(const uint8_t *stubs, int imm, x86_v128 d,
			    x86_v128 s)
{
	uintptr_t at = (uintptr_t)(stubs + STUB * (uint8_t)imm);

	return ((binary_stub *)at)(d, s);
}

#define FORMS(host, load) \
	SSE_STUBS(host, 8, #host " $0x\\h\\l, %xmm1, %xmm0\n\tret"); \
	X86_OP(host##_xxi) \
	{ \
		cpu->op = op; \
		set_xmm(cpu, op->dst, \
			call(x86_stubs_##host, op->imm, xmm(cpu, op->dst), \
			     xmm(cpu, op->src))); \
		X86_NEXT; \
	} \
	X86_OP(host##_xmi) \
	{ \
		x86_v128 s = load(cpu, op, x86_address(cpu, op)); \
		set_xmm(cpu, op->dst, \
			call(x86_stubs_##host, op->imm, xmm(cpu, op->dst), \
			     s)); \
		X86_NEXT; \
	}
#define SSE_PACKED_IMMEDIATE(mnemonic, host) \
	FORMS(host, x86_load128_aligned)
#define SSE_LOW64_IMMEDIATE(mnemonic, host) FORMS(host, load_low64)
#define SSE_LOW32_IMMEDIATE(mnemonic, host) FORMS(host, load_low32)

#define SSE_SHIFT_BYTES(mnemonic, host) \
	SSE_STUBS(host, 8, #host " $0x\\h\\l, %xmm0\n\tret"); \
	X86_OP(host##_xi) \
	{ \
		x86_v128 d = xmm(cpu, op->dst); \
		set_xmm(cpu, op->dst, call(x86_stubs_##host, op->imm, d, d)); \
		X86_NEXT; \
	}

#define INST(...)
#include "x86/isa/sse.def"
#undef INST

SSE_STUBS(insertps, 8, "insertps $0x\\h\\l, %xmm1, %xmm0\n\tret");

X86_OP(insertps_xx)
{
	set_xmm(cpu, op->dst,
		call(x86_stubs_insertps, op->imm, xmm(cpu, op->dst),
		     xmm(cpu, op->src)));
	X86_NEXT;
}

/* With a memory operand, the bits that choose the source's element have no
 * effect. */
X86_OP(insertps_xm)
{
	x86_v128 s = load_low32(cpu, op, x86_address(cpu, op));

	set_xmm(cpu, op->dst,
		call(x86_stubs_insertps, op->imm & 0x3f, xmm(cpu, op->dst),
		     s));
	X86_NEXT;
}
