/* The last step of m2s-clc, on the machine code. */
#ifndef M2S_OPENCL_RT_CLC_CODE_PATCH_H
#define M2S_OPENCL_RT_CLC_CODE_PATCH_H

#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/clc/facts.h"

/* Turns the marks (marker.h) in the kernels of a binary, in place, into the
 * instructions that they stand for. Gives atomics with an unused result the
 * operation codes without a result (LLVM emits the returning ones). -1 and
 * *error when a mark is not in its place. */
int patch_image(const char *name, void *image, size_t size,
		struct error *error);

/* Reads the binary as the simulator does, walks every kernel's control flow to
 * its end, and checks for known and possible faults of LLVM's back end: clause
 * bounds and targets (evg_code_decode), nesting and stack of the control flow,
 * registers against the declared number, resource and RAT numbers, constant
 * buffers, registers that nothing has written, and everything that the emulator
 * would refuse (evg_kernel_check). If `facts` is not NULL, it has an entry for
 * each kernel, and the code is also checked against these facts of the IR
 * (facts.h). */
int patch_verify(const char *name, const void *image, size_t size,
		 const struct kernel_facts *facts, struct error *error);

#endif
