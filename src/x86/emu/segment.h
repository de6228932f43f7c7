/* Segment descriptors as user code may use them. Internal to x86/emu. */
#ifndef M2S_X86_EMU_SEGMENT_H
#define M2S_X86_EMU_SEGMENT_H

#include <string.h>

#include "x86/emu/op.h"

struct x86_descriptor {
	uint32_t access; /* as LAR shows it: enum x86_rights << 8 */
	uint32_t limit;  /* the last byte */
	uint64_t base;
};

/* Whether there is a segment that user code may use behind the selector. */
bool x86_descriptor(const struct x86_cpu *cpu, uint16_t selector,
		    struct x86_descriptor *descriptor);

/* What x86_segment_load() would load; changes nothing. */
int x86_segment_find(struct x86_cpu *cpu, int segment, uint16_t selector,
		     struct x86_segment *new);

/* As Linux starts a program. */
void x86_segments_init(struct x86_cpu *cpu);

/* A general protection fault that names a selector. */
int x86_selector_fault(struct x86_cpu *cpu, const struct x86_op *op,
		       uint16_t selector);
/* What x86_segment_load() said, as a fault. */
int x86_segment_fault(struct x86_cpu *cpu, const struct x86_op *op, int segment,
		      uint16_t selector, int error);

/* The end of what loads a segment register, the last of its block: the next
 * instructions may have to be decoded in another way. */
#define X86_NEXT_SEGMENTS \
	do { \
		if (cpu->segmented) { \
			cpu->budget -= op->count + 1; \
			return x86_leave_at_exit(cpu, op, 1); \
		} \
		X86_EXIT(1); \
	} while (0)

#endif
