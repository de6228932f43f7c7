#include "x86/emu/trap.h"

#include "base/memory.h"
#include "x86/emu/access.h"
#include "x86/emu/flags.h"

/* ---- Segments and alignment ---- */

static bool within(const struct x86_segment *segment, uint64_t offset,
		   uint64_t size)
{
	uint64_t last = offset + size - 1;

	if (segment->rights & X86_RIGHTS_DOWN &&
	    !(segment->rights & X86_RIGHTS_CODE))
		return offset >= segment->size &&
		       last <= (segment->rights & X86_RIGHTS_32 ? UINT32_MAX
								: UINT16_MAX);
	return last < segment->size;
}

static bool allows(const struct x86_cpu *cpu, const struct x86_access *access)
{
	const struct x86_segment *segment = cpu->segment + access->segment;

	if (cpu->mode == X86_MODE_64)
		return true;
	if (!segment->rights)
		return false;
	if (access->write && (segment->rights & X86_RIGHTS_CODE ||
			      !(segment->rights & X86_RIGHTS_WRITABLE)))
		return false;
	return within(segment, access->offset, access->size);
}

bool x86_refuses(struct x86_cpu *cpu)
{
	struct x86_access list[X86_ACCESSES_MAX];
	size_t count = x86_first_accesses(cpu, list);

	for (size_t i = 0; i < count; i++) {
		if (!allows(cpu, list + i))
			cpu->fault = (struct x86_fault){
				.signal = SIGSEGV, .code = SI_KERNEL,
				.vector = 13,
			};
		else if (cpu->eflags & X86_AC &&
			 list[i].address % list[i].alignment)
			/* Linux reports no address. */
			cpu->fault = (struct x86_fault){
				.signal = SIGBUS, .code = BUS_ADRALN,
				.vector = 17,
			};
		else
			continue;
		cpu->op = NULL;
		return true;
	}
	return false;
}

/* ---- Repeated string instructions ---- */

enum goes_on { ALWAYS, WHILE_EQUAL, WHILE_DIFFERENT };

static const struct repeated {
	x86_handler *handler, *once;
	enum goes_on goes_on;
} repeated[] = {
#define REPEATED(bits) \
	{ x86_op_rep_movs##bits, x86_op_movs##bits, ALWAYS }, \
	{ x86_op_rep_stos##bits, x86_op_stos##bits, ALWAYS }, \
	{ x86_op_rep_lods##bits, x86_op_lods##bits, ALWAYS }, \
	{ x86_op_repe_cmps##bits, x86_op_cmps##bits, WHILE_EQUAL }, \
	{ x86_op_repne_cmps##bits, x86_op_cmps##bits, WHILE_DIFFERENT }, \
	{ x86_op_repe_scas##bits, x86_op_scas##bits, WHILE_EQUAL }, \
	{ x86_op_repne_scas##bits, x86_op_scas##bits, WHILE_DIFFERENT },
	REPEATED(8) REPEATED(16) REPEATED(32) REPEATED(64)
};

static uint64_t count_mask(const struct x86_op *op)
{
	return op->imm == 64 ? UINT64_MAX
			     : (UINT64_C(1) << op->imm) - 1;
}

bool x86_iterate(const struct x86_cpu *cpu, struct x86_op *op)
{
	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++)
		if (op->handler == repeated[i].handler &&
		    cpu->reg[X86_RCX] & count_mask(op)) {
			op->handler = repeated[i].once;
			op->src3 = (uint8_t)repeated[i].goes_on;
			return true;
		}
	return false;
}

bool x86_iterates_again(struct x86_cpu *cpu, const struct x86_op *op)
{
	uint64_t mask = count_mask(op);
	uint64_t left = (cpu->reg[X86_RCX] - 1) & mask;
	bool equal = x86_arithmetic_flags(cpu) & X86_ZF;

	/* 16-bit writes keep the upper bits; 32-bit writes clear them. */
	cpu->reg[X86_RCX] = op->imm == 16 ? (cpu->reg[X86_RCX] & ~mask) | left
					  : left;
	return left && (op->src3 == ALWAYS ||
			equal == (op->src3 == WHILE_EQUAL));
}

/* ---- SS ---- */

bool x86_loads_ss(const struct x86_block *block)
{
	static x86_handler *const loads[] = {
		x86_op_mov_sr, x86_op_mov_sm, x86_op_pop16_s, x86_op_pop32_s,
	};

	for (unsigned i = 0; i < block->op_count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(loads); j++)
			if (block->op[i].handler == loads[j])
				return block->op[i].dst == X86_SS;
	return false;
}
