/* Effects of the trap flag, the alignment flag and unusual data segments on
 * single instructions. Internal to x86/emu. Only the slow path of the run loop
 * comes here.
 *
 * The run loop also executes single instructions while DS or ES is not flat, or
 * FS or GS is not writable or expands downwards (cpu->segmented, 32-bit mode).
 * Their operands are decoded with their segments and checked before
 * execution. */
#ifndef M2S_X86_EMU_TRAP_H
#define M2S_X86_EMU_TRAP_H

#include "x86/emu/block.h"

/* Flags that make the run loop execute single instructions. */
enum { X86_SLOW_FLAGS = X86_TF | X86_AC };

/* Whether a segment or alignment check refuses an access of the instruction at
 * rip. If so, fills in cpu->fault. */
bool x86_refuses(struct x86_cpu *cpu);

/* Makes a block of one repeated string instruction execute one iteration,
 * because the trap flag traps after each iteration and segments are checked
 * before each. False when the instruction does not repeat. */
bool x86_iterate(const struct x86_cpu *cpu, struct x86_op *op);
/* To be called after that iteration. True when another iteration follows. */
bool x86_iterates_again(struct x86_cpu *cpu, const struct x86_op *op);

/* Whether a block of one instruction loads SS by MOV or POP, which delays the
 * trap until the next instruction is done. */
bool x86_loads_ss(const struct x86_block *block);

#endif
