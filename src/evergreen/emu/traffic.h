/* What an instruction's addresses cost: memory blocks and bank conflicts per
 * static instruction. Counted only when somebody asks (evg_ndrange_traffic),
 * since it looks at every address. */
#ifndef M2S_EVERGREEN_EMU_TRAFFIC_H
#define M2S_EVERGREEN_EMU_TRAFFIC_H

#include <stdalign.h>

#include "evergreen/emu/emu.h"

struct evg_wavefront;

enum { EVG_TRAFFIC_HASH = 2048 };

/* The addresses with which an instruction was counted before. An instruction's
 * addresses are mostly those of another time, all moved by the same distance:
 * then, if the distance is one of whole blocks, so are its costs. Several are
 * remembered: work-groups begin at different places in a block. */
enum { EVG_TRAFFIC_PATTERNS = 4 };
struct evg_traffic_pattern {
	alignas(64) uint32_t address[EVG_WAVEFRONT_SIZE];
	uint32_t address2[EVG_WAVEFRONT_SIZE];
	uint64_t mask, mask2; /* both 0: none yet */
	uint32_t cost;
};

/* Of a work-group object: one host thread at a time counts here. */
struct evg_traffic {
	struct evg_traffic_model model;
	struct evg_step step; /* what the instruction at `line` touches */
	uint32_t line;
	/* By line of the code. */
	struct evg_traffic_count {
		uint64_t transactions, conflicts;
	} *counts;
	/* EVG_TRAFFIC_PATTERNS for each line, the newest first. */
	struct evg_traffic_pattern *patterns;
	/* Blocks seen by the instruction whose number is `stamp`. */
	uint32_t stamp;
	struct {
		uint32_t block, stamp;
	} hash[EVG_TRAFFIC_HASH];
};

/* For a kernel whose code has so many lines. */
struct evg_traffic *evg_traffic_create(const struct evg_traffic_model *model,
				       uint32_t line_count);
void evg_traffic_free(struct evg_traffic *traffic); /* NULL is fine */

/* Adds an executed instruction's accesses, if it has any. */
void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step);
/* The same for what is noted in traffic->step; it then notes nothing. */
void evg_traffic_take(struct evg_traffic *traffic);
/* VLIW group `group` of the wavefront's clause is about to note what it does
 * in local memory. */
void evg_traffic_begin(struct evg_wavefront *wavefront, uint32_t group);

#endif
