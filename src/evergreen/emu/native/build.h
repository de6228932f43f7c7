/* Making native code: the state and the functions that the files of this folder
 * share. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_BUILD_H
#define M2S_EVERGREEN_EMU_NATIVE_BUILD_H

#include <stddef.h>

#include "evergreen/emu/native/code.h"
#include "evergreen/emu/state.h"

/* General registers in native code. rax, rdx and rdi hold temporaries. r8
 * collects a predicate; its lanes begin at rcx. */
enum {
	NATIVE_WAVEFRONT = NATIVE_RBX,
	NATIVE_STATE = NATIVE_RBP, /* + the vector's place in a row */
	NATIVE_LANES = NATIVE_R9,  /* wavefront + the vector's place in
				      masks (EVEX) or mask_rows (VEX) */
	/* r10: the active lanes from this vector on */
	/* r11: the end of the row */
	/* r12: in a chain, wavefront->count.instructions */
	NATIVE_POOL = NATIVE_R13,
	/* stack.frames, where code has loaded it. */
	NATIVE_STACK = NATIVE_RSI,
	NATIVE_COUNTED = NATIVE_R14, /* in a chain, wavefront->count.noted */
	NATIVE_COUNTS = NATIVE_R15,  /* wavefront->count.counters */
};

/* Mask registers with EVEX; k2, k3 and k6 are free. With VEX the active lanes
 * are in the last vector register. */
enum {
	NATIVE_K_ACTIVE = 1,
	NATIVE_K_PREDICATE_0 = 4,
	NATIVE_K_PREDICATE_1,
	NATIVE_K_NAN = 7, /* for one or two instructions */
};

/* A condition of COMPARE_FLOAT. */
enum { NATIVE_UNORDERED = 0x03 };

enum { NATIVE_NAN = 0x7fc00000 };

/* Vector registers for values, with EVEX and with VEX: one less than the host
 * has. */
enum { NATIVE_REGS = 31, NATIVE_VEX_REGS = 15, NATIVE_VEX_ACTIVE = 15 };

#define NATIVE_OFFSET(field) ((int32_t)offsetof(struct evg_wavefront, field))

/* The contents of a vector register. */
struct native_slot {
	uint32_t row;     /* row of the state, or EVG_NO_ROW */
	bool dirty;       /* the register is newer than the row in memory */
	bool pinned;      /* in use by the current operation */
	bool raw;         /* its NaNs do not have the fixed encoding yet */
	uint8_t mask;     /* enum evg_mask: lanes whose values it holds */
	uint32_t group;   /* VLIW group that wrote it */
	uint32_t used;    /* number of the operation that used it last */
};

/* Rows that stay in registers (native/region.h): each has a fixed register,
 * which holds all lanes of the vector. */
enum { NATIVE_HOMES = 20 };
struct native_homes {
	unsigned count;
	struct native_home {
		uint32_t row;
		bool written;
		bool raw; /* as in struct native_slot, of active lanes */
	} home[NATIVE_HOMES];
};

struct native {
	struct native_code code;
	const struct evg_plan *plan;
	bool masked;      /* some lanes may be inactive */
	bool has_predicate; /* the block computes a predicate */
	unsigned reg_count;
	bool failed;      /* out of registers: the segment is interpreted */
	struct native_slot slots[NATIVE_REGS];
	const struct native_homes *homes; /* or NULL */
	uint32_t now;
	unsigned next_mask;
	/* The current uop. */
	const struct evg_uop *uop;
	struct native_place source[3];
	bool raw;         /* of its result: see struct native_slot */
};

/* A comparison's result: a k register (EVEX) or a vector of 0 and ~0. */
struct native_test {
	unsigned reg;
};

/* The most bytes of code: of a uop in both versions, and of what a segment takes
 * besides. */
enum { NATIVE_UOP_BYTES = 800, NATIVE_SEGMENT_BYTES = 1024 };

/* Begin and end a plan's code of at most `size` bytes, whose run_segment is
 * set. NULL: the plan's instruction set has none, or there is no memory. False:
 * the host forbids executable memory. */
struct evg_native_code *native_begin(struct native *native,
				     const struct evg_plan *plan, size_t size);
bool native_end(const struct evg_native_code *code);

/* Makes one version of a segment: a subroutine that returns with ret. NULL,
 * with nothing changed, when that is impossible. At its entry the stack pointer
 * is 8 above a multiple of 16. */
const void *native_segment(struct native *native,
			   const struct evg_clause_plan *clause,
			   const struct evg_segment *segment, bool masked);
/* The same of some groups of a segment. */
const void *native_groups(struct native *native,
			  const struct evg_clause_plan *clause, uint32_t first,
			  uint32_t count, bool masked);

/* Makes a segment without calls for the one vector with active lanes; n->homes
 * are in their registers. */
void native_resident_segment(struct native *native,
			     const struct evg_clause_plan *clause,
			     const struct evg_segment *segment);
/* Whether the row holds a result that goes to no register and is soon dead. */
bool native_is_side_row(const struct evg_plan *plan, uint32_t row);

/* Makes control flow when all segments have code: sets the chains and exits of
 * the plan's CF instructions. Without room there are no chains. */
void native_flow(struct native *native, struct evg_plan *plan);
/* The most bytes that this code can take. */
size_t native_flow_size(const struct evg_plan *plan);

/* Whether native code exists for the uop. */
bool native_has(const struct native *native, const struct evg_uop *uop);
/* Whether the operation treats all NaNs alike and passes none of them on. */
bool native_ignores_nan(enum evg_alu_op op);
/* Whether the operation's result is a float whose NaNs get the fixed encoding
 * later. */
bool native_gives_number(enum evg_alu_op op);
/* Whether the uop's sources may have NaNs without the fixed encoding. */
bool native_takes_raw(const struct evg_uop *uop);
/* Whether the result is defined also in lanes that a predicate keeps out of the
 * register. */
bool native_takes_all_lanes(const struct evg_uop *uop);
/* Makes the code of the current uop for one vector. The result is in a
 * register. A predicate's bits go to the wavefront, and its result is not
 * used. */
struct native_place native_operation(struct native *native);
void native_predicate(struct native *native);

/* --- Registers and rows (native/rows.c) ----------------------------------- */

/* Begins a block: all rows are in memory, or in their homes. */
void native_rows_begin(struct native *native);
/* Loads the active lanes, with VEX. */
void native_load_active(struct native *native);
/* The place of a source. */
struct native_place native_read(struct native *native,
				const struct evg_operand *operand);
/* Stores the result of the current operation. */
void native_write(struct native *native, struct native_place value);
/* Writes the register back to its row. */
void native_write_back(struct native *native, unsigned reg);

/* A register for a value of the current operation. The operation keeps it until
 * its end, or until native_keep, which keeps only the registers of `values`. */
unsigned native_scratch(struct native *native);
void native_keep(struct native *native, const struct native_place *values,
		 unsigned count);
/* A register that holds the value. */
unsigned native_in_register(struct native *native, struct native_place value);
/* Whether the place is a constant that is known now, of the plan or of the code
 * itself, and its value. Shifts and fields with known counts take fewer
 * instructions. */
bool native_known(const struct native *native, struct native_place place,
		  uint32_t *value);
/* Whether source `k` of a uop will be a known constant. */
bool native_knows(const struct native *native, const struct evg_uop *uop,
		  unsigned k);
/* Stores the predicate of this vector's lanes. */
void native_store_pending(struct native *native, struct native_test test);

#endif
