/* What x86_run() and step.c share: how handlers are left. Internal to
 * x86/emu. */
#ifndef M2S_X86_EMU_RUN_H
#define M2S_X86_EMU_RUN_H

#include "memsys/host-fault.h"
#include "x86/emu/block.h"

/* What siglongjmp() to cpu->escape brings: 1 is a host fault. */
enum x86_escape {
	X86_ESCAPE_HOST_FAULT = 1,
	X86_ESCAPE_RAISED = 2,  /* cpu->fault says what */
	X86_ESCAPE_FAR = 3,     /* cpu->fault.address is far away */
};

/* Makes the state that of the boundary before cpu->op's instruction. */
void x86_rewind_to_op(struct x86_cpu *cpu);

/* Takes over what the space's host addresses are now. */
void x86_bind_memory(struct x86_cpu *cpu);

/* Whether code at an address must be compared whenever it is executed, since
 * not every change of it is noticed. */
bool x86_code_unwatched(struct x86_emulator *emulator, uint64_t address);
/* Notices changes of a block's code from now on, but where it is compared. */
void x86_watch_code(struct x86_emulator *emulator,
		    const struct x86_block *block);

/* Fills in what only the instruction tells of a page fault. */
void x86_complete_page_fault(struct x86_cpu *cpu);

/* A 64-bit jump to an address that is not canonical faults in the jump, not at
 * its target: puts back what the jump has done. False when there is nothing
 * wrong with it. */
bool x86_jump_fault(struct x86_cpu *cpu);

/* What to do about a host fault: a write to watched code is let through, or
 * with `keep` is not; anything else is the guest's fault. The state is then
 * that before cpu->op's instruction. */
enum x86_outcome {
	X86_OUTCOME_FAULT,  /* cpu->fault */
	X86_OUTCOME_AGAIN,  /* the guest goes on */
	X86_OUTCOME_KEPT,
};
enum x86_outcome x86_host_fault(struct x86_cpu *cpu,
				const struct host_fault *fault, bool keep);

#endif
