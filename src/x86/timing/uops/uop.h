/* The micro-operations of an instruction in a core: the ports that they may
 * use, the values that they wait for, and the latencies of their results.
 *
 * A core's table (NAME.def, form.h) has a row for every measured form of an
 * instruction. template.c makes a template from a row and the emulator's
 * description (x86/emu/inst.h). The description keeps its template in
 * `timing`. */
#ifndef M2S_X86_TIMING_UOPS_UOP_H
#define M2S_X86_TIMING_UOPS_UOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "x86/emu/inst.h"
#include "x86/timing/uops/pools.h"

/* Places of values between uops. Places below X86_LOCATION_COUNT are those of
 * enum x86_location. ST(i) are relative to the top, as in descriptions. */
enum x86_place {
	/* CF, which is renamed separately. */
	X86_PLACE_CARRY = X86_LOCATION_COUNT,
	X86_PLACE_FLAGS,         /* the other five flags */
	/* 4 places: AH CH DH BH, on cores that rename them apart from their
	 * registers. */
	X86_PLACE_HIGH,
	/* 16 places: between the uops of one instruction. */
	X86_PLACE_INTERNAL = X86_PLACE_HIGH + 4,
	X86_PLACE_COUNT = X86_PLACE_INTERNAL + 16
};

enum x86_uop_kind {
	X86_UOP_COMPUTE,
	X86_UOP_LOAD,
	X86_UOP_STORE_ADDRESS,
	X86_UOP_STORE_DATA,
};

/* Classes of loads, on which the cache's latency depends besides the
 * address. */
enum x86_load_class {
	X86_LOAD_GENERAL,
	X86_LOAD_MMX,
	X86_LOAD_XMM,
	X86_LOAD_YMM,
	X86_LOAD_X87,
};

/* Units of vector operations that pass results on to each other later than to
 * themselves. */
enum x86_domain {
	X86_DOMAIN_NONE,       /* to and from all alike: loads, moves, shuffles */
	X86_DOMAIN_INTEGERS,
	X86_DOMAIN_FLOATS,
};

enum { X86_UOP_SOURCES = 5, X86_UOP_RESULTS = 4 };

struct x86_divider;

struct x86_uop {
	/* Bit n: port n, or a pool of units (pools.h). 0: none (NOP, zero
	 * idiom), and the uop is done when it is issued. With a source such a
	 * uop is no operation: its result is another name of the source, for
	 * later uops of the instruction that read what was there before it, or
	 * that get it so many cycles later. */
	uint32_t ports;
	uint8_t kind;      /* enum x86_uop_kind */
	/* issue slot in the instruction; uops with the same slot are
	 * micro-fused */
	uint8_t slot;
	uint8_t memory : 4; /* loads and stores: index in inst->memory */
	uint8_t load : 4;  /* loads: enum x86_load_class */
	/* Cycles for which the uop keeps its port: 1, or 2 for 256-bit accesses
	 * of Sandy and Ivy Bridge; of a pool its IssueLat. */
	uint8_t port_cycles;
	/* Cycles for which the uop keeps the divider; 0: it does not use the
	 * divider. */
	uint8_t divider_cycles;
	uint8_t source_count, result_count;
	uint8_t domain;    /* enum x86_domain */
	/* Greatest latency of the results; at least 1, but for a load, which is
	 * complete when its data is there. Of simple templates only. */
	uint8_t longest;
	/* Places; the uop may start when all are ready. */
	uint8_t source[X86_UOP_SOURCES];
	struct x86_result {
		uint8_t place;
		/* Cycles from the uop's dispatch to that of a dependent uop. A
		 * load's results come so many cycles after the cache's data. */
		uint8_t latency;
	} result[X86_UOP_RESULTS];
};

/* What prefetch instructions ask for. */
enum x86_hint {
	X86_HINT_NONE,
	X86_HINT_NEAR,        /* PREFETCH, PREFETCHT0, PREFETCHNTA */
	X86_HINT_FAR,         /* PREFETCHT1, PREFETCHT2 */
	X86_HINT_STORE,       /* PREFETCHW, PREFETCHWT1 */
};

/* Divisions take longer for some values (divide.h). */
enum x86_divide {
	X86_DIVIDE_NONE,
	X86_DIVIDE_BYTE,      /* DIV and IDIV of 8 bits */
	X86_DIVIDE_INTEGER,   /* DIV of 16 and 32 bits */
	X86_DIVIDE_INTEGER_SIGNED,
	X86_DIVIDE_LONG,      /* DIV of 64 bits */
	X86_DIVIDE_LONG_SIGNED,
	X86_DIVIDE_FRACTION,
	X86_DIVIDE_ROOT,
};

