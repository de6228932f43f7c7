/* From Zydis' operands to a description (inst.h). */
#include "x86/emu/observe/division.h"
#include "x86/emu/decode/describe.h"

/* ---- Registers ---- */

enum { NOWHERE = X86_NO_REGISTER };

/* The location of a register; NOWHERE for RIP, flags and registers that user
 * code lacks. */
static uint8_t location(ZydisRegister reg)
{
	unsigned id = (unsigned)ZydisRegisterGetId(reg) & 15;

	if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
		return (uint8_t)(X86_AT_GENERAL + reg - ZYDIS_REGISTER_AH);
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		/* AL CL DL BL AH CH DH BH SPL ... */
		id = reg - ZYDIS_REGISTER_AL;
		return (uint8_t)(X86_AT_GENERAL + (id < 4 ? id : id - 4));
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return (uint8_t)(X86_AT_GENERAL + id);
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
		return (uint8_t)(X86_AT_VECTOR + id);
	case ZYDIS_REGCLASS_X87:
		return (uint8_t)(X86_AT_ST + (id & 7));
	case ZYDIS_REGCLASS_MMX:
		return (uint8_t)(X86_AT_MM + (id & 7));
	case ZYDIS_REGCLASS_SEGMENT:
		return (uint8_t)(X86_AT_SEGMENT + x86_segment_of(reg));
	default:
		break;
	}
	switch (reg) {
	case ZYDIS_REGISTER_X87CONTROL:
		return X86_AT_X87_CONTROL;
	case ZYDIS_REGISTER_X87STATUS:
		return X86_AT_X87_STATUS;
	case ZYDIS_REGISTER_X87TAG:
		return X86_AT_X87_TAGS;
	default:
		return NOWHERE;
	}
}

/* ---- Operands ---- */

