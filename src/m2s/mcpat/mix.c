#include "m2s/mcpat/mix.h"

#include <Zydis/Zydis.h>

static bool is_general(ZydisRegister name)
{
	switch (ZydisRegisterGetClass(name)) {
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return true;
	default:
		return false;
	}
}

static bool is_vector(ZydisRegister name)
{
	switch (ZydisRegisterGetClass(name)) {
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
		return true;
	default:
		return false;
	}
}

/* What the operands of one instruction come to. */
struct found {
	bool vector, load, store;
	unsigned reads, writes, vector_reads, vector_writes;
};

static void add_operand(struct found *found, const ZydisDecodedOperand *operand)
{
	bool read = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	bool write = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		found->reads += is_general(operand->mem.base) +
				is_general(operand->mem.index);
		found->vector_reads += is_vector(operand->mem.index);
		if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			return;
		found->load |= read;
		found->store |= write;
	} else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		if (is_general(operand->reg.value)) {
			found->reads += read;
			found->writes += write;
		} else if (is_vector(operand->reg.value)) {
			found->vector = true;
			found->vector_reads += read;
			found->vector_writes += write;
		}
	}
}

static bool multiplies(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MUL:
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_MULX:
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return true;
	default:
		return false;
	}
}

bool mcpat_mix_add(struct mcpat_mix *mix, bool mode64, const uint8_t *code,
		   size_t size, double times)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction inst;
	struct found found = { 0 };
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder,
			 mode64 ? ZYDIS_MACHINE_MODE_LONG_64
				: ZYDIS_MACHINE_MODE_LEGACY_32,
			 mode64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, size, &inst,
					       operands)))
		return false;
	for (unsigned i = 0; i < inst.operand_count; i++)
		add_operand(&found, &operands[i]);
	found.vector |= inst.meta.category == ZYDIS_CATEGORY_X87_ALU;
	if (inst.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		mix->branches += times;
	else if (found.vector)
		mix->floating += times;
	else
		mix->integer += times;
	mix->loads += found.load * times;
	mix->stores += found.store * times;
	mix->multiplications += multiplies(inst.mnemonic) * times;
	mix->calls += (inst.meta.category == ZYDIS_CATEGORY_CALL) * times;
	mix->integer_reads += found.reads * times;
	mix->integer_writes += found.writes * times;
	mix->floating_reads += found.vector_reads * times;
	mix->floating_writes += found.vector_writes * times;
	return true;
}
