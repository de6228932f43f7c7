/* Accesses of observed handlers that do not go straight to memory: held stores,
 * wrong paths, stores to code. Internal to x86/emu. */
#ifndef M2S_X86_EMU_REDIRECT_H
#define M2S_X86_EMU_REDIRECT_H

#include "x86/emu/step.h"

struct x86_overlay;

/* Bits of cpu->redirect. */
enum x86_redirect {
	X86_REDIRECT_HELD = 1 << 0,  /* stores go to the overlay ... */
	X86_REDIRECT_WRONG = 1 << 1, /* also, and the cpu is on a wrong path */
	X86_REDIRECT_CODE = 1 << 2,  /* stops before stores to code */
	X86_REDIRECT_BESIDE = 1 << 3, /* and before accesses with X86_MODIFY */
};

void x86_overlay_free(struct x86_overlay *overlay);

/* x86_bind_memory() for observed handlers. */
void x86_bind_redirected(struct x86_cpu *cpu);
/* With X86_CODE_STORE in `before`: redirects stores that may change code where code
 * cannot be watched, with blocks that compare their code, and on wrong paths. */
void x86_redirect_code(struct x86_cpu *cpu, unsigned before);

/* x86_overlay_done(): to be called when the instruction, or a part of it, is
 * complete. x86_overlay_cancel(): to be called when it is not; drops its stores
 * since the last part. */
void x86_overlay_done(struct x86_cpu *cpu);
void x86_overlay_cancel(struct x86_cpu *cpu);
/* To be called before the block at rip is looked for: code that is decoded or
 * compared now has the right path's stores. */
void x86_overlay_before_code(struct x86_cpu *cpu);

#endif
