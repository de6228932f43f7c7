/* Making micro-operations from a form and a description. Internal to this
 * folder. */
#ifndef M2S_X86_TIMING_UOPS_BUILD_H
#define M2S_X86_TIMING_UOPS_BUILD_H

#include "x86/timing/uops/form.h"
#include "x86/timing/uops/uop.h"

enum { X86_BUILD_UOPS = 250, X86_BUILD_PLACES = 24 };

/* The uops of an instruction that are being made. */
struct x86_build {
	const struct x86_uop_core *core;
	const struct x86_inst *inst;
	const struct x86_form_line *line;
	struct x86_uop uop[X86_BUILD_UOPS];
	unsigned count;
	unsigned slots;     /* issue slots that the uops take */
};

/* Fills in the uops of a line of the table. */
void x86_build_uops(struct x86_build *build);

/* The place of a register operand. */
uint8_t x86_operand_place(const struct x86_uop_core *core,
			  const struct x86_operand *operand);

/* Latencies between places: latency.c. */
enum { X86_LATENCY_UNKNOWN = -1 }; /* 0: no dependency */

struct x86_latencies {
	unsigned inputs, outputs;
	uint8_t input[X86_BUILD_PLACES], output[X86_BUILD_PLACES];
	int16_t latency[X86_BUILD_PLACES][X86_BUILD_PLACES];
};

/* Places that stand for memory in the matrix: the data of a load, the data of a
 * store. */
enum {
	X86_INPUT_MEMORY = X86_PLACE_INTERNAL, /* and + 1: the second */
	X86_OUTPUT_MEMORY = X86_PLACE_INTERNAL + 2, /* and + 3 */
	X86_BUILD_INTERNAL = X86_PLACE_INTERNAL + 4, /* free ones */
};

/* Fills in what the instruction reads and writes, with the row's latencies, and
 * completes latencies that the row lacks. `zero_idiom`: the row says that the
 * instruction waits for no input. */
void x86_latencies_of(struct x86_latencies *latencies,
		      const struct x86_uop_core *core,
		      const struct x86_inst *inst,
		      const struct x86_form_line *line);

/* Whether rsp changes by a constant that the stack engine adds: PUSH, POP,
 * CALL, RET and related instructions. */
bool x86_stack_engine(const struct x86_inst *inst);

#endif
