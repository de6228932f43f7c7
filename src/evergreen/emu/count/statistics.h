/* From counters to static instructions, and from these to figures. */
#ifndef M2S_EVERGREEN_EMU_COUNT_STATISTICS_H
#define M2S_EVERGREEN_EMU_COUNT_STATISTICS_H

#include "evergreen/emu/machine.h"

/* Called for each static instruction with its counter. `fetch` is its plan if
 * it is a fetch of a clause, else NULL. */
typedef void evg_line_visitor(void *owner, uint32_t counter, uint32_t line,
			      const struct evg_fetch_plan *fetch);
void evg_plan_visit_lines(const struct evg_plan *plan, evg_line_visitor *visit,
			  void *owner);

/* Adds the figures of one static instruction's executions. */
void evg_stats_add_row(struct evg_stats *stats,
		       const struct evg_inst_stats *row);

#endif
