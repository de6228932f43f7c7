/* What is looked at between the stages of the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_STAGE_STAGE_H
#define M2S_OPENCL_RT_CODEGEN_STAGE_STAGE_H

#include <stdio.h>

#include "opencl-rt/codegen/machine.h"

enum stage {
	STAGE_NONE,
#define STAGE(name, text) STAGE_##name,
#include "opencl-rt/codegen/stage/stage.def"
	STAGE_COUNT,
};

/* Of one kernel on its way through the stages. */
struct stage_watch {
	const char *kernel;
	enum stage print_after;
	/* "": no stage has made a fault so far */
	char fault[256];
};

/* The stage of that name; STAGE_NONE: there is none. */
enum stage stage_find(const char *text);
/* Reads names of stages with commas between them: a set of 1 << stage. Those of
 * `select` and `registers` must be. -1 and *error. */
int stage_set(const char *text, unsigned *set, struct error *error);
const char *stage_name(enum stage stage);

/* Ends a stage: prints the instructions where that was asked for, and notes the
 * first fault with the stage's name. */
void stage_end(struct stage_watch *watch, const struct machine *machine,
	       enum stage stage);

/* Instructions as text, one a line. Registers are %N, with their places behind
 * the last stage. */
void stage_print(FILE *out, const struct machine *machine, bool placed);

/* NULL, or a fault; *place is the instruction's number. The instructions must be
 * well formed by themselves: operands and results, nesting, the queues of local
 * memory, tests before what asks for the predicate, no value before it can be
 * there. */
const char *stage_verify(const struct machine *machine, unsigned *place);
/* The same for places: no instruction writes to the place of another value that
 * is read later. Works from the ways that a lane can take, not from the
 * allocator's intervals. */
const char *stage_verify_places(const struct machine *machine,
				unsigned *place);

#endif
