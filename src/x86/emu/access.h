/* The memory that an instruction touches, for watchpoints and traces. Each call
 * decodes the instruction anew, so inner loops should not use these
 * functions. */
#ifndef M2S_X86_EMU_ACCESS_H
#define M2S_X86_EMU_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/emu/cpu.h"

struct x86_access {
	uint64_t address, size; /* bytes */
	uint64_t offset;   /* of the address in its segment */
	uint8_t segment;   /* X86_DS, ... */
	bool read, write;
	uint8_t alignment; /* alignment in bytes that EFLAGS.AC demands */
};

enum { X86_ACCESSES_MAX = 16 };

/* The accesses that the instruction at cpu->rip is about to make, with hidden
 * ones (stack, string operands, gather elements). Returns their number; 0 also
 * when there is no instruction. */
size_t x86_accesses(const struct x86_cpu *cpu,
		    struct x86_access list[X86_ACCESSES_MAX]);
/* x86_accesses() of one iteration of a repeated string instruction. */
size_t x86_first_accesses(const struct x86_cpu *cpu,
			  struct x86_access list[X86_ACCESSES_MAX]);

#endif
