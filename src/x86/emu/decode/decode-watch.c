/* Ops that check watchpoints, in front of instructions that access memory. */
#include "x86/emu/decode/decode.h"

/* The offset in struct x86_cpu of a register of an address. False when it does
 * not have the full width. */
static bool address_register(ZydisRegister reg, bool mode64, uint8_t *field)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	*field = X86_ZERO * 8;
	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	*field = (uint8_t)(ZydisRegisterGetId(reg) * 8);
	return class == (mode64 ? ZYDIS_REGCLASS_GPR64 : ZYDIS_REGCLASS_GPR32);
}

/* Fills in a watch op's operand. False when the operand is not so simple. */
static bool set_watched(struct x86_op *op, const struct x86_decoding *d,
			const ZydisDecodedOperand *operand, uint64_t next,
			bool mode64)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;

	/* Instructions whose accesses depend on more registers than those of
	 * the address. */
	switch (d->inst.mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_XLAT:
		return false;
	default:
		break;
	}
	if (memory->segment == ZYDIS_REGISTER_FS ||
	    memory->segment == ZYDIS_REGISTER_GS ||
	    memory->type != ZYDIS_MEMOP_TYPE_MEM ||
	    d->inst.address_width != (mode64 ? 64 : 32) ||
	    d->inst.attributes & (ZYDIS_ATTRIB_HAS_REP |
				  ZYDIS_ATTRIB_HAS_REPE |
				  ZYDIS_ATTRIB_HAS_REPNE) ||
	    !address_register(memory->index, mode64, &op->index))
		return false;
	op->imm = operand->size / 8;
	op->disp = memory->disp.value;
	for (unsigned scale = memory->scale; scale > 1; scale /= 2)
		op->scale++;
	if (memory->base == ZYDIS_REGISTER_RIP) {
		op->disp += (int64_t)next;
		return true;
	}
	if (!address_register(memory->base, mode64, &op->base))
		return false;
	/* A pushed operand lies below the stack pointer. */
	if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	    op->base == X86_RSP * 8 &&
	    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		op->disp -= op->imm;
	return true;
}

void x86_add_watch(const struct x86_emulator *emulator, struct x86_builder *b,
		   const struct x86_decoding *d, uint64_t rip)
{
	const ZydisDecodedOperand *operand = NULL;
	unsigned count = 0;
	struct x86_op *op, simple;

	for (unsigned i = 0; i < d->inst.operand_count; i++)
		if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    d->operand[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
			operand = &d->operand[i];
			count++;
		}
	if (!count || x86_does_nothing(d))
		return;
	op = x86_new_op(b, x86_op_watch_instruction, 0);
	simple = *op;
	if (count == 1 && set_watched(&simple, d, operand,
				      rip + d->inst.length,
				      emulator->mode == X86_MODE_64)) {
		simple.handler = x86_op_watch_operand;
		*op = simple;
	}
}
