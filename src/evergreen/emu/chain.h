/* Chains: control flow as native code.
 *
 * A chain is machine code for one CF instruction after another, clauses
 * included, which jumps from one to the next without returning to the
 * interpreter. It exists in three versions: for all 64 lanes active, for some
 * lanes, and for none, where only counting is left. An instruction without
 * native code (a call, a counted loop, a barrier, the end of the program, ...)
 * ends a chain. The interpreter executes that instruction, and a chain begins
 * behind it.
 *
 * While a chain runs:
 *  - When no lane is active, masks.lanes[EVG_MASK_ACTIVE] and all that is
 *    derived from it keep the last mask that was not empty. So a mask that
 *    becomes empty and then what it was, as at a loop's end, costs nothing.
 *  - The stack's frames hold only what changes: masks, and lanes that continue.
 *    All else is known from the instruction (struct evg_stack), where all ways
 *    to the instruction agree, as they do in structured programs. A chain
 *    begins only with the stack for which it was compiled. */
#ifndef M2S_EVERGREEN_EMU_CHAIN_H
#define M2S_EVERGREEN_EMU_CHAIN_H

#include "evergreen/emu/state.h"

/* The number of active lanes, as versions of code know it. */
enum evg_lanes {
	EVG_LANES_ALL,
	EVG_LANES_SOME,
	EVG_LANES_NONE,
	EVG_LANES_KINDS
};

/* Whether all active lanes are in one host vector. */
enum evg_vector {
	EVG_VECTOR_NONE,
	EVG_VECTOR_ONE,    /* one vector has all of them */
	EVG_VECTOR_PACKED, /* moved into one vector */
	/* The lanes would fit into one vector. This value and greater ones
	 * count the loop iterations that have found so. */
	EVG_VECTOR_SPREAD
};

/* The rows of a loop, for packing. */
struct evg_packed_rows {
	uint32_t count;
	struct evg_packed_row {
		uint32_t row;
		bool written;
	} *rows;
};

/* A control-flow stack, topmost frame first. Equal stacks of a plan are one
 * object. */
struct evg_stack {
	const struct evg_stack *below; /* NULL: no frames, this is the bottom */
	/* A stack with one more frame on this one, and the next stack that has
	 * the same frames below. */
	struct evg_stack *above, *next;
	uint32_t depth, used; /* frames, elements, this one included */
	enum evg_frame_kind kind;
	uint8_t elements, calls;
	bool counted, sets_loop_index;
};

/* A place where native code may begin: before a CF instruction. */
struct evg_chain {
	const void *code[EVG_LANES_KINDS];
	const struct evg_stack *stack;
	/* Most instructions that the code executes before it checks again
	 * whether it may go on. */
	uint64_t longest;
};

/* The end of a run of native code. */
struct evg_chain_exit {
	const struct evg_stack *stack;
	uint32_t pc;
	uint32_t position; /* of a fault: in the clause */
	bool empty;        /* no lane is active */
	bool fault;        /* in the instruction at `pc` */
};

/* `position` has the meaning of wavefront->progress.position. */
#define EVG_CHAIN_POSITION UINT32_MAX

/* Runs native code from the CF instruction on, if native code may begin there.
 * Afterwards the wavefront is before another CF instruction, or at a fault.
 * False: nothing was run. */
bool evg_chain_run(struct evg_wavefront *wavefront,
		   const struct evg_cf_plan *cf);

/* Called by native code. Makes `lanes`, which are not 0, active. Returns
 * whether they are all 64. */
bool evg_chain_set_active(struct evg_wavefront *wavefront, uint64_t lanes);
/* Makes `lanes` active if all of them are in the host vector of the lanes that
 * were active last, or are packed. Else only native.wanted changes, and the
 * result is false. */
bool evg_chain_set_in_vector(struct evg_wavefront *wavefront, uint64_t lanes);
/* Move the active lanes of rows into one host vector, and back. */
void evg_chain_pack(struct evg_wavefront *wavefront,
		    const struct evg_packed_rows *rows);
void evg_chain_unpack(struct evg_wavefront *wavefront,
		      const struct evg_packed_rows *rows);
/* Sets the masks of the predicate. */
void evg_chain_set_predicate(struct evg_wavefront *wavefront);
/* Counts the accesses that memory operations of a clause have noted. */
void evg_chain_take_traffic(struct evg_wavefront *wavefront);
/* Executes the fetches or the store of a CF instruction. Returns whether there
 * was a fault. */
bool evg_chain_fetch(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf);
bool evg_chain_store(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf);

#endif
