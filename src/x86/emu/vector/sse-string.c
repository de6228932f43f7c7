/* SSE4.2: string comparisons and CRC32. */
#include "x86/emu/vector/avx.h"
#include "x86/emu/vector/sse-stubs.h"
#include "x86/emu/vector/sse.h"

/* ---- PCMPISTRI, PCMPISTRM, PCMPESTRI, PCMPESTRM ----
 *
 * As in sse-immediate.c, there is a routine for each immediate. Assembly calls
 * the routines, since explicit lengths are in EAX and EDX, and results in ECX,
 * XMM0 and EFLAGS. */

enum { STUB = 8 };

struct string_result {
	x86_v128 mask;
	uint32_t index;
	uint32_t flags;
};

/* `first` is the destination operand, `second` the source. Only the explicit
 * forms use the lengths. The call leaves out the stack's red zone, which it
 * would overwrite. */
static struct string_result compare(const uint8_t *stubs, int imm,
				    x86_v128 first, x86_v128 second,
				    uint32_t first_length,
				    uint32_t second_length)
{
	uintptr_t at = (uintptr_t)(stubs + STUB * (uint8_t)imm);
	register x86_v128 a __asm__("xmm0") = first;
	register x86_v128 b __asm__("xmm1") = second;
	uint64_t flags, index = 0;
	struct string_result result;

	__asm__("lea -128(%%rsp), %%rsp\n\t"
		"call *%[at]\n\t"
		"pushfq\n\t"
		"popq %[flags]\n\t"
		"lea 128(%%rsp), %%rsp"
		: "+x"(a), "+c"(index), [flags] "=&r"(flags)
		: "x"(b), "a"(first_length), "d"(second_length),
		  [at] "r"(at)
		: "cc");
	result.mask = a;
	result.index = (uint32_t)index;
	result.flags = (uint32_t)flags & X86_ARITHMETIC;
	return result;
}

static void finish_pcmpistri(struct x86_cpu *cpu, struct string_result result)
{
	x86_set32(cpu, X86_RCX * 8, result.index);
	x86_set_arithmetic_flags(cpu, result.flags);
}

static void finish_pcmpistrm(struct x86_cpu *cpu, struct string_result result)
{
	set_xmm(cpu, 0, result.mask);
	x86_set_arithmetic_flags(cpu, result.flags);
}

/* VEX-encoded ones clear the upper half. */
static void finish_vpcmpistrm(struct x86_cpu *cpu, struct string_result result)
{
	avx_set_xmm(cpu, 0, result.mask);
	x86_set_arithmetic_flags(cpu, result.flags);
}

#define finish_pcmpestri finish_pcmpistri
#define finish_pcmpestrm finish_pcmpistrm
#define finish_vpcmpestrm finish_vpcmpistrm

/* A length in 64 bits, saturated: more than 16 elements count as 16. */
static uint32_t saturate(uint64_t length)
{
	int64_t value = (int64_t)length;

	return (uint32_t)(value > 16 ? 16 : value < -16 ? -16 : value);
}

#define FORM(name, host, finish, source, length) \
	X86_OP(name) \
	{ \
		x86_v128 s = source; \
		finish(cpu, compare(x86_stubs_##host, op->imm, \
					   xmm(cpu, op->dst), s, \
					   length(cpu->reg[X86_RAX]), \
					   length(cpu->reg[X86_RDX]))); \
		X86_NEXT; \
	}
#define FORMS(name, host) \
	FORM(name##_xxi, host, finish_##name, xmm(cpu, op->src), \
	     (uint32_t)) \
	FORM(name##_xmi, host, finish_##name, \
	     x86_load128(cpu, op, x86_address(cpu, op)), (uint32_t))
#define FORMS_WIDE(name, host) \
	FORM(name##_xxi_wide, host, finish_##name, xmm(cpu, op->src), \
	     saturate) \
	FORM(name##_xmi_wide, host, finish_##name, \
	     x86_load128(cpu, op, x86_address(cpu, op)), saturate)
#define SSE_STRING(mnemonic, host) \
	SSE_STUBS(host, 8, #host " $0x\\h\\l, %xmm1, %xmm0\n\tret"); \
	FORMS(host, host)
#define SSE_STRING_LENGTHS(mnemonic, host) \
	SSE_STRING(mnemonic, host) \
	FORMS_WIDE(host, host)

#define INST(...)
#include "x86/isa/sse.def"
#undef INST

/* VPCMPISTRI and VPCMPESTRI are PCMPISTRI and PCMPESTRI. */
FORMS(vpcmpistrm, pcmpistrm)
FORMS(vpcmpestrm, pcmpestrm)
FORMS_WIDE(vpcmpestrm, pcmpestrm)

/* ---- CRC32 ---- */

/* A 64-bit destination also loses its upper half. */
#define CRC(name, suffix, type, source) \
	X86_OP(name) \
	{ \
		type s = source; \
		uint32_t d = X86_REG32(cpu, op->dst); \
		__asm__("crc32" suffix " %1, %0" : "+r"(d) : "r"(s)); \
		x86_set32(cpu, op->dst, d); \
		X86_NEXT; \
	}
CRC(crc32_r8, "b", uint8_t, X86_REG8(cpu, op->src))
CRC(crc32_r16, "w", uint16_t, X86_REG16(cpu, op->src))
CRC(crc32_r32, "l", uint32_t, X86_REG32(cpu, op->src))
CRC(crc32_m8, "b", uint8_t, x86_load8(cpu, op, x86_address(cpu, op)))
CRC(crc32_m16, "w", uint16_t, x86_load16(cpu, op, x86_address(cpu, op)))
CRC(crc32_m32, "l", uint32_t, x86_load32(cpu, op, x86_address(cpu, op)))

#define CRC64(name, source) \
	X86_OP(name) \
	{ \
		uint64_t s = source; \
		uint64_t d = X86_REG64(cpu, op->dst); \
		__asm__("crc32q %1, %0" : "+r"(d) : "r"(s)); \
		x86_set64(cpu, op->dst, d); \
		X86_NEXT; \
	}
CRC64(crc32_r64, X86_REG64(cpu, op->src))
CRC64(crc32_m64, x86_load64(cpu, op, x86_address(cpu, op)))
