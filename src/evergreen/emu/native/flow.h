/* Control flow as native code (chain.h): what the files that make it share.
 *
 * Each CF instruction does here what isa/control.def says and the interpreter
 * does (wavefront.c, control.c), with the stack and whether lanes are active already known. It is made of parts: a
 * clause of one for each segment and one for its end, others of one. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_FLOW_H
#define M2S_EVERGREEN_EMU_NATIVE_FLOW_H

#include "evergreen/emu/native/labels.h"

/* A jump whose way is made later. */
struct flow_way {
	size_t hole; /* what follows it is where the code goes on else */
	uint32_t to;
};

struct native_region;

struct flow {
	struct native *native;
	struct native_code *code;
	struct evg_plan *plan;
	const struct evg_stack **stacks; /* by address, as the next ones */
	uint32_t *parts;                 /* 0: native code cannot execute it */
	bool *looped;                    /* something leads back to it */
	uint64_t *longest; /* instructions from it on, going forward */
	struct native_labels labels;
	size_t activate; /* a subroutine: rax becomes the active mask */
	/* Loops whose rows stay in registers (native/region.h); ways into
	 * them, by address, and out of the one in progress, by label. */
	struct native_region *regions;
	uint32_t region_count;
	struct flow_way *entries, *leaves;
	uint32_t entry_count, entry_capacity, leave_count, leave_capacity;
	/* What is being compiled. */
	uint32_t address;
	const struct evg_cf_plan *cf;
	const struct evg_stack *stack; /* there */
	enum evg_lanes lanes;
	const struct native_region *region; /* NULL: rows are in memory */
};

/* Where to go on: at an instruction with a stack. */
struct flow_target {
	uint32_t address, part;
	const struct evg_stack *stack;
};

/* --- Pieces (native/mask.c) ----------------------------------------------- */

/* The subroutine `activate`, before anything else. */
void flow_begin(struct flow *f);

/* A member of the wavefront; its active mask. */
struct native_place flow_field(int32_t offset);
struct native_place flow_active(void);
/* The mask in the topmost frame of a stack; lanes that continue, of a loop. */
struct native_place flow_frame_mask(const struct evg_stack *stack);
struct native_place flow_continued(const struct evg_stack *loop);

/* Behind the instruction. */
struct flow_target flow_after(const struct flow *f,
			      const struct evg_stack *stack);
/* A part of an instruction, for the lanes; in the region in progress, if it is
 * there. */
uint32_t flow_label(const struct flow *f, uint32_t address, uint32_t part,
		    enum evg_lanes lanes);
void flow_jump(struct flow *f, enum native_condition condition,
	       uint32_t label);
void flow_go(struct flow *f, enum native_condition condition,
	     struct flow_target target, enum evg_lanes lanes);
/* The instruction faults, in its clause at `position`. */
void flow_fault_unless_equal(struct flow *f, uint32_t position);
/* Counts an execution, and instructions. */
void flow_count(struct flow *f, uint32_t counter, uint32_t instructions);
/* A C function; the wavefront becomes its first argument, others are set. */
void flow_call(struct flow *f, void (*function)(void));
/* The same of one that counts, or looks at what was counted. */
void flow_call_counting(struct flow *f, void (*function)(void));

/* Before members of frames are used, with nothing called between. */
void flow_load_stack(struct flow *f);

/* Whether rax has no lane. */
void flow_compare_none(struct flow *f);
/* rax becomes the active mask, and it goes on at `target`, or `empty` without a
 * lane; `lanes` are active before. */
void flow_activate(struct flow *f, enum evg_lanes lanes,
		   struct flow_target target, struct flow_target empty);
/* Takes `number` saved masks off `stack`, and goes on at an address. */
void flow_pop(struct flow *f, enum evg_lanes lanes,
	      const struct evg_stack *stack, unsigned number, uint32_t address);
void flow_store_active(struct flow *f, struct native_place place);

/* --- CF instructions (native/clause.c, native/control.c) ------------------ */

/* Whether there are uops that call the interpreter's functions. */
bool flow_has_calls(const struct flow *f, const struct evg_cf_plan *cf,
		    const struct evg_segment *segment);
void flow_clause_part(struct flow *f, uint32_t part);
void flow_no_clause(struct flow *f);
/* What the instruction does to lanes and the stack before its ALU clause and
 * behind it. */
void flow_begin_clause(struct flow *f);
void flow_end_clause(struct flow *f);

#endif
