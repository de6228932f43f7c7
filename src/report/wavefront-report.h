/* The figures of single work-groups and wavefronts: --evg-report-wavefronts. */
#ifndef M2S_REPORT_WAVEFRONT_REPORT_H
#define M2S_REPORT_WAVEFRONT_REPORT_H

#include "evergreen/emu/emu.h"
#include "stats/stats.h"

/* Adds, for a launch whose wavefronts were recorded, the work-items' paths to
 * the section NDRange[index] of the report "kernel", and the sections
 * NDRange[index].WorkGroup[...] and .Wavefront[...]. */
void wavefront_report_add(struct stats *stats, struct evg_ndrange *ndrange,
			  uint64_t index);

#endif
