/* What x86_run(), step.c and the files below them share: how control leaves
 * handlers, and what faults leave behind. Internal to x86/emu. */
#ifndef M2S_X86_EMU_RUN_H
#define M2S_X86_EMU_RUN_H

#include "memsys/space/host-fault.h"
#include "x86/emu/block.h"

/* Values that siglongjmp() passes to cpu->escape. 1 is a host fault. */
enum x86_escape {
	X86_ESCAPE_HOST_FAULT = 1,
	X86_ESCAPE_RAISED = 2,  /* see cpu->fault */
	X86_ESCAPE_FAR = 3,     /* cpu->fault.address is in far memory */
	X86_ESCAPE_ASKED = 4,   /* observed: to stop before this */
	X86_ESCAPE_ALONE = 5,   /* likewise: it needs memory for itself */
};

/* Sets how many instructions may retire before a block leaves. The number of
 * those retired so far stays. */
static inline void x86_set_budget(struct x86_cpu *cpu, int64_t budget)
{
	uint64_t retired = cpu->budget_base - (uint64_t)cpu->budget;

	cpu->budget = budget;
	cpu->budget_base = retired + (uint64_t)budget;
}

/* Executes from a block's first op on, while blocks are linked, and tells the
 * emulator's log how each was left, but for the last. `budget` is the number of
 * instructions after which it stops at a block's end. */
int x86_execute_logged(struct x86_cpu *cpu, const struct x86_op *op,
		       int64_t budget);
/* Tells the emulator's log how the block of cpu->op was left, if it was. */
void x86_log_leave(struct x86_cpu *cpu, int leave);
void x86_log_count(struct x86_cpu *cpu);

/* ---- operand.c ---- */

/* Copies the space's current host addresses into the cpu. */
void x86_bind_memory(struct x86_cpu *cpu);

/* x86_probe_write() of bytes of the host. */
void x86_probe_host(uint8_t *first, size_t size);

/* ---- recover.c ---- */

/* Rewinds the state to the boundary before cpu->op's instruction. */
void x86_rewind_to_op(struct x86_cpu *cpu);

/* Fills in the parts of a page fault that only the instruction tells. */
void x86_complete_page_fault(struct x86_cpu *cpu);

/* A 64-bit jump to a non-canonical address faults in the jump, not at its
 * target. Undoes the effects of such a jump and fills in the fault. False when
 * the address is canonical. */
bool x86_jump_fault(struct x86_cpu *cpu);

/* Handles a host fault. A write to watched code is let through, or with `keep`
 * reported as X86_OUTCOME_KEPT. Any other fault is the guest's. The state is
 * then that before cpu->op's instruction. */
enum x86_outcome {
	X86_OUTCOME_FAULT,  /* cpu->fault */
	X86_OUTCOME_AGAIN,  /* the guest continues */
	X86_OUTCOME_KEPT,
};
enum x86_outcome x86_host_fault(struct x86_cpu *cpu,
				const struct host_fault *fault, bool keep);

#endif
