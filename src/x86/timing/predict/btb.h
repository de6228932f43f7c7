/* The branch target buffer, in one or two levels: the last target of a taken
 * branch, by the branch's address. Lee and Smith, IEEE Computer 17(1), 1984.
 *
 * A lookup changes nothing, so wrong paths need no repair. The update of a
 * taken branch enters the branch into both levels as the most recently used. So
 * a branch that only the second level still had returns to the first. */
#ifndef M2S_X86_TIMING_PREDICT_BTB_H
#define M2S_X86_TIMING_PREDICT_BTB_H

#include "x86/timing/predict/direction.h"

struct btb {
	/* The caller's; must outlive this struct. */
	const struct predict_config *config;
	void *state;
};

struct btb_answer {
	/* The level that has the branch, 1 or 2. 0: none, and the other members
	 * are meaningless. */
	unsigned level;
	uint64_t target;
	enum branch_kind kind;
};

void btb_init(struct btb *btb, const struct predict_config *config);
void btb_free(struct btb *btb);
size_t btb_state_bytes(const struct predict_config *config);
/* The storage in bits, with full tags and targets of 48-bit addresses. */
uint64_t btb_storage_bits(const struct predict_config *config);
struct btb_answer btb_look(const struct btb *btb, uint64_t address);
void btb_update(struct btb *btb, const struct branch *branch);

#endif
