/* What an instruction's addresses cost: memory blocks and bank conflicts per
 * static instruction. Counted only when somebody asks (evg_ndrange_traffic),
 * since it looks at every address. */
#ifndef M2S_EVERGREEN_EMU_TRAFFIC_H
#define M2S_EVERGREEN_EMU_TRAFFIC_H

#include "evergreen/emu/emu.h"

enum { EVG_TRAFFIC_HASH = 2048 };

/* Of a work-group object: one host thread at a time counts here. */
struct evg_traffic {
	struct evg_traffic_model model;
	struct evg_step step; /* what the running instruction touches */
	struct evg_traffic_count {
		uint64_t transactions, conflicts;
	} *counts;            /* by line of the code */
	/* Blocks seen by the instruction whose number is `stamp`. */
	uint32_t stamp;
	struct {
		uint32_t block, stamp;
	} hash[EVG_TRAFFIC_HASH];
};

/* Adds an executed instruction's accesses, if it has any. */
void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step);
/* The same for traffic->step, which is then ready for the next one. */
void evg_traffic_take(struct evg_traffic *traffic, uint32_t line);

#endif
