/* Backtraces of guest threads, by the call frame information of their
 * programs. */
#ifndef M2S_X86_LINUX_UNWIND_UNWIND_H
#define M2S_X86_LINUX_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;

struct unwind_frame {
	uint64_t rip;
	/* rip is the frame's return address, and its call is the instruction
	 * before. False in the innermost frame and in a frame that a signal
	 * interrupted. */
	bool called;
};

/* Lists the frames of a context, innermost first. Returns their number, at most
 * `max`. Uses .eh_frame (found through PT_GNU_EH_FRAME) and, in code without
 * it, frame pointers. All input is the guest's and is checked; malformed input
 * ends the list. */
size_t unwind(const struct context *context, struct unwind_frame *list,
	      size_t max);

#endif
