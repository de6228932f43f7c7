/* ALU clauses: registers, constants, indices, stores to arrays in registers.
 * Whatever the emulator would refuse is left to it (verify.c). */
#include "opencl-rt/clc/verify/internal.h"
#include "opencl-rt/clc/verify/rules.h"

#include "evergreen/isa/inst.h"
#include "evergreen/kernel/metadata.h"

static bool has_local_memory(const struct evg_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (kernel->arguments[i].kind == EVG_ARGUMENT_POINTER &&
		    kernel->arguments[i].address_space == EVG_LOCAL)
			return true;
	return kernel->local_size;
}

/* Operations that the code generator makes: none that changes how those behind
 * it work. */
static int check_operation(const struct check *check, uint32_t address,
			   const struct evg_alu_inst *inst)
{
	const char *lacks = evg_chip_lacks(check->chip, inst->op);

	if (lacks)
		return error_set(check->error, "%s at %u needs %s, which %s "
				 "lacks", evg_alu_info[inst->op].name,
				 address, lacks,
				 evg_chip_info[check->chip].name);
	switch (inst->op) {
	case EVG_ALU_SET_MODE:
	case EVG_ALU_SET_LDS_SIZE:
	case EVG_ALU_SET_CF_IDX0:
	case EVG_ALU_SET_CF_IDX1:
		return error_set(check->error, "%s at %u, which no kernel "
				 "needs", evg_alu_info[inst->op].name,
				 address);
	case EVG_ALU_LDS_IDX_OP:
		if (!has_local_memory(check->kernel))
			return error_set(check->error, "LDS_%s at %u, but the "
					 "kernel has no local memory",
					 evg_lds_info[inst->lds_op].name,
					 address);
		return 0;
	default:
		return 0;
	}
}

static int check_source(const struct check *check, uint32_t address,
			const struct evg_source *source)
{
	unsigned select = source->select;

	if (select >= EVG_FIRST_TEMPORARY && select < EVG_SELECT_KCACHE0)
		return 0;
	if (select < EVG_SELECT_KCACHE0)
		return check_register(check, address, select);
	if (select < EVG_SELECT_KCACHE1 + 32)
		return 0;
	if (select == EVG_SELECT_LDS_OQ_A_POP ||
	    select == EVG_SELECT_LDS_OQ_B_POP ||
	    (select >= EVG_SELECT_0 && select <= EVG_SELECT_PS))
		return 0;
	return error_set(check->error, "the source selector %u at %u is "
			 "neither a register nor a constant", select, address);
}

/* Relative operands are arrays in registers, by AR. */
static int check_relative(const struct check *check, uint32_t address,
			  const struct evg_alu_inst *inst, bool has_address)
{
	bool relative = inst->dest_relative;

	for (unsigned i = 0; i < inst->source_count; i++) {
		relative |= inst->source[i].relative;
		if (inst->source[i].relative &&
		    inst->source[i].select >= EVG_SELECT_KCACHE0)
			return error_set(check->error, "the instruction at %u "
					 "indexes an operand that is not a "
					 "register",
					 address);
	}
	if (relative && inst->index_mode != EVG_INDEX_AR)
		return error_set(check->error, "the instruction at %u has "
				 "index mode %u; expected AR", address,
				 inst->index_mode);
	if (relative && !has_address)
		return error_set(check->error, "the instruction at %u uses AR, "
				 "which its clause has not set", address);
	if (inst->dest_relative)
		return check_register(check, address, inst->dest_gpr);
	return 0;
}

static int check_alu(const struct check *check, uint32_t address,
		     const struct evg_alu_inst *inst, bool has_address)
{
	if (check_operation(check, address, inst) ||
	    check_relative(check, address, inst, has_address))
		return -1;
	for (unsigned i = 0; i < inst->source_count; i++)
		if (check_source(check, address, &inst->source[i]))
			return -1;
	if (inst->op == EVG_ALU_LDS_IDX_OP || inst->dest_relative ||
	    (!inst->write_mask && !evg_alu_info[inst->op].op3) ||
	    inst->dest_gpr >= EVG_FIRST_TEMPORARY)
		return 0;
	return check_register(check, address, inst->dest_gpr);
}

/* --- Stores to an array in registers ------------------------------------- */

/* MOV R[n + AR].c writes any register of the array, and PV.c is not register n
 * afterwards. What reads that channel in the same group reads the old value,
 * which our scheduler never wants. */

static bool has_slot(const struct evg_alu_group *group, unsigned slot)
{
	return group->slot_mask >> slot & 1;
}

static bool reads_channel(const struct evg_alu_inst *inst, unsigned channel)
{
	for (unsigned i = 0; i < inst->source_count; i++)
		if (inst->source[i].select < EVG_REGISTERS &&
		    inst->source[i].channel == channel)
			return true;
	return false;
}

