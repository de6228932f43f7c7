/* The simulated GPU's state, for the files of this folder. */
#ifndef M2S_M2S_GPU_INTERNAL_H
#define M2S_M2S_GPU_INTERNAL_H

#include "evergreen/timing/occupancy.h"
#include "m2s/gpu/gpu.h"

struct gpu {
	struct gpu_options options;
	struct evg_config config;
	picoseconds period;
	/* Simulated time outside detailed kernels: transfers, launch overhead
	 * and, in functional mode, the kernels. */
	picoseconds elsewhere;

	/* Detailed mode. */
	struct event_queue *events;
	struct islands *islands;
	struct memsys *memsys;
	struct evg_timing *timing;

	/* The launches for which --evg-calc has written its report. */
	struct launch_shape {
		char *kernel;
		struct evg_occupancy_use use;
	} *shapes;
	size_t shape_count, shape_capacity;

	struct annotations *annotations; /* or NULL */
	struct intervals *intervals;     /* or NULL */
	const char *kernel;              /* the running one, or NULL */

	struct gpu_summary n;
	const char *limit;
	double started; /* host time when the launch began */
	uint64_t done, total; /* work-groups of the launch */
	/* The reason why a running kernel was stopped, or NULL. */
	const char *stopped;
	struct evg_pool *pool;
};

#endif
