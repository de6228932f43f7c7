/* --net-sim: simulates one network alone, with synthetic traffic or the
 * commands of its configuration file. */
#ifndef M2S_M2S_TOOLS_NET_SIM_H
#define M2S_M2S_TOOLS_NET_SIM_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs the traffic and prints to standard output. `program` is a program that
 * the command line gives by mistake, or NULL. */
int net_sim(const struct options *options, const char *program,
	    struct error *error);

/* Without --net-sim: -1 and *error for options that have a meaning only with
 * it. */
int net_sim_check(const struct options *options, struct error *error);

#endif
