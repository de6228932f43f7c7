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
	/* rip is where the frame will go on; what it is busy with is the
	 * instruction before. False in the innermost frame and in one that a
	 * signal interrupted. */
	bool called;
};

/* The frames of a context, innermost first: how many, at most `max`. Uses
 * .eh_frame (found through PT_GNU_EH_FRAME) and, in code without, frame
 * pointers. Everything read is the guest's and is checked; nonsense ends the
 * list. */
size_t unwind(const struct context *context, struct unwind_frame *list,
	      size_t max);

#endif
