/* Memoization: what a core has done before it need not do again.
 *
 * A core's future depends on its state and on what comes from outside: the
 * instructions that it fetches, the answers of its memory, and which accesses
 * touch the same bytes. Now and then the core saves its state in a form that does
 * not depend on time and position (state.h), and notes from there on what
 * comes from outside and what it asks for: a path of actions that leads to another
 * state. When it comes to a state that it knows, it does not simulate: it plays a
 * path (play.c), asks its memory as the path says, and compares what comes.
 * Where nothing known fits, the core goes back to the path's beginning, repeats
 * the simulation with the answers that it has got, and goes on from there. All
 * figures are those of a core that always simulates.
 *
 * The idea is that of FastSim: E. Schnarr and J. R. Larus, "Fast Out-Of-Order
 * Processor Simulation Using Memoization", ASPLOS 1998.
 *
 * Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_MEMO_H
#define M2S_X86_TIMING_CORE_MEMO_H

#include "x86/timing/core/state.h"

/* An instruction that a path fetches, as it was pushed. */
struct memo_input {
	const struct x86_template *form;
	uint64_t address, next, rest;
};

/* An action: bits 0 to 3 are its kind, the others say what it does, and what
 * came from outside. The words of two paths are equal as long as the same
 * happens. */
enum memo_kind {
	/* Behind the memory's advance: the number of answers; and for each one
	 * the uop, and for how many cycles it lies ahead. */
	MEMO_ANSWERS, MEMO_ANSWER,
	/* There may be room for accesses that the memory has refused. */
	MEMO_ROOM,
	MEMO_LOAD,      /* a load starts: what the memory answers */
	MEMO_STORE,     /* the oldest store asks for its line */
	MEMO_COMMIT,    /* and commits */
	MEMO_RETIRED,   /* an instruction has retired, with stores, or loads that
			 * teach their counter */
	MEMO_ALIAS,     /* a load is renamed: the store that it depends on */
	MEMO_NEW_STORE, /* an entry of the store queue is taken */
	MEMO_FRONT,     /* instructions are looked at, which are compared */
	/* A line of the uop cache is opened, or asked for; the next word is the
	 * address. */
	MEMO_OPEN, MEMO_HOLDS,
	/* Code is asked for, which the next word tells; or no longer waited for. */
	MEMO_FETCH,
	/* A line enters the uop cache, or a window leaves it. */
	MEMO_FILL,
	MEMO_CYCLE,     /* ends */
	/* Time passes until something happens in the core, or comes. */
	MEMO_SKIP,
};

/* From one state to the next. */
struct memo_path {
	struct memo_path *next; /* the next one of the same state */
	struct memo_state *end;
	const uint64_t *action;
	const struct memo_input *input;
	const struct memo_count {
		uint32_t index, by;
	} *count;            /* words of x86_core_counts */
	/* Slots of retirement that a load has cost, which are charged to the part
	 * where it spends its time. */
	const struct memo_charge {
		uint32_t uop, slots;
	} *charge;
	uint32_t actions, inputs, counts, charges;
	uint32_t slots;      /* retired */
	uint32_t uops_left;  /* how far uop_head moves */
};

struct memo_state {
	struct memo_state *next; /* of the same bucket */
	struct memo_path *path;  /* the last used one is first */
	uint64_t signature;
	uint32_t size;           /* bytes; a multiple of 8 */
	uint16_t refused;        /* accesses that wait for room */
	bool resolves;           /* a mispredicted branch has been executed */
	uint64_t data[];
};

/* Where a state is met. */
struct memo_place {
	uint64_t now, retired, predecoded, uop_head, tickets;
	uint64_t store_head, store_tail, store_ticket, fetch_ticket;
};

static inline struct memo_place core_memo_place(const struct x86_core *core)
{
	return (struct memo_place){
		.now = core->now,
		.retired = core->flow_retired,
		.predecoded = core->flow_predecoded,
		.uop_head = core->uop_head,
		.tickets = core->tickets,
		.store_head = core->store_head,
		.store_tail = core->store_tail,
		.store_ticket = core->store_ticket,
		.fetch_ticket = core->fetch_ticket,
	};
}

/* What came from outside since then, in its order. */
struct memo_event {
	uint8_t kind;        /* enum memo_kind */
	uint8_t part;        /* MEMO_LOAD */
	uint64_t cycle;
	uint64_t value;      /* answer; MEMO_SKIP: the next cycle */
	uint64_t ticket;     /* MEMO_ANSWER; then `value` is its cycle */
};

/* What is known of a core while it plays. */
struct memo_figures {
	uint64_t retired, decoded, predecoded, uop_head, slots;
	uint64_t store_head, store_tail, store_ticket, fetch_ticket;
	struct x86_core_counts counts;
};

