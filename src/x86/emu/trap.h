/* What the trap flag, the alignment flag and unusual data segments make of
 * single instructions. Internal to x86/emu; only the run loop's slow path comes
 * here.
 *
 * While DS or ES is not flat, or FS or GS is not writable or expands downwards
 * (cpu->segmented, 32-bit mode), the run loop goes by single instructions, too,
 * whose operands are decoded with their segments and checked before they are
 * executed. */
#ifndef M2S_X86_EMU_TRAP_H
#define M2S_X86_EMU_TRAP_H

#include "x86/emu/block.h"

/* Flags with which the run loop goes by single instructions. */
enum { X86_SLOW_FLAGS = X86_TF | X86_AC };

/* Whether the instruction at rip makes an access that a segment or alignment
 * checking refuses: fills in cpu->fault. */
bool x86_refuses(struct x86_cpu *cpu);

/* The trap flag traps after each iteration of a repeated string instruction,
 * and segments are checked before each. Makes a block of one instruction do one
 * of them; false when it repeats nothing. */
bool x86_iterate(const struct x86_cpu *cpu, struct x86_op *op);
/* After that iteration: true when there is another one to come. */
bool x86_iterates_again(struct x86_cpu *cpu, const struct x86_op *op);

/* Whether a block of one instruction loads SS by MOV or POP, which holds back
 * the trap until the next instruction is done. */
bool x86_loads_ss(const struct x86_block *block);

#endif
