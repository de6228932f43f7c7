/* A slow core: the rules of doc/x86-timing.md, "The core", once more. Each cycle
 * looks at every instruction and uop anew; there are no lists, masks or wheels.
 * src/x86/timing/core must give the same times, cycle for cycle. */
#ifndef M2S_TESTS_X86_TIMING_REFERENCE_H
#define M2S_TESTS_X86_TIMING_REFERENCE_H

#include "x86/timing/core/core.h"

/* Runs a whole program of executed instructions. times[i] is set for each; of
 * the uops the first 16. Returns the number of cycles; 0 when the core is stuck
 * for 20,000 cycles. */
uint64_t reference_run(const struct x86_core_figures *figures,
		       const struct x86_core_memory *memory,
		       const struct x86_core_input *program, unsigned count,
		       struct x86_core_retired *times);

#endif
