/* A static check for code that the emulator would refuse. */
#ifndef M2S_EVERGREEN_EMU_CHECK_H
#define M2S_EVERGREEN_EMU_CHECK_H

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* -1 and *error, with the address, for the first instruction that is an error
 * on every execution: a register or constant that the kernel does not have, the
 * result of a slot that was not issued, a read of an empty output queue, an
 * operation that compute kernels do not have. The kernel's code must have been
 * decoded. The check covers nothing that depends on data or on the launch's
 * bindings. */
int evg_kernel_check(const struct evg_kernel *kernel, struct error *error);

#endif
