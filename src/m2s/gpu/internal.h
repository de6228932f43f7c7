/* The simulated GPU's state, for the files of this folder. */
#ifndef M2S_M2S_GPU_INTERNAL_H
#define M2S_M2S_GPU_INTERNAL_H

#include "evergreen/timing/occupancy.h"
#include "evergreen/timing/timing.h"
#include "m2s/gpu/gpu.h"

struct gpu {
	struct gpu_options options;
	struct evg_config config;
	picoseconds period;
	/* Simulated time outside detailed kernels: transfers, launch overhead
	 * and, in functional mode, the kernels. */
	picoseconds elsewhere;
	/* The memory is shared: `elsewhere` is all time. */
	bool shares;
	struct gpu_follow {
		void (*give_way)(void *owner);
		void *owner;
		picoseconds due;  /* when a look is due; UINT64_MAX: never */
		picoseconds look; /* when gpu_run() goes on */
		bool runs;        /* a kernel, which may end before */
		bool wants_caller, abandoned;
	} follow;

	/* Detailed mode. */
	struct event_queue *events;
	struct islands *islands;
	struct memsys *memsys;
	struct evg_timing *timing;

	/* Buffers of the launch that are memory of a program, and their pages. */
	struct evg_shared_memory *shared;
	uint64_t **shared_pages;
	size_t shared_count;
	struct gpu_transfer *transfers; /* under way */

	/* The launches for which --evg-calc has written its report. */
	struct launch_shape {
		char *kernel;
		struct evg_occupancy_use use;
	} *shapes;
	size_t shape_count, shape_capacity;

	struct annotations *annotations; /* or NULL */
	struct intervals *intervals;     /* or NULL */
	struct timeline_buffer *trace;   /* of commands, or NULL */
	const char *kernel;              /* the running one, or NULL */

	struct gpu_summary n;
	const char *limit;
	double started; /* host time when the launch began */
	uint64_t done, total; /* work-groups of the launch */
	/* The reason why a running kernel was stopped, or NULL. */
	const char *stopped;
	struct evg_pool *pool;
};

/* follow.c: waits for a time of the event queue or, while a kernel runs, for its
 * end. True: the GPU has been abandoned. */
bool gpu_wait(void *owner, picoseconds until);
/* Waits for the caller. */
void gpu_return(struct gpu *gpu);

/* shared-memory.c */
void gpu_share_free(struct gpu *gpu);
/* Where the memory that the GPU shares has the pages of a range of the program,
 * which the caller frees; NULL when it has lost some. `written`: they will be. */
enum { GPU_PAGE_BITS = EVG_SHARED_PAGE_BITS };
uint64_t *gpu_find_pages(const struct gpu *gpu, uint64_t pointer,
			 uint64_t bytes, bool written);
/* transfer.c */
void gpu_transfers_free(struct gpu *gpu);

/* trace.c: what the timeline has of launches and transfers. */
void gpu_trace_create(struct gpu *gpu);
/* A launch ends at `end` that has begun at `start`, when all launches together had
 * taken `cycles`. */
void gpu_trace_launch(struct gpu *gpu, picoseconds start, picoseconds end,
		      uint64_t cycles);
/* A command that begins at `start` takes `time`. */
void gpu_trace_time(struct gpu *gpu, enum opencl_time kind, uint64_t bytes,
		    picoseconds start, picoseconds time);

#endif
