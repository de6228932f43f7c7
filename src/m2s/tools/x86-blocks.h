/* --x86-blocks: the times of basic blocks on a simulated core. */
#ifndef M2S_M2S_TOOLS_X86_BLOCKS_H
#define M2S_M2S_TOOLS_X86_BLOCKS_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs the blocks of the file and prints `hex,cycles` for each row to standard
 * output. Prints to standard error why blocks cannot be run, and how many.
 * `program` is NULL, or the program that the command line gives by mistake. */
int x86_blocks_command(const struct options *options, const char *program,
		       struct error *error);

/* Refuses options that have a meaning with --x86-blocks only. */
int x86_blocks_check(const struct options *options, struct error *error);

#endif
