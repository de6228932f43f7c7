#include "x86/emu/access.h"

#include <string.h>

#include <Zydis/Zydis.h>

#include "x86/emu/block.h"

/* A register as part of an address: zero-extended from its width. */
static uint64_t register_value(const struct x86_cpu *cpu, ZydisRegister reg,
			       uint64_t next_rip)
{
	int id = ZydisRegisterGetId(reg);

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR64:
		return cpu->reg[id];
	case ZYDIS_REGCLASS_GPR32:
		return (uint32_t)cpu->reg[id];
	case ZYDIS_REGCLASS_GPR16:
		return (uint16_t)cpu->reg[id];
	case ZYDIS_REGCLASS_GPR8:
		return (uint8_t)cpu->reg[id]; /* XLAT's AL */
	case ZYDIS_REGCLASS_IP:
		return next_rip;
	default:
		return 0;
	}
}

struct list {
	struct x86_access *access;
	size_t count;
	bool first; /* only the first of repeated elements */
};

/* Intel SDM volume 3, "Alignment Check Exception": numbers and pointers are
 * aligned to their own size, environments of the x87 to the size of their
 * fields. Instructions on vectors and larger areas have checks of their own, or
 * none. */
static uint8_t alignment(const ZydisDecodedInstruction *inst, uint64_t bytes)
{
	if (inst->mnemonic == ZYDIS_MNEMONIC_BOUND)
		bytes /= 2; /* two numbers */
	switch (bytes) {
	case 2:
	case 4:
	case 8:
		return (uint8_t)bytes;
	case 6: /* a far pointer */
	case 28:
	case 108:
		return 4;
	case 14:
	case 94:
		return 2;
	case 10:
		return 8;
	default:
		return 1;
	}
}

static void add(struct list *list, const struct x86_cpu *cpu,
		const ZydisDecodedInstruction *inst, uint64_t offset,
		uint64_t size, const ZydisDecodedOperand *operand)
{
	uint8_t segment = x86_segment_of(operand->mem.segment);

	if (list->count == X86_ACCESSES_MAX || !size)
		return;
	list->access[list->count++] = (struct x86_access){
		.address = (offset + cpu->segment[segment].base) &
			   cpu->address_mask,
		.size = size, .offset = offset & cpu->address_mask,
		.segment = segment,
		.read = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.write = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.alignment = alignment(inst, operand->mem.type ==
						     ZYDIS_MEMOP_TYPE_VSIB
					     ? size
					     : operand->size / 8),
	};
}

/* Bytes of a gather's index. */
static unsigned index_size(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_VGATHERQPS:
	case ZYDIS_MNEMONIC_VGATHERQPD:
	case ZYDIS_MNEMONIC_VPGATHERQD:
	case ZYDIS_MNEMONIC_VPGATHERQQ:
		return 8;
	default:
		return 4;
	}
}

/* Gathers: an access for each element, masked ones included. */
static void add_elements(struct list *list, const struct x86_cpu *cpu,
			 const ZydisDecodedInstruction *inst, uint64_t base,
			 const ZydisDecodedOperand *operand)
{
	ZydisRegister reg = operand->mem.index;
	const union x86_vector *index =
		&cpu->vector[ZydisRegisterGetId(reg) & 15];
	/* the size of one, which Zydis gives */
	unsigned width = operand->element_size / 8;
	unsigned index_width = index_size(inst->mnemonic);
	unsigned count = (inst->raw.vex.L ? 32 : 16) /
			 (index_width > width ? index_width : width);

	for (unsigned i = 0; i < count; i++) {
		int64_t offset = index_width == 8 ? index->i64[i & 3]
						  : index->i32[i & 7];

		add(list, cpu, inst, base + (uint64_t)offset * operand->mem.scale,
		    width, operand);
	}
}

static bool repeats(const ZydisDecodedInstruction *inst)
{
	return inst->attributes & (ZYDIS_ATTRIB_HAS_REP |
				   ZYDIS_ATTRIB_HAS_REPE |
				   ZYDIS_ATTRIB_HAS_REPNE);
}

/* The offset in a string of bits of the bit that BT and its relatives access.
 * The number is signed, and the bit may lie far from the address. */
static uint64_t bit_offset(const struct x86_cpu *cpu,
			   const ZydisDecodedInstruction *inst,
			   const ZydisDecodedOperand *bit, unsigned size)
{
	unsigned unused = 64 - 8 * size;
	int64_t number;

	if (bit->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    (inst->mnemonic != ZYDIS_MNEMONIC_BT &&
	     inst->mnemonic != ZYDIS_MNEMONIC_BTS &&
	     inst->mnemonic != ZYDIS_MNEMONIC_BTR &&
	     inst->mnemonic != ZYDIS_MNEMONIC_BTC))
		return 0;
	number = (int64_t)(register_value(cpu, bit->reg.value, 0) << unused) >>
		 unused;
	return (uint64_t)((number >> 3) & -(int64_t)size);
}

static void add_operand(struct list *list, const struct x86_cpu *cpu,
			const ZydisDecodedInstruction *inst,
			const ZydisDecodedOperand *operand)
{
	uint64_t next = cpu->rip + inst->length;
	uint64_t mask = inst->address_width == 64
				? UINT64_MAX
				: (UINT64_C(1) << inst->address_width) - 1;
	uint64_t size = operand->size / 8, at, count;
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
		return;
	at = register_value(cpu, operand->mem.base, next) +
	     (uint64_t)operand->mem.disp.value;
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		add_elements(list, cpu, inst, at, operand);
		return;
	}
	at += register_value(cpu, operand->mem.index, next) *
	      operand->mem.scale;
	/* The operands of an instruction lie together in its list. */
	if (!hidden)
		at += bit_offset(cpu, inst, operand + 1, (unsigned)size);
	if (inst->mnemonic == ZYDIS_MNEMONIC_XLAT)
		at += (uint8_t)cpu->reg[X86_RAX];
	/* A pushed operand lies below the stack pointer. */
	if (hidden && operand->mem.base != ZYDIS_REGISTER_NONE &&
	    ZydisRegisterGetId(operand->mem.base) == X86_RSP &&
	    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		at -= size;
	at &= mask;
	if (hidden && repeats(inst)) {
		count = cpu->reg[X86_RCX] & mask;
		if (list->first && count)
			count = 1;
		if (cpu->eflags & X86_DF && count)
			at -= (count - 1) * size;
		size *= count;
	}
	add(list, cpu, inst, at, size, operand);
}

static size_t accesses(const struct x86_cpu *cpu, struct x86_access *access,
		       bool first)
{
	struct list list = { access, 0, first };
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction inst;
	uint8_t code[15];
	size_t length = sizeof code;

	while (length && space_read(cpu->space, cpu->rip, code, length))
		length--;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		    &cpu->emulator->decoder->zydis, code, length, &inst,
		    operand)))
		return 0;
	if (inst.mnemonic == ZYDIS_MNEMONIC_NOP)
		return 0;
	for (unsigned i = 0; i < inst.operand_count; i++)
		if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			add_operand(&list, cpu, &inst, &operand[i]);
	return list.count;
}

size_t x86_accesses(const struct x86_cpu *cpu,
		    struct x86_access access[X86_ACCESSES_MAX])
{
	return accesses(cpu, access, false);
}

size_t x86_first_accesses(const struct x86_cpu *cpu,
			  struct x86_access access[X86_ACCESSES_MAX])
{
	return accesses(cpu, access, true);
}
