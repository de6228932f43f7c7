/* Planning one ALU clause: the state and the functions that the files
 * plan/alu*.c share. */
#ifndef M2S_EVERGREEN_EMU_PLAN_ALU_H
#define M2S_EVERGREEN_EMU_PLAN_ALU_H

#include "evergreen/emu/plan/plan.h"

/* The destination of a slot's result. */
struct result {
	bool issued; /* the slot has a result */
	bool wanted; /* read as PV, PS or PREV */
	bool writes, relative;
	/* Row of the register, when it is written and not relative. */
	uint32_t register_row;
	uint32_t dest; /* row that the operation writes, or EVG_NO_ROW */
	bool direct;   /* dest is the register itself */
};

/* One instruction, or several slots joined in one operation. */
struct unit {
	const struct evg_alu_body *body;
	const struct evg_alu_inst *inst; /* in the first slot */
	uint8_t slots[4];
	uint8_t slot_count;
	struct evg_operand source[12];
	uint32_t source_and[12], source_xor[12];
	uint8_t source_count;
	int previous; /* slot whose result is the last source, or -1 */
	uint32_t queue_row[2];
	uint32_t lds_offset;
	bool done;
};

struct clause_builder {
	struct plan_builder *shared;
	const struct evg_code_cf *cf;
	struct evg_clause_plan *plan;
	uint32_t uop_capacity, uop_count;
	struct evg_uop *uops;
	uint32_t segment_capacity;
	struct evg_segment *segments;
	/* LDS output queues: false: in step for all lanes; true: kept per
	 * lane. */
	bool lanes_apart;
	unsigned ring[2], pushed[2], popped[2];
	/* Rows of the previous group's results; EVG_NO_ROW: none. */
	uint32_t previous[EVG_SLOT_COUNT];
	/* The current group. */
	uint32_t index;
	const struct evg_code_group *code;
	const struct evg_alu_group *group;
	struct result results[EVG_SLOT_COUNT];
	struct unit units[EVG_SLOT_COUNT];
	unsigned unit_count, temp_count;
	/* Uops to be emitted behind the group's results. */
	struct {
		const struct evg_alu_inst *inst;
		evg_body *body;
		uint32_t row; /* of the operand */
	} late[EVG_SLOT_COUNT];
	unsigned late_count;
	const char *trap;
};

/* Marks the current group as one that cannot be executed; the first reason is
 * kept. */
void clause_trap(struct clause_builder *clause, const char *text);

/* A new uop, under the instruction's predicate, with zeros as sources. */
struct evg_uop *clause_uop(struct clause_builder *clause,
			   const struct evg_alu_inst *inst);
void uop_set_body(struct evg_uop *uop, evg_body *masked, evg_body *full);
/* The uop of a group that cannot be executed. */
void clause_add_trap(struct clause_builder *clause);
/* The reason why the group of this uop cannot be executed, or NULL. */
const char *uop_trap(const struct evg_uop *uop);
uint8_t clause_predicate_mask(const struct evg_alu_inst *inst);
/* A row that has no other use in this group. */
uint32_t clause_temp_row(struct clause_builder *clause);

/* The operand of a source. Adds uops for values that must be fetched first. */
struct evg_operand clause_source(struct clause_builder *clause,
				 const struct evg_alu_inst *inst,
				 const struct evg_source *source);

/* A register operand that is indexed by aL or in the shared registers. */
struct evg_indexed clause_indexed_register(struct clause_builder *clause,
					   unsigned mode, unsigned gpr,
					   unsigned channel);

/* Adds the unit of the instruction in `slot`, and marks the slots that it
 * takes. */
void clause_add_unit(struct clause_builder *clause, unsigned slot,
		     unsigned *taken);

/* Determines the destination of each slot's result; `next` is the group that
 * may read PV. */
void clause_results(struct clause_builder *clause,
		    const struct evg_alu_group *next);
/* Emits the next unit in an order that overwrites no source that is still
 * needed. */
void clause_emit_next(struct clause_builder *clause);
/* Emits the moves of results that were put aside to their registers. */
void clause_emit_commits(struct clause_builder *clause);

/* Determines whether all lanes push and pop the LDS queues together, and the
 * most values that a queue holds. */
void clause_queues(struct clause_builder *clause);
/* The effect of a group on the queues; false: it has none. */
bool group_queue_use(const struct evg_alu_group *group,
		     struct evg_queue_use *use);
/* Emits uops that empty the queues when they are kept per lane. */
void clause_reset_queues(struct clause_builder *clause);

#endif
