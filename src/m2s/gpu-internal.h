/* What the files about the simulated GPU share. */
#ifndef M2S_M2S_GPU_INTERNAL_H
#define M2S_M2S_GPU_INTERNAL_H

#include "evergreen/timing/occupancy.h"
#include "m2s/gpu.h"

struct gpu {
	struct gpu_options options;
	struct evg_config config;
	picoseconds period;
	/* Simulated time outside kernels: transfers, launch overhead, and in
	 * functional mode the kernels too. */
	picoseconds elsewhere;

	/* Detailed mode. */
	struct event_queue *events;
	struct islands *islands;
	struct memsys *memsys;
	struct evg_timing *timing;

	/* What --evg-calc has been written for. */
	struct launch_shape {
		char *kernel;
		struct evg_occupancy_use use;
	} *shapes;
	size_t shape_count, shape_capacity;

	struct annotations *annotations; /* or NULL */
	struct intervals *intervals;     /* or NULL */
	const char *kernel;              /* being run, or NULL */

	struct gpu_summary n;
	const char *limit;
	double started; /* host time of this launch */
	uint64_t done, total; /* its work-groups */
	const char *stopped; /* while a kernel ran, and why */
	struct evg_pool *pool;
};

#endif
