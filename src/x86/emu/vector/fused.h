/* Several instructions in one handler: fused.def lists which. Internal to
 * x86/emu.
 *
 * The dispatch of an op, an indirect jump, is what the processor predicts
 * badly in programs that are more than a few loops, and each one saved there
 * counts for more than the instructions around it. A fused handler stands in
 * the first op of its run and executes the ops behind it too; these keep
 * their own handlers, which nobody jumps to. */
#ifndef M2S_X86_EMU_VECTOR_FUSED_H
#define M2S_X86_EMU_VECTOR_FUSED_H

#include "x86/emu/op.h"

/* Which handlers fuse: a table to search, the same for everybody. */
struct x86_fusions *x86_fusions_create(void);
void x86_fusions_free(struct x86_fusions *fusions);

/* Replaces handlers of a block's `count` ops, the last of which ends it, by
 * fused ones. */
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
