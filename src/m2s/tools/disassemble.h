/* --evg-disasm and --x86-disasm. */
#ifndef M2S_M2S_TOOLS_DISASSEMBLE_H
#define M2S_M2S_TOOLS_DISASSEMBLE_H

#include <stdio.h>

#include "base/error.h"

/* Prints every kernel of a kernel binary. */
int disassemble_kernels(const char *path, const char *style, FILE *stream,
			struct error *error);
/* Prints the executable segments of an ELF program, with its symbols. */
int disassemble_program(const char *path, FILE *stream, struct error *error);

#endif