static void add_register(struct x86_inst *inst,
			 const ZydisDecodedOperand *operand)
{
	uint8_t at = location(operand->reg.value);
	ZydisOperandActions actions = operand->actions;

	if (at == NOWHERE)
		return;
	if (actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		inst->read |= X86_AT(at);
	if (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		inst->written |= X86_AT(at);
	/* An operand that may be left unchanged depends on its old value. */
	if (actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
		inst->read |= X86_AT(at);
}

static uint8_t address_register(struct x86_inst *inst, ZydisRegister reg)
{
	uint8_t at = reg == ZYDIS_REGISTER_NONE ? NOWHERE : location(reg);

	if (at != NOWHERE)
		inst->read |= X86_AT(at);
	return at;
}

static void add_memory(struct x86_inst *inst, const struct x86_decoding *d,
		       const ZydisDecodedOperand *operand, bool mode64)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;
	bool address_only = mem->type == ZYDIS_MEMOP_TYPE_AGEN;
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	bool vector = mem->type == ZYDIS_MEMOP_TYPE_VSIB;
	ZydisOperandActions actions = operand->actions;
	struct x86_memory memory = {
		.displacement = mem->disp.value,
		.size = vector ? operand->element_size / 8 : operand->size / 8,
		.base = address_register(inst, mem->base),
		.index = address_register(inst, mem->index),
		.scale = mem->index ? mem->scale : 0,
		.segment = x86_segment_of(mem->segment),
		.address_size = d->inst.address_width / 8,
		.read = actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.write = actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.vector = vector,
		.wide = mem->index >= ZYDIS_REGISTER_YMM0 &&
			mem->index <= ZYDIS_REGISTER_YMM15,
		.conditional = vector ||
			       actions & (ZYDIS_OPERAND_ACTION_CONDREAD |
					  ZYDIS_OPERAND_ACTION_CONDWRITE),
	};

	if (mem->base == ZYDIS_REGISTER_RIP ||
	    mem->base == ZYDIS_REGISTER_EIP) {
		memory.relative = true;
		memory.displacement += (int64_t)(inst->address + inst->length);
	}
	if (address_only) {
		inst->memory[0] = memory; /* not counted */
		return;
	}
	memory.pushed = hidden && memory.write && memory.base == X86_RSP;
	/* In 64-bit mode other segments have no base. */
	if (!mode64 || memory.segment == X86_FS || memory.segment == X86_GS)
		inst->read |= X86_AT(X86_AT_SEGMENT + memory.segment);
	inst->traits |= X86_TOUCHES;
	if (inst->memory_count < 2)
		inst->memory[inst->memory_count++] = memory;
}

static void add_operand(struct x86_inst *inst,
			const ZydisDecodedOperand *operand)
{
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	bool is_register = operand->type == ZYDIS_OPERAND_TYPE_REGISTER;
	ZydisOperandActions actions = operand->actions;
	unsigned count = inst->operand_count + inst->hidden_count;
	struct x86_operand *to = &inst->operand[count];

	if (count == X86_OPERANDS_MAX ||
	    (hidden && (!is_register ||
			location(operand->reg.value) == NOWHERE)))
		return;
	*to = (struct x86_operand){
		.size = operand->size / 8 < 256 ? (uint8_t)(operand->size / 8)
						: 0,
		.location = X86_NO_REGISTER,
		.read = actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.write = actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.conditional = actions & ZYDIS_OPERAND_ACTION_CONDWRITE,
	};
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		to->kind = X86_OPERAND_REGISTER;
		to->location = location(operand->reg.value);
		to->high = operand->reg.value >= ZYDIS_REGISTER_AH &&
			   operand->reg.value <= ZYDIS_REGISTER_BH;
		/* Zydis has half of VEXTRACTF128's source. */
		if (operand->reg.value >= ZYDIS_REGISTER_YMM0 &&
		    operand->reg.value <= ZYDIS_REGISTER_YMM15)
			to->size = 32;
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		to->kind = X86_OPERAND_MEMORY;
		break;
	default:
		to->kind = X86_OPERAND_IMMEDIATE;
	}
	inst->operand_count += !hidden;
	inst->hidden_count += hidden;
}

/* ---- Encoding ---- */

static void add_encoding(struct x86_inst *inst,
			 const ZydisDecodedInstruction *raw)
{
	uint8_t escapes = 0;

	inst->prefix_bytes = raw->raw.prefix_count;
	inst->displacement_bytes = raw->raw.disp.size / 8;
	inst->immediate_bytes = (uint8_t)((raw->raw.imm[0].size +
					   raw->raw.imm[1].size) / 8);
	inst->opcode = raw->opcode;
	inst->modrm = raw->attributes & ZYDIS_ATTRIB_HAS_MODRM;
	inst->sib = raw->attributes & ZYDIS_ATTRIB_HAS_SIB;
	inst->rex = raw->attributes & ZYDIS_ATTRIB_HAS_REX;
	inst->vex = raw->attributes & ZYDIS_ATTRIB_HAS_VEX;
	for (unsigned i = 0; i < raw->raw.prefix_count; i++) {
		inst->operand_prefix |= raw->raw.prefixes[i].value == 0x66;
		inst->address_prefix |= raw->raw.prefixes[i].value == 0x67;
	}
	switch (raw->opcode_map) {
	case ZYDIS_OPCODE_MAP_0F:
		inst->map = X86_MAP_0F;
		escapes = 1;
		break;
	case ZYDIS_OPCODE_MAP_0F38:
		inst->map = X86_MAP_0F38;
		escapes = 2;
		break;
	case ZYDIS_OPCODE_MAP_0F3A:
		inst->map = X86_MAP_0F3A;
		escapes = 2;
		break;
	default:
		inst->map = X86_MAP_ONE_BYTE;
	}
	inst->opcode_offset = (uint8_t)(raw->raw.prefix_count +
					(inst->vex ? raw->raw.vex.size
						   : escapes));
}

/* ---- All of it ---- */

void x86_describe(struct x86_inst *inst, const struct x86_decoding *d,
		  uint64_t rip, bool mode64)
{
	const ZydisAccessedFlags *flags = d->inst.cpu_flags;
	const ZydisDecodedInstruction *raw = &d->inst;
	unsigned immediates = 0;

	*inst = (struct x86_inst){
		.address = rip, .length = raw->length,
		.mnemonic = (uint16_t)raw->mnemonic, .row = X86_NO_ROW,
	};
	add_encoding(inst, raw);
	if (x86_does_nothing(d)) {
		inst->class = X86_CLASS_NOTHING;
		return;
	}
	inst->class = (uint8_t)x86_describe_class(d);
	inst->branch = (uint8_t)x86_describe_branch(d);
	inst->traits = (uint16_t)x86_describe_traits(d);
	if (inst->class == X86_CLASS_X87 || inst->class == X86_CLASS_MMX ||
	    inst->class == X86_CLASS_VECTOR || inst->class == X86_CLASS_STATE)
		inst->traits |= X86_FLOATING;
	if (x86_divides(inst->mnemonic))
		inst->traits |= X86_DIVIDES;
	if (flags) {
		inst->flags_read = (uint32_t)flags->tested;
		inst->flags_undefined = (uint32_t)flags->undefined;
		inst->flags_written =
			(uint32_t)(flags->modified | flags->set_0 |
				   flags->set_1 | flags->undefined);
	}
	for (unsigned i = 0; i < raw->operand_count; i++) {
		const ZydisDecodedOperand *operand = &d->operand[i];

		add_operand(inst, operand);
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			add_register(inst, operand);
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			add_memory(inst, d, operand, mode64);
		if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		    !operand->imm.is_relative && !immediates++)
			inst->immediate = operand->imm.value.s;
		if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		    operand->imm.is_relative) {
			inst->target = rip + raw->length + operand->imm.value.u;
			if (!mode64)
				inst->target = (uint32_t)inst->target;
			if (!mode64 && raw->operand_width == 16)
				inst->target = (uint16_t)inst->target;
		}
	}
	x86_describe_rest(inst, d, mode64);
	if (inst->class == X86_CLASS_NOTHING) { /* a prefetch */
		inst->traits &= (uint16_t)~X86_TOUCHES;
		inst->memory[0].conditional = true;
	}
}