enum memo_mode {
	MEMO_LIVE,           /* simulates */
	MEMO_RECORDS,        /* and notes a path */
	MEMO_REPEATS,        /* and gets what came from `event` */
	MEMO_PLAYS,
};

struct core_memo {
	enum memo_mode mode;
	bool checks;
	struct memo_figures expected; /* behind the path that is checked */
	struct memo_state *from; /* where the path begins */
	struct memo_place place;

	/* The path that is recorded. */
	uint64_t *action;
	struct memo_input *input;
	struct memo_charge *charge;
	unsigned actions, inputs, charges;
	unsigned front;      /* index of the cycle's MEMO_FRONT */
	unsigned answers;    /* index of the cycle's MEMO_ANSWERS */
	bool in_front, in_answers;
	struct x86_core_counts counts; /* at its beginning */
	uint64_t slots;
	bool dropped;        /* nothing is noted any more */
	uint64_t last_retired; /* at the cycle's beginning */
	uint64_t last_decoded, last_predecoded;

	/* The path that is played, and how far. */
	struct memo_path *path;
	unsigned at, input_at;
	unsigned refused;    /* accesses that wait for room */
	struct memo_event *answer; /* that have come, and are not played yet */
	unsigned answer_count;
	/* What has come since the path's beginning, and how much of it has been
	 * repeated. */
	struct memo_event *event;
	unsigned events, event_at;
	uint64_t advanced;   /* the last cycle to which the memory has come */
	uint64_t due;        /* core->memory_due when the core left the path */
	bool told;           /* all that had come by then */
	bool room_comes;     /* core->memory_room, for the cycle behind it */

	/* States. */
	struct memo_state **bucket;
	struct memo_room *first, *room; /* memory of states and paths; the
				 * present one */
	size_t used, most;   /* bytes */
	uint64_t *outlines;  /* of states that are known, bit by bit */
	uint64_t *saved;     /* the state that is being saved */
	uint32_t *seen;      /* tags of signatures that have been met */
	unsigned vain;       /* recordings that were dropped, one after another */
	uint64_t wait;       /* look again in this cycle */
	uint64_t shortest;   /* cycles of the next path */
	int gain;            /* what states have been worth lately */
	unsigned pauses;
	uint64_t gained;     /* `played` when that was looked at last */
	uint64_t marked;     /* flow_decoded when it was looked at last */
	bool anew;           /* fetch has begun anew */

	uint64_t played;     /* instructions */
};

enum {
	/* The cost of a new state and of leaving a path, by that of a look. */
	MEMO_COST = 3, MEMO_LEAVING = 6,
	MEMO_ACTIONS = 8192, MEMO_INPUTS = 512, MEMO_EVENTS = 4096,
	/* Each uop waits for one answer at most, as do a store and a fetch. */
	MEMO_ANSWERS_MOST = CORE_UOPS + 2, MEMO_CHARGES = 256,
	MEMO_RETIRED_MOST = 256, /* instructions of a path */
	MEMO_SAVED = 64 << 10,   /* bytes */
};

/* ---- memo.c ---- */
/* For a core that has simulated nothing. States and paths take `most` bytes; then
 * all are dropped. With `checks`, what is played is simulated, too. */
void core_memo_create(struct x86_core *core, size_t most, bool checks);
void core_memo_free(struct x86_core *core);
/* Before a cycle that is about to be simulated. True: the core plays now. */
bool core_memo_look(struct x86_core *core);
/* A mispredicted branch has been executed: a path ends. */
void core_memo_resolved(struct x86_core *core);
/* ---- check.c ---- */
/* A path has been played, and is simulated between these two: they compare. */
void core_memo_check_begin(struct x86_core *core);
void core_memo_check_end(struct x86_core *core);

/* ---- save.c, signature.c, load.c ---- */
/* Whether a core's state can be saved. */
bool core_memo_can_save(const struct x86_core *core);
/* Saves it. Returns the size in bytes; 0: it cannot be saved. */
unsigned core_memo_save(struct x86_core *core, uint64_t *saved);
/* Equal states have the same ones. The signature tells more states apart. */
uint64_t core_memo_outline(const struct x86_core *core);
uint64_t core_memo_signature(const struct x86_core *core, uint64_t outline);
/* The other way, at a place. */
void core_memo_load(struct x86_core *core, const struct memo_state *state,
		    const struct memo_place *place);

/* ---- record.c ---- */
/* When core->tapes. What the memory does is asked for through these. */
unsigned core_memo_begin(struct x86_core *core, struct x86_core_request *request,
			 enum memo_kind kind);
