/* The control-flow stack of a wavefront. */
#ifndef M2S_EVERGREEN_EMU_CONTROL_STACK_H
#define M2S_EVERGREEN_EMU_CONTROL_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Elements of an entry: the stack is counted in entries, each of which has four
 * elements for a wavefront of 64 lanes. */
enum { EVG_STACK_ENTRY = 4 };

enum evg_frame_kind { EVG_FRAME_PUSH, EVG_FRAME_LOOP, EVG_FRAME_CALL };

struct evg_frame {
	uint64_t mask;      /* to be restored */
	uint64_t continued; /* loop: lanes that wait for LOOP_END */
	enum evg_frame_kind kind;
	uint8_t elements;     /* elements of the stack that the frame takes */
	bool counted;         /* loop: `trips` counts its iterations */
	bool sets_loop_index; /* loop: steps aL */
	uint8_t calls;        /* call: levels that it added to the nesting */
	uint32_t return_to;   /* call: CF address */
	uint32_t trips;       /* loop: iterations left, this one included */
	int32_t step;         /* loop: step of aL */
	int32_t outer_index;  /* loop: aL of the loop around it */
	bool outer_has_index; /* loop: whether outer_index is valid */
};

struct evg_control_stack {
	uint32_t depth;           /* frames */
	uint32_t used;            /* elements */
	uint32_t calls;           /* nesting of the calls that count */
	struct evg_frame *frames; /* room for plan->stack_elements */
};

#endif
