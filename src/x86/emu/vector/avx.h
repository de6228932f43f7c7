/* What the AVX handlers share. Internal to x86/emu.
 *
 * A handler is a piece of assembly around the host's own instruction: it loads
 * the guest's first source from struct x86_cpu, executes the instruction with
 * the second source in memory, which is struct x86_cpu or guest memory, and
 * stores the result. So the guest's results, NaNs, exception flags and faults
 * are the host's, and nothing here needs a compiler that may use AVX. The
 * assembly leaves the upper halves of the host's registers clean. Otherwise
 * legacy SSE instructions, which compilers and the SSE handlers use, would be
 * slow.
 *
 * Operands in the assembly's text: [d] and [u] are the lower and the upper
 * half of the destination, [a], [b], [c] the sources. */
#ifndef M2S_X86_EMU_VECTOR_AVX_H
#define M2S_X86_EMU_VECTOR_AVX_H

#include "x86/emu/operand.h"
#include "x86/emu/vector/float.h"

/* A source operand, in struct x86_cpu or in guest memory. The instruction
 * decides how many bytes are read. */
struct avx_bytes {
	uint8_t byte[32];
} __attribute__((may_alias));

struct avx_half {
	uint8_t byte[16];
} __attribute__((may_alias));

static inline struct avx_half *avx_half(struct x86_cpu *cpu, unsigned number,
					unsigned which)
{
	return (struct avx_half *)&cpu->vector[number] + which;
}

static inline struct avx_bytes *avx_register(struct x86_cpu *cpu,
					     unsigned number)
{
	return (struct avx_bytes *)&cpu->vector[number];
}

static inline struct avx_bytes *avx_memory(struct x86_cpu *cpu,
					   const struct x86_op *op)
{
	return (void *)x86_host_for(cpu, op, x86_address(cpu, op),
				    X86_OPERAND_SIZE(cpu), X86_LOAD);
}

/* A destination in guest memory. */
static inline struct avx_bytes *avx_target(struct x86_cpu *cpu,
					   const struct x86_op *op)
{
	return (void *)x86_host_for(cpu, op, x86_address(cpu, op),
				    X86_OPERAND_SIZE(cpu), X86_STORE);
}

/* A register by number and width (x or y) in the assembly. */
#define AVX_REG(w, n) "%%" #w "mm" #n

/* The end of the assembly: register 0 is the result. A 128-bit result clears
 * the upper half of the destination; with a second store, because a store of
 * the whole register would make the host's upper halves count as used. */
#define AVX_STORE_x \
	"vmovaps %%xmm0, %[d]\n\t" \
	"vpxor %%xmm0, %%xmm0, %%xmm0\n\t" \
	"vmovaps %%xmm0, %[u]"
#define AVX_STORE_y \
	"vmovaps %%ymm0, %[d]\n\t" \
	"vzeroupper"
#define AVX_STORE(w) AVX_STORE_##w

/* The end where there is no destination register. */
#define AVX_CLEAN_x ""
#define AVX_CLEAN_y "vzeroupper"
#define AVX_CLEAN(w) AVX_CLEAN_##w

/* Runs the text with op->dst as destination; the sources follow. The fault
 * handler reads cpu->op. Being an operand, it is certainly stored before the
 * text runs. */
#define AVX_RUN(text, ...) \
	do { \
		cpu->op = op; \
		__asm__ volatile(text \
			: [d] "=m"(*avx_half(cpu, op->dst, 0)), \
			  [u] "=m"(*avx_half(cpu, op->dst, 1)) \
			: "m"(cpu->op), __VA_ARGS__ \
			: "rax", "xmm0", "xmm1", "xmm2"); \
	} while (0)

/* Stores a 128-bit result that was made without AVX. */
static inline void avx_set_xmm(struct x86_cpu *cpu, unsigned number,
			       x86_v128 value)
{
	x86_v128 *d = (x86_v128 *)&cpu->vector[number];

	d[0] = value;
	d[1] = (x86_v128){ 0 };
}

#endif
