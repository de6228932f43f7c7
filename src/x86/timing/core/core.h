/* One out-of-order core, cycle by cycle: predecoder, decoders, uop cache, loop
 * buffer, renamer, scheduler, loads and stores, retirement.
 *
 * It is driven by what a functional emulator has executed: the instructions on
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

/* The memory behind the core's first cache. */
struct x86_core_memory {
	/* Cycles on top of a hit in the first cache that an access takes which
	 * begins in that cycle; asked once for each load and each store that is
	 * committed. NULL: always 0. */
	unsigned (*access)(void *owner, uint64_t address, unsigned size,
			   bool store, uint64_t cycle);
	void *owner;
};

/* One executed instruction for the core. */
struct x86_core_input {
	const struct x86_inst *inst;         /* both stay valid until it has */
	const struct x86_template *form;     /* retired */
	uint64_t address;  /* where it is fetched from */
	uint64_t next;     /* where the next one is */
	const struct x86_reference *reference; /* copied */
	unsigned references;
};

/* What became of an instruction; cycles. */
struct x86_core_retired {
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t number;   /* from 0 */
	uint64_t address;
	uint64_t predecoded, decoded, issued, retired;
	bool fused;        /* retired as part of the one before */
	unsigned uops;     /* in order of issue; 0: reorder buffer only */
	struct x86_core_retired_uop {
		uint64_t issued, dispatched, done;
		uint8_t port, kind;
	} uop[16];         /* of more only the first ones */
};

/* Figures must be in range. Memory is copied. */
struct x86_core *x86_core_create(const struct x86_core_figures *figures,
				 const struct x86_core_memory *memory);
void x86_core_free(struct x86_core *core);

/* Everything empty, at cycle 0. */
void x86_core_reset(struct x86_core *core);

/* Called for each instruction as it retires; NULL: nobody. */
void x86_core_observe(struct x86_core *core,
		      void (*retired)(void *owner,
				      const struct x86_core_retired *what),
		      void *owner);

/* Whether there is room for another instruction. */
bool x86_core_room(const struct x86_core *core);
/* Appends one. There must be room. */
void x86_core_push(struct x86_core *core, const struct x86_core_input *input);

enum x86_core_state {
	X86_CORE_DONE,   /* so many instructions have retired */
	X86_CORE_HUNGRY, /* it needs more input to know the next cycle */
	X86_CORE_STUCK,  /* nothing can happen any more: a fault of the model */
};

/* Simulates until `instructions` in all have retired, or the input runs out.
 * With `last` there is no more input to come and it is worked off. */
enum x86_core_state x86_core_run(struct x86_core *core, uint64_t instructions,
				 bool last);

/* The cycle that comes next: so many have been simulated. */
uint64_t x86_core_cycle(const struct x86_core *core);
/* Instructions retired, and slots of the reorder buffer. */
uint64_t x86_core_instructions(const struct x86_core *core);
uint64_t x86_core_slots(const struct x86_core *core);

/* Says in words where the core stands: who waits for what. */
void x86_core_describe(const struct x86_core *core, FILE *stream);

#endif
