/* Planning one ALU clause: what the files plan-alu*.c share. */
#ifndef M2S_EVERGREEN_EMU_PLAN_ALU_H
#define M2S_EVERGREEN_EMU_PLAN_ALU_H

#include "evergreen/emu/plan/plan.h"

/* Where the result of a slot goes. */
struct result {
	bool issued; /* has a result at all */
	bool wanted; /* as PV, PS or PREV */
	bool writes, relative;
	uint32_t register_row; /* when written and not relative */
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
	/* LDS output queues: in step for all lanes, or kept per lane. */
	bool lanes_apart;
	unsigned ring[2], pushed[2], popped[2];
	/* Rows of the previous group's results; EVG_NO_ROW: none. */
	uint32_t previous[EVG_SLOT_COUNT];
	/* The group in progress. */
	uint32_t index;
	const struct evg_code_group *code;
	const struct evg_alu_group *group;
	struct result results[EVG_SLOT_COUNT];
	struct unit units[EVG_SLOT_COUNT];
	unsigned unit_count, temp_count;
	/* Uops that belong behind the group's results. */
	struct {
		const struct evg_alu_inst *inst;
		evg_body *body;
		uint32_t row; /* of the operand */
	} late[EVG_SLOT_COUNT];
	unsigned late_count;
	const char *trap;
};

/* The group in progress cannot be executed; the first reason is kept. */
void clause_trap(struct clause_builder *clause, const char *text);

/* A new uop, under the instruction's predicate, with zeros as sources. */
struct evg_uop *clause_uop(struct clause_builder *clause,
			   const struct evg_alu_inst *inst);
void uop_set_body(struct evg_uop *uop, evg_body *masked, evg_body *full);
/* Why the group that this stands for cannot be executed, or NULL. */
const char *uop_trap(const struct evg_uop *uop);
uint8_t clause_predicate_mask(const struct evg_alu_inst *inst);
/* A row that nobody else uses in this group. */
uint32_t clause_temp_row(struct clause_builder *clause);

/* Where a source comes from; adds uops for what must be fetched first. */
struct evg_operand clause_source(struct clause_builder *clause,
				 const struct evg_alu_inst *inst,
				 const struct evg_source *source);

/* A register operand by aL or in the shared registers. */
struct evg_indexed clause_indexed_register(struct clause_builder *clause,
					   unsigned mode, unsigned gpr,
					   unsigned channel);

/* The unit of the instruction in `slot`; marks the slots that it takes. */
void clause_add_unit(struct clause_builder *clause, unsigned slot,
		     unsigned *taken);

/* Where each slot's result goes; `next` is the group that may read PV. */
void clause_results(struct clause_builder *clause,
		    const struct evg_alu_group *next);
/* Emits one more unit. */
void clause_emit_next(struct clause_builder *clause);
/* Results that were put aside go to their registers. */
void clause_emit_commits(struct clause_builder *clause);

/* Whether all lanes push and pop the LDS queues together, and how many values
 * a queue holds at most. */
void clause_queues(struct clause_builder *clause);
/* What a group does to the queues; false: nothing. */
bool group_queue_use(const struct evg_alu_group *group,
		     struct evg_queue_use *use);
/* Uops that empty the queues of lanes that go apart. */
void clause_reset_queues(struct clause_builder *clause);

#endif
