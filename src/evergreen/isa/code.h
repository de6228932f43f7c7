/* The whole code of a kernel, decoded once. The emulator executes from it.
 *
 * The control-flow (CF) instructions lie at the start of a kernel and name the
 * clauses that follow. evg_code_decode walks every CF instruction that control
 * can reach from address 0 up to END_OF_PROGRAM and decodes its clause. It
 * checks that targets and clauses lie inside the kernel, that fetch clauses are
 * aligned, and that nothing overlaps. Words that control cannot reach are not
 * examined. All addresses are in 64-bit units from the kernel's start, as in
 * the code. */
#ifndef M2S_EVERGREEN_ISA_CODE_H
#define M2S_EVERGREEN_ISA_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "evergreen/isa/inst.h"

enum evg_clause_kind {
	EVG_CLAUSE_NONE,  /* the instruction starts no clause */
	EVG_CLAUSE_ALU,
	EVG_CLAUSE_FETCH, /* TEX, VTX: fetches in either layout */
	EVG_CLAUSE_GDS,
};

/* One CF instruction and its clause. */
struct evg_code_cf {
	struct evg_cf_inst inst;
	uint32_t address;
	uint32_t line;    /* index of its static instruction */
	uint8_t size;     /* 1, 2 with ALU_EXTENDED; 0: never reached */
	enum evg_clause_kind clause;
	/* EVG_CLAUSE_ALU: groups[first .. first + count - 1] of the code;
	 * EVG_CLAUSE_FETCH and _GDS: fetches[first ...]. */
	uint32_t first, count;
};

struct evg_code_group {
	struct evg_alu_group group;
	uint32_t address;
	uint32_t line;
	/* First number in listings, which count groups and fetches together, in
	 * the order of the CF instructions. */
	uint32_t number;
};

struct evg_code_fetch {
	struct evg_fetch_inst inst;
	uint32_t address;
	uint32_t line;
	uint32_t number;
};

enum evg_line_kind { EVG_LINE_CF, EVG_LINE_ALU, EVG_LINE_FETCH };

/* A static instruction: a CF instruction, an ALU group or a fetch. Exactly
 * one pointer beside `kind` is set. */
struct evg_code_line {
	enum evg_line_kind kind;
	uint32_t address;
	const struct evg_code_cf *cf;
	const struct evg_code_group *group;
	const struct evg_code_fetch *fetch;
};

struct evg_code {
	uint32_t size;            /* of the kernel, 64-bit units */
	/* Indexed by address; an entry of size 0 is no instruction. Every
	 * target and fall-through of an entry is an entry, except where control
	 * cannot go (see `end_of_program`). */
	struct evg_code_cf *cf;
	uint32_t cf_count;
	/* The clauses' contents. A clause that several CF instructions name is
	 * here once. */
	struct evg_code_group *groups;
	uint32_t group_count;
	struct evg_code_fetch *fetches;
	uint32_t fetch_count;
	/* Every static instruction in address order. An array with line_count
	 * entries holds figures of each of them. */
	struct evg_code_line *lines;
	uint32_t line_count;
	/* The emulator's plan of this code: NULL until the emulator has made
	 * it. plan_free frees it with the code. */
	void *plan;
	void (*plan_free)(void *plan);
};

/* Decodes `size` bytes of code (a multiple of 8). NULL and *error, which names
 * the address and the fault, for invalid or incomplete code. */
struct evg_code *evg_code_decode(const uint8_t *text, uint32_t size,
				 struct error *error);
void evg_code_free(struct evg_code *code); /* NULL is fine */

#endif
