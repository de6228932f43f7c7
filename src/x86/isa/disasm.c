#include "x86/isa/disasm.h"

#include <stdio.h>

#include <Zydis/Zydis.h>

static void init_decoder(ZydisDecoder *decoder, bool mode64)
{
	ZydisDecoderInit(decoder,
			 mode64 ? ZYDIS_MACHINE_MODE_LONG_64
				: ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			 mode64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
}

size_t x86_disasm(bool mode64, uint64_t address, const uint8_t *code,
		  size_t size, char *text, size_t text_size)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisFormatter formatter;

	init_decoder(&decoder, mode64);
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	if (!size || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			     &decoder, code, size, &inst, operands)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
		    &formatter, &inst, operands, inst.operand_count_visible,
		    text, text_size, address, NULL))) {
		snprintf(text, text_size, "%s",
			 size ? "(no instruction)" : "(not readable)");
		return 0;
	}
	return inst.length;
}

bool x86_branch_target(bool mode64, uint64_t address, const uint8_t *code,
		       size_t size, uint64_t *target)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	init_decoder(&decoder, mode64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &inst,
						   operands)) &&
	       inst.operand_count_visible == 1 &&
	       operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       operands[0].imm.is_relative &&
	       ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&inst, &operands[0],
						     address, target));
}

void x86_disasm_describe(bool mode64, uint64_t address, const uint8_t *code,
			 size_t size, char *text, size_t text_size)
{
	char mnemonic[128], bytes[3 * 16 + 1] = "";
	size_t length = x86_disasm(mode64, address, code, size, mnemonic,
				   sizeof mnemonic);
	int at = 0;

	if (!length)
		length = size < 8 ? size : 8;
	for (size_t i = 0; i < length && i < 16; i++)
		at += snprintf(bytes + at, sizeof bytes - (size_t)at, " %02x",
			       code[i]);
	snprintf(text, text_size, "%s (bytes%s) at 0x%llx", mnemonic, bytes,
		 (unsigned long long)address);
}
