#include "x86/emu/decode/foreign.h"

#include <string.h>

#include "x86/emu/emu.h"

/* The functions of gem5's m5ops that say where a region is. */
static const struct {
	uint16_t function;
	uint8_t code;
} gem5[] = {
	{ 0x40, X86_MARKER_BEGIN }, /* m5_reset_stats */
	{ 0x41, X86_MARKER_END },   /* m5_dump_stats */
	{ 0x5a, X86_MARKER_BEGIN }, /* m5_work_begin */
	{ 0x5b, X86_MARKER_END },   /* m5_work_end */
};

enum { SNIPER_BEGIN = 1, SNIPER_END = 2, ZSIM_BEGIN = 1025, ZSIM_END = 1026 };

static unsigned gem5_code(unsigned function)
{
	for (size_t i = 0; i < sizeof gem5 / sizeof gem5[0]; i++)
		if (gem5[i].function == function)
			return gem5[i].code;
	return X86_MARKER_NOTHING;
}

static bool begins(const uint8_t *code, size_t size, const char *bytes,
		   unsigned count, unsigned *length)
{
	*length = count;
	return size >= count && !memcmp(code, bytes, count);
}

unsigned x86_foreign_marker(const uint8_t *code, size_t size, bool mode64,
			    unsigned *length)
{
	if (begins(code, size, "\x66\x87\xdb", 3, length))
		return FOREIGN_SNIPER;
	if (mode64 ? begins(code, size, "\x48\x87\xc9", 3, length)
		   : begins(code, size, "\x87\xc9", 2, length))
		return FOREIGN_ZSIM;
	*length = 4;
	if (size >= 4 && code[0] == 0x0f && code[1] == 0x04)
		return FOREIGN_GEM5 |
		       gem5_code(code[2] | (unsigned)code[3] << 8);
	return FOREIGN_NONE;
}

uint8_t x86_foreign_code(unsigned marker, uint64_t rax, uint64_t rcx)
{
	switch (marker & ~0xffu) {
	case FOREIGN_SNIPER:
		return rax == SNIPER_BEGIN ? X86_MARKER_BEGIN
		       : rax == SNIPER_END ? X86_MARKER_END
					   : X86_MARKER_NOTHING;
	case FOREIGN_ZSIM:
		return rcx == ZSIM_BEGIN ? X86_MARKER_BEGIN
		       : rcx == ZSIM_END ? X86_MARKER_END
					 : X86_MARKER_NOTHING;
	default:
		return (uint8_t)marker;
	}
}

const uint8_t *x86_foreign_nop(unsigned length)
{
	static const uint8_t nops[][4] = {
		{ 0x66, 0x90 }, { 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0x00 },
	};

	return nops[length - 2];
}
