/* AVX moves, masked moves and VZEROUPPER. Non-temporal moves are moves like
 * others here; stores of 128 bits and less are the SSE ones. */
#include <string.h>

#include "x86/emu/vector/avx.h"
#include "x86/emu/vector/sse.h"

/* The memory operand of a move that requires alignment. */
static inline struct avx_bytes *aligned_memory(struct x86_cpu *cpu,
					       const struct x86_op *op,
					       unsigned alignment,
					       enum x86_direction direction)
{
	uint64_t address = x86_address(cpu, op);

	if (__builtin_expect(address & (alignment - 1), 0))
		x86_raise_alignment(cpu, op);
	return (void *)x86_host_for(cpu, op, address, alignment, direction);
}

/* ---- Whole registers ---- */

#define MOVE(name, w, source) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = source; \
		AVX_RUN("vmovups %[a], " AVX_REG(w, 0) "\n\t" AVX_STORE(w), \
			[a] "m"(*s)); \
		X86_NEXT; \
	}
MOVE(vmov_xx, x, avx_register(cpu, op->src))
MOVE(vmov_yy, y, avx_register(cpu, op->src))
MOVE(vmovu_xm, x, avx_memory(cpu, op))
MOVE(vmovu_ym, y, avx_memory(cpu, op))
MOVE(vmova_xm, x, aligned_memory(cpu, op, 16, X86_LOAD))
MOVE(vmova_ym, y, aligned_memory(cpu, op, 32, X86_LOAD))

static inline void store256(struct x86_cpu *cpu, const struct x86_op *op,
			    struct avx_bytes *to)
{
	__asm__ volatile("vmovaps %[a], %%ymm0\n\t"
			 "vmovups %%ymm0, %[to]\n\t"
			 "vzeroupper"
			 : [to] "=m"(*to)
			 : "m"(cpu->op), [a] "m"(*avx_register(cpu, op->src))
			 : "xmm0");
}

X86_OP(vmovu_my)
{
	store256(cpu, op, avx_target(cpu, op));
	X86_NEXT;
}

X86_OP(vmova_my)
{
	store256(cpu, op, aligned_memory(cpu, op, 32, X86_STORE));
	X86_NEXT;
}

/* ---- 32 and 64 bits ---- */

X86_OP(vmovd_xr)
{
	avx_set_xmm(cpu, op->dst, from_low64(X86_REG32(cpu, op->src)));
	X86_NEXT;
}

X86_OP(vmovq_xr)
{
	avx_set_xmm(cpu, op->dst, from_low64(X86_REG64(cpu, op->src)));
	X86_NEXT;
}

X86_OP(vmovq_xx)
{
	avx_set_xmm(cpu, op->dst, from_low64(cpu->vector[op->src].u64[0]));
	X86_NEXT;
}

