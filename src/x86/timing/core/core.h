/* One out-of-order core, cycle by cycle: predecoder, decoders, uop cache, loop
 * buffer, renamer, scheduler, loads and stores, retirement.
 *
 * A functional emulator drives it: the core gets the executed instructions of
 * the right path in their order, with the memory that they touched. Values are
 * not simulated. The rules and their sources: doc/x86-timing.md. */
#ifndef M2S_X86_TIMING_CORE_CORE_H
#define M2S_X86_TIMING_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "x86/emu/step.h"
#include "x86/timing/core/preset.h"
#include "x86/timing/uops/uop.h"

struct x86_core;

/* The memory behind the core's first-level cache. */
struct x86_core_memory {
	/* Returns the cycles that an access, which begins in `cycle`, takes
	 * beyond a hit in the first-level cache. Called once for each load and
	 * each committed store. NULL: always 0. */
	unsigned (*access)(void *owner, uint64_t address, unsigned size,
			   bool store, uint64_t cycle);
	/* Where an address lies in memory that others may name otherwise:
	 * loads and stores that meet there depend on each other. NULL: each
	 * address is its own place. */
	uint64_t (*place)(void *owner, uint64_t address);
	void *owner;
};

/* One executed instruction for the core. */
struct x86_core_input {
	/* Both must stay valid until the instruction has retired. */
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t address;  /* of the instruction */
	uint64_t next;     /* address of the next instruction */
	const struct x86_reference *reference; /* copied */
	unsigned references;
};

/* The course of a retired instruction; times are cycles. */
struct x86_core_retired {
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t number;   /* from 0 */
	uint64_t address;
	uint64_t predecoded, decoded, issued, retired;
	bool fused;        /* retired as a part of the instruction before */
	unsigned uops;     /* in order of issue; 0: reorder buffer only */
	struct x86_core_retired_uop {
		uint64_t issued, dispatched, done;
		uint8_t port, kind;
	} uop[16];         /* the first 16 if there are more */
};

/* Creates a core. The figures must be in range; *memory is copied. */
struct x86_core *x86_core_create(const struct x86_core_figures *figures,
				 const struct x86_core_memory *memory);
void x86_core_free(struct x86_core *core);

/* Empties the core and sets the time to cycle 0. */
void x86_core_reset(struct x86_core *core);

/* Sets the function that is called for each instruction as it retires; NULL:
 * none. */
void x86_core_observe(struct x86_core *core,
		      void (*retired)(void *owner,
				      const struct x86_core_retired *what),
		      void *owner);

/* Whether the core has room for another instruction. */
bool x86_core_room(const struct x86_core *core);
/* Appends an instruction. The core must have room. */
void x86_core_push(struct x86_core *core, const struct x86_core_input *input);

enum x86_core_state {
	X86_CORE_DONE,   /* the wanted number of instructions has retired */
	/* The core needs more input to simulate the next cycle. */
	X86_CORE_HUNGRY,
	/* Nothing can happen any more: an error of the model. */
	X86_CORE_STUCK,
};

/* Simulates until `instructions` instructions in all have retired, or the input
 * runs out. With `last` there is no more input to come, and the core drains. */
enum x86_core_state x86_core_run(struct x86_core *core, uint64_t instructions,
				 bool last);

/* The number of simulated cycles, which is the number of the next cycle. */
uint64_t x86_core_cycle(const struct x86_core *core);
/* The numbers of retired instructions and of retired slots of the reorder
 * buffer. */
uint64_t x86_core_instructions(const struct x86_core *core);
uint64_t x86_core_slots(const struct x86_core *core);

/* Writes the state of the core: what waits for what. */
void x86_core_describe(const struct x86_core *core, FILE *stream);

#endif
