/* Making a plan: the state and the functions that the files of this folder
 * share. */
#ifndef M2S_EVERGREEN_EMU_PLAN_PLAN_H
#define M2S_EVERGREEN_EMU_PLAN_PLAN_H

#include "evergreen/emu/state.h"

enum {
	EVG_TEMP_ROWS = 16,   /* relative and queue operands of one group */
	EVG_QUEUE_ROWS = 129, /* LDS results in flight in one clause */
};

struct plan_builder {
	struct evg_plan *plan;
	const struct evg_code *code;
	const struct evg_kernel *kernel;
	uint32_t constant_capacity;
	/* Rows beyond the GPRs, allocated on first use; byte offsets. */
	uint32_t address_row, head_row[2], tail_row[2];
	uint32_t result_row[2][EVG_SLOT_COUNT];
	uint32_t temp_row[EVG_TEMP_ROWS];
	uint32_t queue_row[2][EVG_QUEUE_ROWS];
	uint32_t lane_queue_row[2];
	uint32_t lane_queue_depth[2];
	uint32_t temporary_row[4][4];
};

/* Memory that lives as long as the plan. */
void *plan_allocate(struct evg_plan *plan, size_t size);
const char *plan_text(struct evg_plan *plan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Frees all of it, and the constants. */
void plan_memory_free(struct evg_plan *plan);

/* *row if it has been allocated; else allocates a new row. */
uint32_t plan_row(struct plan_builder *builder, uint32_t *row);
/* `count` adjacent new rows. */
uint32_t plan_rows(struct plan_builder *builder, uint32_t count);
/* A GPR's row, or EVG_NO_ROW when the kernel does not have that register. */
uint32_t plan_register(struct plan_builder *builder, unsigned gpr,
		       unsigned channel);
struct evg_operand plan_constant(struct plan_builder *builder,
				 enum evg_constant_kind kind, uint32_t value);
/* The operand for a dword of a constant buffer. */
struct evg_operand plan_buffer_constant(struct plan_builder *builder,
					unsigned bank, uint32_t dword);
struct evg_operand plan_state(uint32_t row);

struct evg_clause_plan *plan_alu_clause(struct plan_builder *builder,
					const struct evg_code_cf *cf);
void plan_fetch(struct plan_builder *builder, struct evg_fetch_plan *plan,
		const struct evg_code_fetch *fetch);
/* Plans an instruction of a GDS clause. */
void plan_gds(struct plan_builder *builder, struct evg_fetch_plan *plan,
	      const struct evg_code_fetch *fetch);
/* The plan of an export instruction's store; *trap is the reason when there is
 * none. */
struct evg_store_plan *plan_store(struct plan_builder *builder,
				  const struct evg_cf_inst *cf,
				  const char **trap);

/* Bodies of instructions with registers relative to aL; they call `inner` on
 * the resolved registers. */
evg_fetch_body evg_fetch_relative;
evg_store_body evg_store_relative;

#endif
