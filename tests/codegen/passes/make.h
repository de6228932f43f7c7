/* Random machine instructions with structured control flow. */
#ifndef M2S_TESTS_CODEGEN_PASSES_MAKE_H
#define M2S_TESTS_CODEGEN_PASSES_MAKE_H

#include "opencl-rt/codegen/machine.h"

/* Fills an empty machine. Its first registers are the lane's ids, which have
 * places. No value is read before it is there. */
void make_program(struct machine *machine, uint64_t seed);

#endif
