/* Occupancy: the number of work-groups of a kernel that a compute unit holds,
 * and its limit. The dispatcher and the occupancy calculator (--evg-calc) call
 * the same functions.
 *
 * Sources of the limits: doc/evergreen-timing.md, "Dispatcher". */
#ifndef M2S_EVERGREEN_TIMING_OCCUPANCY_H
#define M2S_EVERGREEN_TIMING_OCCUPANCY_H

#include <stdint.h>

#include "evergreen/timing/config.h"

enum evg_occupancy_limit {
	EVG_LIMIT_WORK_GROUPS,  /* slots for work-groups */
	EVG_LIMIT_WAVEFRONTS,   /* slots for wavefronts */
	EVG_LIMIT_REGISTERS,
	EVG_LIMIT_LOCAL_MEMORY,
	EVG_LIMIT_COUNT
};

/* The resources that a launch needs. */
struct evg_occupancy_use {
	uint32_t work_items;   /* of a work-group */
	uint32_t registers;    /* per work-item */
	uint32_t local_memory; /* bytes per work-group */
};

struct evg_occupancy {
	/* The needs of a work-group, rounded up to the units of allocation. */
	uint32_t group_wavefronts, group_registers, group_local;
	/* Work-groups that each limit alone would allow. UINT32_MAX: the launch
	 * uses none of the resource. */
	uint32_t allowed[EVG_LIMIT_COUNT];
	/* The lowest limit; of equal ones the first. */
	enum evg_occupancy_limit limit;
	uint32_t work_groups, wavefronts; /* in a compute unit; 0: never fits */
};

struct evg_occupancy evg_occupancy_find(const struct evg_config *config,
					const struct evg_occupancy_use *use);

/* The number of work-groups that the whole device holds at a time; at least
 * 1. */
uint32_t evg_occupancy_device(const struct evg_config *config,
			      const struct evg_occupancy_use *use);

/* The name of a limit, such as "registers per work-item". */
const char *evg_occupancy_limit_name(enum evg_occupancy_limit limit);

#endif
