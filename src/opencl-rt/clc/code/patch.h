/* The last step of m2s-clc on the machine code itself. */
#ifndef M2S_OPENCL_RT_CLC_CODE_PATCH_H
#define M2S_OPENCL_RT_CLC_CODE_PATCH_H

#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/clc/facts.h"

/* Turns the marks (marker.h) in the kernels of a binary, in place, into the
 * instructions that they stand for, and gives atomics whose result nobody uses
 * their own operation codes (LLVM emits the returning ones). -1 and *error when
 * the marks are not where they must be. */
int patch_image(const char *name, void *image, size_t size,
		struct error *error);

/* Reads the binary as the simulator does, walks every kernel's control flow to
 * its end, and checks what LLVM's back end is known to get wrong or could:
 * clause bounds and targets (evg_code_decode), nesting and stack of the control
 * flow, registers against the number that the kernel declares, resource and RAT
 * numbers, constant buffers, registers that nobody wrote, and whatever the
 * emulator would refuse (evg_kernel_check). And what each kernel's IR says
 * (facts.h), if `facts`, one for each, is not NULL. */
int patch_verify(const char *name, const void *image, size_t size,
		 const struct kernel_facts *facts, struct error *error);

#endif
