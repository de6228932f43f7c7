/* Other simulators' markers: instructions that do nothing by themselves.
 * Sources: gem5's m5ops (0F 04 and a function of 16 bits), Sniper's sim_api
 * (xchg bx, bx; the command in rax), ZSim's hooks (xchg rcx, rcx, in 32-bit code
 * ecx; the command in it). */
#ifndef M2S_X86_EMU_DECODE_FOREIGN_H
#define M2S_X86_EMU_DECODE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the op of a marker has: a code, or where the code comes from. */
enum {
	FOREIGN_NONE = 0,
	FOREIGN_SNIPER = 1 << 8,
	FOREIGN_ZSIM = 2 << 8,
	FOREIGN_GEM5 = 3 << 8, /* the lower 8 bits are the marker's code */
};

/* The marker at `code`, or FOREIGN_NONE, and its length. */
unsigned x86_foreign_marker(const uint8_t *code, size_t size, bool mode64,
			    unsigned *length);
/* The code (enum x86_marker) that a command in a register stands for. */
uint8_t x86_foreign_code(unsigned marker, uint64_t rax, uint64_t rcx);
/* A NOP of this length (3 or 4), or of 2. */
const uint8_t *x86_foreign_nop(unsigned length);

#endif
