/* --net-sim: simulates one network alone, with synthetic traffic or the
 * commands of its file. */
#ifndef M2S_M2S_TOOLS_NET_SIM_H
#define M2S_M2S_TOOLS_NET_SIM_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs, and prints to standard output. `program` is NULL, or the program that
 * the command line gives by mistake. */
int net_sim(const struct options *options, const char *program,
	    struct error *error);

/* Refuses options that have a meaning with --net-sim only when there is no
 * --net-sim. */
int net_sim_check(const struct options *options, struct error *error);

#endif
