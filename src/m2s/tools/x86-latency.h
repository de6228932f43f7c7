/* m2s --x86-memlat: latencies of a core's caches and memory. */
#ifndef M2S_M2S_TOOLS_X86_LATENCY_H
#define M2S_M2S_TOOLS_X86_LATENCY_H

#include "base/error.h"
#include "m2s/options.h"

/* Measures each row of the file on the core of --x86-preset. -1 and *error when
 * the file cannot be read or a row makes no sense. */
int x86_latency_command(const struct options *options, struct error *error);

#endif
