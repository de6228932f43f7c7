/* Making native code: what the files native*.c share. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_BUILD_H
#define M2S_EVERGREEN_EMU_NATIVE_BUILD_H

#include <stddef.h>

#include "evergreen/emu/native/code.h"
#include "evergreen/emu/state.h"

/* General registers in native code. rax, rdx and rdi are for what stands
 * between other things. r8 collects a predicate, whose lanes begin at rcx. */
enum {
	NATIVE_WAVEFRONT = NATIVE_RBX,
	NATIVE_STATE = NATIVE_RBP, /* + the vector's place in a row */
	NATIVE_LANES = NATIVE_R9,  /* wavefront + the vector's place in
				      masks (EVEX) or mask_rows (VEX) */
	/* r10: the active lanes from this vector on */
	/* r11: the end of the row */
	/* r12: in a chain, wavefront->count.instructions */
	NATIVE_POOL = NATIVE_R13,
	NATIVE_STACK = NATIVE_RSI,   /* stack.frames, where it is wanted */
	NATIVE_COUNTED = NATIVE_R14, /* in a chain, wavefront->count.noted */
	NATIVE_COUNTS = NATIVE_R15,  /* wavefront->count.counters */
};

/* Mask registers with EVEX; k2, k3 and k6 are free. With VEX the active lanes
 * are in the last vector register. */
enum {
	NATIVE_K_ACTIVE = 1,
	NATIVE_K_PREDICATE_0 = 4,
	NATIVE_K_PREDICATE_1,
	NATIVE_K_NAN = 7, /* for an instruction or two */
};

/* A condition of COMPARE_FLOAT. */
enum { NATIVE_UNORDERED = 0x03 };

enum { NATIVE_NAN = 0x7fc00000 };

/* Vector registers for values, with EVEX and with VEX: one is not. */
enum { NATIVE_REGS = 31, NATIVE_VEX_REGS = 15, NATIVE_VEX_ACTIVE = 15 };

#define NATIVE_OFFSET(field) ((int32_t)offsetof(struct evg_wavefront, field))

/* What a vector register holds. */
struct native_slot {
	uint32_t row;     /* EVG_NO_ROW: no row of the state */
	bool dirty;       /* the row in memory is older */
	bool pinned;      /* in use by the operation in progress */
	bool raw;         /* its NaNs do not have their fixed encoding yet */
	uint8_t mask;     /* enum evg_mask: lanes in which it has the row */
	uint32_t group;   /* that wrote it */
	uint32_t used;    /* when, in operations */
};

/* Rows that stay in registers (native/region.h): one in the register of its
 * number, for all lanes of the vector. */
enum { NATIVE_HOMES = 20 };
struct native_homes {
	unsigned count;
	struct native_home {
		uint32_t row;
		bool written;
		bool raw; /* as in struct native_slot, in active lanes */
	} home[NATIVE_HOMES];
};

struct native {
	struct native_code code;
	const struct evg_plan *plan;
	bool masked;      /* not all lanes may be active */
	bool has_predicate; /* the block */
	unsigned reg_count;
	bool failed;      /* out of registers: the segment is interpreted */
	struct native_slot slots[NATIVE_REGS];
	const struct native_homes *homes; /* or NULL */
	uint32_t now;
	unsigned next_mask;
	/* The uop in progress. */
	const struct evg_uop *uop;
	struct native_place source[3];
	bool raw;         /* its result's NaNs: see struct native_slot */
};

/* A comparison's result: a k register (EVEX) or a vector of 0 and ~0. */
struct native_test {
	unsigned reg;
};

/* One version of a segment, a subroutine that returns with ret; NULL and
 * nothing changed when that cannot be. The stack pointer is 8 above a multiple
 * of 16 where it begins. */
const void *native_segment(struct native *native,
			   const struct evg_clause_plan *clause,
			   const struct evg_segment *segment, bool masked);

/* A segment without calls, for the one vector in which lanes are active, with
 * n->homes in their registers. */
void native_resident_segment(struct native *native,
			     const struct evg_clause_plan *clause,
			     const struct evg_segment *segment);
/* A result that goes to no register: forgotten soon. */
bool native_is_side_row(const struct evg_plan *plan, uint32_t row);

/* Control flow, when there is code of all segments: sets the chains of the
 * plan's CF instructions, and exits. Without room there are no chains. */
void native_flow(struct native *native, struct evg_plan *plan);
/* Room that it takes, in bytes, at most. */
size_t native_flow_size(const struct evg_plan *plan);

/* Whether the uop has code here. */
bool native_has(const struct native *native, const struct evg_uop *uop);
/* Whether the operation takes all NaNs for the same, and gives none of them
 * on as it is. */
bool native_ignores_nan(enum evg_alu_op op);
/* Whether its result is a float whose NaNs get their encoding later. */
bool native_gives_number(enum evg_alu_op op);
/* Whether it takes NaNs in its sources that do not have their encoding. */
bool native_takes_raw(const struct evg_uop *uop);
/* Whether a result has a value in lanes, too, that a predicate keeps out of
 * the register. */
bool native_takes_all_lanes(const struct evg_uop *uop);
/* Its code, for one vector: result in a register. For a predicate, bits go to
 * the wavefront and the result is not used. */
struct native_place native_operation(struct native *native);
void native_predicate(struct native *native);

/* --- Registers and rows (native/rows.c) ----------------------------------- */

/* A block begins: rows are where they were. */
void native_rows_begin(struct native *native);
/* The active lanes, with VEX. */
void native_load_active(struct native *native);
/* A source. */
struct native_place native_read(struct native *native,
				const struct evg_operand *operand);
/* The result of the operation in progress. */
void native_write(struct native *native, struct native_place value);
/* The row gets what the register has. */
void native_write_back(struct native *native, unsigned reg);

/* A register for a value of the operation in progress, which keeps it to its
 * end, or to native_keep, which keeps none but those of `values`. */
unsigned native_scratch(struct native *native);
void native_keep(struct native *native, const struct native_place *values,
		 unsigned count);
/* The value as a register. */
unsigned native_in_register(struct native *native, struct native_place value);
/* Whether the place is a constant that the plan knows, or one of the code's own,
 * and which: such shift counts and fields take fewer instructions. */
bool native_known(const struct native *native, struct native_place place,
		  uint32_t *value);
/* Whether a uop's source `k` will be such a place. */
bool native_knows(const struct native *native, const struct evg_uop *uop,
		  unsigned k);
/* The predicate of this vector's lanes. */
void native_store_pending(struct native *native, struct native_test test);

#endif
