/* One out-of-order core, cycle by cycle: predecoder, decoders, uop cache, loop
 * buffer, renamer, scheduler, loads and stores, retirement.
 *
 * A functional emulator drives the core. It hands over executed instructions in
 * the order in which they are fetched, with the memory that they touched. The
 * core simulates no values. doc/x86-timing.md has the rules and their sources.
 *
 * The driver also predicts branches. It pushes a mispredicted branch with
 * `diverts`, and then the instructions of the wrong path. When the branch has
 * been executed, x86_core_advance() returns X86_CORE_RESOLVED. The driver then
 * drops the wrong path by x86_core_squash() and pushes the right path. A branch
 * on the wrong path may divert, too. */
#ifndef M2S_X86_TIMING_CORE_CORE_H
#define M2S_X86_TIMING_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "x86/emu/step.h"
#include "x86/timing/core/preset.h"
#include "x86/timing/uops/uop.h"

struct x86_core;

/* An access that the core begins. */
struct x86_core_request {
	uint64_t address;    /* the program's */
	uint64_t instruction; /* its address */
	uint64_t cycle;
	uint64_t ticket;     /* for x86_core_memory_done() */
	unsigned size;
	bool store;
	bool past;           /* a store that goes past the caches */
	/* A load whose data a store in flight has: it has to be translated
	 * and needs nothing of a cache. */
	bool forwarded;
	/* A load of a locked operation: the line must be the core's alone. */
	bool locked;
	/* enum x86_hint: a load that nobody waits for. It is answered as a hit
	 * (0), or with X86_CORE_BUSY. */
	uint8_t hint;
	/* The memory may say that a hit has given it something to do, sooner than
	 * next() said. */
	bool soon;
	/* The memory may say where the time goes if the access is not a hit:
	 * enum x86_core_part, at first X86_CORE_MEMORY. */
	uint8_t part;
};

/* Answers of begin() and fetch(), besides numbers of cycles. */
enum {
	/* x86_core_memory_done() will follow, not from inside the call. */
	X86_CORE_PENDING = 0x40000000,
	/* There is no room. The core tries again behind the next
	 * x86_core_memory_done() or x86_core_memory_room(). */
	X86_CORE_BUSY,
};

/* The memory behind the core's first-level cache. */
struct x86_core_memory {
	/* Returns the cycles that an access, which begins in `cycle`, takes
	 * beyond a hit in the first-level cache. Called once for each load and
	 * each committed store. NULL: always 0. */
	unsigned (*access)(void *owner, uint64_t address, unsigned size,
			   bool store, uint64_t cycle);
	/* Names the place in memory behind an address. Loads and stores of the
	 * same place depend on each other, whatever their addresses. NULL: each
	 * address is its own place. */
	uint64_t (*place)(void *owner, uint64_t address);
	/* In place of `access`, for memory that answers later. Returns the
	 * cycles beyond a hit (0: a hit), X86_CORE_PENDING or X86_CORE_BUSY.
	 * Loads come in the order in which they start, stores in the order of
	 * the program, one at a time. */
	unsigned (*begin)(void *owner, struct x86_core_request *request);
	/* A store has retired, and begin() will follow when its turn has come:
	 * its line may be asked for now. NULL: nothing. */
	void (*own)(void *owner, uint64_t address, unsigned size,
		    uint64_t cycle);
	/* No cache is to keep the line of this address; older stores have been
	 * committed. NULL: nothing. */
	void (*flush)(void *owner, uint64_t address, uint64_t cycle);
	/* Older stores that went past the caches are not to wait any longer.
	 * NULL: nothing. */
	void (*drain)(void *owner, uint64_t cycle);
	/* The predecoder needs the line of code at `address`. Answers as
	 * begin() does. NULL: all code is there. */
	unsigned (*fetch)(void *owner, uint64_t address, uint64_t cycle,
			  uint64_t ticket);
	/* Lets the memory's time come to the beginning of `cycle`. Called
	 * before each simulated cycle in which something may have become due.
	 * NULL: the owner of the core does that by itself. */
	void (*advance)(void *owner, uint64_t cycle);
	/* The first cycle in which the memory has something to do;
	 * UINT64_MAX: none. The core passes over the cycles before it when it
	 * has nothing to do itself. Goes with `advance`. */
	uint64_t (*next)(void *owner);
	void *owner;
};

/* When fetch continues behind an instruction. */
enum x86_core_fetch {
	X86_CORE_FETCH_ON,
	/* The branch's target came from the second level of the branch target
	 * buffer, and some cycles are lost. */
	X86_CORE_FETCH_LATE,
	/* Fetch waits until the decoder has found the target. */
	X86_CORE_FETCH_DECODED,
	/* Fetch waits until the instruction has been executed. */
	X86_CORE_FETCH_EXECUTED,
};

