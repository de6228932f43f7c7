/* From Zydis' operands to the fields of an op. */
#include "x86/emu/decode/decode.h"
#include "x86/emu/operand.h"

static uint8_t register_number(ZydisRegister reg)
{
	return (uint8_t)ZydisRegisterGetId(reg);
}

/* Byte offset of a general register in struct x86_cpu. */
static uint8_t register_field(ZydisRegister reg)
{
	if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
		return (uint8_t)((reg - ZYDIS_REGISTER_AH) * 8 + 1);
	if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR8) {
		/* AL CL DL BL AH CH DH BH SPL BPL SIL DIL R8B ... */
		unsigned id = reg - ZYDIS_REGISTER_AL;

		return (uint8_t)((id < 4 ? id : id - 4) * 8);
	}
	return (uint8_t)(register_number(reg) * 8);
}

static uint8_t log2_scale(unsigned scale)
{
	return (uint8_t)(scale > 1 ? __builtin_ctz(scale) : 0);
}

/* Fills in the memory operand. Returns the number of ops used: 1 when an
 * address op had to go in front (op then points behind it). */
static unsigned set_memory(struct x86_op *op, const struct x86_decoding *d,
			   const ZydisDecodedOperand *operand, uint64_t next,
			   bool mode64)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;
	int segment = x86_segment_of(mem->segment);
	bool agen = mem->type == ZYDIS_MEMOP_TYPE_AGEN;
	bool segmented = !agen && (segment == X86_FS || segment == X86_GS ||
				   d->segmented);
	unsigned natural = mode64 ? 64 : 32;
	struct x86_op address = {
		.base = X86_ZERO * 8, .index = X86_ZERO * 8,
		.scale = log2_scale(mem->scale), .disp = mem->disp.value,
	};

	if (mem->base == ZYDIS_REGISTER_RIP)
		address.disp += (int64_t)next;
	else if (mem->base == ZYDIS_REGISTER_EIP)
		address.disp = (uint32_t)(address.disp + (int64_t)next);
	else if (mem->base != ZYDIS_REGISTER_NONE)
		address.base = register_field(mem->base);
	if (mem->type == ZYDIS_MEMOP_TYPE_VSIB) {
		/* A gather computes its addresses itself. */
		op->base = address.base;
		op->scale = address.scale;
		op->disp = address.disp;
		op->src = register_number(mem->index);
		op->src3 = (uint8_t)(segmented ? segment : X86_DS);
		op->imm = d->inst.address_width |
			  (d->inst.raw.vex.L ? X86_GATHER_YMM : 0);
		return 0;
	}
	if (mem->index != ZYDIS_REGISTER_NONE)
		address.index = register_field(mem->index);
	if (!segmented && d->inst.address_width == natural) {
		op->base = address.base;
		op->index = address.index;
		op->scale = address.scale;
		op->disp = address.disp;
		return 0;
	}
	/* The address op: imm = address width, src2 = segment. */
	address.handler = mode64 || d->segmented || !segmented
				  ? x86_op_address
				  : x86_op_address_in_segment;
	address.src3 = operand->size / 8 < 255 ? (uint8_t)(operand->size / 8)
					       : 255;
	address.imm = d->inst.address_width;
	address.src2 = segmented ? (uint8_t)segment : X86_DS;
	address.offset = op->offset;
	address.position = op->position;
	address.length = op->length;
	address.count = op->count;
	op[1] = op[0];
	op[0] = address;
	op[1].position++;
	op[1].base = X86_ADDRESS * 8;
	op[1].index = X86_ZERO * 8;
	op[1].scale = 0;
	op[1].disp = 0;
	return 1;
}

/* The address of an instruction's memory operand with another segment or
 * address size than the mode's. */
X86_OP(address)
{
	uint64_t address = X86_REG64(cpu, op->base) +
			   (X86_REG64(cpu, op->index) << op->scale) +
			   (uint64_t)op->disp;

	if (op->imm == 32)
		address = (uint32_t)address;
	else if (op->imm == 16)
		address = (uint16_t)address;
	cpu->reg[X86_ADDRESS] = address + cpu->segment[op->src2].base;
	X86_NEXT;
}

/* Likewise through FS or GS in 32-bit mode, which may have a limit: src3 =
 * bytes of the operand. String instructions skip the check. */
X86_OP(address_in_segment)
{
	const struct x86_segment *segment = cpu->segment + op->src2;
	uint64_t offset = X86_REG64(cpu, op->base) +
			  (X86_REG64(cpu, op->index) << op->scale) +
			  (uint64_t)op->disp;

	offset = op->imm == 16 ? (uint16_t)offset : (uint32_t)offset;
	if (__builtin_expect(offset + op->src3 > segment->size, 0))
		x86_raise_now(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	cpu->reg[X86_ADDRESS] = offset + segment->base;
	X86_NEXT;
}

static uint8_t segment_prefix(ZydisInstructionAttributes has)
{
	return has & ZYDIS_ATTRIB_HAS_SEGMENT_FS   ? X86_FS
	       : has & ZYDIS_ATTRIB_HAS_SEGMENT_GS ? X86_GS
	       : has & ZYDIS_ATTRIB_HAS_SEGMENT_ES ? X86_ES
	       : has & ZYDIS_ATTRIB_HAS_SEGMENT_CS ? X86_CS
	       : has & ZYDIS_ATTRIB_HAS_SEGMENT_SS ? X86_SS
						   : X86_DS;
}

unsigned x86_set_operands(struct x86_op *op, const struct x86_decoding *d,
			  uint64_t next, bool mode64)
{
	uint8_t field[4] = { 0 };
	const ZydisDecodedOperand *memory = NULL;
	unsigned immediates = 0;

	for (unsigned i = 0; i < d->visible; i++) {
		const ZydisDecodedOperand *operand = &d->operand[i];

		switch (operand->type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			field[i] = d->shape[i] >> 8 == CLASS_R ?
				register_field(operand->reg.value) :
				d->shape[i] == OPERAND_S ?
				x86_segment_of(operand->reg.value) :
				register_number(operand->reg.value);
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			memory = operand;
			break;
		case ZYDIS_OPERAND_TYPE_IMMEDIATE:
			if (operand->imm.is_relative) {
				field[2] = d->inst.address_width;
				break;
			}
			if (immediates++)
				op->imm |= (int32_t)
					((uint32_t)operand->imm.value.u << 16);
			else
				op->imm = (int32_t)operand->imm.value.s;
			/* All 64 bits; a memory operand would use disp. */
			op->disp = operand->imm.value.s;
			break;
		case ZYDIS_OPERAND_TYPE_POINTER:
			op->imm = operand->ptr.segment;
			op->disp = operand->ptr.offset;
			break;
		default:
			break;
		}
	}
	if (d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVQ ||
	    d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
	    d->inst.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
		memory = &d->operand[2]; /* hidden: [rDI] */
	op->dst = field[0];
	op->src = field[1];
	op->src2 = field[2];
	op->src3 = field[3];
	if (!d->visible) {
		op->imm = d->inst.address_width;
		op->src2 = segment_prefix(d->inst.attributes);
	}
	return memory ? set_memory(op, d, memory, next, mode64) : 0;
}
