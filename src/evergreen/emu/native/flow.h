/* Control flow as native code (chain.h): the state and the functions that its
 * files share.
 *
 * Native code of a CF instruction does what isa/control.def says and the
 * interpreter does (wavefront.c, control.c), with the stack and the kind of
 * active lanes known in advance. An instruction consists of parts: a clause has
 * one part for each segment and one for its end, other instructions have one
 * part. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_FLOW_H
#define M2S_EVERGREEN_EMU_NATIVE_FLOW_H

#include "evergreen/emu/native/labels.h"

/* A jump whose target code is made later. */
struct flow_way {
	size_t hole; /* else the code goes on behind it */
	uint32_t to;
};

struct native_region;

struct flow {
	struct native *native;
	struct native_code *code;
	struct evg_plan *plan;
	const struct evg_stack **stacks; /* by address, as the next members */
	uint32_t *parts;                 /* 0: native code cannot execute it */
	bool *looped;                    /* something jumps back to it */
	uint64_t *longest; /* most instructions from there on, going forward */
	struct native_labels labels;
	size_t activate; /* subroutine that makes rax the active mask */
	/* Loops whose rows stay in registers (native/region.h); ways into them,
	 * by address; ways out of the current one, by label. */
	struct native_region *regions;
	uint32_t region_count;
	struct flow_way *entries, *leaves;
	uint32_t entry_count, entry_capacity, leave_count, leave_capacity;
	/* The instruction that is being compiled. */
	uint32_t address;
	const struct evg_cf_plan *cf;
	const struct evg_stack *stack; /* before this instruction */
	enum evg_lanes lanes;
	const struct native_region *region; /* NULL: rows are in memory */
};

/* A target: an instruction with a stack. */
struct flow_target {
	uint32_t address, part;
	const struct evg_stack *stack;
};

/* --- Pieces (native/pieces.c) --------------------------------------------- */

/* Operands for a member of the wavefront and for its active mask. */
struct native_place flow_field(int32_t offset);
struct native_place flow_active(void);
/* Operands for the mask in the topmost frame of a stack, and for a loop's lanes
 * that continue. */
struct native_place flow_frame_mask(const struct evg_stack *stack);
struct native_place flow_continued(const struct evg_stack *loop);

/* The target behind the current instruction. */
struct flow_target flow_after(const struct flow *f,
			      const struct evg_stack *stack);
/* Emits a fault of the instruction, at `position` of its clause, unless the
 * last comparison was equal. */
void flow_fault_unless_equal(struct flow *f, uint32_t position);
/* Emits the count of an execution and of `instructions`. */
void flow_count(struct flow *f, uint32_t counter, uint32_t instructions);
/* Emits a call of a C function. The wavefront becomes its first argument; the
 * others must be set. */
void flow_call(struct flow *f, void (*function)(void));
/* Emits a call of a C function that counts or reads the counts. */
void flow_call_counting(struct flow *f, void (*function)(void));

/* Loads the address of the frames. To be called before their members are used;
 * a call in between destroys it. */
void flow_load_stack(struct flow *f);

/* Whether the segment has uops that call the interpreter's functions. */
bool flow_has_calls(const struct flow *f, const struct evg_cf_plan *cf,
		    const struct evg_segment *segment);

/* --- Jumps and the active mask (native/mask.c) ---------------------------- */

/* Makes the subroutine `activate`. To be called first. */
void flow_begin(struct flow *f);

/* The label of an instruction's part, for this kind of lanes; in the current
 * region, if the instruction is there. */
uint32_t flow_label(const struct flow *f, uint32_t address, uint32_t part,
		    enum evg_lanes lanes);
void flow_jump(struct flow *f, enum native_condition condition,
	       uint32_t label);
void flow_go(struct flow *f, enum native_condition condition,
	     struct flow_target target, enum evg_lanes lanes);
/* Emits a comparison: equal when rax has no lane. */
void flow_compare_none(struct flow *f);
/* Makes rax the active mask and goes on at `target`, or at `empty` when no lane
 * is active. `lanes` are active before. */
void flow_activate(struct flow *f, enum evg_lanes lanes,
		   struct flow_target target, struct flow_target empty);
/* Pops `number` saved masks off `stack` and goes on at an address. */
void flow_pop(struct flow *f, enum evg_lanes lanes,
	      const struct evg_stack *stack, unsigned number, uint32_t address);
void flow_store_active(struct flow *f, struct native_place place);

/* --- CF instructions (native/clause.c, native/control.c) ------------------ */

void flow_clause_part(struct flow *f, uint32_t part);
void flow_no_clause(struct flow *f);
/* What the instruction does to lanes and the stack before its ALU clause and
 * behind it. */
void flow_begin_clause(struct flow *f);
void flow_end_clause(struct flow *f);

#endif
