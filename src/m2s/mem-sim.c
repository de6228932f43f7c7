#include "m2s/mem-sim.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "m2s/hang.h"
#include "m2s/reports.h"
#include "memsys/script.h"

/* What is opened for a run. */
struct run {
	struct log *log;
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
		.log = run->log,
		.script = true,
	};
	uint64_t checks = 0;

	if (options->log_path[LOG_MEM] &&
	    log_open(run->log, LOG_MEM, options->log_path[LOG_MEM], error))
		return -1;
	run->memsys = memsys_create(run->events, &memsys, error);
	if (!run->memsys)
		return -1;
	if (!memsys_has_script(run->memsys))
		return error_set(error, "--mem-sim: %s has no [ Commands ] to "
				 "run", options->mem_config);
	memsys_register_stats(run->memsys, run->stats);
	if (memsys_script_run(run->memsys, &checks, error)) {
		if (memsys_hangs(run->memsys))
			hang_write(options->hang_file, describe, run->memsys,
				   error);
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
	struct report_formats formats;
	int status;

	if (program)
		return error_set(error, "--mem-sim: no program runs with it, "
				 "but '%s' was given", program);
	if (!options->mem_config)
		return error_set(error, "--mem-sim: expected --mem-config FILE "
				 "with it, the file that has the commands");
	if (report_formats_parse(&formats, options->report_format, error) ||
	    reports_check(options, &formats, true, error))
		return -1;
	run.log = log_create();
	run.events = event_queue_create();
	run.stats = stats_create();
	status = run_script(&run, options, error);
	if (!status)
		status = reports_write(options, &formats, run.stats, NULL,
				       error);
	stats_free(run.stats);
	memsys_free(run.memsys);
	event_queue_free(run.events);
	log_free(run.log);
	return status;
}
