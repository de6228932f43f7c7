/* --x86-blocks: how long basic blocks take on a simulated core. */
#ifndef M2S_M2S_X86_BLOCKS_H
#define M2S_M2S_X86_BLOCKS_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs, and prints `hex,cycles` for each row of the file to standard output;
 * why a block cannot be run, and how many there are, to standard error.
 * `program` is NULL, or the program that the command line gives by mistake. */
int x86_blocks_command(const struct options *options, const char *program,
		       struct error *error);

/* Refuses options that have a meaning with --x86-blocks only. */
int x86_blocks_check(const struct options *options, struct error *error);

#endif