X86_OP(vmovss_xm)
{
	avx_set_xmm(cpu, op->dst, load_low32(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}

X86_OP(vmovsd_xm)
{
	avx_set_xmm(cpu, op->dst, load_low64(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}

/* ---- Parts of two registers, or of a register and memory ---- */

/* These exist only between registers, or only with memory. The second source
 * goes to register 1 where it must. */
#define COMBINE_REGISTERS(name, host) \
	X86_OP(name) \
	{ \
		AVX_RUN("vmovaps %[a], %%xmm0\n\t" \
			"vmovaps %[b], %%xmm1\n\t" \
			#host " %%xmm1, %%xmm0, %%xmm0\n\t" AVX_STORE(x), \
			[a] "m"(*avx_register(cpu, op->src)), \
			[b] "m"(*avx_register(cpu, op->src2))); \
		X86_NEXT; \
	}
COMBINE_REGISTERS(vmovss_xxx, vmovss)
COMBINE_REGISTERS(vmovsd_xxx, vmovsd)
COMBINE_REGISTERS(vmovhlps_xxx, vmovhlps)
COMBINE_REGISTERS(vmovlhps_xxx, vmovlhps)

#define COMBINE_MEMORY(name, host) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = avx_memory(cpu, op); \
		AVX_RUN("vmovaps %[a], %%xmm0\n\t" \
			#host " %[b], %%xmm0, %%xmm0\n\t" AVX_STORE(x), \
			[a] "m"(*avx_register(cpu, op->src)), [b] "m"(*s)); \
		X86_NEXT; \
	}
COMBINE_MEMORY(vmovlps_xxm, vmovlps)
COMBINE_MEMORY(vmovhps_xxm, vmovhps)

/* ---- Masked moves ---- */

/* The host's own instruction executes it when the operand begins inside the
 * address space. Otherwise, and under observation, the elements are moved one
 * by one, because masked-out elements must not fault. */
#ifdef X86_OBSERVED
#define X86_BY_ELEMENTS 1
#else
#define X86_BY_ELEMENTS 0
#endif

static bool selected(const struct x86_cpu *cpu, unsigned mask, unsigned i,
		     unsigned bytes)
{
	return cpu->vector[mask].u8[(i + 1) * bytes - 1] & 0x80;
}

static uint64_t element_address(struct x86_cpu *cpu, const struct x86_op *op,
				unsigned i, unsigned bytes)
{
	return (x86_address(cpu, op) + i * bytes) & cpu->address_mask;
}

static void load_elements(struct x86_cpu *cpu, const struct x86_op *op,
			  unsigned size, unsigned bytes)
{
	union x86_vector value = { 0 };

	for (unsigned i = 0; i < size / bytes; i++)
		if (selected(cpu, op->src, i, bytes))
			x86_load_bytes(cpu, op,
				       element_address(cpu, op, i, bytes),
				       value.u8 + i * bytes, bytes);
	cpu->vector[op->dst] = value;
}

static void store_elements(struct x86_cpu *cpu, const struct x86_op *op,
			   unsigned size, unsigned bytes)
{
	for (unsigned i = 0; i < size / bytes; i++)
		if (selected(cpu, op->src, i, bytes))
			x86_probe_write(cpu, op,
					element_address(cpu, op, i, bytes),
					bytes);
	for (unsigned i = 0; i < size / bytes; i++)
		if (selected(cpu, op->src, i, bytes))
			x86_store_bytes(cpu, op,
					element_address(cpu, op, i, bytes),
					cpu->vector[op->src2].u8 + i * bytes,
					bytes);
}

#define LOAD_MASKED(name, w, host, size, bytes) \
	X86_OP(name) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		struct avx_bytes *s; \
		if (X86_BY_ELEMENTS || \
		    __builtin_expect(address >= cpu->address_end, 0)) { \
			load_elements(cpu, op, size, bytes); \
			X86_NEXT; \
		} \
		s = (void *)(cpu->base + address); \
		AVX_RUN("vmovaps %[a], " AVX_REG(w, 1) "\n\t" \
			#host " %[b], " AVX_REG(w, 1) ", " AVX_REG(w, 0) \
			"\n\t" \
			AVX_STORE(w), \
			[a] "m"(*avx_register(cpu, op->src)), \
			[b] "m"(*s)); \
		X86_NEXT; \
	}
#define STORE_MASKED(name, w, host, size, bytes) \
	X86_OP(name) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		struct avx_bytes *to; \
		if (X86_BY_ELEMENTS || \
		    __builtin_expect(address >= cpu->address_end, 0)) { \
			store_elements(cpu, op, size, bytes); \
			X86_NEXT; \
		} \
		to = (void *)(cpu->base + address); \
		cpu->op = op; \
		__asm__ volatile("vmovaps %[a], " AVX_REG(w, 1) "\n\t" \
				 "vmovaps %[b], " AVX_REG(w, 0) "\n\t" \
				 #host " " AVX_REG(w, 0) ", " \
				 AVX_REG(w, 1) ", %[to]\n\t" \
				 AVX_CLEAN(w) \
				 : [to] "+m"(*to) \
				 : "m"(cpu->op), \
				   [a] "m"(*avx_register(cpu, op->src)), \
				   [b] "m"(*avx_register(cpu, op->src2)) \
				 : "xmm0", "xmm1"); \
		X86_NEXT; \
	}
#define AVX_MASKED(mnemonic, host, bytes) \
	LOAD_MASKED(host##_xxm, x, host, 16, bytes) \
	LOAD_MASKED(host##_yym, y, host, 32, bytes) \
	STORE_MASKED(host##_mxx, x, host, 16, bytes) \
	STORE_MASKED(host##_myy, y, host, 32, bytes)

#define INST(...)
#include "x86/isa/avx.def"
#undef INST

/* ---- Clearing ---- */

/* In 32-bit mode registers 8 to 15 are always 0. */

X86_OP(vzeroupper)
{
#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++)
		*(x86_v128 *)avx_half(cpu, i, 1) = (x86_v128){ 0 };
	X86_NEXT;
}

X86_OP(vzeroall)
{
	memset(cpu->vector, 0, sizeof cpu->vector);
	X86_NEXT;
}
