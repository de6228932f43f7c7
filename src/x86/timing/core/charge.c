/* Which instruction a slot of retirement is charged to (x86_core_charge()). */
#include "x86/timing/core/state.h"

void x86_core_charge(struct x86_core *core, struct x86_profile *profile)
{
	core->profile = profile;
}

void core_charge_retired(struct x86_core *core, const struct core_entry *entry)
{
	struct x86_profile *profile = core->profile;
	const struct core_flow *flow = &core->flow[entry->flow];
	struct x86_profile_row *row = x86_profile_row(profile, flow->address);

	row->part[X86_CORE_BASE]++;
	if (!entry->last)
		return;
	row->executions++;
	if (flow->fuses) {
		row = x86_profile_row(
			profile,
			core_flow(core, core->flow_retired + 1)->address);
		row->executions++;
	}
	profile->last = row;
}

/* The instruction that is next to retire; NULL: none has been fetched. */
static struct x86_profile_row *next_row(struct x86_core *core)
{
	if (core->flow_retired == core->flow_pushed)
		return NULL;
	return x86_profile_row(core->profile,
			       core_flow(core, core->flow_retired)->address);
}

/* The branch behind which fetch began anew. */
static struct x86_profile_row *branch_row(struct x86_core *core)
{
	uint64_t branch = core->refill_for - 1;

	if (!core->refill_for || branch < core->flow_retired)
		return core->profile->last;
	return x86_profile_row(core->profile, core_flow(core, branch)->address);
}

void core_charge_lost(struct x86_core *core, enum x86_core_part part,
		      uint64_t slots)
{
	struct x86_profile *profile = core->profile;
	struct x86_profile_row *row = NULL;

	if (core->entry_head < core->entry_tail) {
		const struct core_entry *entry =
			&core->entry[core->entry_head % CORE_ENTRIES];

		row = x86_profile_row(profile, core->flow[entry->flow].address);
	} else if (part == X86_CORE_BRANCH || part == X86_CORE_RESTEER) {
		row = branch_row(core);
	} else if (part == X86_CORE_STORES &&
		   core->store_head < core->store_tail) {
		row = x86_profile_row(
			profile,
			core_store(core, core->store_head)->instruction);
	}
	if (!row)
		row = next_row(core);
	if (!row)
		row = profile->last ? profile->last : &profile->outside;
	row->part[part] += slots;
}

void core_charge_outside(struct x86_core *core, enum x86_core_part part,
			 uint64_t slots)
{
	core->profile->outside.part[part] += slots;
}
