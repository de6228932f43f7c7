/* What the IR promised, kept in the machine code. */
#include "opencl-rt/clc/code/verify.h"

/* Registers before the arrays in them: local ids and group ids. */
enum { REGISTERS_BEFORE = 2 };

/* Whether the code indexes arrays in registers, and stores to them so. */
static void find_arrays(const struct evg_code *code, bool *indexes,
			bool *stores)
{
	*indexes = *stores = false;
	for (uint32_t i = 0; i < code->group_count; i++)
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
			const struct evg_alu_group *group =
				&code->groups[i].group;
			const struct evg_alu_inst *inst = &group->inst[slot];

			if (!(group->slot_mask >> slot & 1))
				continue;
			*stores |= inst->dest_relative;
			for (unsigned k = 0; k < inst->source_count; k++)
				*indexes |= inst->source[k].relative;
		}
	*indexes |= *stores;
}

/* An array has one channel of as many registers as it has dwords. LLVM counts
 * only those that some instruction names. */
static int check_arrays(const struct check *check,
			const struct kernel_facts *facts)
{
	uint32_t needed = REGISTERS_BEFORE + (facts->array_size + 3) / 4;
	bool indexes, stores;

	find_arrays(check->code, &indexes, &stores);
	if (indexes && check->kernel->registers < needed)
		return error_set(check->error, "arrays in registers need %u "
				 "registers, but the kernel declares %u",
				 needed, check->kernel->registers);
	if (stores && facts->stores_parts)
		return error_set(check->error, "parts of dwords are stored to "
				 "an array in registers, perhaps at once");
	return 0;
}

static int check_stores(const struct check *check,
			const struct kernel_facts *facts)
{
	uint32_t stores = 0;

	for (uint32_t i = 0; i < check->code->cf_count; i++)
		stores += check->code->cf[i].size &&
			  check->code->cf[i].inst.format == EVG_CF_EXPORT_RAT;
	if (stores >= facts->stores)
		return 0;
	return error_set(check->error, "the code has %u of at least %u stores "
			 "to global memory", stores, facts->stores);
}

int check_facts(const struct check *check, const struct kernel_facts *facts)
{
	return check_arrays(check, facts) || check_stores(check, facts) ? -1
									: 0;
}
