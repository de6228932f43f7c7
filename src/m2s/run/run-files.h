/* The files that a run reads and writes, besides its programs' own files. */
#ifndef M2S_M2S_RUN_RUN_FILES_H
#define M2S_M2S_RUN_RUN_FILES_H

#include <time.h>

#include "base/log.h"
#include "m2s/options.h"
#include "m2s/run/reports.h"
#include "report/inputs.h"
#include "report/outputs.h"
#include "sim/timeline.h"

struct run_files {
	struct inputs inputs;
	struct outputs *outputs;
	struct log *log; /* with channels that are outputs */
	struct reports reports;
	/* NULL: not asked for */
	struct output *annotations, *intervals, *threads, *branches, *profile;
	struct output *pipeline, *power, *phases;
	struct output *timeline, *units;
	struct timeline_window window; /* of these two */
	bool provenance; /* in reports */
	time_t start;
};

/* Adds the files that the options name to the inputs of the run. */
void run_files_add_inputs(struct inputs *inputs,
			  const struct options *options);
/* Reserves every output of the options. -1 and *error; the caller must call
 * run_files_close() then, too. */
int run_files_open(struct run_files *files, const struct options *options,
		   bool detailed, bool x86_detailed, struct error *error);
/* The window of --trace and --evg-trace, and the timeline of --trace; without this
 * option *timeline is left as it is. -1 and *error for a window that cannot be. */
int run_files_timeline(struct run_files *files, const struct options *options,
		       bool detailed, struct timeline **timeline,
		       struct error *error);
/* Checks the outputs for the last time, when all inputs are known
 * (outputs_start()). */
int run_files_start(struct run_files *files, const struct options *options,
		    struct error *error);
/* Writes the reports from the registry. `partial` is that of stats_write(). */
int run_files_report(struct run_files *files, const struct options *options,
		     struct stats *stats, const char *partial,
		     struct error *error);
/* Closes and frees all files. The log is invalid afterwards. */
void run_files_close(struct run_files *files);

#endif
