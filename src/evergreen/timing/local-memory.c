/* Local memory: how long it is busy with an instruction, and its counters. */
#include "evergreen/emu/banks.h"
#include "evergreen/timing/compute-unit.h"

uint32_t local_memory_cycles(struct compute_unit *cu,
			     const struct evg_step *step)
{
	const struct evg_config *config = &cu->timing->config;
	unsigned lanes = (unsigned)__builtin_popcountll(step->memory_mask) +
			 (unsigned)__builtin_popcountll(step->memory_mask2);
	struct evg_bank_cycles cycles = evg_bank_cycles(
		step, config->local_banks, config->local_window);

	cu->n.local_accesses += lanes;
	if (step->memory_write)
		cu->n.local_writes += lanes;
	else
		cu->n.local_reads += lanes;
	cu->n.local_cycles += cycles.all;
	cu->n.local_conflict_cycles += cycles.conflicts;
	return cycles.all;
}
