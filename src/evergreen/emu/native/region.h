/* Regions: loops whose rows stay in registers from iteration to iteration.
 *
 * When all active lanes of a wavefront are in one host vector, an iteration
 * costs above all the way of its values through memory to the next iteration.
 * So loops have separate code for such wavefronts, in which rows have registers
 * (homes). Homes are loaded at the loop's entry and stored at its exit. In such
 * code:
 *
 *  - Homes hold all lanes of the vector. The results of a block of operations
 *    go into the active lanes at the block's end. Another mask in the same
 *    vector changes nothing.
 *  - NATIVE_STATE is the wavefront's native.state, and the rows of homes in
 *    memory are outdated.
 *  - Some homes are only written with numbers, and only read by operations
 *    that treat all NaNs alike. In lanes that were active at the loop's entry
 *    such a home may have NaNs of any encoding; at the entry all its NaNs had
 *    the fixed one. They get the fixed encoding at the loop's exit. In the
 *    loop that would lengthen the path from each iteration to the next.
 *
 * Lanes in several vectors, but no more than fit into one, are packed: put into
 * one vector in rows of their own, and put back at the loop's exit. Packing
 * costs as much as a few iterations, so it waits for a few iterations under the
 * same mask.
 *
 * A region is a loop, as large as possible, without operations that need a
 * call: memory operations and those that only the interpreter has. It is
 * entered at the tops of loops. All else (the end of the loop, a mask with
 * lanes in another vector, limits, exits) leaves it for the code that has its
 * rows in memory. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_REGION_H
#define M2S_EVERGREEN_EMU_NATIVE_REGION_H

#include "evergreen/emu/native/flow.h"

struct native_region {
	uint32_t first, last; /* addresses of CF instructions */
	struct native_homes homes;
	const struct evg_packed_rows *rows; /* NULL: lanes are not packed */
	/* Subroutines. `enter` returns in eax; 0: the region may not be entered
	 * now. `activate` makes rax the active mask and returns in al; 0: the
	 * mask has lanes outside the vector. */
	size_t enter, leave, activate;
};

/* Finds the regions of the code: f->regions. */
void region_find(struct flow *f);
/* Makes the regions' code after that of all instructions with rows in memory.
 * `compile` makes the code of one instruction. */
void region_compile(struct flow *f,
		    void (*compile)(struct flow *f, uint32_t address,
				    uint32_t next));

/* The region that the instruction is in, or NULL. */
const struct native_region *region_at(const struct flow *f, uint32_t address);
/* Emits the check for entering a region, before an instruction that a loop goes
 * back to, with rows in memory. */
void region_look(struct flow *f);
/* Emits a jump out of the current region. */
void region_leave(struct flow *f, enum native_condition condition,
		  uint32_t label);
#endif
