/* The plan that a kernel's code is compiled to: the actions of each CF
 * instruction, clause and fetch, with every name resolved to a place. */
#ifndef M2S_EVERGREEN_EMU_PLAN_TYPES_H
#define M2S_EVERGREEN_EMU_PLAN_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/action.h"
#include "evergreen/emu/convention.h"
#include "evergreen/emu/memory/resource.h"
#include "evergreen/emu/plan/uop.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/data-format.h"

struct evg_chain;
struct evg_fetch_plan;
struct evg_simd;
struct evg_store_plan;

/* Groups that run under one active mask and predicate. */
struct evg_segment {
	uint32_t first_uop, uop_count;
	uint32_t first_group, group_count;
	uint32_t instruction_count; /* groups, and the CF instruction with the
				       first ones */
	uint32_t counter;
	bool update_execute_mask, update_predicate, barrier;
	uint8_t predicate_mask; /* lanes that executed the PRED_SET */
	/* Machine code (native.h): [all 64 lanes are active], or NULL. */
	const void *native[2];
};

struct evg_group_plan {
	const struct evg_code_group *code;
	uint32_t first_uop, uop_count;
	uint32_t segment;
	uint8_t lds_count;
	bool uses_queues;
	struct evg_queue_use queues;
	/* For who steps wavefronts. Machine code of the group and those behind
	 * it that act on nothing but the wavefront's own rows (native.h): [all
	 * 64 lanes are active], or NULL. */
	const void *native[2];
	bool joins; /* An earlier group's machine code has done it. */
	/* It acts on nothing else, and does not end its segment. */
	bool plain;
};

struct evg_clause_plan {
	struct evg_uop *uops;
	struct evg_segment *segments;
	struct evg_group_plan *groups;
	uint32_t segment_count, group_count, slot_count;
	bool uses_predicate, has_barrier;
	bool uses_bank_index; /* a constant cache window has an indexed bank */
};

/* The conversion between an element in memory and four numbers. */
struct evg_element {
	const struct evg_data_format *format;
	uint8_t number_format; /* enum evg_number_format */
	bool is_signed;
	bool no_zero; /* SRF_MODE of signed NORM */
	uint8_t endian_swap;
};

typedef void evg_fetch_body(struct evg_wavefront *wavefront,
			    const struct evg_fetch_plan *fetch);

struct evg_fetch_plan {
	const struct evg_code_fetch *fetch;
	const char *trap; /* reason why it cannot be executed, or NULL */
	evg_fetch_body *body;
	evg_fetch_body *inner; /* `body` makes registers relative, then this */
	enum evg_resource resource;
	bool uncached;   /* the resource bypasses the caches */
	uint8_t bank;    /* of EVG_RESOURCE_CONSTANT */
	uint8_t shift;   /* of the index, to make it bytes */
	uint32_t source; /* row of the index */
	uint32_t offset, bytes;
	struct evg_element element;
	uint32_t one; /* value of a select of 1 */
	/* Rows of the destination's channels (EVG_NO_ROW: not written), and the
	 * source of each: component 0..3, 4 zero, 5 one. */
	uint32_t dest[4];
	uint8_t select[4];
	/* Textures: rows of the coordinates, or EVG_NO_ROW and the value. */
	uint32_t coordinate[4], coordinate_value[4];
	uint32_t window; /* index in evg_work_group.windows */
	uint32_t counter;
	const struct evg_gds_plan *gds; /* of GDS clauses */
};

typedef void evg_store_body(struct evg_wavefront *wavefront,
			    const struct evg_store_plan *store);

struct evg_store_plan {
	const char *trap;
	evg_store_body *body;
	evg_store_body *inner; /* `body` makes registers relative, then this */
	const struct evg_cf_inst *cf;
	/* Rows of the element index, or of a typed RAT's x, y and z;
	 * EVG_NO_ROW: 0. */
	uint32_t index[3];
	uint32_t value[4];      /* rows of RW_GPR */
	uint32_t element_bytes; /* unit of the index, bytes */
	uint8_t component_mask;
	enum evg_rat_op op;
	bool returns;
	uint32_t window;
};

struct evg_cf_plan {
	const struct evg_code_cf *cf;
	const char *trap;
	uint32_t next; /* address of the next instruction */
	uint32_t counter;
	struct evg_clause_plan *alu;
	struct evg_fetch_plan *fetches;
	uint32_t fetch_count;
	struct evg_store_plan *store;
	uint32_t instruction_count; /* the clause included */
	bool ends;                  /* the program */
	uint8_t action;             /* enum evg_action */
	uint8_t loop;               /* enum evg_loop */
	uint8_t pops;               /* saved masks, where the action pops */
	/* The constant of a loop or a jump table. */
	const int32_t *constant;
	/* COND and its boolean: lanes & condition pass the test. */
	uint64_t condition;
	struct evg_chain *chain; /* see chain.h, or NULL */
};

/* A pool entry. */
enum evg_constant_kind {
	EVG_CONSTANT_VALUE,
	EVG_CONSTANT_TEXT,
	EVG_CONSTANT_BUFFER
};
struct evg_constant {
	enum evg_constant_kind kind;
	/* The value; or the value to which the text's address is added; or the
	 * dword index in constant buffer `bank`. */
	uint32_t value;
	uint8_t bank;
};

struct evg_plan {
	const struct evg_code *code;
	const struct evg_simd *simd;
	struct evg_cf_plan *cf; /* indexed by address, as code->cf */
	uint32_t cf_count;
	struct evg_constant *constants;
	uint32_t constant_count;
	/* CF instructions, fetches and segments, each counted together; a CF
	 * instruction and its first fetch or segment share a counter. */
	uint32_t counter_count;
	uint32_t window_count;
	uint32_t register_count; /* GPR rows / 4 */
	uint32_t stack_elements; /* declared by the kernel */
	bool shares_registers;   /* with other work-groups */
	bool uses_gds;
	/* Some atomics can be combined (combine.h). */
	bool combines;
	/* Facts that make the effect of a work-group depend on earlier ones in
	 * an observable way: atomics whose results are used, or whose order
	 * matters. */
	bool reads_atomics, has_atomics, has_ordered_atomics;
	bool synchronizes; /* with other work-groups: WAVE_SYNC */
	enum evg_convention convention;
	uint32_t row_count; /* of a wavefront's state */
	/* Rows that are 0 at the start, besides the registers'. Other rows are
	 * written before they are read. */
	uint32_t zero_row[33];
	uint32_t zero_row_count;
	/* Rows of results that go to no register and are dead after the next
	 * group. EVG_NO_ROW: not used. */
	uint32_t result_row[2][EVG_SLOT_COUNT];
	struct evg_float_mode float_mode;
	struct evg_native_code *native; /* NULL: none yet */
	struct evg_native_code *steps;  /* likewise: of groups */
	struct evg_arena *arena;
};

/* Compiles a kernel's decoded code (kernel->code). Code that cannot be executed
 * becomes a trap, which is an error only when control reaches it. */
struct evg_plan *evg_plan_create(const struct evg_kernel *kernel,
				 const struct evg_simd *simd);
void evg_plan_free(struct evg_plan *plan);
/* Whether work-groups must run in the order of their numbers, for the same
 * results with any number of threads. */
bool evg_plan_is_ordered(const struct evg_plan *plan);

#endif
