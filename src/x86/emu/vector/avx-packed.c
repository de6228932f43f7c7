/* AVX instructions whose operands are vector registers and memory, without an
 * immediate that is part of the encoding. */
#include "x86/emu/vector/avx.h"

/* One handler; `source` is the place of the last source. */
#define HANDLER(name, source, text, ...) \
	X86_OP(name) \
	{ \
		struct avx_bytes *s = source; \
		AVX_RUN(text, __VA_ARGS__); \
		X86_NEXT; \
	}

/* ---- dst = a op b ---- */

#define BINARY_TEXT(w, host) \
	"vmovaps %[a], " AVX_REG(w, 0) "\n\t" \
	#host " %[b], " AVX_REG(w, 0) ", " AVX_REG(w, 0) "\n\t" \
	AVX_STORE(w)
#define BINARY(name, w, host, source) \
	HANDLER(name, source, BINARY_TEXT(w, host), \
		[a] "m"(*avx_register(cpu, op->src)), [b] "m"(*s))

#define AVX_PACKED_X(mnemonic, host) \
	BINARY(host##_xxx, x, host, avx_register(cpu, op->src2)) \
	BINARY(host##_xxm, x, host, avx_memory(cpu, op))
#define AVX_PACKED_Y(mnemonic, host) \
	BINARY(host##_yyy, y, host, avx_register(cpu, op->src2)) \
	BINARY(host##_yym, y, host, avx_memory(cpu, op))
#define AVX_LOW(mnemonic, host, memory) AVX_PACKED_X(mnemonic, host)

/* ---- dst = op a ---- */

#define UNARY(name, w, host, source) \
	HANDLER(name, source, \
		#host " %[a], " AVX_REG(w, 0) "\n\t" AVX_STORE(w), \
		[a] "m"(*s))

#define AVX_UNARY_X(mnemonic, host) \
	UNARY(host##_xx, x, host, avx_register(cpu, op->src)) \
	UNARY(host##_xm, x, host, avx_memory(cpu, op))
#define AVX_UNARY_Y(mnemonic, host) \
	UNARY(host##_yy, y, host, avx_register(cpu, op->src)) \
	UNARY(host##_ym, y, host, avx_memory(cpu, op))
#define AVX_WIDEN_X(mnemonic, host, memory) AVX_UNARY_X(mnemonic, host)
#define AVX_WIDEN_Y(mnemonic, host, memory) \
	UNARY(host##_yx, y, host, avx_register(cpu, op->src)) \
	UNARY(host##_ym, y, host, avx_memory(cpu, op))

/* The suffix tells the width of the source. */
#define NARROW(name, host, clean, source) \
	HANDLER(name, source, \
		#host " %[a], %%xmm0\n\t" clean AVX_STORE(x), [a] "m"(*s))
#define AVX_NARROW(mnemonic, host) \
	NARROW(host##_xx, host##x, "", avx_register(cpu, op->src)) \
	NARROW(host##_xm, host##x, "", avx_memory(cpu, op)) \
	NARROW(host##_xy, host##y, "vzeroupper\n\t", \
	       avx_register(cpu, op->src)) \
	NARROW(host##_xm256, host##y, "vzeroupper\n\t", avx_memory(cpu, op))

/* ---- Shifts by a count ---- */

/* The host's shift by a register reads the count's low 64 bits, so an immediate
 * works like any other count. */
#define SHIFT_IMMEDIATE(name, w, host) \
	X86_OP(name) \
	{ \
		uint32_t count = (uint8_t)op->imm; \
		AVX_RUN("vmovd %[b], %%xmm1\n\t" \
			"vmovaps %[a], " AVX_REG(w, 0) "\n\t" \
			#host " %%xmm1, " AVX_REG(w, 0) ", " \
			AVX_REG(w, 0) "\n\t" \
			AVX_STORE(w), \
			[a] "m"(*avx_register(cpu, op->src)), \
			[b] "r"(count)); \
		X86_NEXT; \
	}
#define AVX_SHIFT(mnemonic, host) \
	BINARY(host##_xxx, x, host, avx_register(cpu, op->src2)) \
	BINARY(host##_xxm, x, host, avx_memory(cpu, op)) \
	SHIFT_IMMEDIATE(host##_xxi, x, host) \
	BINARY(host##_yyx, y, host, avx_register(cpu, op->src2)) \
	BINARY(host##_yym, y, host, avx_memory(cpu, op)) \
	SHIFT_IMMEDIATE(host##_yyi, y, host)

/* ---- Blends by a register ---- */

#define BLEND(name, w, host, source) \
	HANDLER(name, source, \
		"vmovaps %[a], " AVX_REG(w, 0) "\n\t" \
		"vmovaps %[c], " AVX_REG(w, 1) "\n\t" \
		#host " " AVX_REG(w, 1) ", %[b], " AVX_REG(w, 0) ", " \
		AVX_REG(w, 0) "\n\t" \
		AVX_STORE(w), \
		[a] "m"(*avx_register(cpu, op->src)), [b] "m"(*s), \
		[c] "m"(*avx_register(cpu, op->src3)))
#define AVX_BLEND(mnemonic, host) \
	BLEND(host##_xxxx, x, host, avx_register(cpu, op->src2)) \
	BLEND(host##_xxmx, x, host, avx_memory(cpu, op)) \
	BLEND(host##_yyyy, y, host, avx_register(cpu, op->src2)) \
	BLEND(host##_yymy, y, host, avx_memory(cpu, op))

#define INST(...)
#include "x86/isa/avx.def"
#undef INST
