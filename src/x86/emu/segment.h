/* Segment descriptors as user code may use them. Internal to x86/emu. */
#ifndef M2S_X86_EMU_SEGMENT_H
#define M2S_X86_EMU_SEGMENT_H

#include <string.h>

#include "x86/emu/op.h"

struct x86_descriptor {
	uint32_t access; /* the value that LAR returns: enum x86_rights << 8 */
	uint32_t limit;  /* the last byte */
	uint64_t base;
};

/* Reads the descriptor of a selector. False if it is no segment that user code
 * may use. */
bool x86_descriptor(const struct x86_cpu *cpu, uint16_t selector,
		    struct x86_descriptor *descriptor);

/* Finds what x86_segment_load() would load, and changes nothing. */
int x86_segment_find(struct x86_cpu *cpu, int segment, uint16_t selector,
		     struct x86_segment *new);

/* Sets the segment registers as Linux does when it starts a program. */
void x86_segments_init(struct x86_cpu *cpu);

/* Raises a general-protection fault that names a selector. */
int x86_selector_fault(struct x86_cpu *cpu, const struct x86_op *op,
		       uint16_t selector);
/* Raises the fault for an error of x86_segment_load(). */
int x86_segment_fault(struct x86_cpu *cpu, const struct x86_op *op, int segment,
		      uint16_t selector, int error);

/* Ends a handler that loads a segment register. The instruction is the last of
 * its block, because the next instructions may have to be decoded
 * differently. */
#define X86_NEXT_SEGMENTS \
	do { \
		if (cpu->segmented) { \
			cpu->budget -= op->count + 1; \
			return x86_leave_at_exit(cpu, op, 1); \
		} \
		X86_EXIT(1); \
	} while (0)

#endif
