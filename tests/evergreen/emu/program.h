/* Kernels written in assembler, run in every way that there is: at once, step
 * by step, in the timing model, and on each host instruction set.
 *
 * A kernel's result is R2, which an epilogue stores for each work-item. It may
 * use R2 and the registers from R4 on; R0 and R1 it leaves alone. */
#ifndef M2S_TESTS_EVERGREEN_EMU_PROGRAM_H
#define M2S_TESTS_EVERGREEN_EMU_PROGRAM_H

#include "evergreen/emu/machine.h"

enum {
	PROGRAM_DATA = 256, /* dwords of data in constant buffer 0 */
	/* Of the first one in constant buffer 0: KC0[2].z. */
	PROGRAM_DATA_FIRST = 10,
};

enum program_way {
	PROGRAM_RUN,     /* evg_ndrange_run */
	PROGRAM_STEPPED, /* evg_wavefront_step, one work-group at a time */
	PROGRAM_TIMED,   /* the timing model */
};

/* What was counted, all of it. */
struct program_figures {
	struct evg_stats stats;
	uint64_t divergence[EVG_WAVEFRONT_SIZE + 1];
	struct evg_path_counts paths;
	uint64_t rows; /* of executions and active lanes: a sum to compare */
};

struct program_run {
	enum program_way way;
	unsigned threads;             /* PROGRAM_RUN; 0: one */
	bool interpreted;             /* no native code */
	const struct evg_simd *simd;  /* NULL: the best one */
	uint32_t groups, local;       /* work-groups of `local` work-items */
	uint32_t local_memory;
	uint32_t units;               /* compute units; 0: one, when
					 timed two */
	bool code_at_hand;            /* timed: no instruction is missing in
					 its cache */
	/* PROGRAM_RUN: of all, and of each work-group; 0: no limit that these
	 * programs reach. */
	uint64_t max_instructions, max_group_instructions;
	/* PROGRAM_RUN: asked now and then whether to stop; NULL: not. */
	bool (*progress)(void *owner, uint64_t done, uint64_t total);
	void *owner;
	struct program_figures *figures; /* result, or NULL */
	/* Result: max_instructions came first, or `progress` stopped it. */
	bool limited;
	uint64_t cycles, instructions; /* result: of the timing model */
	struct error error;           /* result */
};

/* Assembles `directives` (".stack 4" ...), the body, the epilogue, and
 * `functions` behind it. NULL and *error when that fails. */
struct evg_program *program_assemble(const char *directives, const char *body,
				     const char *functions,
				     struct error *error);

/* The dword `index` of the data. */
uint32_t program_data(unsigned index);

/* Runs it: four dwords (R2) for each work-item, to be freed (0 where a limit
 * came before); NULL and run->error after a fault. */
uint32_t *program_run(const struct evg_program *program,
		      struct program_run *run);

/* Both at once, with one work-group of 64, which must succeed: R2.x of each
 * lane. What went wrong, or "". */
const char *program_result(const char *directives, const char *body,
			   const char *functions, uint32_t result[64]);

#endif
