/* The figures of kernel launches, as --evg-report-kernel shows them. */
#ifndef M2S_REPORT_KERNEL_REPORT_H
#define M2S_REPORT_KERNEL_REPORT_H

#include "evergreen/emu/emu.h"
#include "report/diagnosis.h"
#include "report/summary.h"
#include "stats/stats.h"

/* Adds the sections NDRange[index] and NDRange[index].Divergence to the report
 * "kernel". `partial`: what ended the launch
 * before it was complete, or NULL. */
void kernel_report_add(struct stats *stats, const struct evg_ndrange *ndrange,
		       uint64_t index, const struct launch_timing *timing,
		       const char *partial);

/* What launches and wavefronts (wavefront-report.h) have in common: counts of
 * instructions, and the numbers of those that were run. */
void kernel_report_counts(struct stats_section *section,
			  const struct evg_stats *stats, uint64_t global_reads);
void kernel_report_range(struct stats_section *section, const char *name,
			 uint64_t first, uint64_t count);

/* Registers the totals over all launches: report "evergreen", section Device
 * in functional mode (the timing model registers its own), and section
 * Emulator. */
void gpu_register_totals(struct stats *stats, bool detailed,
			 const struct gpu_summary *totals);

#endif
