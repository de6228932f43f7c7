/* ALU clauses as text. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_CLAUSE_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_CLAUSE_H

#include <stdio.h>

#include "opencl-rt/codegen/write/lines.h"

/* Writes a clause for the assembler: `name` is its CF instruction. */
void write_clause(FILE *out, struct write_lines *lines, const char *name,
		  const struct codegen_group *groups, unsigned count);

#endif
