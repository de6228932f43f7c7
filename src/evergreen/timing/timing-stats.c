/* What the GPU model reports: Config.*, Device, ComputeUnit N. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"

struct figure {
	const char *name;
	size_t over, under; /* offsets of counters; under: a ratio */
	const char *unit, *doc;
};

#define NONE ((size_t)-1)
#define AT(field) offsetof(struct compute_unit_stats, field)

static const struct figure figures[] = {
	{ "WorkGroupCount", AT(work_groups), NONE, "", "work-groups mapped" },
	{ "PeakWorkGroups", AT(peak_work_groups), NONE, "",
	  "most work-groups mapped at once" },
	{ "PeakWavefronts", AT(peak_wavefronts), NONE, "",
	  "most wavefronts mapped at once" },
	{ "Instructions", AT(instructions), NONE, "",
	  "wavefront instructions: CF, ALU groups and fetches" },
	{ "LaneOperations", AT(lane_operations), NONE, "",
	  "operations of active work-items, one per filled slot" },
	{ "Cycles", AT(cycles), NONE, "cycles",
	  "cycles with at least one work-group mapped" },
	{ "InstructionsPerCycle", AT(instructions), AT(cycles), "",
	  "Instructions over Cycles" },
	{ "CFEngine.Instructions", AT(cf_instructions), NONE, "",
	  "CF instructions" },
	{ "CFEngine.InstructionsPerCycle", AT(cf_instructions), AT(cycles), "",
	  "CF instructions over Cycles" },
	{ "CFEngine.ALUClauseTriggers", AT(alu_triggers), NONE, "",
	  "ALU clauses started" },
	{ "CFEngine.TEXClauseTriggers", AT(tex_triggers), NONE, "",
	  "fetch clauses started" },
	{ "CFEngine.GlobalMemWrites", AT(global_writes), NONE, "",
	  "store and atomic instructions" },
	{ "ALUEngine.WavefrontCount", AT(alu_wavefronts), NONE, "",
	  "clauses executed" },
	{ "ALUEngine.Instructions", AT(alu_instructions), NONE, "",
	  "VLIW groups" },
	{ "ALUEngine.InstructionSlots", AT(alu_slots), NONE, "",
	  "filled slots of these groups" },
	{ "ALUEngine.LocalMemorySlots", AT(alu_local_slots), NONE, "",
	  "of these, local-memory accesses" },
	{ "ALUEngine.Cycles", AT(alu_cycles), NONE, "cycles",
	  "cycles in which the stream cores execute" },
	{ "ALUEngine.InstructionsPerCycle", AT(alu_instructions), AT(cycles),
	  "", "VLIW groups over Cycles" },
	{ "TEXEngine.WavefrontCount", AT(tex_wavefronts), NONE, "",
	  "clauses executed" },
	{ "TEXEngine.Instructions", AT(tex_instructions), NONE, "",
	  "fetch instructions" },
	{ "TEXEngine.Cycles", AT(tex_cycles), NONE, "cycles",
	  "cycles in which addresses are processed" },
	{ "TEXEngine.InstructionsPerCycle", AT(tex_instructions), AT(cycles),
	  "", "fetch instructions over Cycles" },
	{ "GlobalMemory.ReadBlocks", AT(global_reads_blocks), NONE, "",
	  "block reads after coalescing within the wavefront" },
	{ "GlobalMemory.WriteBlocks", AT(global_write_blocks), NONE, "",
	  "block writes after coalescing within the wavefront, and the atomics "
	  "of each work-item" },
	{ "LocalMemory.Accesses", AT(local_accesses), NONE, "",
	  "work-item accesses" },
	{ "LocalMemory.Reads", AT(local_reads), NONE, "",
	  "work-item reads" },
	{ "LocalMemory.EffectiveReads", AT(local_reads_served), NONE, "",
	  "reads that the banks serve: those of a window with equal addresses "
	  "are one" },
	{ "LocalMemory.CoalescedReads", AT(local_reads_merged), NONE, "",
	  "the other reads, which get their values by broadcast" },
	{ "LocalMemory.Writes", AT(local_writes), NONE, "",
	  "work-item writes and atomics" },
	{ "LocalMemory.EffectiveWrites", AT(local_writes_served), NONE, "",
	  "writes and atomics that the banks serve: all" },
	{ "LocalMemory.CoalescedWrites", AT(local_writes_merged), NONE, "",
	  "the other writes and atomics: none" },
	{ "LocalMemory.Cycles", AT(local_cycles), NONE, "cycles",
	  "cycles in which the banks serve requests" },
	{ "LocalMemory.ConflictCycles", AT(local_conflict_cycles), NONE,
	  "cycles", "of these, more than evenly spread requests would need" },
	{ "ALUEngine.AddressCycles", AT(address_cycles), NONE, "cycles",
	  "cycles in which the stream cores calculate addresses of fetches and "
	  "stores" },
	{ "InstructionCache.Accesses", AT(code_accesses), NONE, "",
	  "lines that clauses asked for when they began" },
	{ "InstructionCache.Misses", AT(code_misses), NONE, "",
	  "of these, not there" },
	{ "InstructionCache.CFAccesses", AT(cf_accesses), NONE, "",
	  "CF instructions fetched" },
	{ "InstructionCache.CFMisses", AT(cf_misses), NONE, "",
	  "of these, in lines that were missing" },
	{ "InstructionCache.CFWaitCycles", AT(cf_waits), NONE, "cycles",
	  "cycles in which wavefronts waited for these" },
	{ "ConstantCache.Accesses", AT(constant_accesses), NONE, "",
	  "lines of constants that clauses locked" },
	{ "ConstantCache.Misses", AT(constant_misses), NONE, "",
	  "of these, not there" },
	{ "ClauseWaitCycles", AT(clause_waits), NONE, "cycles",
	  "cycles that clauses waited for code and constants, summed" },
	{ "Export.Cycles", AT(export_cycles), NONE, "cycles",
	  "cycles in which the export bus carries addresses and data of "
	  "stores" },
	{ "Export.BufferFull", AT(export_full), NONE, "",
	  "stores that waited for room in the export buffer" },
	{ "Export.CompletePathWrites", AT(complete_path_writes), NONE, "",
	  "stores performed dword by dword" },
};

