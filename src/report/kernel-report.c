#include "report/kernel-report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/count/wavefront-stats.h"

static const char *op_name(const struct evg_alu_inst *inst, char *text,
			   size_t size)
{
	if (inst->op == EVG_ALU_LDS_IDX_OP) {
		snprintf(text, size, "LDS_%s", evg_lds_info[inst->lds_op].name);
		return text;
	}
	return evg_alu_info[inst->op].name;
}

/* Executions of each kind of operation, in the order of first appearance in
 * the code. */
struct histogram {
	struct bin {
		char name[48];
		uint64_t count;
	} *bins;
	size_t count, capacity;
};

static void count_name(struct histogram *histogram, const char *name,
		       uint64_t executions)
{
	struct bin *bin;

	for (size_t i = 0; i < histogram->count; i++)
		if (!strcmp(histogram->bins[i].name, name)) {
			histogram->bins[i].count += executions;
			return;
		}
	ARRAY_GROW(histogram->bins, histogram->count, histogram->capacity);
	bin = &histogram->bins[histogram->count++];
	snprintf(bin->name, sizeof bin->name, "%s", name);
	bin->count = executions;
}

static void count_row(struct histogram *histogram,
		      const struct evg_inst_stats *row)
{
	char text[48];

	switch (row->kind) {
	case EVG_STEP_ALU:
		for (unsigned i = 0; i < row->group->inst_count; i++) {
			unsigned slot = row->group->order[i];

			count_name(histogram,
				   op_name(&row->group->inst[slot], text,
					   sizeof text),
				   row->executions);
		}
		break;
	case EVG_STEP_FETCH:
		count_name(histogram, evg_fetch_info[row->fetch->op].name,
			   row->executions);
		break;
	case EVG_STEP_STORE:
		if (row->cf->format == EVG_CF_EXPORT_RAT) {
			snprintf(text, sizeof text, "%s_%s",
				 evg_cf_info[row->cf->op].name,
				 evg_rat_info[row->cf->rat_op].name);
			count_name(histogram, text, row->executions);
			break;
		}
		/* fall through */
	case EVG_STEP_CF:
	case EVG_STEP_CLAUSE:
		count_name(histogram, evg_cf_info[row->cf->op].name,
			   row->executions);
		break;
	}
}

static void add_histogram(struct stats_section *section,
			  const struct evg_ndrange *ndrange)
{
	struct histogram histogram = { 0 };
	const struct evg_inst_stats *rows;
	size_t count;

	rows = evg_ndrange_inst_stats(ndrange, &count);
	for (size_t i = 0; i < count; i++)
		if (rows[i].executions)
			count_row(&histogram, &rows[i]);
	for (size_t i = 0; i < histogram.count; i++) {
		char *name = xasprintf("InstHistogram[%s]",
				       histogram.bins[i].name);

		stats_u64(section, name, histogram.bins[i].count, "",
			  "executions by wavefronts");
		free(name);
	}
	free(histogram.bins);
}

/* Shares of wavefront instructions by how many of the wavefront's work-items
 * were active: the sixteenths of a full wavefront. */
