#include "m2s/tools/mem-sim.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/settings.h"
#include "m2s/run/run-files.h"
#include "memsys/script/script.h"
#include "report/hang.h"

/* The objects of a run. */
struct run {
	struct run_files files;
	struct event_queue *events;
	struct memsys *memsys;
	struct stats *stats;
};

static void describe(const void *owner, FILE *stream)
{
	memsys_describe(owner, stream);
}

static int run_script(struct run *run, const struct options *options,
		      struct error *error)
{
	struct memsys_options memsys = {
		.mem_config = options->mem_config,
		.net_config = options->net_config,
		.settings = options->settings,
		.log = run->files.log,
		.script = true,
	};
	uint64_t checks = 0;

	run->memsys = memsys_create(run->events, &memsys, error);
	if (!run->memsys || settings_check(options->settings, error))
		return -1;
	if (!memsys_has_script(run->memsys))
		return error_set(error, "--mem-sim: %s has no section [ "
					"Commands ] to run",
					options->mem_config
						? options->mem_config
						: options->config);
	memsys_register_stats(run->memsys, run->stats);
	if (memsys_script_run(run->memsys, &checks, error)) {
		if (memsys_hangs(run->memsys))
			hang_write(options->hang_file,
				   outputs_rules(run->files.outputs), describe,
				   run->memsys, error);
		return -1;
	}
	stats_freeze(run->stats, "memory");
	stats_freeze(run->stats, "network");
	printf("[ Commands ]\nChecks = %" PRIu64 "\n", checks);
	return 0;
}

int mem_sim(const struct options *options, const char *program,
	    struct error *error)
{
	struct run run = { 0 };
	int status;

	if (program)
		return error_set(error, "--mem-sim: this option runs no "
				 "program, but the command line has '%s'",
				 program);
	if (!options->mem_config && !options->config)
		return error_set(error, "--mem-sim: needs --mem-config FILE, "
					"the file that has the commands");
	status = run_files_open(&run.files, options, true, false, error);
	run.events = event_queue_create();
	run.stats = stats_create();
	if (!status)
		status = run_files_start(&run.files, options, error);
	if (!status)
		status = run_script(&run, options, error);
	if (!status)
		status = run_files_report(&run.files, options, run.stats, NULL,
					  error);
	if (!status)
		status = outputs_end(run.files.outputs, "Complete", error);
	stats_free(run.stats);
	memsys_free(run.memsys);
	event_queue_free(run.events);
	run_files_close(&run.files);
	return status;
}
