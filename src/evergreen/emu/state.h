/* What the emulator's parts share: the state of a wavefront and the plan that
 * a kernel's code is compiled to.
 *
 * State is rows: one row is 64 lanes of 32 bits. A wavefront's rows lie in one
 * block: GPRs (four rows each, x y z w), then AR, the LDS output queues, and
 * rows for results that go to no register (PV and PS). Constants lie in the
 * pool of the ND-range, one host vector each, read with stride 0.
 *
 * An ALU clause becomes a list of `evg_uop`s, each one function over a row.
 * Which function, and from where its operands come, is settled once, when the
 * kernel is first used:
 *
 *  - All sources of a VLIW group are read before a result is written: the
 *    units of a group are put in an order in which no unit overwrites what a
 *    later one reads; where there is none, a result waits in a PV row.
 *  - PV and PS name the row where the previous group left the result, most
 *    often the destination register itself.
 *  - LDS queue reads name the row into which the LDS read put its value.
 *
 * The functions over rows are compiled once per host instruction set (`struct
 * evg_simd`). */
#ifndef M2S_EVERGREEN_EMU_STATE_H
#define M2S_EVERGREEN_EMU_STATE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "evergreen/emu/action.h"
#include "evergreen/emu/convention.h"
#include "evergreen/emu/emu.h"
#include "evergreen/emu/paths.h"
#include "evergreen/emu/memory/resource.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/data-format.h"

enum {
	EVG_ROW_BYTES = 4 * EVG_WAVEFRONT_SIZE,
	EVG_CONSTANT_BYTES = 64, /* one pool entry: the widest host vector */
};

#define EVG_NO_ROW 0xffffffffu

/* Unit of the control-flow stack: an entry has four elements for a wavefront of
 * 64 lanes. */
enum { EVG_STACK_ENTRY = 4 };

struct evg_chain;
struct evg_combiner;
struct evg_traffic;
struct evg_uop;
struct evg_fetch_plan;
struct evg_store_plan;
struct evg_simd;

/* --- Faults ------------------------------------------------------------- */

enum evg_fault_kind {
	EVG_FAULT_NONE,
	EVG_FAULT_READ,       /* global memory outside every block */
	EVG_FAULT_WRITE,      /* the same, or a read-only block */
	EVG_FAULT_LOCAL,      /* local memory beyond its size */
	EVG_FAULT_ALIGNMENT,  /* local or atomic access not aligned */
	EVG_FAULT_CONSTANT,   /* constant buffer beyond its size */
	EVG_FAULT_REGISTER,   /* relative register index out of range */
	EVG_FAULT_QUEUE,      /* LDS output queue empty */
	EVG_FAULT_STACK,      /* beyond the entries that the kernel declares */
	EVG_FAULT_TARGET,     /* no instruction where a jump table leads */
	EVG_FAULT_BANK,       /* constant buffer with nothing bound */
	EVG_FAULT_UNBOUND,    /* nothing is bound to number `address` of `text` */
	EVG_FAULT_SCRATCH,    /* scratch dword `address` of `bytes` / 4 */
	EVG_FAULT_GDS,        /* GDS dword not aligned, or not there */
	EVG_FAULT_SYNC,       /* no such resource of WAVE_SYNC */
	EVG_FAULT_TRAP,       /* cannot be executed: see text */
};

/* Why a wavefront stopped. Only the first fault of an instruction is kept. */
struct evg_fault {
	enum evg_fault_kind kind;
	uint8_t lane;
	bool control;         /* of the CF instruction, not of its clause */
	uint8_t bank;         /* EVG_FAULT_CONSTANT */
	uint16_t group;       /* index in its clause of the VLIW group */
	uint32_t address, bytes;
	const char *text;     /* EVG_FAULT_TRAP, EVG_FAULT_UNBOUND */
};

/* --- Plans -------------------------------------------------------------- */

enum evg_base { EVG_BASE_STATE, EVG_BASE_POOL, EVG_BASE_COUNT };

/* A row of the state or a constant of the pool. `stride` masks the host
 * vector's size: 0xff for a row, 0 for a constant. */
struct evg_operand {
	uint32_t offset;
	uint8_t base, stride;
};

enum evg_mask {
	EVG_MASK_ACTIVE,      /* PRED_SEL 0 */
	EVG_MASK_PREDICATE_0, /* PRED_SEL 2: active and predicate 0 */
	EVG_MASK_PREDICATE_1, /* PRED_SEL 3: active and predicate 1 */
	EVG_MASK_COUNT
};

