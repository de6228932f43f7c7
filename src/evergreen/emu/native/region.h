/* Regions: loops whose rows stay in registers from round to round.
 *
 * When all active lanes of a wavefront are in one host vector, what a round of
 * a loop costs is above all the way of its values through memory to the next
 * one. So loops have code of their own for such wavefronts, where rows have
 * registers (homes): loaded where the loop begins, stored where it is left. In
 * such code
 *
 *  - homes have all lanes of the vector. What a block of operations computes
 *    goes into the active ones at its end; other masks in the same vector
 *    change nothing.
 *  - NATIVE_STATE is the wavefront's native.state, and the rows of homes in
 *    memory are old.
 *  - a home that only numbers are written to, and only operations read that
 *    take one NaN for another, has NaNs of any encoding in lanes that were
 *    active at its beginning; there it had none of a wrong one. They get it
 *    when the loop is left. Else it would be on the way from each round to the
 *    next.
 *
 * Lanes in several vectors, but no more than one has, are packed: put into one
 * in rows of their own, and back when the loop is left. That costs as much as a
 * few rounds, so it waits for a few under the same mask.
 *
 * A region is a loop, as large as possible, without what takes a call: memory
 * operations and what only the interpreter has. It is entered at the loops'
 * tops. All else (the end of a loop, a mask with lanes in another vector,
 * limits, exits) leaves it, for the code that has its rows in memory. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_REGION_H
#define M2S_EVERGREEN_EMU_NATIVE_REGION_H

#include "evergreen/emu/native/flow.h"

struct native_region {
	uint32_t first, last; /* addresses of CF instructions */
	struct native_homes homes;
	const struct evg_packed_rows *rows; /* NULL: lanes are not packed */
	/* Subroutines. To enter (eax: 0, or it may not be entered now), to
	 * leave; rax becomes the active mask (al: 0, it has lanes outside). */
	size_t enter, leave, activate;
};

/* Finds them: f->regions. */
void region_find(struct flow *f);
/* Their code, when that of all instructions with rows in memory is made:
 * `compile` makes an instruction's. */
void region_compile(struct flow *f,
		    void (*compile)(struct flow *f, uint32_t address,
				    uint32_t next));

/* The region that the instruction is in, or NULL. */
const struct native_region *region_at(const struct flow *f, uint32_t address);
/* Before an instruction that a loop goes back to, rows in memory. */
void region_look(struct flow *f);
/* A jump out of the region in progress. */
void region_leave(struct flow *f, enum native_condition condition,
		  uint32_t label);
/* rax, which is neither 0 nor the last mask, becomes the active mask, and it
 * goes on at `target`; comes back with it in rax, outside the region, when it
 * cannot be. */
void region_activate(struct flow *f, struct flow_target target);

#endif
