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

/* Lets copies stand where their registers' last values are used for the last
 * time (early.c), so that fewer values are there at once. */
void fit_copy_early(struct machine *machine);
/* Gives values that are copies of each other one register, where that is possible
 * (merge.c); `bound`: also with a register that is one of a tuple or must be in
 * a channel. */
void fit_merge(struct machine *machine, bool bound);

#endif
