/* The state of a simulation, for its set-up (simulation.c) and its run
 * (simulation-run.c). */
#ifndef M2S_M2S_SIMULATION_INTERNAL_H
#define M2S_M2S_SIMULATION_INTERNAL_H

#include "debug/gdb/gdb.h"
#include "m2s/mem-owner.h"
#include "m2s/confinement.h"
#include "m2s/cores/machine.h"
#include "m2s/gpu/gpu.h"
#include "m2s/gpu/opencl.h"
#include "m2s/paths.h"
#include "m2s/programs.h"
#include "m2s/run/parts.h"
#include "m2s/run/run-files.h"
#include "m2s/sampling/vectors.h"
#include "m2s/simulation.h"
#include "memsys/memsys.h"
#include "report/progress.h"
#include "x86/config.h"
#include "x86/linux/linux.h"
#include "x86/timing/branches/observe.h"

struct simulation {
	const struct options *options;
	char **argv;
	double start; /* host time */
	struct paths paths;
	struct run_files files;
	struct timeline *timeline; /* --trace, or NULL */
	struct stats *stats;
	struct gpu *gpu;
	struct opencl *opencl;
	struct opencl_failures failures;
	struct opencl_account *account; /* of --cl-report, or NULL */
	struct x86_config x86;
	struct x86_model model_i386, model_x86_64;
	struct linux_system *guest;
	bool x86_detailed;
	struct saved_parts *parts; /* that are saved, or NULL */
	enum mem_owner mem_owner;
	/* With MEM_OF_BOTH: the GPU in the cores' memory. */
	unsigned compute_units;
	struct memsys_gpu memory_shape;
	struct x86_machine *machine; /* NULL: functional simulation */
	struct branch_observer *branches; /* NULL: no trace */
	struct vectors *vectors; /* NULL: no phases are looked for */
	struct programs programs;
	enum confinement confinement;
	/* Outside the wall (base/wall). */
	uint64_t capabilities;
	struct gdb *gdb;
	simulation_stop *stop;
	void *stop_owner;
	const char *stopped; /* reason of the stop as SimEnd, or NULL */
	struct progress progress;
};

/* Called while a kernel runs, and between turns of the guest. `owner` is the
 * simulation. simulation_kernel_stop() returns the reason to end the run now,
 * as SimEnd, or NULL. simulation_guest_stop() returns whether to end the run.
 * Both also show progress and state when these are due. */
const char *simulation_kernel_stop(void *owner);
bool simulation_guest_stop(void *owner);

/* simulation-observe.c: --x86-branch-trace and --x86-find-phases watch the programs'
 * instructions, and write their files at the end. -1 and *error. */
int simulation_observe(struct simulation *s, struct linux_options *options,
		       struct error *error);
int simulation_observe_end(struct simulation *s, struct error *error);

#endif
