/* The collection of the figures of wavefront-stats.h.
 *
 * With these figures a wavefront has its own set of counters, which work-groups
 * have anyway. When the work-group ends, each counter is multiplied by the
 * figures of one execution. The digests of paths are updated when the active
 * mask changes, from the increments of the counters since the last change. */
#ifndef M2S_EVERGREEN_EMU_COUNT_RECORDS_H
#define M2S_EVERGREEN_EMU_COUNT_RECORDS_H

#include "evergreen/emu/machine.h"

struct evg_trails *evg_trails_create(const struct evg_ndrange *ndrange);
void evg_trails_free(struct evg_trails *trails);
/* To be called at the beginning and at the end of each work-group that the
 * object represents. */
void evg_trails_start(struct evg_work_group *group);
void evg_trails_end(struct evg_work_group *group);
/* The executions that were counted since the last call were done by these
 * lanes. */
void evg_trails_note(struct evg_wavefront *wavefront, uint64_t active);

void evg_records_free(struct evg_ndrange *ndrange);

#endif
