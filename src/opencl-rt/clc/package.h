/* Kernel binaries as ELF files, with libelf. */
#ifndef M2S_OPENCL_RT_CLC_PACKAGE_H
#define M2S_OPENCL_RT_CLC_PACKAGE_H

#include <stddef.h>

#include "base/error.h"

/* Copies a binary and adds a section that holds a text. 0 and *image (free with
 * free()), or -1 and *error. */
int package_add_section(const void *binary, size_t binary_size,
			const char *section, const char *text, char **image,
			size_t *image_size, struct error *error);

#endif
