/* --evg-calc: how many wavefronts of a kernel a compute unit holds, what
 * limits them, and how that changes with the size of the work-group, registers
 * and local memory. */
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

/* The same for every kernel of a binary, without any program: the files are
 * called by the kernels' names. `work_items`: of a work-group, 0: what the
 * kernel requires, or 256. `local_memory`: bytes beside what it declares. */
int occupancy_report_binary(const char *prefix,
			    const struct output_rules *rules,
			    const char *evg_preset,
			    const char *evg_config,
			    const char *binary, uint64_t work_items,
			    uint64_t local_memory, struct error *error);

#endif
