/* What the emulator would refuse of a kernel, found without running it. */
#ifndef M2S_EVERGREEN_EMU_CHECK_H
#define M2S_EVERGREEN_EMU_CHECK_H

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* -1 and *error, with its address, for the first instruction that is an error
 * whatever it is executed on: a register or constant that the kernel does not
 * have, the result of a slot that was not issued, an output queue that is
 * empty, an operation that compute kernels do not have. The kernel's code must
 * have been decoded. What depends on data or on what a launch binds is not
 * looked at. */
int evg_kernel_check(const struct evg_kernel *kernel, struct error *error);

#endif