typedef void evg_body(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop);

/* Operand and output modifiers: source = (source & and) ^ xor. */
struct evg_modifiers {
	uint32_t source_and[3], source_xor[3];
	uint8_t output_modifier;
	bool clamp, clamp_keeps_nan;
};

struct evg_uop {
	evg_body *body[2];    /* [all lanes that exist are active] */
	struct evg_operand source[3];
	uint32_t dest;        /* byte offset of a row, or EVG_NO_ROW */
	uint8_t mask;         /* enum evg_mask */
	uint8_t order;        /* of the predicate in its group: unused else */
	uint16_t group;       /* index in the clause, for faults */
	uint16_t op;          /* enum evg_alu_op + 1 of one-slot operations and
				 predicates, else 0 */
	const void *extra;    /* evg_modifiers, evg_wide, evg_lds_plan, ... */
};

/* Operations that join several slots. */
struct evg_wide {
	uint8_t source_count;
	uint8_t odd;          /* 64-bit t-slot operation: high dword wanted */
	struct evg_operand source[12];
	uint32_t source_and[12], source_xor[12];
	uint32_t dest[4];
	uint8_t output_modifier[4];
	bool clamp[4], clamp_keeps_nan;
	bool clamp_double;    /* the result as a whole */
};

/* LDS_IDX_OP: address and data are the sources of the uop. */
struct evg_lds_plan {
	uint32_t line;        /* of the code */
	uint32_t offset;      /* bytes, of the second access */
	uint32_t queue_row[2];
};

/* Relative operands: base register and channel. */
struct evg_relative {
	uint32_t index;       /* GPR number, or first constant (vec4) */
	uint32_t limit;       /* registers, or constants, there are */
	uint8_t channel;
	bool constant;
	uint8_t bank;         /* of the constant */
	uint32_t address_row; /* AR */
};

/* Operands whose place is known only when they are read and that do not
 * depend on AR alone: by aL, in the shared registers, in a constant buffer
 * whose number or window is indexed. */
struct evg_indexed {
	bool relative;
	enum evg_index_mode mode; /* when it is */
	uint32_t index;       /* GPR number, or constant of the window */
	uint32_t limit;       /* registers, or constants in the window */
	uint8_t channel;
	bool constant;
	/* Of the constant's window: first vec4, and what is added to it and to
	 * the bank. */
	uint32_t first;
	bool loop_window;     /* KCACHE_MODE 3: moves with aL */
	uint8_t bank, bank_index_mode;
	uint32_t address_row; /* AR */
};

/* Source selectors that ask the machine, and operations that set it. */
struct evg_special {
	uint8_t which;        /* selector; CF index register */
	uint32_t clause_groups;
	uint32_t address_row;
};

/* Queues when predicated LDS operations make lanes differ. */
struct evg_queue {
	uint32_t head_row, tail_row, first_row, depth;
};

/* What an ALU instruction is made of. */
enum evg_shape {
	EVG_SHAPE_VALUE,      /* sources to one result, lane by lane */
	EVG_SHAPE_PREDICATE,  /* compares two sources */
	EVG_SHAPE_WIDE,       /* joins slots: struct evg_wide */
	EVG_SHAPE_SPECIAL,    /* plan/alu.c knows it by name */
};

struct evg_alu_body {
	enum evg_shape shape;
	bool previous;        /* last source is the next lower slot's result */
	evg_body *body[2][2]; /* [with modifiers][all lanes] */
};

/* Groups that run without the active mask or predicate changing. */
struct evg_segment {
	uint32_t first_uop, uop_count;
	uint32_t first_group, group_count;
	uint32_t instruction_count; /* groups, and the CF instruction with the
				       first ones */
	uint32_t counter;
	bool update_execute_mask, update_predicate, barrier;
	uint8_t predicate_mask; /* lanes that executed the PRED_SET */
	/* Machine code, see native.h: [all 64 lanes are active], or NULL. */
	const void *native[2];
};

struct evg_group_plan {
	const struct evg_code_group *code;
	uint32_t first_uop, uop_count;
	uint32_t segment;
	uint8_t lds_count;
	bool uses_queues;
	struct evg_queue_use queues;
};

