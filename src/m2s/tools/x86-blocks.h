/* --x86-blocks: the times of basic blocks on a simulated core. */
#ifndef M2S_M2S_TOOLS_X86_BLOCKS_H
#define M2S_M2S_TOOLS_X86_BLOCKS_H

#include "base/error.h"
#include "m2s/options.h"

/* Runs the blocks of the file and prints a row `hex,cycles` for each to
 * standard output. Standard error gets the reasons why blocks cannot be run,
 * and the number of these blocks. `program` is a program that the command line
 * gives by mistake, or NULL. */
int x86_blocks_command(const struct options *options, const char *program,
		       struct error *error);

/* Without --x86-blocks: -1 and *error for options that have a meaning only with
 * it. */
int x86_blocks_check(const struct options *options, struct error *error);

#endif
