#ifndef M2S_EVERGREEN_KERNEL_KERNEL_FILE_H
#define M2S_EVERGREEN_KERNEL_KERNEL_FILE_H

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* The kernel binary in a file; NULL and *error when it cannot be read or is
 * none. */
struct evg_program *kernel_file_read(const char *path, struct error *error);

#endif