static bool reads_result(const struct evg_alu_inst *inst, unsigned slot)
{
	for (unsigned i = 0; i < inst->source_count; i++)
		if (slot == EVG_T
			    ? inst->source[i].select == EVG_SELECT_PS
			    : inst->source[i].select == EVG_SELECT_PV &&
				      inst->source[i].channel == slot)
			return true;
	return false;
}

/* Whether a group, or the one after it in the clause (or NULL), misses the
 * element that the instruction in a slot stores. */
static bool misses_store(const struct evg_alu_group *group, unsigned slot,
			 const struct evg_alu_group *next)
{
	unsigned channel = group->inst[slot].dest_channel;

	for (unsigned i = 0; i < EVG_SLOT_COUNT; i++) {
		if (i != slot && has_slot(group, i) &&
		    (reads_channel(&group->inst[i], channel) ||
		     group->inst[i].dest_channel == channel))
			return true;
		if (next && has_slot(next, i) &&
		    reads_result(&next->inst[i], slot))
			return true;
	}
	return false;
}

static int check_array_stores(const struct check *check,
			      const struct evg_code_group *groups,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			if (has_slot(&groups[i].group, slot) &&
			    groups[i].group.inst[slot].dest_relative &&
			    misses_store(&groups[i].group, slot,
					 i + 1 < count ? &groups[i + 1].group
						       : NULL))
				return error_set(
					check->error, "the group at %u stores "
						      "to an array in "
						      "registers and may use "
						      "its former contents",
					groups[i].address);
	return 0;
}

/* It also puts loads from such an array behind the instruction that takes
 * lanes out for a branch, which must be the last of its clause. */
static int check_branch(const struct check *check,
			const struct evg_code_group *groups, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++)
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			if (has_slot(&groups[i].group, slot) &&
			    groups[i].group.inst[slot].update_execute_mask)
				return error_set(
					check->error, "the group at %u stands "
					"behind the condition of a branch",
					groups[i + 1].address);
	return 0;
}

/* A dword of constant buffer 0 that an ALU instruction reads through one of
 * the clause's two windows. */
static int check_constant(const struct check *check,
			  const struct evg_code_cf *cf, uint32_t address,
			  const struct evg_source *source)
{
	unsigned window = source->select >= EVG_SELECT_KCACHE1;
	const struct evg_kcache *kcache = &cf->inst.kcache[window];
	unsigned index = source->select % 32;
	uint32_t offset = (16 * kcache->address + index) * 16 +
			  4 * source->channel;

	if (index >= 16u * kcache->mode)
		return error_set(check->error, "instruction at %u reads "
				 "constant %u of KCACHE%u, of which the clause "
				 "has %u", address, index, window,
				 16u * kcache->mode);
	if (!source->relative &&
	    offset >= check->kernel->tail_offset + EVG_ARGUMENTS_TAIL_SIZE)
		return error_set(check->error, "instruction at %u reads byte "
				 "%u of constant buffer 0, which has %u",
				 address, offset,
				 check->kernel->tail_offset +
					 EVG_ARGUMENTS_TAIL_SIZE);
	return 0;
}

static int check_constants(const struct check *check,
			   const struct evg_code_cf *cf,
			   const struct evg_code_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask & 1 << slot))
			continue;
		for (unsigned i = 0; i < inst->source_count; i++) {
			const struct evg_source *source = &inst->source[i];

			if (source->select >= EVG_SELECT_KCACHE0 &&
			    source->select < EVG_SELECT_KCACHE1 + 32 &&
			    check_constant(check, cf, group->address, source))
				return -1;
		}
	}
	return 0;
}

/* The rules of groups: slots, ports, literals, queues. */
static int check_rules(const struct check *check,
		       const struct evg_code_group *groups, uint32_t count)
{
	struct rules_walk walk = { 0 };
	const char *why = NULL;
	uint32_t i = 0;

	while (i < count && !why)
		why = rules_step(&walk, &groups[i++].group);
	if (!why)
		why = rules_end(&walk);
	if (!why)
		return 0;
	return error_set(check->error, "the group at %u breaks a rule: %s",
			 groups[i - 1].address, why);
}

int check_alu_clause(const struct check *check, const struct evg_code_cf *cf)
{
	const struct evg_code_group *groups = check->code->groups + cf->first;
	bool has_address = false;

	if (check_array_stores(check, groups, cf->count) ||
	    check_branch(check, groups, cf->count) ||
	    check_rules(check, groups, cf->count))
		return -1;
	for (uint32_t i = 0; i < cf->count; i++) {
		const struct evg_alu_group *group = &groups[i].group;
		bool sets_address = false;

		if (check_constants(check, cf, &groups[i]))
			return -1;
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
			if (!has_slot(group, slot))
				continue;
			if (check_alu(check, groups[i].address,
				      &group->inst[slot], has_address))
				return -1;
			sets_address |= group->inst[slot].op ==
					EVG_ALU_MOVA_INT;
		}
		has_address |= sets_address;
	}
	return 0;
}
