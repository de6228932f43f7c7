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
	struct stats_name name;
	size_t count;

	rows = evg_ndrange_inst_stats(ndrange, &count);
	for (size_t i = 0; i < count; i++)
		if (rows[i].executions)
			count_row(&histogram, &rows[i]);
	for (size_t i = 0; i < histogram.count; i++) {
#define STATS_REGISTRATION
#define KERNEL_HISTOGRAM
#include "report/kernel.stat.def"
	}
	free(histogram.bins);
}

static double per(uint64_t over, uint64_t under)
{
	return under ? (double)over / (double)under : 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100.0 * per(part, whole);
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
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
#define STATS_REGISTRATION
#define KERNEL_ACTIVE
#include "report/kernel.stat.def"
	}
#define STATS_REGISTRATION
#define KERNEL_ACTIVE_AVERAGE
#include "report/kernel.stat.def"
}

/* The work-items of each wavefront by the paths they took: the three views of
 * figure 10 in the Multi2Sim paper are this, the mix and VLIW groups. */
static void add_paths(struct stats_section *section,
		      const struct evg_ndrange *ndrange)
{
	struct evg_path_counts paths;
	struct stats_name name;
	uint64_t wavefronts = 0, groups = 0, work_items = 0;

	evg_ndrange_paths(ndrange, &paths);
	for (uint64_t i = 0; i <= EVG_WAVEFRONT_SIZE; i++) {
		wavefronts += paths.wavefronts[i];
		groups += paths.wavefronts[i] * i;
	}
	for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
		work_items += paths.work_items[i];
#define STATS_REGISTRATION
#define KERNEL_PATHS
#include "report/kernel.stat.def"
	for (int i = 0; i < EVG_WAVEFRONT_SIZE && paths.work_items[i]; i++) {
#define STATS_REGISTRATION
#define KERNEL_PATH
#include "report/kernel.stat.def"
	}
}

static void add_shares(struct stats_section *section,
		       const struct evg_stats *n)
{
	struct stats_name name;

#define STATS_REGISTRATION
#define KERNEL_MIX
#include "report/kernel.stat.def"
	for (int i = 0; i < 5; i++) {
#define STATS_REGISTRATION
#define KERNEL_OCCUPANCY
#include "report/kernel.stat.def"
	}
}

void kernel_report_counts(struct stats_section *section,
			  const struct evg_stats *n, uint64_t global_reads)
{
#define STATS_REGISTRATION
#define KERNEL_COUNTS
#include "report/kernel.stat.def"
	/* The vector's counters are the caller's. */
	stats_section_freeze(section);
}

static void add_traffic(struct stats_section *section,
			const struct evg_stats *n)
{
#define STATS_REGISTRATION
#define KERNEL_TRAFFIC
#include "report/kernel.stat.def"
}

void kernel_report_range(struct stats_section *section, const char *kind,
			 const char *unit, uint64_t first, uint64_t count)
{
	uint64_t last = count ? first + count - 1 : first;
	struct stats_name name;

#define STATS_REGISTRATION
#define KERNEL_RANGE
#include "report/kernel.stat.def"
}

/* "x y z" */
static const char *size_text(struct stats_name *name, const uint32_t size[3])
{
	return stats_name(name, "%u %u %u", size[0], size[1], size[2]);
}

static void add_launch(struct stats_section *section,
		       const struct evg_launch *launch, const char *partial)
{
	const struct evg_program *program = launch->kernel->program;
	const char *compiler = program ? program->compiler : NULL;
	const char *chip = program ? evg_chip_info[program->chip].name : NULL;
	const char *options = program ? program->build_options : NULL;
	struct stats_name name;

#define STATS_REGISTRATION
#define KERNEL_LAUNCH
#include "report/kernel.stat.def"
}

static void add_cycles(struct stats_section *section,
		       const struct launch_timing *timing)
{
#define STATS_REGISTRATION
#define KERNEL_CYCLES
#include "report/kernel.stat.def"
}

void kernel_report_add(struct stats *stats, const struct evg_ndrange *ndrange,
		       uint64_t index, const struct launch_timing *timing,
		       const char *partial)
{
	struct stats_section *section;
	struct stats_name name;
	struct evg_stats totals;

	section = stats_new_section(stats, "kernel",
				    stats_name(&name, "NDRange[%llu]",
					       (unsigned long long)index));
	evg_ndrange_stats(ndrange, &totals);
	add_launch(section, evg_ndrange_launch(ndrange), partial);
	kernel_report_range(section, "WorkGroup", "work-groups", 0,
			    totals.work_groups);
	kernel_report_range(section, "WaveFront", "wavefronts", 0,
			    totals.wavefronts);
	kernel_report_range(section, "WorkItem", "work-items", 0,
			    totals.work_items);
	add_cycles(section, timing);
	diagnosis_add(section, timing, &totals);
	kernel_report_counts(section, &totals,
			     evg_ndrange_global_reads(ndrange));
	add_traffic(section, &totals);
	add_shares(section, &totals);
	add_divergence(section, ndrange);
	add_paths(section, ndrange);
	add_histogram(section, ndrange);
}

static void register_functional(struct stats *stats,
				const struct gpu_summary *count)
{
	struct stats_section *section =
		stats_section(stats, "evergreen", "Device");

#define STATS_REGISTRATION
#include "report/functional.stat.def"
}

static void register_host(struct stats *stats, const struct gpu_summary *count)
{
	struct stats_section *section =
		stats_section(stats, "evergreen", "Host");

#define STATS_REGISTRATION
#include "report/host.stat.def"
}

void gpu_register_totals(struct stats *stats, bool detailed,
			 const struct gpu_summary *totals)
{
	const struct evg_stats *count = &totals->totals;
	struct stats_section *section;

	if (!detailed)
		register_functional(stats, totals);
	register_host(stats, totals);
	section = stats_section(stats, "evergreen", "Emulator");
#define STATS_REGISTRATION
#include "evergreen/emu/emulator.stat.def"
}
