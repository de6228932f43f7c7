/* Registers for a kernel, with what that asks of its instructions. */
#ifndef M2S_OPENCL_RT_CODEGEN_FIT_FIT_H
#define M2S_OPENCL_RT_CODEGEN_FIT_FIT_H

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/codegen/stage/stage.h"

/* Orders the instructions and gives every value a place, in at most `registers`
 * hardware registers (0: as many as the kernel's work-groups can have). Returns
 * NULL, or the reason why that is not possible. */
const char *fit_registers(struct machine *machine,
			  const struct evg_kernel *kernel, unsigned registers,
			  struct stage_watch *watch);

#endif
