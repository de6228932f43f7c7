/* A kernel as machine instructions on virtual registers, in the order of the
 * code, with structured control flow. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_MACHINE_H
#define M2S_OPENCL_RT_CODEGEN_MACHINE_H

#include "base/error.h"
#include "evergreen/isa/chip.h"
#include "evergreen/isa/inst.h"
#include "opencl-rt/codegen/write/lines.h"

enum machine_kind {
	MACHINE_ALU,      /* also local memory and barriers */
	MACHINE_FETCH,    /* dwords from global memory */
	MACHINE_STORE,    /* dwords to global memory */
	/* keeps the lanes for which `op`, a test of two sources, passes */
	MACHINE_IF,
	MACHINE_ELSE,
	MACHINE_END_IF,
	MACHINE_LOOP,
	/* all active lanes leave; with sources: those that fail the test */
	MACHINE_BREAK,
	MACHINE_END_LOOP,
};

/* What a fetch or a store does with an image. */
enum machine_image {
	MACHINE_NO_IMAGE,
	MACHINE_SAMPLE,   /* a colour, through a sampler */
	MACHINE_TEXEL,    /* the colour at integer coordinates */
};

enum {
	MACHINE_NONE = -1,
	MACHINE_DWORDS = 4,
	MACHINE_FETCHES = 16, /* of one clause */
	MACHINE_DEPTH = 64,  /* of nested constructs */
	MACHINE_SOURCES = 8,
	/* Four slots, two pairs of literals, copies of three operands. */
	MACHINE_DOUBLE_UNITS = 12,
	/* Sets of channels: for low and for high dwords of doubles. */
	MACHINE_EVEN = 0x5,
	MACHINE_ODD = 0xa,
};

/* A virtual register, or a constant. */
struct machine_source {
	int reg;          /* MACHINE_NONE: what select says */
	uint16_t select;  /* EVG_SELECT_*, or a kcache constant's number + ... */
	uint8_t channel;
	uint32_t literal;
	bool relocated;   /* the literal is a place among the tables */
	bool negate, absolute;
};

struct machine_inst {
	enum machine_kind kind;
	enum evg_alu_op op;
	enum evg_lds_op lds_op;
	/* FETCH: source[0] is the address. STORE: source[0] is the dword index,
	 * from source[1] on the data. Of an image four coordinates come first.
	 * Of doubles the low dword comes before the high one. */
	struct machine_source source[MACHINE_SOURCES];
	unsigned source_count;
	int dest[MACHINE_DWORDS];
	unsigned dest_count;
	uint32_t offset;  /* FETCH: bytes; local memory: dwords */
	uint8_t predicate; /* ALU: only lanes for which the last test passed
	                   * (3) or did not pass (2) execute it; 0: all */
	enum machine_image image; /* FETCH, STORE */
	/* FETCH: CLC_RESOURCE_*, or an image. STORE: the RAT. */
	uint8_t resource;
	uint8_t sampler;    /* FETCH of an image */
	uint8_t normalized; /* FETCH of an image: set of coordinates */
	uint8_t unit;     /* FETCH: bytes of an element: 1, 2 or 4 */
	enum evg_rat_op rat_op; /* STORE */
	bool returns;     /* STORE: the old value, to be waited for */
	bool complete;    /* STORE: of dwords, on the CompletePath */
	bool waits;       /* STORE: none, but until all are acknowledged */
	bool scratch;     /* FETCH, STORE: of the lane's own memory, by dword */
	/* The source line that it is for, as LLVM's debug location; NULL:
	 * none. */
	const void *line;
	/* FETCH, STORE: the kernel's argument, from 1, whose pointer the access
	 * is through; 0: it may be several, or is not known. */
	uint16_t argument;
};

/* A virtual register: 32 bits of every lane. */
struct machine_register {
	int8_t channel;   /* the required channel; MACHINE_NONE: any */
	uint8_t preferred; /* set of channels; 0: none is better */
	/* Registers of one tuple share a hardware register; MACHINE_NONE: no
	 * tuple. */
	int tuple;
	/* first and last instruction that uses the register */
	int first, last;
	uint8_t number;   /* the hardware register, once it is chosen */
	bool given;       /* its place is fixed from the start: ids */
	/* Its uses are so close together that it need not be moved. */
	bool near;
};