struct evg_clause_plan {
	struct evg_uop *uops;
	struct evg_segment *segments;
	struct evg_group_plan *groups;
	uint32_t segment_count, group_count, slot_count;
	bool uses_predicate, has_barrier;
	bool uses_bank_index; /* of a constant cache window */
};

/* How an element in memory and four numbers become each other. */
struct evg_element {
	const struct evg_data_format *format;
	uint8_t number_format; /* enum evg_number_format */
	bool is_signed;
	bool no_zero;          /* SRF_MODE of signed NORM */
	uint8_t endian_swap;
};

typedef void evg_fetch_body(struct evg_wavefront *wavefront,
			    const struct evg_fetch_plan *fetch);

struct evg_fetch_plan {
	const struct evg_code_fetch *fetch;
	const char *trap;      /* why it cannot be executed, or NULL */
	evg_fetch_body *body;
	evg_fetch_body *inner; /* `body` makes registers relative, then this */
	enum evg_resource resource;
	bool uncached;         /* the resource bypasses the caches */
	uint8_t bank;          /* of EVG_RESOURCE_CONSTANT */
	uint8_t shift;         /* of the index, to make it bytes */
	uint32_t source;       /* row of the index */
	uint32_t offset, bytes;
	struct evg_element element;
	uint32_t one;          /* what a select of 1 gives */
	/* Rows of the destination's channels (EVG_NO_ROW: not written) and
	 * what each receives: component 0..3, 4 zero, 5 one. */
	uint32_t dest[4];
	uint8_t select[4];
	/* Textures: rows of the coordinates, or EVG_NO_ROW and the value. */
	uint32_t coordinate[4], coordinate_value[4];
	uint32_t window;       /* index in evg_work_group.windows */
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
	/* Rows of the element index, of a typed RAT x, y and z; EVG_NO_ROW:
	 * 0. */
	uint32_t index[3];
	uint32_t value[4];     /* rows of RW_GPR */
	uint32_t element_bytes; /* that the index counts */
	uint8_t component_mask;
	enum evg_rat_op op;
	bool returns;
	uint32_t window;
};

struct evg_cf_plan {
	const struct evg_code_cf *cf;
	const char *trap;
	uint32_t next;         /* address of what follows */
	uint32_t counter;
	struct evg_clause_plan *alu;
	struct evg_fetch_plan *fetches;
	uint32_t fetch_count;
	struct evg_store_plan *store;
	uint32_t instruction_count; /* with its clause */
	bool ends;             /* the program */
	uint8_t action;        /* enum evg_action */
	uint8_t loop;          /* enum evg_loop */
	uint8_t pops;          /* saved masks, where the action pops */
	/* Of a loop or a jump table: its constant. */
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
	uint32_t value; /* the value; to which the text's address is added; or
			   dword index in constant buffer `bank` */
	uint8_t bank;
};

struct evg_plan {
	const struct evg_code *code;
	const struct evg_simd *simd;
	struct evg_cf_plan *cf;   /* indexed by address, as code->cf */
	uint32_t cf_count;
	struct evg_constant *constants;
	uint32_t constant_count;
	/* CF instructions, fetches and segments, each counted together; a CF
	 * instruction and its first fetch or segment share a counter. */
	uint32_t counter_count;
	uint32_t window_count;
	uint32_t register_count;  /* GPR rows / 4 */
	uint32_t stack_elements;  /* that the kernel has declared */
	bool shares_registers;    /* with other work-groups */
	bool uses_gds;
	/* Some atomics can be combined, see combine.h. */
	bool combines;
	/* What a work-group does may depend on those before it in a way that
	 * can be seen: atomics whose results are looked at, or that come in
	 * an order. */
	bool reads_atomics, has_atomics, has_ordered_atomics;
	bool synchronizes;        /* with other work-groups: WAVE_SYNC */
	enum evg_convention convention;
	uint32_t row_count;       /* of a wavefront's state */
	/* Rows that begin as 0: the registers', and these; the others are
	 * written before they are read. */
	uint32_t zero_row[33];
	uint32_t zero_row_count;
	/* Rows of results that go to no register: forgotten after the next
	 * group. EVG_NO_ROW: not used. */
	uint32_t result_row[2][EVG_SLOT_COUNT];
	struct evg_float_mode float_mode;
	struct evg_native_code *native; /* NULL: none yet */
	struct evg_arena *arena;
};

/* --- State -------------------------------------------------------------- */

