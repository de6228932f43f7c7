/* Random instructions and a random walk over them, for the core: they need mean
 * nothing, only exercise its rules. */
#ifndef M2S_TESTS_X86_TIMING_RANDOM_PROGRAM_H
#define M2S_TESTS_X86_TIMING_RANDOM_PROGRAM_H

#include "x86/timing/core/core.h"

enum { RANDOM_CODE = 24, RANDOM_LENGTH = 240, RANDOM_UOPS = 14 };

struct random_program {
	struct x86_inst inst[RANDOM_CODE];
	struct x86_template form[RANDOM_CODE];
	struct x86_uop uop[RANDOM_CODE][RANDOM_UOPS];
	uint64_t address[RANDOM_CODE];
	unsigned target[RANDOM_CODE]; /* of a jump; RANDOM_CODE: none */
	struct x86_core_input step[RANDOM_LENGTH];
	struct x86_reference reference[RANDOM_LENGTH][2];
	unsigned length;
};

/* Figures of one of the presets with small structures and changed widths and
 * times. */
void random_figures(struct x86_core_figures *figures, uint64_t *seed);
void random_program(struct random_program *program, uint64_t *seed);

/* Several names of the same places, and times that depend on the address. */
extern const struct x86_core_memory random_memory;

#endif
