/* Whether every encoding of the x87, MMX, SSE, AES, PCLMULQDQ, SHA, AVX, AVX2,
 * FMA3 and F16C instructions has a row: all opcodes with all ModRM bytes and
 * prefixes that Zydis knows are decoded, and none may come out as
 * unsupported. */
#include <stdio.h>
#include <string.h>

#include "unit/harness.h"
#include "base/memory.h"
#include "x86/emu/block.h"
#include "x86/isa/disasm.h"

enum { CODE = 0x10000 };

static bool concerned(const ZydisDecodedInstruction *inst)
{
	switch (inst->meta.isa_ext) {
	case ZYDIS_ISA_EXT_X87:
	case ZYDIS_ISA_EXT_MMX:
	case ZYDIS_ISA_EXT_SSE:
	case ZYDIS_ISA_EXT_SSE2:
	case ZYDIS_ISA_EXT_SSE3:
	case ZYDIS_ISA_EXT_SSSE3:
	case ZYDIS_ISA_EXT_SSE4:
	case ZYDIS_ISA_EXT_AES:
	case ZYDIS_ISA_EXT_PCLMULQDQ:
	case ZYDIS_ISA_EXT_SHA:
	case ZYDIS_ISA_EXT_AVX:
	case ZYDIS_ISA_EXT_AVX2:
	case ZYDIS_ISA_EXT_AVX2GATHER:
	case ZYDIS_ISA_EXT_AVXAES:
	case ZYDIS_ISA_EXT_FMA:
	case ZYDIS_ISA_EXT_F16C:
		return true;
	default:
		return false;
	}
}

static bool supported(struct x86_emulator *emulator, const uint8_t *code,
		      size_t size)
{
	struct x86_fault fault;
	struct x86_block *block;
	bool result = true;

	space_write(emulator->space, CODE, code, size);
	x86_block_memory_clear(emulator->step_memory);
	block = x86_decode(emulator, emulator->step_memory, CODE, 1, false,
			   &fault);
	if (!block)
		return false;
	for (unsigned i = 0; i + 1u < block->op_count; i++)
		if (block->op[i].handler == x86_op_unsupported)
			result = false;
	return result;
}

struct count {
	unsigned encodings, missing;
	ZydisMnemonic last; /* one message per mnemonic in a row */
};

static void try(struct x86_emulator *emulator, const uint8_t *code,
		size_t size, struct count *count)
{
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	char text[200];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&emulator->decoder->zydis, code,
						 size, &inst, operand)) ||
	    !concerned(&inst))
		return;
	count->encodings++;
	if (supported(emulator, code, size))
		return;
	count->missing++;
	if (inst.mnemonic == count->last)
		return;
	count->last = inst.mnemonic;
	x86_disasm_describe(emulator->mode == X86_MODE_64, CODE, code, size,
			    text, sizeof text);
	printf("# no row for %s\n", text);
}

/* All VEX prefixes of three bytes, but for the numbers of registers. */
static void cover_vex(struct x86_emulator *emulator, struct count *count)
{
	for (unsigned map = 1; map <= 3; map++)
		for (unsigned bits = 0; bits < 16; bits++)
			for (unsigned at = 0; at < 1 << 17; at++) {
				/* W, L and pp; opcode; vvvv; ModRM; a SIB
				 * byte or displacement */
				uint8_t code[24] = {
					0xc4, (uint8_t)(0xe0 | map),
					(uint8_t)((bits & 8) << 4 |
						  (bits & 7)),
					(uint8_t)(at >> 8), (uint8_t)at, 0x25,
				};

				code[2] |= at >> 16 ? 0x78 : 0x58;
				try(emulator, code, sizeof code, count);
			}
}

static void cover(enum x86_mode mode)
{
	static const char *const prefixes[] = {
		"", "\x66", "\xf2", "\xf3", "\x66\xf2",
	};
	static const char *const maps[] = {
		"", "\x0f", "\x0f\x38", "\x0f\x3a",
	};
	struct space *space = space_create(
		mode == X86_MODE_64 ? 1ull << SPACE_X86_64_BITS : 1ull << 32,
		NULL);
	struct count count = { 0 };
	struct x86_emulator *emulator;
	struct x86_model model;

	x86_model_everything(&model);
	emulator = x86_emulator_create(space, mode, &model, NULL);
	space_map(space, CODE, SPACE_PAGE,
		  SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1, 0, "");
	for (size_t map = 0; map < ARRAY_SIZE(maps); map++)
		for (size_t prefix = 0; prefix < ARRAY_SIZE(prefixes);
		     prefix++)
			for (int wide = 0;
			     wide < (mode == X86_MODE_64 ? 2 : 1); wide++)
				for (int at = 0; at < 1 << 16; at++) {
					uint8_t code[24] = { 0 };
					size_t n = strlen(prefixes[prefix]);
					int opcode = at >> 8;

					/* Of the one-byte opcodes only the
					 * x87's. */
					if (!map && opcode != 0x9b &&
					    (opcode & 0xf8) != 0xd8)
						continue;
					memcpy(code, prefixes[prefix], n);
					if (wide)
						code[n++] = 0x48;
					memcpy(code + n, maps[map],
					       strlen(maps[map]));
					n += strlen(maps[map]);
					code[n++] = (uint8_t)opcode;
					code[n++] = (uint8_t)at;
					try(emulator, code, sizeof code,
					    &count);
				}
	cover_vex(emulator, &count);
	printf("# %u encodings, %u without a row\n", count.encodings,
	       count.missing);
	CU_ASSERT(count.encodings > 10000);
	CU_ASSERT_EQUAL(count.missing, 0);
	x86_emulator_free(emulator);
	space_free(space);
}

static void test_64(void)
{
	cover(X86_MODE_64);
}

static void test_32(void)
{
	cover(X86_MODE_32);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "every vector and x87 encoding has a row, 64-bit", test_64 },
		{ "every vector and x87 encoding has a row, 32-bit", test_32 },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86-vector-coverage", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