enum evg_frame_kind { EVG_FRAME_PUSH, EVG_FRAME_LOOP, EVG_FRAME_CALL };

struct evg_frame {
	uint64_t mask;        /* to be restored */
	uint64_t continued;   /* loop: lanes that wait for LOOP_END */
	enum evg_frame_kind kind;
	uint8_t elements;     /* of the stack that it takes */
	bool counted;         /* loop: by `trips` */
	bool sets_loop_index; /* loop: steps aL */
	uint8_t calls;        /* call: what it added to the nesting */
	uint32_t return_to;   /* call: CF address */
	uint32_t trips;       /* loop: still to do, this one included */
	int32_t step;         /* loop: of aL */
	int32_t outer_index;  /* loop: aL around it */
	bool outer_has_index; /* loop: whether there was one */
};

/* Where a wavefront runs. */
struct evg_place {
	uint32_t unit;        /* compute unit in the device */
	uint32_t engine;      /* shader engine of the unit */
	uint32_t simd;        /* the unit's number in its shader engine */
	uint32_t group_slot;  /* of the work-group in the unit */
	uint32_t wave_slot;   /* of the wavefront in the unit */
	bool odd;             /* in the odd place of the ALU engine */
};

/* A constant buffer. Vector loads may look a little beyond its size. */
struct evg_constants {
	uint8_t *bytes;
	uint32_t size;
};

/* A range known to lie in one block, where an instruction last went: `start`
 * to `last`, both included; empty when start > last. */
struct evg_window {
	uint32_t start, last;
	/* The first lane's address the last time, and how far that was from
	 * the time before: where it will go soon, see look_ahead. */
	uint32_t address, step;
};

struct evg_wavefront {
	uint8_t *base[EVG_BASE_COUNT];
	uint64_t mask[EVG_MASK_COUNT];
	uint8_t full[EVG_MASK_COUNT];
	uint64_t valid;           /* lanes that are work-items */
	uint32_t active_count;    /* bits in mask[EVG_MASK_ACTIVE] */
	uint64_t predicate;
	/* Result of the PRED_SET of the group in progress. */
	uint64_t pending;
	uint8_t *local;           /* LDS of the work-group */
	uint32_t local_size;
	uint8_t *memory_base;     /* host address of device address 0 */
	uint32_t memory_size;
	struct evg_memory *memory;
	/* Scratch memory: global address, 0 when there is none; dwords per
	 * work-item; whether this work-group has stored to it. */
	uint32_t scratch, scratch_dwords;
	bool scratch_used;
	const struct evg_constants *constants; /* by bank */
	const struct evg_bindings *bindings;   /* or NULL */
	struct evg_window *windows;
	/* Whether [address, address + bytes) lies in one block that may be
	 * accessed so; then *window becomes that block. */
	bool (*find)(struct evg_memory *memory, uint32_t address,
		     uint32_t bytes, bool write, struct evg_window *window);
	struct evg_step *step;    /* wants to know, or NULL */
	/* Where stores go that are not done at once, or NULL. While
	 * `checks_only` they only check; a function that has kept its store by
	 * itself clears it. */
	struct evg_stores *stores;
	bool checks_only;
	struct evg_traffic *traffic; /* likewise: its step is `step` then */
	/* No other host thread touches memory now. */
	bool alone;
	struct evg_combiner *combiner; /* or NULL: atomics are done at once */
	struct evg_fault fault;

