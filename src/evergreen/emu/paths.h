/* Control-flow paths: which work-items of a wavefront went the same way.
 *
 * Two work-items follow the same path when in every instruction of their
 * wavefront both were active or both were inactive. The paths are a partition
 * of the wavefront's work-items, which each new active mask can only refine.
 * These are the divergence groups of the Multi2Sim paper (figure 10). */
#ifndef M2S_EVERGREEN_EMU_PATHS_H
#define M2S_EVERGREEN_EMU_PATHS_H

#include "evergreen/emu/emu.h"

struct evg_paths {
	uint64_t seen;  /* the active mask that refined the paths last */
	uint32_t count;
	uint64_t lanes[EVG_WAVEFRONT_SIZE]; /* of each path; disjoint */
};

void evg_paths_start(struct evg_paths *paths, uint64_t lanes);
/* Refines the paths by an active mask, which is not 0. */
void evg_paths_part(struct evg_paths *paths, uint64_t active);
/* Adds the paths of a wavefront that has ended. */
void evg_paths_add(const struct evg_paths *paths,
		   struct evg_path_counts *counts);

/* To be called for each instruction. Mostly the mask is the same as before. */
static inline void evg_paths_note(struct evg_paths *paths, uint64_t active)
{
	if (active != paths->seen && active)
		evg_paths_part(paths, active);
}

#endif
