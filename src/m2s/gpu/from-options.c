#include "m2s/gpu/from-options.h"

#include <string.h>
#include <unistd.h>

#include "m2s/device-options.h"

int sim_kind_read(const char *option, const char *text, bool *detailed,
		  struct error *error)
{
	*detailed = false;
	if (!text || !strcmp(text, "functional"))
		return 0;
	if (!strcmp(text, "detailed")) {
		*detailed = true;
		return 0;
	}
	return error_set(error, "--%s %s: expected functional or detailed",
			 option, text);
}

void gpu_options_read(const struct options *options,
		      const struct run_files *files, bool detailed,
		      struct gpu_options *gpu)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	*gpu = (struct gpu_options){
	    .detailed = detailed,
	    /* Few detailed simulations gain from threads so far. */
	    .threads = options->threads ? (unsigned)options->threads
		       : detailed       ? 1
					: (unsigned)processors,
	    .evg_preset = options->evg_preset,
	    .evg_config = options->evg_config,
	    .mem_config = options->mem_config,
	    .net_config = options->net_config,
	    .settings = options->settings,
	    .max_cycles = options->evg_max_cycles,
	    .max_instructions = options->evg_max_inst,
	    .max_kernels = options->evg_max_kernels,
	    .max_group_instructions = options->evg_max_group_inst,
	    .kernel_report =
		options->evg_report_kernel != NULL || options->document != NULL,
	    .wavefront_report = options->evg_report_wavefronts,
	    .annotate = options->evg_annotate != NULL,
	    .threads_report = options->threads_report != NULL,
	    .occupancy_prefix = options->evg_calc,
	    .sample_cycles = options->stats_interval,
	    .sample_output = files->intervals,
	    .hang_file = options->hang_file,
	    .rules = outputs_rules(files->outputs),
	    .pipeline = files->units ? &files->window : NULL,
	    .log = files->log,
	};
}

void opencl_options_read(const struct options *options,
			 const struct run_files *files,
			 const struct paths *paths, const struct gpu *gpu,
			 struct opencl_driver_options *opencl)
{
	*opencl = (struct opencl_driver_options){
	    .compiler = paths->compiler,
	    .cache_folder = paths->cache,
	    .confined = options->x86_root != NULL,
	    .kernel_binary = options->evg_kernel_binary,
	    .build_options = options->evg_build_options,
	    .tell_leaks = options->cl_leaks,
	    .strict = options->evg_strict,
	    .log = files->log,
	};
	device_options_fill(gpu_config(gpu), opencl);
}