struct machine {
	struct machine_inst *insts;
	unsigned inst_count, inst_capacity;
	struct machine_register *registers;
	unsigned register_count, register_capacity;
	unsigned hardware_registers;
	unsigned most_registers; /* that it may have; 0: as many as there are */
	uint32_t local_size, scratch_size; /* bytes */
	enum evg_chip chip;  /* whose code it becomes */
	bool fences;         /* stores are acknowledged */
	bool dispatched;     /* control flow block by block (dispatch.c) */
	bool report;         /* print how the clauses are scheduled */
	unsigned without;    /* set of 1 << enum stage: passes that do not run */
	/* Those of the instructions that are added. */
	const void *line;
	uint16_t argument;
};

/* Adds an instruction for machine->line. The pointer is valid until the next call. */
struct machine_inst *machine_add(struct machine *machine,
				 enum machine_kind kind);
int machine_register(struct machine *machine);
/* *copy becomes a machine of its own, to be freed with machine_free(). */
void machine_copy(struct machine *copy, const struct machine *machine);
void machine_free(struct machine *machine);

/* Whether an operation works on doubles, in more slots than one. */
bool machine_is_double(const struct machine_inst *inst);
/* Whether an instruction does nothing but to compute its result. */
bool machine_is_pure(const struct machine_inst *inst);
/* Whether an instruction takes a value that was read from local memory. */
bool machine_takes_from_queue(const struct machine_inst *inst);
/* Whether an instruction copies a register as it is. */
bool machine_is_copy(const struct machine_inst *inst);
/* Whether it sets the predicate. */
bool machine_is_test(const struct machine_inst *inst);
/* Whether it reads or writes local memory. */
bool machine_is_local(const struct machine_inst *inst);
/* Whether it wants some of its operands in one register, or in a channel. */
bool machine_binds_sources(const struct machine_inst *inst);
/* Whether it reads or writes a register. */
bool machine_uses(const struct machine_inst *inst, int reg);
/* The LOOP and the END_LOOP of the innermost loop around a place that is neither.
 * False: there is none. */
bool machine_find_loop(const struct machine *machine, unsigned place,
		       unsigned *first, unsigned *last);
/* How often each register is written, ids at the start counted; to be freed. */
unsigned *machine_count_writes(const struct machine *machine);
/* Whether a source is a number that is known, without modifiers. */
bool machine_is_number(const struct machine_source *source, uint32_t *value);
/* Whether two sources give the same value while registers keep theirs. */
bool machine_same_source(const struct machine_source *a,
			 const struct machine_source *b);
/* The 64-bit units of a clause that an instruction may take, with those that
 * must stand in the same clause: what asks for a test's predicate, and what
 * takes the values of a read from their queue. */
unsigned machine_most_units(const struct machine *machine,
			    const struct machine_inst *inst);
/* Removes the marked instructions, and the marks. */
void machine_take_out(struct machine *machine, bool *gone);
/* Removes operations whose results nothing reads. */
void machine_drop_unused(struct machine *machine);
/* Simplifies control flow: removes empty sides, and puts comparisons into the
 * tests of their results. */
void machine_simplify_flow(struct machine *machine);
/* Removes operations that were computed before, and moves operations that a
 * loop does not change in front of the loop. */
void machine_reuse(struct machine *machine);
/* Makes one operation of two on integers where the device has it. */
void machine_combine(struct machine *machine);
/* Turns short branches into instructions with a predicate. Behind a test (an ALU
 * instruction) all instructions with a predicate up to the next are its own. */
void machine_predicate(struct machine *machine);
/* Merges accesses that lie side by side. */
void machine_join_accesses(struct machine *machine);
/* Computes a value in its copy's place, when the copy is the only use. */
void machine_join_copies(struct machine *machine);
/* Puts what prepares a loop's next turn before the test by which lanes leave. */
void machine_prepare_turns(struct machine *machine);
/* Orders the instructions of each straight stretch so that fetches stand
 * together. */
void machine_arrange(struct machine *machine);
/* Finds the first and the last use of each register. */
void machine_find_uses(struct machine *machine);
/* Assigns a place to every virtual register. Returns NULL, or the reason why
 * that is not possible; then registers have no places. */
const char *machine_allocate(struct machine *machine);
/* The same; values that find no place lie in scratch memory for a time, or are
 * computed again. */
const char *machine_spill(struct machine *machine);
/* Returns the code as text for the assembler (free with free()), or NULL and
 * *why. `lines` gets that of each CF instruction, and behind it those of its
 * clause's slots or fetches. */
char *machine_write(const struct machine *machine, const char *name,
		    struct write_lines *lines, const char **why);

#endif
