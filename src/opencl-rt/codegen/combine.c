/* Two integer operations that the device has as one: a field of bits taken out
 * (BFE) or put in (BFI), bits that a mask chooses of two words (BFI), and a choice by a
 * number rather than by its comparison with 0. The first operation stays where
 * something else reads it. */
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"

enum { BITS = 32 };

struct combine {
	struct machine *machine;
	unsigned *writes; /* of each register */
	unsigned *writer; /* where it is written */
};

static struct machine_source number_of(uint32_t value)
{
	return (struct machine_source){
		.reg = MACHINE_NONE, .select = EVG_SELECT_LITERAL,
		.literal = value,
	};
}

static bool is_zero(const struct machine_source *source)
{
	uint32_t value;

	return machine_is_number(source, &value) && !value;
}

/* The operation that has computed a source, when what it read is still there;
 * NULL. */
static const struct machine_inst *origin(const struct combine *combine,
					 const struct machine_source *source,
					 enum evg_alu_op op)
{
	const struct machine_inst *inst;

	if (source->reg == MACHINE_NONE || source->negate || source->absolute ||
	    combine->machine->registers[source->reg].given ||
	    combine->writes[source->reg] != 1)
		return NULL;
	inst = &combine->machine->insts[combine->writer[source->reg]];
	if (inst->kind != MACHINE_ALU || inst->op != op || inst->predicate ||
	    machine_takes_from_queue(inst))
		return NULL;
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].negate || inst->source[k].absolute ||
		    (inst->source[k].reg != MACHINE_NONE &&
		     combine->writes[inst->source[k].reg] != 1))
			return NULL;
	return inst;
}

static void become(struct machine_inst *inst, enum evg_alu_op op,
		   struct machine_source a, struct machine_source b,
		   struct machine_source c)
{
	inst->op = op;
	inst->source[0] = a;
	inst->source[1] = b;
	inst->source[2] = c;
	inst->source_count = 3;
}

/* The operand of an operation of two that is no number, and the number. */
static const struct machine_source *operand(const struct machine_inst *inst,
					    uint32_t *value)
{
	for (unsigned k = 0; k < 2; k++)
		if (machine_is_number(&inst->source[k], value))
			return &inst->source[1 - k];
	return NULL;
}

/* a >> n & (2^w - 1) */
static bool take_field(const struct combine *combine, struct machine_inst *inst)
{
	const struct machine_source *shifted;
	const struct machine_inst *shift;
	uint32_t mask, count;

	if (inst->op != EVG_ALU_AND_INT)
		return false;
	shifted = operand(inst, &mask);
	shift = shifted ? origin(combine, shifted, EVG_ALU_LSHR_INT) : NULL;
	if (!shift || !mask || (mask & (mask + 1)) || mask == UINT32_MAX ||
	    !machine_is_number(&shift->source[1], &count) || count >= BITS)
		return false;
	become(inst, EVG_ALU_BFE_UINT, shift->source[0], number_of(count),
	       number_of((uint32_t)__builtin_popcount(mask)));
	return true;
}

static bool is_kcache(const struct machine_source *source)
{
	return source->reg == MACHINE_NONE &&
	       source->select >= EVG_SELECT_KCACHE0 &&
	       source->select < EVG_SELECT_KCACHE1 + 32;
}

/* (a & mask) | b, b without the bits of the mask: a number, or b & ~mask */
static bool put_field(const struct combine *combine, struct machine_inst *inst)
{
	for (unsigned k = 0; inst->op == EVG_ALU_OR_INT && k < 2; k++) {
		const struct machine_inst *field = origin(
			combine, &inst->source[k], EVG_ALU_AND_INT);
		const struct machine_inst *rest = origin(
			combine, &inst->source[1 - k], EVG_ALU_AND_INT);
		const struct machine_source *a, *b = &inst->source[1 - k];
		uint32_t mask, other;

		a = field ? operand(field, &mask) : NULL;
		if (!a)
			continue;
		if (machine_is_number(b, &other) ? (other & mask) != 0
					  : !rest || !(b = operand(rest, &other)) ||
						    other != ~mask)
			continue;
		if (is_kcache(a) && is_kcache(b))
			continue;
		become(inst, EVG_ALU_BFI_INT, number_of(mask), *a, *b);
		return true;
	}
	return false;
}

/* Whether a source is the opposite of a mask, which is in a register. */
static bool is_opposite(const struct combine *combine,
			const struct machine_source *source,
			const struct machine_source *mask)
{
	const struct machine_inst *inst =
		origin(combine, source, EVG_ALU_NOT_INT);
	uint32_t value;

	if (!inst) {
		inst = origin(combine, source, EVG_ALU_XOR_INT);
		if (!inst || !machine_is_number(&inst->source[1], &value) ||
		    value != UINT32_MAX)
			return false;
	}
	return mask->reg != MACHINE_NONE &&
	       machine_same_source(&inst->source[0], mask);
}

