/* Several instructions in one handler: fused.def lists which. Internal to
 * x86/emu.
 *
 * An op is dispatched by an indirect jump, which the host processor predicts
 * badly in programs with more than a few loops. Each dispatch that is saved
 * matters more than the instructions around it. A fused handler is set in the
 * first op of its run and executes the following ops of the run, too. These
 * keep their own handlers, to which no op jumps. */
#ifndef M2S_X86_EMU_VECTOR_FUSED_H
#define M2S_X86_EMU_VECTOR_FUSED_H

#include "x86/emu/op.h"

/* The table of handlers that fuse, which all decoders can share. */
struct x86_fusions *x86_fusions_create(void);
void x86_fusions_free(struct x86_fusions *fusions);

/* Replaces handlers of a block's `count` ops by fused ones. The last op ends
 * the block. */
void x86_fuse(const struct x86_fusions *fusions, struct x86_op *ops,
	      unsigned count);

/* All rows, for tests. */
struct x86_fusion {
	x86_handler *first, *second, *fused;
	const char *name; /* "first second" */
};
extern const struct x86_fusion x86_fusion_rows[];
extern const unsigned x86_fusion_count;

#endif
