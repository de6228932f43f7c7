/* The branch target buffer: where a taken branch at an address went last, in one
 * or two levels. Lee and Smith, IEEE Computer 17(1), 1984.
 *
 * Looking up changes nothing, so wrong paths need no repair. A branch that was
 * taken is entered when it is updated, as most recently used, into both levels:
 * what the second level still had is thus back in the first. */
#ifndef M2S_X86_TIMING_PREDICT_BTB_H
#define M2S_X86_TIMING_PREDICT_BTB_H

#include "x86/timing/predict/direction.h"

struct btb {
	const struct predict_config *config; /* the caller's, must outlive it */
	void *state;
};

struct btb_answer {
	unsigned level; /* that knew the branch, 1 or 2; 0: none, and the rest
			   says nothing */
	uint64_t target;
	enum branch_kind kind;
};

void btb_init(struct btb *btb, const struct predict_config *config);
void btb_free(struct btb *btb);
size_t btb_state_bytes(const struct predict_config *config);
/* With whole tags and targets, of addresses of 48 bits. */
uint64_t btb_storage_bits(const struct predict_config *config);
struct btb_answer btb_look(const struct btb *btb, uint64_t address);
void btb_update(struct btb *btb, const struct branch *branch);

#endif
