/* AVX instructions with an immediate that is part of the operation.
 *
 * As in sse-immediate.c, there is a routine for each value of the immediate. A
 * routine is reached by a jump and jumps back to the address in RAX: a call
 * would write to the stack, which a compiler may be using below RSP. */
#include "x86/emu/vector/avx.h"
#include "x86/emu/vector/sse-stubs.h"

enum { STUB = 8 };

static inline uintptr_t stub(const uint8_t *stubs, int imm)
{
	return (uintptr_t)(stubs + STUB * (uint8_t)imm);
}

#define RUN_STUB \
	"leaq 1f(%%rip), %%rax\n\t" \
	"jmp *%[at]\n" \
	"1:\n\t"

/* ---- dst = a op b ---- */

#define BINARY_STUBS(w, host) \
	SSE_STUBS(host##_##w, 8, #host " $0x\\h\\l, %" #w "mm1, %" #w \
		  "mm0, %" #w "mm0\n\tjmp *%rax")
/* `load` is a move that reads as much memory as the instruction. */
#define BINARY(name, w, host, load, source) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = source; \
		AVX_RUN("vmovaps %[a], " AVX_REG(w, 0) "\n\t" \
			#load " %[b], " AVX_REG(w, 1) "\n\t" \
			RUN_STUB AVX_STORE(w), \
			[a] "m"(*avx_register(cpu, op->src)), [b] "m"(*s), \
			[at] "r"(stub(x86_stubs_##host##_##w, op->imm))); \
		X86_NEXT; \
	}

#define AVX_IMMEDIATE_X(mnemonic, host) \
	BINARY_STUBS(x, host); \
	BINARY(host##_xxxi, x, host, vmovaps, avx_register(cpu, op->src2)) \
	BINARY(host##_xxmi, x, host, vmovups, avx_memory(cpu, op))
#define AVX_IMMEDIATE_Y(mnemonic, host) \
	BINARY_STUBS(y, host); \
	BINARY(host##_yyyi, y, host, vmovaps, avx_register(cpu, op->src2)) \
	BINARY(host##_yymi, y, host, vmovups, avx_memory(cpu, op))

#define LOAD_M32 vmovss
#define LOAD_M64 vmovsd
#define LOW_FORMS(host, load) \
	BINARY_STUBS(x, host); \
	BINARY(host##_xxxi, x, host, vmovaps, avx_register(cpu, op->src2)) \
	BINARY(host##_xxmi, x, host, load, avx_memory(cpu, op))
#define AVX_LOW_IMMEDIATE(mnemonic, host, memory) \
	LOW_FORMS(host, LOAD_##memory)

/* ---- dst = op a ---- */

#define UNARY_STUBS(w, host) \
	SSE_STUBS(host##_##w, 8, #host " $0x\\h\\l, %" #w "mm0, %" #w \
		  "mm0\n\tjmp *%rax")
#define UNARY(name, w, host, load, source) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = source; \
		AVX_RUN(#load " %[a], " AVX_REG(w, 0) "\n\t" \
			RUN_STUB AVX_STORE(w), [a] "m"(*s), \
			[at] "r"(stub(x86_stubs_##host##_##w, op->imm))); \
		X86_NEXT; \
	}

#define AVX_UNARY_IMMEDIATE_X(mnemonic, host) \
	UNARY_STUBS(x, host); \
	UNARY(host##_xxi, x, host, vmovaps, avx_register(cpu, op->src)) \
	UNARY(host##_xmi, x, host, vmovups, avx_memory(cpu, op))
#define AVX_UNARY_IMMEDIATE_Y(mnemonic, host) \
	UNARY_STUBS(y, host); \
	UNARY(host##_yyi, y, host, vmovaps, avx_register(cpu, op->src)) \
	UNARY(host##_ymi, y, host, vmovups, avx_memory(cpu, op))
#define AVX_SHIFT_BYTES(mnemonic, host) \
	UNARY_STUBS(x, host); \
	UNARY(host##_xxi, x, host, vmovaps, avx_register(cpu, op->src)) \
	UNARY_STUBS(y, host); \
	UNARY(host##_yyi, y, host, vmovaps, avx_register(cpu, op->src))

#define INST(...)
#include "x86/isa/avx.def"
#undef INST

/* ---- VINSERTPS ---- */

BINARY_STUBS(x, vinsertps);
BINARY(vinsertps_xxxi, x, vinsertps, vmovaps, avx_register(cpu, op->src2))

/* With a memory operand, the bits that choose the source's element have no
 * effect. */
X86_OP(vinsertps_xxmi)
{
	struct avx_bytes *s = avx_memory(cpu, op);

	AVX_RUN("vmovaps %[a], %%xmm0\n\t"
		"vmovss %[b], %%xmm1\n\t"
		RUN_STUB AVX_STORE(x),
		[a] "m"(*avx_register(cpu, op->src)), [b] "m"(*s),
		[at] "r"(stub(x86_stubs_vinsertps_x, op->imm & 0x3f)));
	X86_NEXT;
}

/* ---- VCVTPS2PH: to 16-bit floats ---- */

SSE_STUBS(vcvtps2ph_x, 8, "vcvtps2ph $0x\\h\\l, %xmm0, %xmm0\n\tjmp *%rax");
SSE_STUBS(vcvtps2ph_y, 8, "vcvtps2ph $0x\\h\\l, %ymm0, %xmm0\n\tjmp *%rax");

#define TO_HALF(name, w, clean) \
	X86_OP(name) \
	{ \
		AVX_RUN("vmovaps %[a], " AVX_REG(w, 0) "\n\t" \
			RUN_STUB clean AVX_STORE(x), \
			[a] "m"(*avx_register(cpu, op->src)), \
			[at] "r"(stub(x86_stubs_vcvtps2ph_##w, op->imm))); \
		X86_NEXT; \
	}
TO_HALF(vcvtps2ph_xx, x, "")
TO_HALF(vcvtps2ph_xy, y, "vzeroupper\n\t")

#define TO_HALF_MEMORY(name, w, store) \
	X86_OP(name) \
	{ \
		struct avx_bytes *to = avx_target(cpu, op); \
		__asm__ volatile( \
			"vmovaps %[a], " AVX_REG(w, 0) "\n\t" \
			RUN_STUB store " %%xmm0, %[to]\n\t" \
			AVX_CLEAN(w) \
			: [to] "=m"(*to) \
			: "m"(cpu->op), \
			  [a] "m"(*avx_register(cpu, op->src)), \
			  [at] "r"(stub(x86_stubs_vcvtps2ph_##w, op->imm)) \
			: "rax", "xmm0"); \
		X86_NEXT; \
	}
TO_HALF_MEMORY(vcvtps2ph_mx, x, "vmovlps")
TO_HALF_MEMORY(vcvtps2ph_my, y, "vmovups")