/* Whether this cycle is repeated: then the memory's time stands, and what came in
 * it is told one by one (NULL: nothing more of this kind). */
bool core_memo_repeats(struct x86_core *core);
const struct memo_event *core_memo_next_event(struct x86_core *core,
					      enum memo_kind kind);
void core_memo_own(struct x86_core *core, const struct core_store *store);
unsigned core_memo_fetch(struct x86_core *core, uint64_t address,
			 uint64_t ticket);
/* What asking the uop cache gave; false: it is to be asked. */
bool core_memo_asked(struct x86_core *core, enum memo_kind kind, uint64_t *word);
/* Whether a line has entered the uop cache; a counter of loads has learned. */
bool core_memo_filled(struct x86_core *core);
bool core_memo_learned(struct x86_core *core);
/* The core waits for its memory until cycle `own`, in which it acts by itself. *next:
 * the cycle until which it has waited when that is repeated, or 0. What comes is
 * noted behind this; the result is for core_memo_waited(). */
unsigned core_memo_waits(struct x86_core *core, uint64_t own, uint64_t *next);
/* It has waited until cycle `next`: not noted when it was to stop at `until`. */
void core_memo_waited(struct x86_core *core, unsigned place, uint64_t own,
		      uint64_t next, uint64_t until);
/* What came while the core played has been told: the memory is asked again. */
void core_memo_told(struct x86_core *core);
/* Repetition has come to its end. */
void core_memo_repeated(struct x86_core *core);
/* What a path cannot tell has happened: it is dropped. */
void core_memo_drop(struct x86_core *core);
/* Notes. An answer of the memory may come before its cycle begins. */
void core_memo_note(struct x86_core *core, uint64_t word);
void core_memo_note_answer(struct x86_core *core, uint64_t word);
void core_memo_note_front(struct x86_core *core);
void core_memo_note_cycle(struct x86_core *core);
/* Slots have been charged to a part because of a load. */
void core_memo_note_charge(struct x86_core *core, unsigned index,
			   enum x86_core_part part, uint64_t slots);
/* The memory has room: whether that is of use. */
bool core_memo_room(struct x86_core *core);
void core_memo_record_begin(struct x86_core *core, struct memo_state *from);
/* While the core plays: what has come is noted, for the case that it leaves. */
static inline void core_memo_log(struct x86_core *core,
				 const struct memo_event *event)
{
	struct core_memo *memo = core->memo;

	memo->event[memo->events++] = *event;
}
void core_memo_play_answer(struct x86_core *core, uint64_t ticket,
			   uint64_t cycle);
void core_memo_play_own(struct x86_core *core, const struct core_store *store);
static inline void core_memo_tape(struct x86_core *core, uint64_t word)
{
	if (core->tapes)
		core_memo_note(core, word);
}
static inline void core_memo_cannot(struct x86_core *core)
{
	if (core->tapes)
		core_memo_drop(core);
}

/* An instruction as it was pushed: it has not been renamed. */
static inline struct memo_input core_memo_input(const struct core_flow *flow)
{
	return (struct memo_input){ flow->form, flow->address, flow->next,
				    flow->pushed };
}

/* ---- Words of actions ---- */

static inline enum memo_kind memo_kind(uint64_t word)
{
	return word & 15;
}

/* Whether the next word is an address. */
static inline bool memo_has_address(uint64_t word)
{
	return memo_kind(word) >= MEMO_OPEN && memo_kind(word) <= MEMO_FILL;
}

/* What a word says of instructions and uops counts from the path's beginning. */
static inline unsigned memo_flow(const struct x86_core *core, unsigned index)
{
	return (unsigned)(index - core->memo->place.retired) % CORE_FLOWS;
}
static inline unsigned memo_uop(const struct x86_core *core, unsigned index)
{
	return (unsigned)(index - core->memo->place.uop_head) % CORE_UOPS;
}

/* Of an answer: its kind and its uop, and how far its cycle lies ahead. */
static inline uint64_t memo_answer_word(const struct x86_core *core,
					uint64_t ticket, uint64_t cycle)
{
	return MEMO_ANSWER | (ticket / 512 % 4) << 4 |
	       memo_uop(core, ticket % 512) << 6 | (cycle - core->now) << 16;
}

struct memo_load {
	unsigned memory, uop, flow;
	bool forwarded;
};
static inline uint64_t memo_load_word(const struct memo_load *load,
				      bool second, bool splits, unsigned answer)
{
	return MEMO_LOAD | load->memory << 4 | load->uop << 8 |
	       load->flow << 18 | (unsigned)load->forwarded << 29 |
	       (unsigned)second << 30 | (uint64_t)splits << 31 |
	       (uint64_t)(answer >= X86_CORE_PENDING) << 32 |
	       (uint64_t)(answer & 0xfffff) << 41;
}
/* Its counter has been asked whether it may begin (order.h); and it has to wait for
 * addresses of stores first. */
