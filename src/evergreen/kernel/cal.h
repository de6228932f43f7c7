/* AMD's own kernel binaries (CAL format) for the Radeon HD 5870 family.
 *
 * The outer ELF (one machine number per device) has three symbols for each
 * kernel: its metadata as text, a header, and a complete inner ELF image. The
 * inner image's encoding dictionary lists machine code for several chips, each
 * with notes on the resources of the code. See doc/amd-binaries.md. */
#ifndef M2S_EVERGREEN_KERNEL_CAL_H
#define M2S_EVERGREEN_KERNEL_CAL_H

#include <stdbool.h>
#include <string.h>

#include "evergreen/kernel/kernel.h"

/* Machine numbers of outer files. */
enum { CAL_MACHINE_FIRST = 0x3e9, CAL_MACHINE_LAST = 0x40f };

/* Bytes of a file that have not been checked. */
struct span {
	const uint8_t *bytes;
	size_t size;
};

/* Copies `size` bytes at `offset`; false when the span does not hold all of
 * them. */
static inline bool span_read(struct span span, size_t offset, void *to,
			     size_t size)
{
	if (offset > span.size || size > span.size - offset)
		return false;
	memcpy(to, span.bytes + offset, size);
	return true;
}

static inline bool span_part(struct span span, size_t offset, size_t size,
			     struct span *part)
{
	if (offset > span.size || size > span.size - offset)
		return false;
	*part = (struct span){ span.bytes + offset, size };
	return true;
}

/* Reads a whole outer file, as evg_program_read() does. */
struct evg_program *cal_program_read(const char *name, const void *image,
				     size_t size, struct error *error);

/* Reads an inner image: sets code_offset and code_size (the code is appended to
 * the program's text), registers, stack_size and tail_offset. -1 and *error. */
int cal_inner_read(const char *name, struct span image,
		   struct evg_program *program, struct evg_kernel *kernel,
		   struct error *error);

/* Sets the arguments, local_size and the work-group size from the metadata.
 * Adds the formats of printf to the program. -1 and *error. */
int cal_metadata_read(const char *name, struct span text,
		      struct evg_program *program, struct evg_kernel *kernel,
		      struct error *error);

/* Whether a format of printf stands at `at`; and adds that format to the
 * program. The place behind it, or NULL when it is not whole. */
bool cal_is_printf(const char *at, const char *end);
const char *cal_printf_read(const char *at, const char *end,
			    struct evg_program *program);

#endif
