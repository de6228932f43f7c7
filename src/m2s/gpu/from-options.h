/* The command line's part in the simulated GPU and its driver. */
#ifndef M2S_M2S_GPU_FROM_OPTIONS_H
#define M2S_M2S_GPU_FROM_OPTIONS_H

#include "m2s/gpu/gpu.h"
#include "m2s/options.h"
#include "m2s/paths.h"
#include "m2s/run/run-files.h"

/* Functional or detailed, as the text of --x86-sim or --evg-sim (NULL:
 * functional). 0, or -1 and *error. */
int sim_kind_read(const char *option, const char *text, bool *detailed,
		  struct error *error);

/* What options and files say; the other members are zero. */
void gpu_options_read(const struct options *options,
		      const struct run_files *files, bool detailed,
		      struct gpu_options *gpu);
void opencl_options_read(const struct options *options,
			 const struct run_files *files,
			 const struct paths *paths, const struct gpu *gpu,
			 struct opencl_driver_options *opencl);

#endif