/* The template of an instruction in a core. It does not change. */
struct x86_template {
	uint16_t form;          /* row of the core's table; X86_NO_FORM: the
	                         * default of its class */
	/* Front end. */
	uint8_t decoder_uops;   /* fused uops that the decoders deliver */
	uint8_t microcode_uops; /* uops that the microcode sequencer delivers */
	/* Simple decoders that can work in the same cycle. */
	uint8_t simple_left;
	bool complex_decoder;   /* only the first decoder can decode it */
	/* Ends the decoding of its cycle, too: POP RSP. */
	bool ends_decoding;
	bool wide_immediate;    /* takes two slots of the uop cache */
	/* Macro-fusion as the first of a pair. Bit c: with a following Jcc of
	 * condition c (the opcode's low four bits). */
	uint16_t fuses_with;
	/* Macro-fusion as the second of a pair: a Jcc. */
	bool conditional_jump;
	uint8_t condition;      /* the Jcc's */
	/* Rename. */
	/* Issue slots, after unlamination on cores that unlaminate. */
	uint8_t slots;
	uint8_t slots_fused;    /* slots in decoders, uop cache and queue */
	uint8_t retire_slots;
	/* Waits for no input: gives zero, or all ones (for which it may still
	 * need a port). */
	bool zero_idiom;
	/* A move that can be eliminated. uop[] is the real move, for when no
	 * elimination slot is free. */
	bool eliminable;
	bool vector_move;       /* uses the SIMD elimination slots */
	uint8_t move_from, move_to; /* places */
	/* FXCH, which exchanges the names of both places. */
	bool exchanges;
	bool serializing;
	bool locked;
	/* Its store is not forwarded: VMASKMOV. */
	bool masked;
	bool past;              /* its store goes past the caches: MOVNTI, ... */
	bool flushes;           /* caches lose the line: CLFLUSH, CLFLUSHOPT */
	uint8_t hint;           /* enum x86_hint */
	/* Stores that go past the caches and wait for their line's rest leave:
	 * fences, locked and serializing instructions. */
	bool drains;
	int16_t stack_change;   /* change of rsp by the stack engine: PUSH -8 */
	/* Reads or writes rsp in another way, so needs a sync uop when the
	 * stack engine holds an offset. */
	bool stack_explicit;
	uint8_t divide;         /* enum x86_divide */
	uint8_t divide_times;   /* 2: two halves one after the other */
	/* Every second such division keeps the divider a cycle less. */
	bool divide_less_half;
	/* The core's figures for it. */
	const struct x86_divider *divider;
	/* Least cycles between two such instructions, whatever they depend on:
	 * measured for locked operations, fences and related instructions. 0:
	 * no limit. */
	uint8_t minimum_cycles;
	/* Most instructions: one slot, whose uops need no unit besides a port, and
	 * access no x87 register and no high byte. Their uops with ports, loads
	 * and entries of the store queue (x86_template_complete()). */
	bool simple;
	uint8_t scheduled, loads, stores;
	/* `slots` and, above them, `slots_fused`, as an instruction begins with
	 * them: at least one, and no more fused ones than others. */
	uint16_t course;
	uint8_t uop_count;
	/* Each uop stands behind the uops that it waits for. */
	const struct x86_uop *uop;
};

enum { X86_NO_FORM = 0xffff };

/* The templates of one core. Equal templates exist once. Not thread-safe: only
 * one core model at a time may make templates. */
struct x86_templates;

/* Creates the templates of a core such as "haswell". NULL with an error when
 * there is no such table. The caller frees them with x86_templates_free(),
 * after the emulators whose descriptions point to them. */
struct x86_templates *x86_templates_create(const char *core,
					   struct error *error);
/* The same for a core with pools of functional units in place of ports, where
 * all instructions are made by one rule (classic.c). *pools is copied. */
struct x86_templates *
x86_templates_create_pools(const struct x86_pools *pools);
/* Those of a core's pools when they are in use, or of its table. */
struct x86_templates *x86_templates_for(const char *core,
					const struct x86_pools *pools,
					struct error *error);
void x86_templates_free(struct x86_templates *templates);

/* Finds out whether a template is simple. `uop` is what template->uop points to. */
void x86_template_complete(struct x86_template *template, struct x86_uop *uop);

/* Makes an instruction's template without keeping it in the description. Never
 * NULL. */
const struct x86_template *x86_template_make(struct x86_templates *templates,
					     const struct x86_inst *inst);

/* The instruction's template, made at the first call. A description serves
 * one set of templates only. */
static inline const struct x86_template *
x86_template_of(struct x86_templates *templates, const struct x86_inst *inst)
{
	/* The timing model owns `timing`. */
	struct x86_inst *own = (struct x86_inst *)(uintptr_t)inst;

	if (!own->timing)
		own->timing = (void *)(uintptr_t)
			x86_template_make(templates, inst);
	return own->timing;
}

/* The name of a template's form, such as "ADD R64,R64". For X86_NO_FORM the
 * caller makes a text such as "default: ARITHMETIC". */
const char *x86_form_name(const struct x86_templates *templates,
			  unsigned form);

/* Prints a template for people: one line, and one for each uop. */
void x86_template_print(const struct x86_template *t, FILE *stream);

#endif
