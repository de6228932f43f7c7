/* How the figures of wavefront-stats.h come about.
 *
 * A wavefront then has its own set of the counters that work-groups have
 * anyway; when its work-group ends these are multiplied by what each counter
 * stands for. Digests of paths are brought up to date when the active mask
 * changes, from what the counters have gained since. */
#ifndef M2S_EVERGREEN_EMU_COUNT_RECORDS_H
#define M2S_EVERGREEN_EMU_COUNT_RECORDS_H

#include "evergreen/emu/machine.h"

struct evg_trails *evg_trails_create(const struct evg_ndrange *ndrange);
void evg_trails_free(struct evg_trails *trails);
/* Around each work-group that the object is. */
void evg_trails_start(struct evg_work_group *group);
void evg_trails_end(struct evg_work_group *group);
/* What was counted since the last time was executed by these lanes. */
void evg_trails_note(struct evg_wavefront *wavefront, uint64_t active);

void evg_records_free(struct evg_ndrange *ndrange);

#endif
