/* --net-sim: one network alone, with synthetic traffic or the commands of its
 * file. */
#ifndef M2S_M2S_NET_SIM_H
#define M2S_M2S_NET_SIM_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs, and prints to standard output. `program`: NULL, or what was given on
 * the command line by mistake. */
int net_sim(const struct options *options, const char *program,
	    struct error *error);

/* Options that mean something with --net-sim only are refused without. */
int net_sim_check(const struct options *options, struct error *error);

#endif
