/* Figures of single wavefronts. They are kept only for an ND-range for which
 * somebody has asked for them, in memory that grows with its wavefronts. */
#ifndef M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_STATS_H
#define M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_STATS_H

#include "evergreen/emu/emu.h"

/* Work-items that followed the same path through the kernel: in each
 * instruction of their wavefront all were active or none was. */
struct evg_wavefront_path {
	uint64_t lanes;
	/* A digest of the instructions that each of these work-items executed,
	 * and of the counts; not of their order. Digests can be compared
	 * between the wavefronts of an ND-range. */
	uint64_t digest;
};

struct evg_wavefront_stats {
	/* False: the rest is 0, because a limit ended the run before. */
	bool started;
	/* The figures that a wavefront can have. Transactions, bank conflicts,
	 * and the numbers of work-groups, wavefronts and work-items are 0. */
	struct evg_stats n;
	uint64_t global_reads; /* fetches that read global memory */
	/* The largest path first; among paths of one size that of the lowest
	 * lane. */
	uint32_t path_count;
	struct evg_wavefront_path *paths;
};

/* Asks for these figures. To be called before anything runs. */
void evg_ndrange_record_wavefronts(struct evg_ndrange *ndrange);
/* The figures of all wavefronts, those of a work-group together. Valid until
 * the ND-range goes on or is freed. NULL: nobody has asked for them. */
const struct evg_wavefront_stats *evg_ndrange_wavefront_stats(
	struct evg_ndrange *ndrange, uint64_t *count);
/* The number of fetches of the ND-range that read global memory: the `fetches`
 * of struct evg_stats without those that read kernel parameters, sizes of
 * resources or the global data share. */
uint64_t evg_ndrange_global_reads(const struct evg_ndrange *ndrange);

#endif
