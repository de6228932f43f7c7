/* Kernel binaries as ELF files, with libelf. */
#ifndef M2S_OPENCL_RT_CLC_PACKAGE_H
#define M2S_OPENCL_RT_CLC_PACKAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Copies the object and adds a section that holds a text. 0 and *image (free
 * with free()), or -1 and *error. */
int package_add_section(const void *object, size_t object_size,
			const char *section, const char *text, char **image,
			size_t *image_size, struct error *error);

/* Finds the place of .text in an ELF32 file; -1 and *error. */
int package_find_text(const void *image, size_t image_size, uint32_t *offset,
		      uint32_t *size, struct error *error);

/* Calls `move` for the place of each relocation (bytes in .text) and stores the
 * result as its new place. -1 and *error for an image without sections. */
int package_move_relocations(void *image, size_t image_size,
			     uint32_t (*move)(void *context, uint32_t place),
			     void *context, struct error *error);

#endif
