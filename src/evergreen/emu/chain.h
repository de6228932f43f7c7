/* Chains: control flow as native code.
 *
 * Machine code for one CF instruction after another, clauses included, jumps
 * from one to the next without coming back to the interpreter. It exists three
 * times: for all 64 lanes active, for some, and for none, where nothing but
 * counts is left to do. What it has no code for (calls, counted loops,
 * barriers, the end of the program, ...) ends a chain; the interpreter executes
 * that instruction, and a chain begins behind it.
 *
 * While a chain runs:
 *  - Without an active lane masks.lanes[EVG_MASK_ACTIVE] and what belongs to it
 * are still those of the last mask that was not empty: becoming empty and then
 *    what it was, as at the end of a loop, takes no step at all.
 *  - The stack's frames have only what changes: masks, and lanes that continue.
 *    Everything else is known from the instruction (struct evg_stack), where
 *    all ways to it agree, as they do in structured programs; a chain begins
 *    only with the stack that it was compiled for. */
#ifndef M2S_EVERGREEN_EMU_CHAIN_H
#define M2S_EVERGREEN_EMU_CHAIN_H

#include "evergreen/emu/state.h"

/* How many lanes are active. */
enum evg_lanes {
	EVG_LANES_ALL,
	EVG_LANES_SOME,
	EVG_LANES_NONE,
	EVG_LANES_KINDS
};

/* Where all active lanes may be in one host vector. */
enum evg_vector {
	EVG_VECTOR_NONE,
	EVG_VECTOR_ONE,    /* one has them */
	EVG_VECTOR_PACKED, /* they have been put into one */
	/* They could be: rounds of loops that have seen that. */
	EVG_VECTOR_SPREAD
};

/* A loop's rows, for packing. */
struct evg_packed_rows {
	uint32_t count;
	struct evg_packed_row {
		uint32_t row;
		bool written;
	} *rows;
};

/* A control-flow stack, topmost frame first. The same stacks of a plan are the
 * same object. */
struct evg_stack {
	const struct evg_stack *below; /* NULL: no frames, this is the bottom */
	/* One with one more frame, and the next of those like this. */
	struct evg_stack *above, *next;
	uint32_t depth, used; /* frames, elements, this one included */
	enum evg_frame_kind kind;
	uint8_t elements, calls;
	bool counted, sets_loop_index;
};

/* Where native code may begin: before a CF instruction. */
struct evg_chain {
	const void *code[EVG_LANES_KINDS];
	const struct evg_stack *stack;
	/* Instructions at most before it looks again whether it may go on. */
	uint64_t longest;
};

/* Where it ended. */
struct evg_chain_exit {
	const struct evg_stack *stack;
	uint32_t pc;
	uint32_t position; /* of a fault: in the clause */
	bool empty;        /* no lane is active */
	bool fault;        /* in the instruction at `pc` */
};

/* The position is where wavefront->progress.position says. */
#define EVG_CHAIN_POSITION UINT32_MAX

/* Runs native code from the CF instruction on, if it may begin there: then the
 * wavefront is before another one, or at a fault. */
bool evg_chain_run(struct evg_wavefront *wavefront,
		   const struct evg_cf_plan *cf);

/* Called by native code. Lanes that are not none become active; whether they
 * are all 64. */
bool evg_chain_set_active(struct evg_wavefront *wavefront, uint64_t lanes);
/* The same, if they are all in the host vector of the lanes that were active
 * last, or packed; else nothing but native.wanted changes, and it returns
 * false. */
bool evg_chain_set_in_vector(struct evg_wavefront *wavefront, uint64_t lanes);
/* Puts the active lanes of rows into one host vector, and back. */
void evg_chain_pack(struct evg_wavefront *wavefront,
		    const struct evg_packed_rows *rows);
void evg_chain_unpack(struct evg_wavefront *wavefront,
		      const struct evg_packed_rows *rows);
/* The masks of the predicate. */
void evg_chain_set_predicate(struct evg_wavefront *wavefront);
/* Counts what memory operations of a clause noted. */
void evg_chain_take_traffic(struct evg_wavefront *wavefront);
/* The fetches or the store of a CF instruction; whether there was a fault. */
bool evg_chain_fetch(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf);
bool evg_chain_store(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf);

#endif