static const uint64_t *counter(const struct compute_unit *cu, size_t offset)
{
	return (const uint64_t *)((const char *)&cu->n + offset);
}

static void register_account(struct stats_section *section,
			     const struct account *account)
{
	for (int engine = 0; engine < ENGINE_COUNT; engine++)
		for (int i = 0; i < ACCOUNT_REASONS; i++) {
			char *name;

			if (!account_applies((enum account_engine)engine,
					     (enum account_reason)i))
				continue;
			name = xasprintf("%s.Account.%s",
					 account_engine_names[engine],
					 account_reason_names[i]);
			stats_counter(section, name,
				      &account->cycles[engine][i], "cycles",
				      account_reason_docs[i]);
			free(name);
		}
}

static void register_unit(struct stats *stats, struct compute_unit *cu)
{
	char *name = xasprintf("ComputeUnit %u", cu->id);
	struct stats_section *section = stats_section(stats, "evergreen", name);

	free(name);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct figure *f = &figures[i];

		if (f->under == NONE)
			stats_counter(section, f->name, counter(cu, f->over),
				      f->unit, f->doc);
		else
			stats_ratio(section, f->name, counter(cu, f->over),
				    counter(cu, f->under), f->unit, f->doc);
		if (f->over == AT(alu_local_slots))
			stats_vector(section, "ALUEngine.VLIWOccupancy",
				     cu->n.vliw_occupancy, 5, "",
				     "VLIW occupancy: groups with 1, 2, 3, 4 "
				     "and 5 slots filled");
	}
	register_account(section, &cu->account);
}

static double instructions(void *owner)
{
	return (double)evg_timing_instructions(owner);
}

static double instructions_per_cycle(void *owner)
{
	const struct evg_timing *timing = owner;

	return timing->total_cycles ? instructions(owner) /
					      (double)timing->total_cycles
				    : 0;
}

void evg_timing_register_stats(struct evg_timing *timing, struct stats *stats)
{
	struct stats_section *section;

	evg_config_register(&timing->config, stats);
	section = stats_section(stats, "evergreen", "Device");
	stats_counter(section, "NDRangeCount", &timing->ndranges, "",
		      "kernel launches");
	stats_derived(section, "Instructions", instructions, timing, "",
		      "wavefront instructions of all compute units");
	stats_counter(section, "Cycles", &timing->total_cycles, "cycles",
		      "cycles from the dispatch of each launch to its last "
		      "acknowledged write");
	stats_derived(section, "InstructionsPerCycle", instructions_per_cycle,
		      timing, "", "Instructions over Cycles");
	stats_counter(section, "PeakWavefronts", &timing->peak_wavefronts, "",
		      "most wavefronts in flight at once");
	register_account(section, &timing->account);
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		register_unit(stats, &timing->units[i]);
}

void evg_timing_snapshot(struct evg_timing *timing,
			 struct evg_timing_snapshot *snapshot)
{
	/* Between runs, the end of the last one: its last window went on. */
	bool runs = timing->groups_done < timing->group_count &&
		    !timing->stopped;
	uint64_t now = runs ? islands_now(timing->islands) / timing->period
			    : timing->start_cycle;

	*snapshot = (struct evg_timing_snapshot){
		.cycles = timing->total_cycles + now - timing->start_cycle,
		.instructions = evg_timing_instructions(timing),
		.tail_cycles = timing->tail_cycles,
		.wavefronts = timing->wavefronts,
	};
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];
		const struct unit_load *load = timing_load(timing, i);

		account_settle(&cu->account, now);
		account_add(&snapshot->account, &cu->account);
		snapshot->lane_operations += cu->n.lane_operations;
		snapshot->work_groups += load->all_work_groups -
					 load->work_groups;
	}
}
