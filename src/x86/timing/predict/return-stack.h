/* The return address stack: calls push their return address, and returns pop
 * it. It is a ring that forgets the oldest address. Kaeli and Emma, ISCA 1991;
 * repair after wrong paths: Skadron, Ahuja, Martonosi and Clark, MICRO 1998. */
#ifndef M2S_X86_TIMING_PREDICT_RETURN_STACK_H
#define M2S_X86_TIMING_PREDICT_RETURN_STACK_H

#include "x86/timing/predict/direction.h"

enum { RAS_REPAIR_FULL, RAS_REPAIR_TOP, RAS_REPAIR_POINTER, RAS_REPAIR_NONE };

struct return_stack {
	/* The caller's; must outlive this struct. */
	const struct predict_config *config;
	uint64_t *state; /* the pointer, then the ring */
};

/* The record of one branch. The caller keeps it while the branch may be
 * squashed. */
struct return_record {
	uint32_t pointer; /* before the branch */
	bool pushed;
	uint64_t top;         /* before the branch */
	uint64_t overwritten; /* the address that the push overwrote */
};

void return_stack_init(struct return_stack *stack,
		       const struct predict_config *config);
void return_stack_free(struct return_stack *stack);
size_t return_stack_bytes(const struct predict_config *config);
/* The storage in bits, with addresses of 48 bits. */
uint64_t return_stack_bits(const struct predict_config *config);
/* To be called for every branch, at fetch. `next` is the address behind the
 * branch. Returns the predicted target of a return, and 0 for other
 * branches. */
uint64_t return_stack_fetch(struct return_stack *stack,
			    struct return_record *record,
			    enum branch_kind kind, uint64_t next);
/* Undoes the effects of squashed branches, as far as RAS.Repair restores
 * anything. `records` has `count` records, the oldest first. */
void return_stack_repair(struct return_stack *stack,
			 const struct return_record *records, size_t count);

#endif
