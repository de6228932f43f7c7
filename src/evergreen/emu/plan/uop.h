/* The compiled form of an ALU clause: a list of uops, each of which is one
 * function over a row. The functions and the places of their operands are
 * determined once, when the kernel is first used:
 *
 *  - All sources of a VLIW group are read before a result is written: the
 *    units of a group are put in an order in which no unit overwrites what a
 *    later one reads; where there is none, a result waits in a PV row.
 *  - PV and PS name the row where the previous group left the result, most
 *    often the destination register itself.
 *  - LDS queue reads name the row into which the LDS read put its value. */
#ifndef M2S_EVERGREEN_EMU_PLAN_UOP_H
#define M2S_EVERGREEN_EMU_PLAN_UOP_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/emu/rows.h"
#include "evergreen/isa/inst.h"

struct evg_uop;
struct evg_wavefront;

typedef void evg_body(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop);

/* Operand and output modifiers: source = (source & and) ^ xor. */
struct evg_modifiers {
	uint32_t source_and[3], source_xor[3];
	uint8_t output_modifier;
	bool clamp, clamp_keeps_nan;
};

struct evg_uop {
	evg_body *body[2]; /* [all lanes that exist are active] */
	struct evg_operand source[3];
	uint32_t dest;     /* byte offset of a row, or EVG_NO_ROW */
	uint8_t mask;      /* enum evg_mask */
	uint8_t order;     /* order of a predicate in its group; else unused */
	uint16_t group;    /* index in the clause, for faults */
	uint16_t op;       /* enum evg_alu_op + 1 of one-slot operations and
			      predicates, else 0 */
	const void *extra; /* evg_modifiers, evg_wide, evg_lds_plan, ... */
};

/* Operations that join several slots. */
struct evg_wide {
	uint8_t source_count;
	uint8_t odd; /* 64-bit t-slot operation: high dword wanted */
	struct evg_operand source[12];
	uint32_t source_and[12], source_xor[12];
	uint32_t dest[4];
	uint8_t output_modifier[4];
	bool clamp[4], clamp_keeps_nan;
	bool clamp_double; /* the result as a whole */
};

/* LDS_IDX_OP. Address and data are the sources of the uop. */
struct evg_lds_plan {
	uint32_t line;   /* of the code */
	uint32_t offset; /* bytes, of the second access */
	uint32_t queue_row[2];
};

/* Relative operands: base register and channel. */
struct evg_relative {
	uint32_t index; /* GPR number, or first constant (vec4) */
	uint32_t limit; /* number of registers or constants */
	uint8_t channel;
	bool constant;
	uint8_t bank;         /* of the constant */
	uint32_t address_row; /* AR */
};

/* Operands whose place is known only at run time and does not depend on AR
 * alone: indexed by aL, in the shared registers, or in a constant buffer with
 * an indexed number or window. */
struct evg_indexed {
	bool relative;
	enum evg_index_mode mode; /* when it is indexed */
	uint32_t index;           /* GPR number, or constant of the window */
	uint32_t limit;           /* registers, or constants in the window */
	uint8_t channel;
	bool constant;
	/* Of the constant's window: its first vec4, and the numbers that are
	 * added to it and to the bank. */
	uint32_t first;
	bool loop_window; /* KCACHE_MODE 3: moves with aL */
	uint8_t bank, bank_index_mode;
	uint32_t address_row; /* AR */
};

/* Source selectors for facts about the machine, and operations that set its
 * registers. */
struct evg_special {
	uint8_t which; /* selector; CF index register */
	uint32_t clause_groups;
	uint32_t address_row;
};

/* Queues that are kept per lane, because predicated LDS operations make lanes
 * differ. */
struct evg_queue {
	uint32_t head_row, tail_row, first_row, depth;
};

/* The execution of an ALU instruction, by its form. */
enum evg_shape {
	EVG_SHAPE_VALUE,     /* sources to one result, lane by lane */
	EVG_SHAPE_PREDICATE, /* compares two sources */
	EVG_SHAPE_WIDE,      /* joins slots: struct evg_wide */
	EVG_SHAPE_SPECIAL,   /* enum evg_special_action */
};

enum evg_special_action {
	EVG_SPECIAL_NOTHING,
	EVG_SPECIAL_BARRIER,    /* of the work-group, behind the clause */
	EVG_SPECIAL_LDS,        /* an enum evg_lds_op, with its own sources */
	EVG_SPECIAL_ADDRESS,    /* sets AR, and a register */
	EVG_SPECIAL_CF_INDEX_0, /* sets a CF index register */
	EVG_SPECIAL_CF_INDEX_1,
	EVG_SPECIAL_LDS_BOUNDS,
	EVG_SPECIAL_MODE, /* sets the float mode of the next groups */
	EVG_SPECIAL_COUNT
};

struct evg_alu_body {
	enum evg_shape shape;
	enum evg_special_action action; /* of EVG_SHAPE_SPECIAL */
	uint8_t source_count;           /* likewise */
	bool previous;        /* last source is the next lower slot's result */
	evg_body *body[2][2]; /* [with modifiers][all lanes] */
};

#endif
