/* Which memory an instruction touches: for watchpoints and traces. Decodes
 * anew each time; not for inner loops. */
#ifndef M2S_X86_EMU_ACCESS_H
#define M2S_X86_EMU_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/emu/cpu.h"

struct x86_access {
	uint64_t address, size; /* bytes */
	bool read, write;
};

enum { X86_ACCESSES_MAX = 16 };

/* The accesses that the instruction at cpu->rip is about to make, hidden ones
 * (stack, string operands, gather elements) included. Returns how many; 0
 * too when there is no instruction. */
size_t x86_accesses(const struct x86_cpu *cpu,
		    struct x86_access list[X86_ACCESSES_MAX]);

#endif
