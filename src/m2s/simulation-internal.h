/* What setting a simulation up and running it share. */
#ifndef M2S_M2S_SIMULATION_INTERNAL_H
#define M2S_M2S_SIMULATION_INTERNAL_H

#include "debug/gdb/gdb.h"
#include "m2s/confinement.h"
#include "m2s/gpu.h"
#include "m2s/opencl.h"
#include "m2s/paths.h"
#include "m2s/programs.h"
#include "m2s/run-files.h"
#include "m2s/simulation.h"
#include "report/progress.h"
#include "x86/config.h"
#include "x86/linux/linux.h"

struct simulation {
	const struct options *options;
	char **argv;
	double start; /* host time */
	struct paths paths;
	struct run_files files;
	struct stats *stats;
	struct gpu *gpu;
	struct opencl *opencl;
	struct x86_config x86;
	struct x86_model model_i386, model_x86_64;
	struct linux_system *guest;
	struct programs programs;
	enum confinement confinement;
	uint64_t capabilities; /* outside the wall */
	struct gdb *gdb;
	simulation_stop *stop;
	void *stop_owner;
	const char *stopped; /* why: SimEnd, or NULL */
	struct progress progress;
};

/* Asked while a kernel runs, and between turns of the guest (owner: the
 * simulation): why the run is to end now, as SimEnd, or NULL. Shows progress
 * and state meanwhile. */
const char *simulation_kernel_stop(void *owner);
bool simulation_guest_stop(void *owner);

#endif
