/* What the makers of descriptions share. Internal to describe*.c.
 *
 * describe.c takes over Zydis' operands. describe-kind.c classifies the
 * instruction. describe-rest.c corrects what the operands leave out. */
#ifndef M2S_X86_EMU_DECODE_DESCRIBE_H
#define M2S_X86_EMU_DECODE_DESCRIBE_H

#include "x86/emu/decode/decode.h"

static inline bool x86_has(const struct x86_decoding *d,
			   ZydisInstructionAttributes some)
{
	return d->inst.attributes & some;
}

static inline bool x86_repeats(const struct x86_decoding *d)
{
	return x86_has(d, ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
				  ZYDIS_ATTRIB_HAS_REPNE);
}

/* `count` locations from the first one on. */
static inline uint64_t x86_locations(unsigned first, unsigned count)
{
	return ((UINT64_C(1) << count) - 1) << first;
}

#define X86_ALL_GENERAL x86_locations(X86_AT_GENERAL, 8)
#define X86_ALL_VECTOR x86_locations(X86_AT_VECTOR, 16)
#define X86_ALL_X87 \
	(x86_locations(X86_AT_ST, 8) | x86_locations(X86_AT_MM, 8) | \
	 X86_AT(X86_AT_X87_CONTROL) | X86_AT(X86_AT_X87_STATUS) | \
	 X86_AT(X86_AT_X87_TOP) | X86_AT(X86_AT_X87_TAGS) | \
	 X86_AT(X86_AT_X87_POINTERS))
#define X86_ALL_MXCSR \
	(X86_AT(X86_AT_MXCSR_CONTROL) | X86_AT(X86_AT_MXCSR_STATUS))

enum x86_class x86_describe_class(const struct x86_decoding *d);
enum x86_branch x86_describe_branch(const struct x86_decoding *d);
/* The bits of enum x86_trait that follow from the encoding. */
unsigned x86_describe_traits(const struct x86_decoding *d);
/* Completes a description whose operands and flags are filled in. */
void x86_describe_rest(struct x86_inst *inst, const struct x86_decoding *d,
		       bool mode64);

#endif
