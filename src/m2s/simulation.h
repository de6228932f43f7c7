/* One simulation: everything wired together, run, and summarized. */
#ifndef M2S_M2S_SIMULATION_H
#define M2S_M2S_SIMULATION_H

#include "base/error.h"
#include "m2s/options.h"

struct simulation;

/* `stop` is asked now and then; true ends the run early. The program and its
 * arguments are argv + options->program_index. Both must outlive the
 * simulation. */
struct simulation *simulation_create(const struct options *options,
				     char **argv, bool (*stop)(void *owner),
				     void *stop_owner, struct error *error);
void simulation_free(struct simulation *simulation);

struct simulation_result {
	int exit_status; /* of the program */
	int signal;      /* that ended it, or 0 */
};

/* Runs to the end and writes the reports and the summary. 0, or -1 and *error
 * (then no report is written). */
int simulation_run(struct simulation *simulation,
		   struct simulation_result *result, struct error *error);

#endif
