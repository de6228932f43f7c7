/* How much of the instruction set the uop tables know. */
#ifndef M2S_X86_TIMING_UOPS_COVERAGE_H
#define M2S_X86_TIMING_UOPS_COVERAGE_H

#include <stdio.h>

#include "base/error.h"

/* Prints, for --x86-isa, a line for each core: how many rows of the instruction
 * tables have a form in the core's uop table, and how many take the default of
 * their class. Takes about a second. */
int x86_uop_coverage_print(FILE *stream, struct error *error);

#endif
