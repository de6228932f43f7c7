/* Figures of single wavefronts: kept only for an ND-range where somebody has
 * asked for them, in memory that grows with its wavefronts. */
#ifndef M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_STATS_H
#define M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_STATS_H

#include "evergreen/emu/emu.h"

/* Work-items that followed the same path through the kernel: in each
 * instruction of their wavefront all were active or none was. */
struct evg_wavefront_path {
	uint64_t lanes;
	/* Of the instructions that each of them executed, and how often each:
	 * comparable between the wavefronts of an ND-range. It does not tell
	 * in which order. */
	uint64_t digest;
};

struct evg_wavefront_stats {
	bool started;          /* else the rest is 0: a limit came before */
	/* What a wavefront can have: not transactions and bank conflicts, and
	 * no numbers of work-groups, wavefronts and work-items. */
	struct evg_stats n;
	uint64_t global_reads; /* fetches that read global memory */
	/* The largest path first, of the same size that of lower lanes. */
	uint32_t path_count;
	struct evg_wavefront_path *paths;
};

/* Asks for them, before anything runs. */
void evg_ndrange_record_wavefronts(struct evg_ndrange *ndrange);
/* Those of all wavefronts, those of a work-group one after the other; valid
 * until the ND-range goes on or is freed. NULL: nobody has asked. */
const struct evg_wavefront_stats *evg_ndrange_wavefront_stats(
	struct evg_ndrange *ndrange, uint64_t *count);
/* Fetches of the ND-range that read global memory: of struct evg_stats'
 * fetches those that do not read kernel parameters, sizes of resources or the
 * global data share. */
uint64_t evg_ndrange_global_reads(const struct evg_ndrange *ndrange);

#endif
