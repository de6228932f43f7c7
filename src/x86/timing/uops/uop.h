/* What an instruction becomes in a core: micro-operations with the ports they
 * may use, what they wait for and when their results are there.
 *
 * A core's table (NAME.def, form.h) says it for every measured form of an
 * instruction; template.c makes a template of a row and a description of the
 * emulator (x86/emu/inst.h). That costs once a description: the template stays
 * with it, in `timing`. */
#ifndef M2S_X86_TIMING_UOPS_UOP_H
#define M2S_X86_TIMING_UOPS_UOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "x86/emu/inst.h"

/* Places: where a value waits between uops. Below X86_LOCATION_COUNT: enum
 * x86_location. ST(i) are relative to the top, as in descriptions. */
enum x86_place {
	X86_PLACE_CARRY = X86_LOCATION_COUNT, /* CF is renamed apart */
	X86_PLACE_FLAGS,         /* the other five */
	X86_PLACE_HIGH,          /* 4: AH CH DH BH, on cores that rename them
	                          * apart; else part of the register */
	X86_PLACE_INTERNAL = X86_PLACE_HIGH + 4, /* 16: between the uops of
	                          * one instruction */
	X86_PLACE_COUNT = X86_PLACE_INTERNAL + 16
};

enum x86_uop_kind {
	X86_UOP_COMPUTE,
	X86_UOP_LOAD,
	X86_UOP_STORE_ADDRESS,
	X86_UOP_STORE_DATA,
};

/* What the cache's latency of a load depends on besides its address. */
enum x86_load_class {
	X86_LOAD_GENERAL,
	X86_LOAD_MMX,
	X86_LOAD_XMM,
	X86_LOAD_YMM,
	X86_LOAD_X87,
};

enum { X86_UOP_SOURCES = 5, X86_UOP_RESULTS = 4 };

struct x86_uop {
	uint16_t ports;    /* bit n: port n. 0: none (NOP, zero idiom): it is
	                    * done when it is issued */
	uint8_t kind;      /* enum x86_uop_kind */
	uint8_t slot;      /* issue slot within the instruction: uops of one
	                    * slot are micro-fused */
	uint8_t memory;    /* loads and stores: which of inst->memory */
	uint8_t load;      /* loads: enum x86_load_class */
	uint8_t port_cycles;    /* it keeps its port so long; 1, or 2: 256-bit
	                         * accesses of Sandy and Ivy Bridge */
	uint8_t divider_cycles; /* it keeps the divider so long; 0: it does not
	                         * need it */
	uint8_t source_count, result_count;
	uint8_t source[X86_UOP_SOURCES]; /* places: it may start when all are
	                                  * there */
	struct x86_result {
		uint8_t place;
		uint8_t latency; /* from its dispatch to a dependent's. That
		                  * of the cache is not in it: a load's
		                  * results are there so much later than the
		                  * cache's data */
	} result[X86_UOP_RESULTS];
};

/* Divisions take longer for some values. */
enum x86_divide {
	X86_DIVIDE_NONE,
	X86_DIVIDE_UNSIGNED, /* DIV: size of the divisor in divide_bytes */
	X86_DIVIDE_SIGNED,
};

/* One instruction in one core. Immutable. */
struct x86_template {
	uint16_t form;          /* row of the core's table; X86_NO_FORM: the
	                         * default of its class */
	/* Front end. */
	uint8_t decoder_uops;   /* fused uops that the decoders deliver */
	uint8_t microcode_uops; /* that the microcode sequencer delivers */
	uint8_t simple_left;    /* simple decoders that can still work beside
	                         * it in the cycle */
	bool complex_decoder;   /* only the first decoder can */
	bool ends_decoding;     /* and it is the last of its cycle: POP RSP */
	bool wide_immediate;    /* two slots of the uop cache */
	uint16_t fuses_with;    /* macro-fusion, as the first of a pair: bit c:
	                         * with Jcc of condition c (opcode's low four
	                         * bits) behind it */
	bool conditional_jump;  /* the second of a pair it can be: */
	uint8_t condition;      /* of a Jcc */
	/* Rename. */
	uint8_t slots;          /* issue slots, unlaminated where the core
	                         * does */
	uint8_t slots_fused;    /* slots in decoders, uop cache and queue */
	uint8_t retire_slots;
	bool zero_idiom;        /* depends on nothing; zero, or ones (which
	                         * may still need a port) */
	bool eliminable;        /* move elimination: uop[] is the real move,
	                         * which stands in when there is no slot */
	bool vector_move;       /* which slots: SIMD's */
	uint8_t move_from, move_to; /* places */
	bool serializing;
	bool locked;
	int16_t stack_change;   /* of rsp, by the stack engine: PUSH -8 */
	bool stack_explicit;    /* reads or writes rsp otherwise: a sync uop
	                         * when an offset is pending */
	uint8_t divide;         /* enum x86_divide */
	uint8_t divide_bytes;
	uint8_t minimum_cycles; /* between two of them, whatever they depend
	                         * on: measured for locked operations, fences
	                         * and their like; 0: none */
	uint8_t uop_count;
	const struct x86_uop *uop; /* in an order in which each comes after
	                         * what it waits for */
};

enum { X86_NO_FORM = 0xffff };

/* The templates of one core. Equal ones are kept once. Not thread-safe: one
 * core model at a time makes templates. */
struct x86_templates;

/* For the core "haswell", ... NULL with an error when there is no such table.
 * To be freed by x86_templates_free() after the emulators whose descriptions
 * point to them. */
struct x86_templates *x86_templates_create(const char *core,
					   struct error *error);
void x86_templates_free(struct x86_templates *templates);

/* Makes an instruction's template; never NULL. Without keeping it in the
 * description. */
const struct x86_template *x86_template_make(struct x86_templates *templates,
					     const struct x86_inst *inst);

/* The instruction's template, made at the first call. A description serves
 * one set of templates only. */
static inline const struct x86_template *
x86_template_of(struct x86_templates *templates, const struct x86_inst *inst)
{
	/* `timing` is the timing model's own to change. */
	struct x86_inst *own = (struct x86_inst *)(uintptr_t)inst;

	if (!own->timing)
		own->timing = (void *)(uintptr_t)
			x86_template_make(templates, inst);
	return own->timing;
}

/* "ADD R64,R64" of a template's form; "default: ARITHMETIC" for X86_NO_FORM
 * is the caller's to say. */
const char *x86_form_name(const struct x86_templates *templates,
			  unsigned form);

/* Prints a template for people: one line, and one for each uop. */
void x86_template_print(const struct x86_template *t, FILE *stream);

#endif
