/* A machine with one wavefront, for the tests of memory instructions. */
#ifndef M2S_TESTS_EVERGREEN_EMU_ONE_WAVEFRONT_H
#define M2S_TESTS_EVERGREEN_EMU_ONE_WAVEFRONT_H

#include "evergreen/emu/fixture.h"

enum { ONE_BLOCK = 1 << 16 };

struct one_wavefront {
	struct evg_program *program;
	struct evg_memory *memory;
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	uint32_t block;      /* device address of ONE_BLOCK bytes */
	uint8_t *bytes;
	struct evg_bindings bindings;
	struct error error;
};

/* Takes what has been assembled. The registers may then be filled. */
void one_begin(struct one_wavefront *one, struct assembler *as,
	       const struct evg_simd *simd);
/* Runs the wavefront to its end: the error's text, or "". */
const char *one_run(struct one_wavefront *one);
/* Runs it to the error that this text is in. */
void one_expect(struct one_wavefront *one, const char *text);
void one_end(struct one_wavefront *one);

/* Begins a kernel whose active mask becomes the lanes where R15.x is not 0. */
void one_masked(struct assembler *as);
enum { ONE_MASK = 15 };

/* The instruction sets that this host can run. */
unsigned one_levels(void);
const struct evg_simd *one_level(unsigned level);

/* Whether the assembler makes the same words of the instruction's text. */
bool text_gives_fetch(const struct evg_fetch_inst *inst);
bool text_gives_cf(const struct evg_cf_inst *inst);

#endif