static void add_divergence(struct stats_section *section,
			   const struct evg_ndrange *ndrange)
{
	uint64_t histogram[EVG_WAVEFRONT_SIZE + 1], groups[5] = { 0 };
	uint64_t active = 0, total = 0;
	static const char *const names[] = {
		"Divergence.Active0", "Divergence.Active1-16",
		"Divergence.Active17-32", "Divergence.Active33-48",
		"Divergence.Active49-64",
	};

	evg_ndrange_divergence(ndrange, histogram);
	for (uint64_t i = 0; i <= EVG_WAVEFRONT_SIZE; i++) {
		groups[(i + 15) / 16] += histogram[i];
		total += histogram[i];
		active += histogram[i] * i;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		stats_u64(section, names[i], groups[i], "",
			  "wavefront instructions with so many active "
			  "work-items");
	stats_double(section, "Divergence.AverageActive",
		     total ? (double)active / (double)total : 0, "work-items",
		     "active work-items per wavefront instruction");
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The work-items of each wavefront by the paths they took: the three views of
 * figure 10 in the Multi2Sim paper are this, the mix and VLIW groups. */
static void add_paths(struct stats_section *section,
		      const struct evg_ndrange *ndrange)
{
	struct evg_path_counts paths;
	uint64_t wavefronts = 0, groups = 0, work_items = 0;

	evg_ndrange_paths(ndrange, &paths);
	for (uint64_t i = 0; i <= EVG_WAVEFRONT_SIZE; i++) {
		wavefronts += paths.wavefronts[i];
		groups += paths.wavefronts[i] * i;
	}
	for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
		work_items += paths.work_items[i];
	stats_double(section, "DivergenceGroups.Average",
		     wavefronts ? (double)groups / (double)wavefronts : 0, "",
		     "different paths through the kernel per wavefront");
	for (int i = 0; i < EVG_WAVEFRONT_SIZE && paths.work_items[i]; i++) {
		char name[32];

		snprintf(name, sizeof name, "DivergenceGroup[%d]", i);
		stats_double(section, name,
			     percent(paths.work_items[i], work_items), "%",
			     "work-items on the most frequent path of their "
			     "wavefront, the second, ...");
	}
}

static void add_shares(struct stats_section *section,
		       const struct evg_stats *n)
{
	const struct {
		const char *name, *doc;
		uint64_t count;
	} parts[] = {
		{ "Mix.ControlFlow", "CF instructions without stores",
		  n->cf_instructions - n->global_writes },
		{ "Mix.ALU", "VLIW groups without a local-memory access",
		  n->alu_groups - n->lds_instructions },
		{ "Mix.LocalMemory", "VLIW groups with one",
		  n->lds_instructions },
		{ "Mix.Fetch", "fetches", n->fetches },
		{ "Mix.GlobalWrite", "stores and atomics", n->global_writes },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		stats_double(section, parts[i].name,
			     percent(parts[i].count, n->instructions), "%",
			     parts[i].doc);
	for (int i = 0; i < 5; i++) {
		char name[32];

		snprintf(name, sizeof name, "VLIWOccupancy.Share[%d]", i + 1);
		stats_double(section, name,
			     percent(n->vliw_slots[i], n->alu_groups), "%",
			     "VLIW occupancy: groups with so many slots filled");
	}
}

void kernel_report_counts(struct stats_section *section,
			  const struct evg_stats *stats, uint64_t global_reads)
{
	stats_u64(section, "Inst_Count", stats->instructions, "",
		  "wavefront instructions: CF, ALU groups and fetches");
	stats_u64(section, "LaneOperations", stats->lane_operations, "",
		  "operations of active work-items, one per filled slot");
	stats_u64(section, "Global_Mem_Inst_Count",
		  stats->global_writes + global_reads, "",
		  "instructions that access global memory");
	stats_u64(section, "Local_Mem_Inst_Count", stats->lds_instructions, "",
		  "instructions that access local memory");
	stats_u64(section, "CF_Inst_Count", stats->cf_instructions, "",
		  "CF instructions");
	stats_u64(section, "CF_Inst_Global_Mem_Write_Count",
		  stats->global_writes, "", "store and atomic instructions");
	stats_u64(section, "ALU_Clause_Count", stats->alu_clauses, "",
		  "ALU clauses executed");
	stats_u64(section, "ALU_Group_Count", stats->alu_groups, "",
		  "VLIW groups executed");
	stats_u64(section, "ALU_Inst_Count", stats->alu_slots, "",
		  "filled slots of these groups");
	stats_u64(section, "ALU_Inst_Local_Mem_Count",
		  stats->lds_instructions, "",
		  "of these, local-memory accesses");
	stats_vector(section, "ALU_Group_Size", stats->vliw_slots, 5, "",
		     "VLIW occupancy: groups with 1, 2, 3, 4 and 5 "
		     "slots filled");
	stats_u64(section, "TC_Clause_Count", stats->tex_clauses, "",
		  "fetch clauses executed");
	stats_u64(section, "TC_Inst_Count", stats->fetches, "",
		  "fetch instructions executed");
	stats_u64(section, "TC_Inst_Global_Mem_Read_Count", global_reads, "",
		  "of these, reads of global memory: not of kernel parameters");
	/* The vector's counters are the caller's. */
	stats_section_freeze(section);
}

static void add_memory(struct stats_section *section,
		       const struct evg_stats *stats)
{
	stats_u64(section, "Global_Mem_Transactions", stats->transactions, "",
		  "blocks of global memory that fetches, stores and atomics "
		  "touched, per instruction");
	stats_u64(section, "Local_Mem_Bank_Conflicts", stats->bank_conflicts,
		  "cycles", "that local memory needed beyond an even spread "
		  "over its banks");
}

void kernel_report_range(struct stats_section *section, const char *name,
			 uint64_t first, uint64_t count)
{
	const struct {
		const char *name, *doc;
		uint64_t value;
	} rows[] = {
		{ "First", "first one run, counted from 0 in each launch",
		  first },
		{ "Last", "last one", count ? first + count - 1 : first },
		{ "Count", "how many were run", count },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *whole = xasprintf("%s.%s", name, rows[i].name);

		stats_u64(section, whole, rows[i].value, "", rows[i].doc);
		free(whole);
	}
}

void kernel_report_add(struct stats *stats, const struct evg_ndrange *ndrange,
		       uint64_t index, const struct launch_timing *timing,
		       const char *partial)
{
	const struct evg_launch *launch = evg_ndrange_launch(ndrange);
	char *name = xasprintf("NDRange[%llu]", (unsigned long long)index);
	struct stats_section *section = stats_new_section(stats, "kernel", name);
	struct evg_stats totals;
	char sizes[64];

	free(name);
	evg_ndrange_stats(ndrange, &totals);
	stats_text(section, "Name", launch->kernel->name, "the kernel");
	if (partial)
		stats_text(section, "Partial", partial,
			   "what ended the launch before it was complete");
	snprintf(sizes, sizeof sizes, "%u %u %u", launch->global_size[0],
		 launch->global_size[1], launch->global_size[2]);
	stats_text(section, "GlobalSize", sizes, "work-items in x, y and z");
	snprintf(sizes, sizeof sizes, "%u %u %u", launch->local_size[0],
		 launch->local_size[1], launch->local_size[2]);
	stats_text(section, "LocalSize", sizes,
		   "work-items of a work-group in x, y and z");
	stats_u64(section, "Registers", launch->kernel->registers, "",
		  "registers per work-item");
	stats_u64(section, "LocalMemory", launch->local_memory, "B",
		  "local memory per work-group");
	kernel_report_range(section, "WorkGroup", 0, totals.work_groups);
	kernel_report_range(section, "WaveFront", 0, totals.wavefronts);
	kernel_report_range(section, "WorkItem", 0, totals.work_items);
	if (timing->cycles)
		stats_u64(section, "Cycles", timing->cycles, "cycles",
			  "cycles of this launch");
	diagnosis_add(section, timing, &totals);
	kernel_report_counts(section, &totals,
			     evg_ndrange_global_reads(ndrange));
	add_memory(section, &totals);
	stats_double(section, "VLIWOccupancy.Average",
		     totals.alu_groups ? (double)totals.alu_slots /
						 (double)totals.alu_groups
				       : 0,
		     "slots", "VLIW occupancy: filled slots per group, of 5");
	add_shares(section, &totals);
	add_divergence(section, ndrange);
	add_paths(section, ndrange);
	add_histogram(section, ndrange);
}

void gpu_register_totals(struct stats *stats, bool detailed,
			 const struct gpu_summary *totals)
{
	struct stats_section *section;
	const struct evg_stats *n = &totals->totals;

	if (!detailed) {
		section = stats_section(stats, "evergreen", "Device");
		stats_counter(section, "NDRangeCount", &totals->ndranges, "",
			      "kernel launches");
		stats_counter(section, "Instructions", &n->instructions, "",
			      "wavefront instructions");
	}
	section = stats_section(stats, "evergreen", "Host");
	stats_counter(section, "LaunchTime", &totals->time[OPENCL_TIME_LAUNCH],
		      "ps", "from enqueues to the start of commands");
	stats_counter(section, "TransferTime",
		      &totals->time[OPENCL_TIME_TRANSFER], "ps",
		      "transfers between host and device");
	stats_counter(section, "TransferBytes",
		      &totals->bytes[OPENCL_TIME_TRANSFER], "B",
		      "what they moved");
	stats_counter(section, "CopyTime", &totals->time[OPENCL_TIME_COPY],
		      "ps", "copies and fills inside the device");
	stats_counter(section, "CopyBytes", &totals->bytes[OPENCL_TIME_COPY],
		      "B", "what they read and wrote");
	section = stats_section(stats, "evergreen", "Emulator");
	stats_counter(section, "WorkGroups", &n->work_groups, "",
		      "work-groups run");
	stats_counter(section, "Wavefronts", &n->wavefronts, "",
		      "wavefronts run");
	stats_counter(section, "WorkItems", &n->work_items, "",
		      "work-items run");
	stats_counter(section, "Instructions", &n->instructions, "",
		      "wavefront instructions: CF, ALU groups and fetches");
	stats_counter(section, "LaneOperations", &n->lane_operations, "",
		      "operations of active work-items, one per filled slot");
	stats_counter(section, "CFInstructions", &n->cf_instructions, "",
		      "CF instructions");
	stats_counter(section, "ALUGroups", &n->alu_groups, "",
		      "VLIW groups executed");
	stats_counter(section, "ALUSlots", &n->alu_slots, "",
		      "filled slots of these groups");
	stats_vector(section, "VLIWOccupancy", n->vliw_slots, 5, "",
		     "VLIW occupancy: groups with 1, 2, 3, 4 and 5 "
		     "slots filled");
	stats_counter(section, "LocalMemoryInstructions", &n->lds_instructions,
		      "", "local-memory accesses");
	stats_counter(section, "Fetches", &n->fetches, "",
		      "fetch instructions executed");
	stats_counter(section, "GlobalWrites", &n->global_writes, "",
		      "store and atomic instructions");
}
