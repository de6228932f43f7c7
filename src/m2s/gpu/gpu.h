/* The simulated GPU as the OpenCL driver sees it: runs ND-ranges, functionally
 * or in detail, and keeps simulated time. */
#ifndef M2S_M2S_GPU_GPU_H
#define M2S_M2S_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output.h"
#include "evergreen/emu/emu.h"
#include "evergreen/timing/config.h"
#include "opencl-rt/driver/driver.h"
#include "report/progress.h"
#include "report/summary.h"
#include "sim/timeline.h"
#include "stats/stats.h"

struct gpu;

struct gpu_options {
	bool detailed;
	unsigned threads;          /* functional mode */
	/* NULL: the preset of evg_config, or HD 5870. */
	const char *evg_preset;
	const char *evg_config, *mem_config, *net_config; /* NULL: default */
	struct settings *settings; /* or NULL (base/settings.h) */
	/* The memory that the GPU shares with x86 cores, with its event queue,
	 * which the cores run; NULL: its own. */
	struct memsys *memsys;
	struct event_queue *events;
	/* Where that memory has a page of the program that is served; `written`:
	 * it will be written. False: the program has no such page. */
	bool (*place)(void *owner, uint64_t page, bool written,
		      uint64_t *place);
	void *place_owner;
	/* The memory's settings are another one's. */
	bool built_in_memory;
	uint64_t max_cycles, max_instructions, max_kernels; /* 0: none */
	uint64_t max_group_instructions; /* functional mode; 0: no limit */
	bool kernel_report;        /* one section per launch */
	/* One section per work-group and wavefront, too. */
	bool wavefront_report;
	bool annotate;             /* for gpu_write_annotations */
	bool threads_report;       /* for gpu_write_threads */
	const char *occupancy_prefix; /* --evg-calc, or NULL */
	uint64_t sample_cycles;    /* --stats-interval; 0: none */
	struct output *sample_output;
	const char *hang_file;     /* receives the state of a run that hangs */
	/* For hang_file and the occupancy files. */
	const struct output_rules *rules;
	/* Called from time to time while kernels run. Returns NULL, or the
	 * reason to end the run, which gpu_limit() then returns. */
	const char *(*stop)(void *owner);
	void *stop_owner;
	struct timeline *timeline; /* --trace, or NULL */
	/* --evg-trace, or NULL; outlives the GPU. */
	const struct timeline_window *pipeline;
	struct stats *stats;
	struct log *log;
};

struct gpu *gpu_create(const struct gpu_options *options, struct error *error);
void gpu_free(struct gpu *gpu);
/* What the built-in memory of a GPU with this configuration is made of. */
struct memsys_gpu;
void gpu_memory_shape(const struct evg_config *config,
		      struct memsys_gpu *shape);
const struct evg_config *gpu_config(const struct gpu *gpu);

/* Functions of struct opencl_machine; `owner` is the struct gpu. gpu_run()
 * returns -1 with an empty error when a limit ended the run; gpu_limit() names
 * the limit. */
int gpu_run(void *owner, struct evg_ndrange *ndrange, struct error *error);
picoseconds gpu_now(void *owner);
void gpu_advance(void *owner, enum opencl_time kind, uint64_t bytes,
		 picoseconds time);

/* Lets simulated time pass outside kernels until `time`, if it is not later
 * already. */
void gpu_reach(struct gpu *gpu, picoseconds time);

/* --- A GPU that shares its memory ------------------------------------------
 *
 * Detailed kernels then take place in the cores' time: gpu_run() calls `give_way`
 * while it waits for a time or for the kernel's end, and in the end once more,
 * before it returns to its caller, who is then wanted. */
bool gpu_shares(const struct gpu *gpu);
/* Whether the memory has a coherent way from compute units to programs' memory,
 * which gpu_share() needs: it says which buffers of the next launches are there. */
bool gpu_reaches_programs(const struct gpu *gpu);
void gpu_share(struct gpu *gpu, const struct opencl_shared_buffer *buffers,
	       size_t count);
void gpu_set_give_way(struct gpu *gpu, void (*give_way)(void *owner),
		      void *owner);
/* The time at which gpu_run() wants to go on; UINT64_MAX: it waits for nothing.
 * From this time on gpu_is_due() is to be asked, which may name another one. */
picoseconds gpu_due(const struct gpu *gpu);
bool gpu_is_due(struct gpu *gpu);
/* gpu_run() waits for its caller. */
bool gpu_wants_caller(const struct gpu *gpu);
/* gpu_run() is to return as soon as it goes on: nobody simulates any more. */
void gpu_abandon(struct gpu *gpu);

/* Likewise: the traffic of a transfer that begins now. */
void gpu_transfer(struct gpu *gpu, const struct opencl_transfer *what,
		  picoseconds time);

void gpu_get_progress(const struct gpu *gpu, struct gpu_progress *progress);

/* The limit that ended the run ("EvergreenMaxInst", ...), or NULL. */
const char *gpu_limit(const struct gpu *gpu);

/* Writes the report of --evg-annotate with annotations_write(). */
int gpu_write_annotations(const struct gpu *gpu, struct output *output,
			  bool csv, const char *partial, struct error *error);

/* Writes the report of --threads-report with islands_report() and closes the
 * output. */
int gpu_write_threads(const struct gpu *gpu, struct output *output,
		      struct error *error);

/* --evg-trace: writes what has been collected and closes the output. -1 and *error
 * when there is nothing, or it cannot be written. */
int gpu_write_pipeline(struct gpu *gpu, struct output *output,
		       struct error *error);

/* Completes the file of --stats-interval. Returns 0 also when there is no such
 * file. */
int gpu_write_intervals(struct gpu *gpu, const char *partial,
			struct error *error);

void gpu_summarize(const struct gpu *gpu, struct gpu_summary *summary);

#endif
