/* How much of the instruction set the uop tables know. */
#ifndef M2S_X86_TIMING_UOPS_COVERAGE_H
#define M2S_X86_TIMING_UOPS_COVERAGE_H

#include <stdio.h>

#include "base/error.h"

/* For --x86-isa: one line for each core, how many rows of the instruction
 * tables have a form in its uop table, and how many take the default of their
 * class. Takes about a second. */
int x86_uop_coverage_print(FILE *stream, struct error *error);

#endif
