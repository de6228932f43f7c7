/* FMA3: dst = dst op a op b, in one of three orders. */
#include "x86/emu/vector/avx.h"

#define FMA(name, w, host, source) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = source; \
		AVX_RUN("vmovaps %[c], " AVX_REG(w, 0) "\n\t" \
			"vmovaps %[a], " AVX_REG(w, 1) "\n\t" \
			#host " %[b], " AVX_REG(w, 1) ", " AVX_REG(w, 0) \
			"\n\t" \
			AVX_STORE(w), \
			[a] "m"(*avx_register(cpu, op->src)), [b] "m"(*s), \
			[c] "m"(*avx_register(cpu, op->dst))); \
		X86_NEXT; \
	}

#define AVX_FMA_LOW(mnemonic, host, memory) \
	FMA(host##_xxx, x, host, avx_register(cpu, op->src2)) \
	FMA(host##_xxm, x, host, avx_memory(cpu, op))
#define AVX_FMA(mnemonic, host) \
	AVX_FMA_LOW(mnemonic, host, M128) \
	FMA(host##_yyy, y, host, avx_register(cpu, op->src2)) \
	FMA(host##_yym, y, host, avx_memory(cpu, op))

#define INST(...)
#include "x86/isa/avx.def"
#undef INST
