/* The load of compute units as the dispatcher counts it: work-groups, wavefronts
 * and their places. */
#include "evergreen/timing/compute-unit.h"

static void raise_peak(uint16_t *peak, uint16_t value)
{
	if (*peak < value)
		*peak = value;
}

/* The lowest free place, which is then taken. There is one: the unit's limits
 * have been looked at. */
uint32_t load_slot_take(uint64_t *taken)
{
	uint32_t word = 0, bit;

	while (taken[word] == UINT64_MAX)
		word++;
	bit = (uint32_t)__builtin_ctzll(~taken[word]);
	taken[word] |= UINT64_C(1) << bit;
	return 64 * word + bit;
}

void load_slot_give(uint64_t *taken, uint32_t slot)
{
	taken[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

void load_add(struct evg_timing *timing, struct unit_load *load)
{
	load->work_groups++;
	load->wavefronts += (uint16_t)timing->wavefronts_per_group;
	load->registers += timing->group_registers;
	load->local += timing->group_local;
	load->all_work_groups++;
	raise_peak(&load->peak_work_groups, load->work_groups);
	raise_peak(&load->peak_wavefronts, load->wavefronts);
	timing->wavefronts += timing->wavefronts_per_group;
	if (timing->n.peak_wavefronts < timing->wavefronts)
		timing->n.peak_wavefronts = timing->wavefronts;
}