	struct evg_paths paths;
	struct evg_work_group *group;
	const struct evg_plan *plan;
	uint32_t index;           /* in the work-group */
	uint32_t pc;              /* address of the CF instruction */
	uint32_t started;         /* of the one last started, for faults */
	/* Position in the clause of `pc`: 0 before the CF instruction itself,
	 * n + 1 before group or fetch n. */
	uint32_t position;
	uint64_t clause_entry;    /* active mask when the clause began */
	bool ended, waiting;
	bool waits_globally;      /* `waiting` for WAVE_SYNC */
	struct evg_wavefront *sync_next; /* in the queue where it waits */
	/* Control words of the host's floating-point unit (MXCSR) that the
	 * program's float mode asks for. */
	uint32_t single_control, double_control;
	uint32_t barrier_line;    /* static instruction at which it waits */
	uint32_t depth;
	uint32_t stack_used;      /* elements */
	uint32_t calls;           /* nested, as far as they count */
	struct evg_frame *stack;  /* plan->stack_elements */
	int32_t loop_index;       /* aL */
	bool has_loop_index;      /* inside a loop that sets it */
	/* CF index registers, and what they were when the clause began. */
	uint32_t cf_index[2], clause_cf_index[2];
	void *owner;              /* of who steps it */
	struct evg_place place;
	uint64_t instructions;    /* begun, with their clauses */
	/* See count.h: the work-group's counters, what an execution adds to
	 * one, and instructions under the active mask that are not noted. */
	uint64_t *counts, count_one, counted;
	bool timed;
	bool interpreted;         /* native code is not used */
	uint64_t chain_limit;     /* of `instructions`, see chain.h */
	/* In chains: whether active lanes can be in one host vector, enum
	 * evg_vector. Then its first lane, its place in the first row, and the
	 * wavefront's address, moved so that mask[0] or, with AVX2, mask_row[0]
	 * begins with its lanes. */
	uint8_t vector;
	uint64_t vector_first;
	uint8_t *vector_state, *vector_lanes;
	/* While its rows are in registers (native/region.h): its active lanes
	 * when that began, and an active mask with lanes outside it. */
	uint64_t vector_entered, vector_wanted;
	/* Packed lanes: which those are, the active ones of the vector, and
	 * its rows, whose other lanes nobody sees. */
	uint64_t packed, packed_mask;
	uint8_t *packed_rows;
	uint64_t cycle;           /* of the timing model, when `timed` */
	uint32_t *shared;         /* registers of the compute unit */
	/* The masks for which mask_row[] was made last: not that of an empty
	 * active mask, under which nothing runs. */
	uint64_t expanded[EVG_MASK_COUNT];
	uint32_t expanded_count[EVG_MASK_COUNT];
	/* mask[] as rows of 0 and ~0. */
	alignas(64) uint32_t mask_row[EVG_MASK_COUNT][EVG_WAVEFRONT_SIZE];
	alignas(64) uint32_t rat_return[EVG_WAVEFRONT_SIZE];
	/* With AVX2 vector_entered and packed_mask as rows. */
	alignas(64) uint32_t vector_row[EVG_CONSTANT_BYTES / 4];
	alignas(64) uint32_t packed_row[EVG_CONSTANT_BYTES / 4];
};

/* --- The functions over rows, one set per host instruction set ----------- */

struct evg_simd {
	unsigned vector_bytes;
	/* By operation; NULL for what no compute kernel can hold. */
	const struct evg_alu_body *const *alu;
	evg_body *const *lds;
	evg_store_body *const *rat;
	/* A RAT's atomic operation on one dword: the old value. */
	uint32_t (*rat_update)(enum evg_rat_op op, uint32_t *place, uint32_t x,
			       uint32_t w);
	evg_body *gather, *scatter; /* evg_relative */
	evg_body *queue_reset, *queue_push, *queue_pop; /* evg_queue */
	evg_body *mask_low, *mask_high; /* MASK_LO, MASK_HI selectors */
	evg_fetch_body *fetch_32, *fetch_64, *fetch_128, *fetch_small,
		*fetch_any, *fetch_rat, *fetch_bound, *buffer_info;
	evg_fetch_body *texture_load, *texture_sample, *texture_gather,
		*texture_info;
	evg_store_body *store_general;
	evg_store_body *store_mskor; /* MSKOR without a result */
	evg_fetch_body *scratch_load, *export_load;
	evg_store_body *scratch_store, *export_store;
	/* Of simd/traffic.c. */
	void (*add_traffic)(struct evg_traffic *traffic, uint32_t line,
			    const struct evg_step *step);
	/* A row of 0 and ~0 from 64 bits; returns how many are set. */
	uint32_t (*expand_lanes)(uint32_t *row, uint64_t lanes);
};

extern const struct evg_simd evg_simd_v2, evg_simd_v3, evg_simd_v4;

/* The best one that this host can run. */
const struct evg_simd *evg_simd_best(void);

/* Compiles a kernel's decoded code (kernel->code). What cannot be executed
 * becomes a trap, which is an error only when it is reached. */
struct evg_plan *evg_plan_create(const struct evg_kernel *kernel,
				 const struct evg_simd *simd);
void evg_plan_free(struct evg_plan *plan);
/* Whether work-groups must run in the order of their numbers, for the same
 * results with any number of threads. */
bool evg_plan_is_ordered(const struct evg_plan *plan);

#endif
