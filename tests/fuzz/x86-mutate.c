/* Inputs for fuzz-x86-run that blind mutation would hardly find: every row of
 * the instruction tables, encoded with random operands. */
#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/x86-input.h"
#include "x86/emu/op.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed);
/* libFuzzer's own; absent (and not called) in a replay. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
	__attribute__((weak));

static const struct {
	ZydisMnemonic mnemonic;
	const char *operand[4];
	unsigned attributes;
} rows[] = {
#undef INST
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ ZYDIS_MNEMONIC_##mnemonic, { #a, #b, #c, #d }, (attr) },
#include "x86/isa/tables.def"
};

static unsigned width(const char *operand)
{
	unsigned bits = 0;

	for (operand++; *operand; operand++)
		bits = 10 * bits + (unsigned)(*operand - '0');
	return bits;
}

static ZydisRegister general(unsigned bits, uint64_t random)
{
	ZydisRegister first = bits == 8 ? ZYDIS_REGISTER_AL :
			      bits == 16 ? ZYDIS_REGISTER_AX :
			      bits == 32 ? ZYDIS_REGISTER_EAX :
					   ZYDIS_REGISTER_RAX;

	return (ZydisRegister)(first + random % (bits == 8 ? 20 : 16));
}

/* `gathers`: the index is a vector register. */
static void make_memory(ZydisEncoderOperand *operand, unsigned bits,
			bool wide, bool gathers, uint64_t *seed)
{
	static const uint16_t sizes[] = { 2, 4, 6, 8, 10, 16, 28, 32, 64, 94,
					  108, 512, 576 };
	uint64_t random = random_draw(seed);

	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	operand->mem.size = bits ? (ZyanU16)(bits / 8)
				 : sizes[random % (sizeof sizes / 2)];
	random >>= 8;
	operand->mem.base = general(wide ? 64 : 32,
				    wide ? random : random & 7);
	if (gathers) {
		operand->mem.index =
			(random >> 9 & 1 ? ZYDIS_REGISTER_XMM0
					 : ZYDIS_REGISTER_YMM0) +
			(random >> 10) % (wide ? 16 : 8);
		operand->mem.scale = (ZyanU8)(1 << (random >> 14 & 3));
	} else if (random >> 8 & 1) {
		operand->mem.index = general(wide ? 64 : 32,
					     (random >> 9) & (wide ? 15 : 7));
		operand->mem.scale = (ZyanU8)(1 << (random >> 13 & 3));
	}
	if (random >> 16 & 1)
		operand->mem.displacement = (int8_t)(random >> 24);
}

static void make_operand(ZydisEncoderOperand *operand, const char *shape,
			 bool wide, bool gathers, uint64_t *seed)
{
	uint64_t random = random_draw(seed);

	operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
	switch (shape[0]) {
	case 'R':
		operand->reg.value = general(width(shape), random);
		break;
	case 'M':
		make_memory(operand, width(shape), wide, gathers, seed);
		break;
	case 'X':
		operand->reg.value = ZYDIS_REGISTER_XMM0 + random % 16;
		break;
	case 'Y':
		operand->reg.value = ZYDIS_REGISTER_YMM0 + random % 16;
		break;
	case 'N':
		operand->reg.value = ZYDIS_REGISTER_MM0 + random % 8;
		break;
	case 'F':
		operand->reg.value = ZYDIS_REGISTER_ST0 + random % 8;
		break;
	case 'S':
		operand->reg.value = ZYDIS_REGISTER_ES + random % 6;
		break;
	case 'J':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		operand->imm.s = (int64_t)(random % 64) - 24;
		break;
	default:
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		operand->imm.s = random & 1 ? (int8_t)(random >> 8)
					    : (int32_t)(random >> 8);
	}
}

/* One instruction of a random row: its length, or 0. */
static size_t make_instruction(uint8_t *to, size_t room, bool wide,
			       uint64_t *seed)
{
	for (int attempt = 0; attempt < 10; attempt++) {
		size_t row = random_draw(seed) %
			     (sizeof rows / sizeof rows[0]);
		ZyanUSize length = room < 15 ? room : 15;
		ZydisEncoderRequest request;
		const char *name = ZydisMnemonicGetString(rows[row].mnemonic);
		bool gathers = name && strstr(name, "gather");

		memset(&request, 0, sizeof request);
		request.machine_mode =
			wide ? ZYDIS_MACHINE_MODE_LONG_64
			     : ZYDIS_MACHINE_MODE_LONG_COMPAT_32;
		request.mnemonic = rows[row].mnemonic;
		if (rows[row].attributes & X86_ROW_LOCK)
			request.prefixes |= ZYDIS_ATTRIB_HAS_LOCK;
		if (rows[row].attributes & X86_ROW_REP)
			request.prefixes |= random_draw(seed) & 1
						    ? ZYDIS_ATTRIB_HAS_REP
						    : ZYDIS_ATTRIB_HAS_REPE;
		if (rows[row].attributes & X86_ROW_REPNE)
			request.prefixes |= ZYDIS_ATTRIB_HAS_REPNE;
		for (int i = 0; i < 4 && rows[row].operand[i][0] != '_'; i++) {
			if (!strcmp(rows[row].operand[i], "ANY"))
				break;
			make_operand(&request.operands[i],
				     rows[row].operand[i], wide, gathers, seed);
			request.operand_count++;
		}
		if (ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, to,
							       &length)))
			return length;
	}
	return 0;
}

/* Where some instruction of the code begins. */
static size_t boundary(const uint8_t *code, size_t size, bool wide,
		       uint64_t *seed)
{
	size_t at = 0, chosen = 0;
	unsigned seen = 0;
	ZydisDecoder decoder;
	ZydisDecodedInstruction instruction;

	ZydisDecoderInit(&decoder,
			 wide ? ZYDIS_MACHINE_MODE_LONG_64
			      : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			 wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	while (at <= size) {
		if (random_draw(seed) % ++seen == 0)
			chosen = at;
		if (at == size ||
		    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &decoder, ZYAN_NULL, code + at, size - at,
			    &instruction)))
			break;
		at += instruction.length;
	}
	return chosen;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned number)
{
	uint64_t seed = number;
	uint8_t instruction[15];
	size_t length, at;
	bool wide;

	if (size <= FUZZ_X86_HEADER || random_draw(&seed) % 3 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	wide = data[0] & 1;
	length = make_instruction(instruction, sizeof instruction, wide,
				  &seed);
	at = FUZZ_X86_HEADER + boundary(data + FUZZ_X86_HEADER,
					size - FUZZ_X86_HEADER, wide, &seed);
	if (!length || size + length > max_size)
		return LLVMFuzzerMutate(data, size, max_size);
	memmove(data + at + length, data + at, size - at);
	memcpy(data + at, instruction, length);
	return size + length;
}
