#include "m2s/tools/print-config.h"

#include <stdio.h>

#include "base/settings.h"
#include "m2s/gpu/gpu.h"
#include "stats/stats.h"
#include "x86/config.h"

/* Reads everything as a run does, so that the settings note it. */
static int read_all(const struct options *options, struct stats *stats,
		    struct error *error)
{
	struct gpu_options gpu_options = {
		.detailed = true,
		.threads = 1,
		.evg_preset = options->evg_preset,
		.evg_config = options->evg_config,
		.mem_config = options->mem_config,
		.net_config = options->net_config,
		.settings = options->settings,
		.stats = stats,
	};
	struct x86_config x86;
	struct gpu *gpu;

	if (x86_config_read(&x86, options->x86_config, options->x86_preset,
			    options->x86_cpu,
			    options->settings, error))
		return -1;
	gpu = gpu_create(&gpu_options, error);
	gpu_free(gpu);
	return gpu ? settings_check(options->settings, error) : -1;
}

int print_config(const struct options *options, struct error *error)
{
	struct stats *stats = stats_create();
	int status;

	settings_record(options->settings);
	status = read_all(options, stats, error);
	stats_free(stats);
	if (!status)
		settings_print(options->settings, stdout);
	return status;
}
