/* The passes between selection and the choice of registers. */
#ifndef M2S_OPENCL_RT_CODEGEN_PASSES_H
#define M2S_OPENCL_RT_CODEGEN_PASSES_H

#include "opencl-rt/codegen/stage/stage.h"

struct codegen_pass {
	enum stage stage;
	void (*run)(struct machine *machine);
};

enum { CODEGEN_PASSES = STAGE_ORDER - STAGE_FLOW };

/* In the order in which they run. STAGE_ORDER is not among them: whether its
 * result is taken depends on the registers (fit/). */
extern const struct codegen_pass codegen_passes[CODEGEN_PASSES];

#endif
