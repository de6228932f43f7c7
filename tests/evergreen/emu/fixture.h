/* Small kernels, put together instruction by instruction, for the emulator's
 * tests. */
#ifndef M2S_TESTS_EVERGREEN_EMU_FIXTURE_H
#define M2S_TESTS_EVERGREEN_EMU_FIXTURE_H

#include "evergreen/emu/machine.h"

enum {
	ASM_MAX_CF = 512,
	ASM_MAX_UNITS = 8192,
	ASM_TAIL = 68, /* room for eight dwords of arguments */
};

/* A kernel in the making. CF instructions are numbered as they are added;
 * branch targets name those numbers. */
struct assembler {
	struct evg_cf_inst cf[ASM_MAX_CF];
	/* Words of each one's clause. */
	uint32_t *clause[ASM_MAX_CF];
	uint32_t clause_units[ASM_MAX_CF];
	bool is_fetch[ASM_MAX_CF];
	unsigned count;
	uint32_t registers;
	uint32_t scratch; /* bytes per work-item */
};

void asm_begin(struct assembler *as);
void asm_end(struct assembler *as);

/* A CF instruction without a clause: its number. */
unsigned asm_cf(struct assembler *as, enum evg_cf_op op, unsigned address,
		unsigned pop_count);
/* An ALU clause; CB0's first 32 constants are KC0. */
unsigned asm_alu(struct assembler *as, enum evg_cf_op op,
		 const struct evg_alu_group *groups, unsigned count);
unsigned asm_fetch(struct assembler *as, const struct evg_fetch_inst *fetches,
		   unsigned count);
/* A RAT operation on RAT 0. */
unsigned asm_store(struct assembler *as, enum evg_rat_op op, unsigned rw_gpr,
		   unsigned index_gpr, unsigned component_mask);

/* Any CF instruction without a clause. */
unsigned asm_add(struct assembler *as, const struct evg_cf_inst *inst);

/* Sources. */
struct evg_source gpr(unsigned number, unsigned channel);
struct evg_source relative_gpr(unsigned number, unsigned channel);
struct evg_source selector(unsigned select, unsigned channel);

/* A group: starts empty; instructions are added slot by slot in the order
 * x y z w t. */
struct evg_alu_group group_begin(void);
struct evg_alu_inst *group_add(struct evg_alu_group *group, unsigned slot,
			       enum evg_alu_op op, unsigned dest_gpr,
			       unsigned dest_channel, struct evg_source a,
			       struct evg_source b, struct evg_source c);
/* The literal's selector, in the first free place; of another literal when
 * the group has four. */
struct evg_source group_literal(struct evg_alu_group *group, uint32_t value);
/* One instruction alone, in the slot of its channel or in t. */
struct evg_alu_group group_of(enum evg_alu_op op, unsigned dest_gpr,
			      unsigned dest_channel, struct evg_source a,
			      struct evg_source b, struct evg_source c);
/* PRED_SETNE_INT of a source with 0, which updates mask or predicate. */
struct evg_alu_group group_predicate(struct evg_source a, bool execute_mask,
				     bool predicate);
struct evg_alu_group group_lds(enum evg_lds_op op, struct evg_source address,
			       struct evg_source a, struct evg_source b);

/* A VFETCH of dest_gpr.xyzw. */
struct evg_fetch_inst vertex_fetch(unsigned dest_gpr, unsigned source_gpr,
				   unsigned source_channel, unsigned format,
				   unsigned resource);

/* The kernel "test", assembled; ends with NOP and END_OF_PROGRAM. */
struct evg_program *asm_program(struct assembler *as);
void program_free(struct evg_program *program);

/* A launch of global and local size (x, 1, 1) with `memory`. */
struct evg_launch launch_of(const struct evg_program *program,
			    struct evg_memory *memory, uint32_t global,
			    uint32_t local);

/* The ways in which this host can execute ALU clauses: the interpreter and
 * native code for each host instruction set. */
enum { LEVELS = 5 };
unsigned level_count(void);
const char *level_name(unsigned level);
/* As evg_ndrange_create, executed in that way. */
struct evg_ndrange *level_ndrange(const struct evg_launch *launch,
				  unsigned level);

/* Rows of a wavefront's registers. */
uint32_t *register_row(struct evg_wavefront *wavefront, unsigned gpr,
		       unsigned channel);

/* Seeded random numbers (xorshift). */
uint32_t random_bits(void);
void random_seed(uint32_t seed);

#endif
