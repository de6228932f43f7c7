/* The assembler: text in AMD's style to kernels; doc/assembler.md is the
 * manual. */
#ifndef M2S_EVERGREEN_ASM_ASSEMBLE_H
#define M2S_EVERGREEN_ASM_ASSEMBLE_H

#include <stddef.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Assembles a whole source. `name` is for messages, text[size] must be a zero
 * byte. NULL and *error ("name:line: ...") for anything that is not right. */
struct evg_program *evg_assemble(const char *name, const char *text,
				 size_t size, struct error *error);

#endif
