/* --mem-sim: simulates a memory hierarchy alone, with the commands of its
 * configuration file. */
#ifndef M2S_M2S_TOOLS_MEM_SIM_H
#define M2S_M2S_TOOLS_MEM_SIM_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs the commands and prints to standard output. `program` is a program that
 * the command line gives by mistake, or NULL. */
int mem_sim(const struct options *options, const char *program,
	    struct error *error);

#endif
