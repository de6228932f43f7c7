/* The check of a finished binary, independent of what made it. */
#ifndef M2S_OPENCL_RT_CLC_VERIFY_VERIFY_H
#define M2S_OPENCL_RT_CLC_VERIFY_VERIFY_H

#include <stddef.h>

#include "base/error.h"

/* Reads the binary as the simulator does, walks every kernel's control flow to
 * its end, and checks clause bounds and targets (evg_code_decode), nesting and
 * stack of the control flow, registers against the declared number, resource and
 * RAT numbers, constant buffers, registers that nothing has written, and
 * everything that the emulator would refuse (evg_kernel_check). `name` is for
 * messages. -1 and *error. */
int verify_binary(const char *name, const void *image, size_t size,
		  struct error *error);

#endif
