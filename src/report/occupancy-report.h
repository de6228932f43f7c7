/* --evg-calc: the number of wavefronts of a kernel that a compute unit holds,
 * the limit that binds, and how the number changes with work-group size,
 * registers and local memory. */
#ifndef M2S_REPORT_OCCUPANCY_REPORT_H
#define M2S_REPORT_OCCUPANCY_REPORT_H

#include "base/error.h"
#include "base/output.h"
#include "evergreen/timing/occupancy.h"

/* Writes PREFIX.NAME.txt, the summary, and for each of the curves work_items,
 * registers and local_mem the files PREFIX.NAME.CURVE.csv and .svg. */
int occupancy_report_write(const char *prefix, const char *name,
			   const struct output_rules *rules,
			   const struct evg_config *config,
			   const char *kernel,
			   const struct evg_occupancy_use *use,
			   struct error *error);

/* The same for every kernel of a binary, without running a program. NAME is the
 * kernel's. `work_items` is the size of a work-group; 0 stands for the size
 * that the kernel requires, or else 256. `local_memory` is in bytes, in
 * addition to the local memory that the kernel declares. */
int occupancy_report_binary(const char *prefix,
			    const struct output_rules *rules,
			    const struct evg_config *config,
			    const char *binary, uint64_t work_items,
			    uint64_t local_memory, struct error *error);

#endif