enum { X86_CORE_DIVERTING = 64 }; /* of mispredicted branches in flight */

/* One executed instruction for the core. */
struct x86_core_input {
	/* Both must stay valid until x86_core_oldest() is younger. */
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t address;  /* the instruction's */
	uint64_t next;     /* the next instruction's address */
	const struct x86_reference *reference; /* copied */
	unsigned references;
	uint8_t fetch;     /* enum x86_core_fetch */
	uint8_t division, dividend; /* of its record */
	/* The instructions pushed next are a wrong path. At most
	 * X86_CORE_DIVERTING such instructions may be in flight. */
	bool diverts;
	/* Of a wrong path: goes as far as the queue of uops. */
	bool decoded_only;
	/* A locked operation that had its line when it was executed: its accesses
	 * have been made, and take the time of hits. */
	bool accessed;
};

/* The course of a retired instruction; times are cycles. */
struct x86_core_retired {
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t number;   /* from 0 */
	uint64_t address;
	uint64_t predecoded, decoded, issued, retired;
	bool fused;        /* retired as a part of the previous instruction */
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

/* Lets the core remember what it does, and not do it again (memo/memo.h), if it is one
 * that can: one thread, ports, a memory that answers later. Nothing that is seen of
 * the core changes by it. It takes about so many bytes. With `check`, it also simulates what it remembers, and
 * ends the program with an error when the two differ. */
void x86_core_memoize(struct x86_core *core, size_t bytes, bool check);
/* How many instructions it has remembered. This depends on the host's addresses. */
uint64_t x86_core_remembered(const struct x86_core *core);

/* Empties the core and sets the time to cycle 0. */
void x86_core_reset(struct x86_core *core);

/* Sets the function that is called for each instruction as it retires; NULL:
 * none. */
void x86_core_observe(struct x86_core *core,
		      void (*retired)(void *owner,
				      const struct x86_core_retired *what),
		      void *owner);

/* Makes cores with equal figures, which have not simulated anything, threads of
 * one core: they use the same ports and the slots of its stages, and divide or
 * share its room (figures.sharing). Their owner simulates one cycle of each, and
 * then the next, in an order that may change from cycle to cycle. All are freed
 * together. */
enum { X86_CORE_THREADS = 16 };
void x86_core_join(struct x86_core *const *thread, unsigned count);
/* Whether a thread executes here: those that do divide what is not shared. */
void x86_core_busy(struct x86_core *core, bool busy);

/* How many further instructions the core has room for. */
uint64_t x86_core_room(const struct x86_core *core);
/* Appends an instruction and returns its number, counted from 0. The core must
 * have room. The numbers of dropped instructions are used again. */
uint64_t x86_core_push(struct x86_core *core,
		       const struct x86_core_input *input);
/* The same for records of a ring from `from` on, at most `most`, up to a branch:
 * fetch goes on behind each, and none has had its line before. Returns how many
 * it has appended. */
unsigned x86_core_push_plain(struct x86_core *core,
			     struct x86_templates *templates,
			     const struct x86_ring *ring, uint64_t from,
			     unsigned most);
/* The number that x86_core_push() will return. */
uint64_t x86_core_pushed(const struct x86_core *core);
/* The number of instructions that have been pushed and not yet fetched. */
uint64_t x86_core_ahead(const struct x86_core *core);
/* With fewer of them the core answers X86_CORE_HUNGRY. */
uint64_t x86_core_lookahead(const struct x86_core *core);

/* The access behind a pending ticket is done: it takes as long as one that
 * begins in `cycle` and hits. `cycle` is not before the request's. Tickets of
 * accesses that have been dropped meanwhile are ignored. */
void x86_core_memory_done(struct x86_core *core, uint64_t ticket,
			  uint64_t cycle);
/* There may be room for accesses that were answered by X86_CORE_BUSY. */
void x86_core_memory_room(struct x86_core *core);
/* The memory has something to do sooner than next() said, for another reason than
 * an access of the core. */
void x86_core_memory_soon(struct x86_core *core);

enum x86_core_state {
	X86_CORE_DONE,   /* the wanted number of instructions has retired */
	/* The core needs more input to simulate the next cycle. */
	X86_CORE_HUNGRY,
	/* Nothing can happen any more, which is an error of the model. */
	X86_CORE_STUCK,
	/* A mispredicted branch has been executed: x86_core_resolved(). */
	X86_CORE_RESOLVED,
};

/* Simulates until `instructions` instructions in all have retired, or the input
 * runs out. With `last` there is no more input to come, and the core drains. */
enum x86_core_state x86_core_run(struct x86_core *core, uint64_t instructions,
				 bool last);

/* Simulates until cycle `until` and returns X86_CORE_DONE. With `last`, no more
 * input comes until the next X86_CORE_RESOLVED. X86_CORE_HUNGRY then means that
 * the core has drained and has committed its stores. X86_CORE_RESOLVED comes
 * before the branch retires, and x86_core_squash() must follow. */
enum x86_core_state x86_core_advance(struct x86_core *core, uint64_t until,
				     bool last);
/* The number of the resolved branch. */
uint64_t x86_core_resolved(const struct x86_core *core);
/* Drops all instructions younger than the resolved branch. Fetch begins
 * anew. */
void x86_core_squash(struct x86_core *core);
/* Drops all instructions in flight. Time does not change. */
void x86_core_clear(struct x86_core *core);
/* Another core has written to a line. Loads of it that have been executed and
 * have not retired are out of order if an older load comes later: the first of
 * them clears the machine when it is about to retire, and fetch begins anew with
 * it. The oldest instruction may retire. */
void x86_core_line_lost(struct x86_core *core, uint64_t address, uint64_t size);
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

/* Lets time pass in a core that has drained and waits for its memory, until cycle
 * `until` or the next one in which the memory has something to do. False: the
 * memory has nothing to do, and `until` is UINT64_MAX. */
bool x86_core_wait(struct x86_core *core, uint64_t until,
		   enum x86_core_part part);

/* Lets time pass in a core that has drained, until `cycle`, and counts
 * nothing: what happens meanwhile is not simulated. */
void x86_core_move(struct x86_core *core, uint64_t cycle);

/* Instructions that are executed and not simulated: which registers share a value
 * by move elimination follows them, since that may last long. Nothing is in
 * flight. x86_core_warm_begin() comes before the first one of each row. The
 * `count` ones from `inst` on lie behind one another and have templates; `written`
 * has all that they write, `eliminable` a bit for each that is such a move (and may
 * have more). */
void x86_core_warm_begin(struct x86_core *core);
void x86_core_warm(struct x86_core *core, const struct x86_inst *inst,
		   unsigned count, uint64_t written, uint64_t eliminable);

/* From now on, slots of retirement are charged to the instructions of a profile
 * (x86/timing/profile), which must outlive its use; NULL: to none. The core must
 * have drained. */
struct x86_profile;
void x86_core_charge(struct x86_core *core, struct x86_profile *profile);

/* The use of a slot of the renamer in one cycle. */
enum x86_core_stall {
#define STALL(id, name, doc) X86_CORE_STALL_##id,
#include "x86/timing/core/stalls.def"
#undef STALL
	X86_CORE_STALLS
};

/* Counts since the last reset. */
struct x86_core_counts {
	/* Slots of retirement by use. Each cycle counts figures.retire_width
	 * slots. */
	uint64_t part[X86_CORE_PARTS];
	/* Slots of the renamer by use. Each cycle counts figures.issue_width
	 * slots. */
	uint64_t stall[X86_CORE_STALLS];
	/* Of pools of units: uops that started, those of them that had been
	 * ready before, and for how many cycles. */
	struct x86_pool_counts {
		uint64_t accesses, denied, waiting;
	} pool[X86_POOLS];
#define STATS_MEMBERS
#include "x86/timing/core/core.stat.def"
#define STATS_MEMBERS
#include "x86/timing/core/front/trace.stat.def"
};
const struct x86_core_counts *x86_core_counts(const struct x86_core *core);

/* The number of simulated cycles, which is the number of the next cycle. */
uint64_t x86_core_cycle(const struct x86_core *core);
/* The numbers of retired instructions and of retired slots of the reorder
 * buffer. */
uint64_t x86_core_instructions(const struct x86_core *core);
/* The number of the oldest instruction whose description the core may still read:
 * the first one that has not retired, or an older one when the core remembers. */
uint64_t x86_core_oldest(const struct x86_core *core);
uint64_t x86_core_slots(const struct x86_core *core);
/* The number behind the youngest locked operation whose load has its data; 0:
 * none. */
uint64_t x86_core_locked(const struct x86_core *core);
/* The number of retired instructions whose stores have committed, and those of
 * all older instructions. */
uint64_t x86_core_committed(const struct x86_core *core);

/* Writes the state of the core, with each instruction's reason to wait. */
void x86_core_describe(const struct x86_core *core, FILE *stream);

#endif
