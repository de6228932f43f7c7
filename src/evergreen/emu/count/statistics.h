/* How counters, static instructions and figures hang together. */
#ifndef M2S_EVERGREEN_EMU_COUNT_STATISTICS_H
#define M2S_EVERGREEN_EMU_COUNT_STATISTICS_H

#include "evergreen/emu/machine.h"

/* Each static instruction, with the counter that counts it; `fetch` when it is
 * one of a clause, else NULL. */
typedef void evg_line_visitor(void *owner, uint32_t counter, uint32_t line,
			      const struct evg_fetch_plan *fetch);
void evg_plan_visit_lines(const struct evg_plan *plan, evg_line_visitor *visit,
			  void *owner);

/* Adds what one static instruction's executions are. */
void evg_stats_add_row(struct evg_stats *stats,
		       const struct evg_inst_stats *row);

#endif
