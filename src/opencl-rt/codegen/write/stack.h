/* The control-flow stack that a kernel's code builds on a chip. Internal to the
 * code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_STACK_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_STACK_H

#include "evergreen/isa/chip.h"

struct write_stack {
	enum evg_chip chip;
	unsigned loops, branches; /* that are open */
	unsigned most;            /* elements at a time so far */
};

/* A loop, or a branch, begins or ends. */
void write_stack_loop(struct write_stack *stack);
void write_stack_branch(struct write_stack *stack);
void write_stack_end(struct write_stack *stack, bool is_loop);
/* Whether the next branch's mask can be saved by the clause of its test. Where
 * not, a PUSH does it. */
bool write_stack_clause_saves(const struct write_stack *stack);
/* The entries that the code needs. */
unsigned write_stack_entries(const struct write_stack *stack);

#endif