/* (a & mask) | (b & ~mask), the mask in a register. */
static bool put_by_mask(const struct combine *combine, struct machine_inst *inst)
{
	const struct machine_inst *with, *without;

	if (inst->op != EVG_ALU_OR_INT)
		return false;
	/* Bits: which of the operands has ~mask, and which of the sources of
	 * each are the mask and ~mask. */
	for (unsigned way = 0; way < 8; way++) {
		unsigned k = way & 1, m = way >> 1 & 1, n = way >> 2;

		with = origin(combine, &inst->source[k], EVG_ALU_AND_INT);
		without = origin(combine, &inst->source[1 - k], EVG_ALU_AND_INT);
		if (!with || !without ||
		    !is_opposite(combine, &without->source[n],
				 &with->source[m]) ||
		    (is_kcache(&with->source[1 - m]) &&
		     is_kcache(&without->source[1 - n])))
			continue;
		become(inst, EVG_ALU_BFI_INT, with->source[m],
		       with->source[1 - m], without->source[1 - n]);
		return true;
	}
	return false;
}

/* The operand of an operation of two that is not `other`; NULL: neither is `other`. */
static const struct machine_source *operand_beside(
	const struct machine_inst *inst, const struct machine_source *other)
{
	for (unsigned k = 0; other->reg != MACHINE_NONE && k < 2; k++)
		if (machine_same_source(&inst->source[k], other))
			return &inst->source[1 - k];
	return NULL;
}

/* ((a ^ b) & mask) ^ b, as LLVM has it: a where the mask has bits. */
static bool put_by_difference(const struct combine *combine,
			      struct machine_inst *inst)
{
	if (inst->op != EVG_ALU_XOR_INT)
		return false;
	for (unsigned way = 0; way < 4; way++) {
		unsigned k = way & 1, m = way >> 1;
		const struct machine_source *a, *b = &inst->source[1 - k];
		const struct machine_inst *masked =
			origin(combine, &inst->source[k], EVG_ALU_AND_INT);
		const struct machine_inst *differs =
			masked ? origin(combine, &masked->source[1 - m],
					EVG_ALU_XOR_INT)
			       : NULL;

		a = differs ? operand_beside(differs, b) : NULL;
		if (!a || is_kcache(a) || is_kcache(&masked->source[m]))
			continue;
		become(inst, EVG_ALU_BFI_INT, masked->source[m], *a, *b);
		return true;
	}
	return false;
}

/* Comparisons with 0 by which a choice may be made: a choice has what it takes
 * when the number compares with 0 first, and otherwise second. */
static const struct {
	enum evg_alu_op comparison, choice;
	bool zero_first; /* it compares 0 with the number */
	bool opposite;   /* the choice passes where the comparison does not */
} choices[] = {
	{ EVG_ALU_SETE_INT, EVG_ALU_CNDE_INT, false, false },
	{ EVG_ALU_SETNE_INT, EVG_ALU_CNDE_INT, false, true },
	{ EVG_ALU_SETGT_INT, EVG_ALU_CNDGT_INT, false, false },
	{ EVG_ALU_SETGE_INT, EVG_ALU_CNDGE_INT, false, false },
	{ EVG_ALU_SETGT_INT, EVG_ALU_CNDGE_INT, true, true },
	{ EVG_ALU_SETGE_INT, EVG_ALU_CNDGT_INT, true, true },
};

/* comparison == 0 ? no : yes */
static bool choose_by_number(const struct combine *combine,
			     struct machine_inst *inst)
{
	if (inst->op != EVG_ALU_CNDE_INT)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		const struct machine_inst *from = origin(
			combine, &inst->source[0], choices[i].comparison);
		struct machine_source no = inst->source[1];
		struct machine_source yes = inst->source[2];
		bool zero_first = choices[i].zero_first;

		if (!from || !is_zero(&from->source[!zero_first]) ||
		    is_kcache(&from->source[zero_first]))
			continue;
		become(inst, choices[i].choice, from->source[zero_first],
		       choices[i].opposite ? no : yes,
		       choices[i].opposite ? yes : no);
		return true;
	}
	return false;
}

void machine_combine(struct machine *machine)
{
	struct combine combine = {
		.machine = machine,
		.writes = machine_count_writes(machine),
		.writer = xcalloc(machine->register_count + 1,
				  sizeof *combine.writer),
	};

	for (unsigned i = 0; i < machine->inst_count; i++) {
		struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->dest_count; k++)
			combine.writer[inst->dest[k]] = i;
		if (inst->kind == MACHINE_ALU && inst->dest_count == 1)
			while (take_field(&combine, inst) ||
			       put_field(&combine, inst) ||
			       put_by_mask(&combine, inst) ||
			       put_by_difference(&combine, inst) ||
			       choose_by_number(&combine, inst))
				;
	}
	free(combine.writes);
	free(combine.writer);
}