#define MEMO_LOAD_ASKED (UINT64_C(1) << 33)
#define MEMO_LOAD_HELD (UINT64_C(1) << 34)
static inline uint64_t memo_held_word(const struct memo_load *load,
				      bool second, bool splits, bool asked)
{
	struct memo_load held = *load;

	held.forwarded = false;
	return memo_load_word(&held, second, splits, 0) | MEMO_LOAD_HELD |
	       (asked ? MEMO_LOAD_ASKED : 0);
}
static inline struct memo_load memo_load_of(uint64_t word)
{
	return (struct memo_load){
		.memory = word >> 4 & 15, .uop = word >> 8 & 0x3ff,
		.flow = word >> 18 & 0x7ff, .forwarded = word >> 29 & 1,
	};
}

/* What a cycle has changed, and how many accesses wait for room behind it. */
static inline uint64_t memo_cycle_word(uint64_t decoded, uint64_t predecoded,
				       uint64_t retired, bool progress,
				       unsigned refused)
{
	return MEMO_CYCLE | (decoded & 0xff) << 4 | (retired & 0xff) << 12 |
	       (uint64_t)progress << 20 | (uint64_t)refused << 21 |
	       (predecoded & 0xffff) << 32;
}

static inline uint64_t memo_store_word(unsigned answer)
{
	return MEMO_STORE | (uint64_t)(answer >= X86_CORE_PENDING) << 32 |
	       (uint64_t)(answer & 0xfffff) << 41;
}

static inline uint64_t memo_fetch_word(unsigned answer)
{
	return MEMO_FETCH | (uint64_t)(answer >= X86_CORE_PENDING) << 32 |
	       (uint64_t)(answer & 0xfffff) << 41;
}
#define MEMO_FETCH_NO_LONGER (MEMO_FETCH | UINT64_C(1) << 4)
/* Of a line, or of a window. */
static inline uint64_t memo_fill_word(unsigned length)
{
	return MEMO_FILL | length << 8;
}

/* Of MEMO_ALIAS, with core_dependence_word(): the load's counter has been asked
 * whether it may have the register of a store; and it may. */
#define MEMO_ALIAS_ASKED (UINT64_C(1) << 43)
#define MEMO_ALIAS_PASSES (UINT64_C(1) << 44)
/* Of an operand of an instruction. */
static inline uint64_t memo_operand_word(enum memo_kind kind, unsigned memory,
					 unsigned flow)
{
	return kind | memory << 4 | flow << 8;
}

/* Of MEMO_RETIRED, in place of an operand: stores have retired; or an instruction
 * whose loads have met unknown addresses of stores, and needed none of them, or
 * one. */
enum { MEMO_STORES, MEMO_FREE, MEMO_NEEDED };

/* ---- access.c ---- */
/* While the core plays: does what an action says. The word is that of what has
 * come. */
uint64_t core_memo_play_load(struct x86_core *core, uint64_t word);
uint64_t core_memo_play_store(struct x86_core *core);
uint64_t core_memo_play_commit(struct x86_core *core);
uint64_t core_memo_play_alias(struct x86_core *core, uint64_t word);
uint64_t core_memo_play_new_store(struct x86_core *core, uint64_t word);
void core_memo_play_retired(struct x86_core *core, uint64_t word);

/* ---- play.c ---- */
/* Adds a path's figures to *counts. */
void core_memo_count(const struct x86_core *core, const struct memo_path *path,
		     struct x86_core_counts *counts);
enum memo_outcome {
	MEMO_UNTIL,          /* the cycle has come */
	MEMO_HUNGRY,         /* more input is needed */
	MEMO_LEAVES,         /* nothing known fits: core_memo_leave() */
	MEMO_ENDS,           /* the same, between two cycles */
	MEMO_RESOLVES,       /* the core simulates again */
	MEMO_CHECKS,         /* a path has come to its end, and is to be checked */
};
/* Plays as far as possible. With less input than `lookahead` instructions it is
 * hungry. */
enum memo_outcome core_memo_play(struct x86_core *core, uint64_t until,
				 uint64_t lookahead);
void core_memo_play_begin(struct x86_core *core, struct memo_state *state);
/* Whether an instruction in flight loads from lines `first` to `last`. */
bool core_memo_loads(struct x86_core *core, uint64_t first, uint64_t last);
/* The core goes back to where the path began, and repeats. Returns the cycle in
 * which it was. */
uint64_t core_memo_leave(struct x86_core *core);

#endif
