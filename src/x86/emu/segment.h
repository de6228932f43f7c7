/* Segment descriptors as user code may use them. Internal to x86/emu. */
#ifndef M2S_X86_EMU_SEGMENT_H
#define M2S_X86_EMU_SEGMENT_H

#include <string.h>

#include "x86/emu/op.h"

struct x86_descriptor {
	uint32_t access; /* as LAR shows it: bits 8 to 23 of the upper half */
	uint32_t limit;  /* the last byte */
	uint64_t base;
};

/* Whether there is a segment that user code may use behind the selector. */
bool x86_descriptor(const struct x86_cpu *cpu, uint16_t selector,
		    struct x86_descriptor *descriptor);

/* A general protection fault that names a selector. */
int x86_selector_fault(struct x86_cpu *cpu, const struct x86_op *op,
		       uint16_t selector);

#endif
