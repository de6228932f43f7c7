/* Forms: the rows of a core's uop table. Internal to this folder.
 *
 *	FORMS(forms, slots, decoder, microcode, left, ports, divider, cycles,
 *	      fuses, latencies)
 *
 * forms      "ADD SUB: R32,R32 R64,M64; LOCK_ADD: M64,R64": mnemonics and what
 *            operands they have, for which all that follows holds. Operands:
 *
 *	R8 R16 R32 R64, R8h   general registers; AH BH CH DH
 *	AL AX EAX RAX         where the encoding names the register; CL, DX
 *	M8 ... M4608          memory of that many bits; Moffs: MOV's short form
 *	V128 V256             memory of a gather with such indices
 *	X Y N S FS GS         XMM, YMM, MMX, segment registers
 *	F                     an x87 register
 *	I8 ... I64, 0, 1      an immediate of that many bits; one that is 0;
 *	                      the 1 that shifts have in their opcode
 *	J                     target of a direct branch
 *	B+I*S+D8, RIP+D32     LEA's address: base, index, scale, displacement
 *	-                     none
 *
 *            LOCK_ and REP_ (also for REPNE) are prefixes. "/same": the (last
 *            two) register operands are the same register. "/indexed": the
 *            address has an index. A form without these holds for all.
 * slots      issue slots, and entries of the reorder buffer
 * decoder    fused uops that the decoders deliver
 * microcode  that come from the microcode sequencer
 * left       ANY: every decoder can; or only the first, with so many others
 *            able to work beside it
 * ports      "2*p0156+p23": uops and the ports that each can use (a is 10)
 * divider    cycles for which the divider is kept; LESS_HALF(4): 3 and 4 in turn
 * cycles     from one such instruction to the next at least; 0: unlimited
 * fuses      with which conditional jumps behind it: NONE, ALL, CARRY (not
 *            with tests of O, P, S), SIGNED (nor of C)
 * latencies  "1>0:3 m>0:L": cycles from an input to an output. Operands by
 *            number; m, n: what is in the first and second memory operand; a:
 *            LEA's address; f: flags; ax cx dx bx sp bp si di ah, x0: hidden
 *            registers; s: x87 ST(0) where hidden. 0: no dependency. Latencies
 *            from memory are on top of a load's (L: none), those to memory on
 *            top of a store's.
 *
 * The measurements do not tell which uop does what; template.c finds out. */
#ifndef M2S_X86_TIMING_UOPS_FORM_H
#define M2S_X86_TIMING_UOPS_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "x86/emu/inst.h"

/* A row of a table. */
struct x86_form_line {
	const char *forms;
	uint8_t slots, decoder, microcode;
	/* X86_ANY_DECODER, or the number of simple decoders. */
	int8_t left;
	const char *ports;
	uint8_t divider, cycles;
	uint16_t fuses;     /* bit c: with condition c */
	const char *latencies;
};

enum { X86_ANY_DECODER = -1 };
/* A bit of `divider`: every second time a cycle less. */
enum { X86_LESS_HALF = 128 };

enum x86_fuses {
	X86_FUSES_NONE = 0,
	X86_FUSES_ALL = 0xffff,
	X86_FUSES_CARRY = 0xf0fc,  /* B NB Z NZ BE NBE, L NL LE NLE */
	X86_FUSES_SIGNED = 0xf030, /* Z NZ, L NL LE NLE */
};

/* Properties of a core, apart from the rows of its table. */
struct x86_uop_core {
	const char *name;
	const struct x86_form_line *line;
	unsigned lines;
	const struct x86_form_line *extra; /* rows that are searched first */
	unsigned extras;
	uint16_t address_ports;    /* ports of loads and stores */
	uint16_t store_address_ports; /* of stores alone */
	uint16_t data_ports;       /* of the data of stores */
	uint8_t defaults;          /* a column of defaults.def */
	/* Cycles for which an access of 256 bits takes a port. */
	uint8_t wide_access_cycles;
	/* AH, BH, CH and DH are renamed separately. */
	bool high_apart;
	/* Cycles by which the rows' latencies between general registers, or
	 * flags, and vector or MMX registers are too long: latency.c. */
	uint8_t crossing_excess;
	/* The same between vector and MMX registers. */
	uint8_t mmx_excess;
	/* Cycles by which a gather takes longer from its vector of indices than
	 * from its base (uops.info). */
	uint8_t index_cycles;
};

const struct x86_uop_core *x86_uop_core_find(const char *name);
/* Core number `number` of the list; NULL behind the last. */
const struct x86_uop_core *x86_uop_core_at(unsigned number);

enum x86_form_prefix {
	X86_FORM_PLAIN, X86_FORM_LOCK, X86_FORM_REP,
};

enum x86_form_variant {
	X86_FORM_ALL, X86_FORM_SAME, X86_FORM_INDEXED,
};

enum x86_pattern {
	X86_PATTERN_REGISTER, X86_PATTERN_HIGH, X86_PATTERN_FIXED,
	X86_PATTERN_MEMORY, X86_PATTERN_GATHER, X86_PATTERN_OFFSET,
	X86_PATTERN_X, X86_PATTERN_Y, X86_PATTERN_N, X86_PATTERN_F,
	X86_PATTERN_SEGMENT, X86_PATTERN_FS, X86_PATTERN_GS,
	X86_PATTERN_IMMEDIATE, X86_PATTERN_ZERO, X86_PATTERN_ONE,
	X86_PATTERN_TARGET, X86_PATTERN_ADDRESS,
};

/* Parts of LEA's address. */
enum {
	X86_ADDRESS_BASE = 1, X86_ADDRESS_INDEX = 2, X86_ADDRESS_SCALE = 4,
	X86_ADDRESS_SHORT = 8, X86_ADDRESS_LONG = 16, X86_ADDRESS_RIP = 32,
};

struct x86_form {
	uint16_t mnemonic; /* ZydisMnemonic */
	uint8_t prefix;    /* enum x86_form_prefix */
	uint8_t variant;   /* enum x86_form_variant */
	uint8_t count;
	struct x86_form_operand {
		uint8_t pattern;
		uint8_t location; /* of a fixed operand */
		uint16_t size;    /* bytes; of an address, its parts */
	} operand[4];
	const struct x86_form_line *line;
	char *name;
};

struct x86_forms {
	struct x86_form *form; /* sorted by mnemonic */
	unsigned count;
	/* index of a mnemonic's first form; the last element is `count` */
	uint32_t *first;
};

/* Parses a core's table. -1 and *error for a malformed row; *forms is empty
 * then. */
int x86_forms_create(struct x86_forms *forms, const struct x86_uop_core *core,
		     struct error *error);
void x86_forms_free(struct x86_forms *forms);

/* The form that fits an instruction best; NULL when none fits. */
const struct x86_form *x86_form_find(const struct x86_forms *forms,
				     const struct x86_inst *inst,
				     enum x86_form_variant variant);

/* Whether the last two register operands are the same. */
bool x86_form_same_registers(const struct x86_inst *inst);
/* Whether an address that the instruction accesses has an index. */
bool x86_form_indexed(const struct x86_inst *inst);

#endif
