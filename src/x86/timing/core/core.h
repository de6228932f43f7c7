/* One out-of-order core, cycle by cycle: predecoder, decoders, uop cache, loop
 * buffer, renamer, scheduler, loads and stores, retirement.
 *
 * A functional emulator drives it: the core gets executed instructions in the
 * order in which they are fetched, with the memory that they touched. Values
 * are not simulated. The rules and their sources: doc/x86-timing.md.
 *
 * Who drives it also predicts branches. Behind a mispredicted branch, which is
 * pushed with `diverts`, come the instructions of the wrong path. When the
 * branch has been executed, x86_core_advance() returns X86_CORE_RESOLVED;
 * x86_core_squash() then drops the wrong path, and the right path is pushed.
 * A branch on the wrong path may divert, too. */
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

/* Whether fetch goes on at once behind an instruction. */
enum x86_core_fetch {
	X86_CORE_FETCH_ON,
	/* The branch's target came from the second level of the branch target
	 * buffer, and some cycles are lost. */
	X86_CORE_FETCH_LATE,
	/* The decoder finds the target: fetch waits until it has. */
	X86_CORE_FETCH_DECODED,
	/* Fetch waits until the instruction has been executed. */
	X86_CORE_FETCH_EXECUTED,
};

enum { X86_CORE_DIVERTING = 64 }; /* mispredicted branches in flight */

/* One executed instruction for the core. */
struct x86_core_input {
	/* Both must stay valid until the instruction has retired. */
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t address;  /* of the instruction */
	uint64_t next;     /* address of the next instruction */
	const struct x86_reference *reference; /* copied */
	unsigned references;
	uint8_t fetch;     /* enum x86_core_fetch */
	/* What is pushed next is a wrong path. At most X86_CORE_DIVERTING such
	 * instructions may be in flight. */
	bool diverts;
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
/* Appends an instruction and returns its number, counted from 0. The core must
 * have room. Numbers of dropped instructions are given again. */
uint64_t x86_core_push(struct x86_core *core,
		       const struct x86_core_input *input);
/* The number of instructions that have been pushed and not yet fetched. */
uint64_t x86_core_ahead(const struct x86_core *core);

enum x86_core_state {
	X86_CORE_DONE,   /* the wanted number of instructions has retired */
	/* The core needs more input to simulate the next cycle. */
	X86_CORE_HUNGRY,
	/* Nothing can happen any more: an error of the model. */
	X86_CORE_STUCK,
	/* An instruction that diverts has been executed:
	 * x86_core_resolved(). */
	X86_CORE_RESOLVED,
};

/* Simulates until `instructions` instructions in all have retired, or the input
 * runs out. With `last` there is no more input to come, and the core drains. */
enum x86_core_state x86_core_run(struct x86_core *core, uint64_t instructions,
				 bool last);

/* Simulates until cycle `until`, X86_CORE_DONE. With `last` no more input comes
 * until the next X86_CORE_RESOLVED; when the core has drained, and its stores
 * have been committed, X86_CORE_HUNGRY. X86_CORE_RESOLVED comes before the
 * instruction retires; x86_core_squash() must follow. */
enum x86_core_state x86_core_advance(struct x86_core *core, uint64_t until,
				     bool last);
/* The number of the instruction that X86_CORE_RESOLVED is about. */
uint64_t x86_core_resolved(const struct x86_core *core);
/* Drops all instructions behind that one, and lets fetch begin anew. */
void x86_core_squash(struct x86_core *core);
/* Drops all instructions in flight. Time does not change. */
void x86_core_clear(struct x86_core *core);
/* Lets time pass in a core that has drained, until cycle `until`. `part` is
 * X86_CORE_KERNEL or X86_CORE_IDLE. */
enum x86_core_part {
#define PART(id, name, doc) X86_CORE_##id,
#include "x86/timing/core/parts.def"
#undef PART
	X86_CORE_PARTS
};
void x86_core_skip(struct x86_core *core, uint64_t until,
		   enum x86_core_part part);

/* What becomes of a slot of the renamer. */
enum x86_core_stall {
#define STALL(id, name, doc) X86_CORE_STALL_##id,
#include "x86/timing/core/stalls.def"
#undef STALL
	X86_CORE_STALLS
};

/* What has been counted since the last reset. */
struct x86_core_counts {
	/* Where the slots of retirement went, of which each cycle has
	 * figures.retire_width: their sum is that of all cycles. */
	uint64_t part[X86_CORE_PARTS];
	/* Instructions that have been squashed after they were fetched. */
	uint64_t squashed;
	/* What became of the renamer's slots, of which each cycle has
	 * figures.issue_width. */
	uint64_t stall[X86_CORE_STALLS];
	uint64_t uops;           /* that have got a port */
	uint64_t uops_squashed;
	uint64_t loads, stores;  /* that reached the cache */
};
const struct x86_core_counts *x86_core_counts(const struct x86_core *core);

/* The number of simulated cycles, which is the number of the next cycle. */
uint64_t x86_core_cycle(const struct x86_core *core);
/* The numbers of retired instructions and of retired slots of the reorder
 * buffer. */
uint64_t x86_core_instructions(const struct x86_core *core);
uint64_t x86_core_slots(const struct x86_core *core);

/* Writes the state of the core: what waits for what. */
void x86_core_describe(const struct x86_core *core, FILE *stream);

#endif
