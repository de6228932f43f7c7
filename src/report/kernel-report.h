/* The figures of kernel launches, as --evg-report-kernel shows them. */
#ifndef M2S_REPORT_KERNEL_REPORT_H
#define M2S_REPORT_KERNEL_REPORT_H

#include "evergreen/emu/emu.h"
#include "report/diagnosis.h"
#include "report/summary.h"
#include "stats/stats.h"

/* Adds the section NDRange[index] to the report "kernel". `partial` says what
 * ended the launch before it was complete, or is NULL. */
void kernel_report_add(struct stats *stats, const struct evg_ndrange *ndrange,
		       uint64_t index, const struct launch_timing *timing,
		       const char *partial);

/* Figures that launches and wavefronts (wavefront-report.h) have in common:
 * counts of instructions, and the first, the last and the number of the
 * work-groups, wavefronts or work-items that were run. `kind` begins the names
 * of these three, `unit` is a literal. */
void kernel_report_counts(struct stats_section *section,
			  const struct evg_stats *n, uint64_t global_reads);
void kernel_report_range(struct stats_section *section, const char *kind,
			 const char *unit, uint64_t first, uint64_t count);

/* Registers the totals over all launches: report "evergreen", section Device
 * in functional mode (the timing model registers its own), and section
 * Emulator. */
void gpu_register_totals(struct stats *stats, bool detailed,
			 const struct gpu_summary *totals);

#endif
