/* m2s --print-config: the configuration of a run, complete. */
#ifndef M2S_M2S_TOOLS_PRINT_CONFIG_H
#define M2S_M2S_TOOLS_PRINT_CONFIG_H

#include "base/error.h"
#include "m2s/options.h"

/* Prints on standard output every variable of the configuration that a run with
 * these options has, in the form that --config reads: the processor, the GPU,
 * and the memory hierarchy and networks of detailed simulation, whether the run
 * is detailed or not. -1 and *error for configurations that no run can have. */
int print_config(const struct options *options, struct error *error);

#endif
