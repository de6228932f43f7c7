/* The assembler: it turns text in AMD's style into kernels. The manual is
 * doc/assembler.md. */
#ifndef M2S_EVERGREEN_ASM_ASSEMBLE_H
#define M2S_EVERGREEN_ASM_ASSEMBLE_H

#include <stddef.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Assembles a whole source text. `name` is for messages; text[size] must be a
 * zero byte. NULL and *error ("name:line: ...") when the source has an
 * error. */
struct evg_program *evg_assemble(const char *name, const char *text,
				 size_t size, struct error *error);

#endif
