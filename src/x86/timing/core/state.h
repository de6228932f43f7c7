/* The state of a core, which its stages share. Internal to x86/timing/core.
 *
 * Uops and instructions hold times as the lower 32 bits of cycles. The core
 * compares only times of instructions in flight, which are near one another. */
#ifndef M2S_X86_TIMING_CORE_STATE_H
#define M2S_X86_TIMING_CORE_STATE_H

#include "base/optimize.h"

#include <stdalign.h>

#include "x86/timing/core/core.h"
#include "x86/timing/core/flow.h"
#include "x86/timing/core/rename/names.h"
#include "x86/timing/core/threads.h"
#include "x86/timing/profile/profile.h"

enum {
	CORE_FLOWS = 1024,   /* instructions between input and retirement */
	CORE_UOPS = 512,     /* in the reorder buffer */
	CORE_ENTRIES = 256,  /* slots of the reorder buffer */
	CORE_STORES = 128,
	CORE_COUNTERS = 4096, /* of loads: order.h */
	CORE_WHEEL = 256,    /* cycles that the timing wheel looks ahead */
	/* for a uop's sources, and for a load's older store: its data and its
	 * address */
	CORE_EDGES = 8,
	EDGE_DATA = X86_UOP_SOURCES,
	EDGE_ADDRESS,
	CORE_NONE = 0xffff,
	CORE_QUEUES = 6,     /* of the scheduler: figures queue_... */
	CORE_FILES = 3,      /* of registers: general, x87, vector */
	/* 0: none; from 2 on: the units of instructions with minimum_cycles */
	UNIT_DIVIDER = 1,
};

/* The uop cache's windows of code, and room for the lines of all and of one. */
enum { CACHE_WINDOW = 32, CACHE_LINES = 512, FILL_LINES = 8 };
enum { LOOP_BODY = 128 }; /* instructions of a loop in the loop buffer */

/* Who delivers uops. */
enum core_source {
	SOURCE_DECODERS, SOURCE_CACHE, SOURCE_LOOP,
};

/* A line of the uop cache: `length` bytes of instructions from `first`. */
struct core_line {
	uint64_t first;
	uint64_t used;      /* when last; 0: free */
	uint32_t length;
};

#define NO_SEQUENCE UINT64_MAX

enum core_uop_state {
	UOP_WAITING, /* for sources */
	UOP_READY,   /* in its port's mask or in the wheel */
	UOP_STARTED, /* dispatched; a load that waits for a store */
	UOP_KNOWN,   /* `value_at` stands */
};

/* What every uop needs fills one line of the host's cache. */
struct core_uop {
	alignas(64) const struct x86_uop *what;
	uint32_t ready_at;   /* earliest cycle of the dispatch */
	/* final when UOP_KNOWN; before that a lower bound; latencies of results
	 * count from here */
	uint32_t value_at;
	uint16_t flow;       /* index of the instruction */
	uint16_t latency[CORE_EDGES - 1];
	/* lists of consumers; index * 8 + edge */
	uint16_t next[CORE_EDGES - 1];
	/* head of the list of uops that wait for this one */
	uint16_t consumers;
	union {
		struct {
			uint8_t pending; /* sources whose time is not known */
			/* likewise, of the store that a load reads */
			uint8_t forwards;
			uint8_t state;   /* enum core_uop_state */
			uint8_t port;
			uint8_t unit;    /* needed, kept for unit_cycles */
			uint8_t unit_cycles;
			/* The address is a loaded base without an index. */
			bool chased;
			/* enum x86_core_part: where a load's time beyond a
			 * hit goes; 0: it hits */
			uint8_t part;
		};
		/* All of them. The compiler takes a store of a byte for one
		 * that may change whatever it knows. */
		uint64_t bytes;
	};
	uint16_t wheel_next;
	uint16_t longest;    /* greatest latency of the results */
	bool awaits;         /* the answer of the memory to its ticket */
	/* the load waits for a store that cannot be forwarded */
	bool blocked;
	uint16_t hit_latency; /* of a load that awaits: what comes behind the
			       * answer */
};

_Static_assert(sizeof(struct core_uop) == 64, "a line");

/* core_uop.bytes of one that begins; the host's lowest byte is its first. Shifts,
 * as a wide load would wait for narrow stores. */
static inline uint64_t core_uop_bytes(unsigned pending,
				      enum core_uop_state state, unsigned port)
{
	return pending | (uint64_t)state << 16 | (uint64_t)port << 24;
}
_Static_assert(offsetof(struct core_uop, state) ==
			       offsetof(struct core_uop, bytes) + 2 &&
		       offsetof(struct core_uop, port) ==
			       offsetof(struct core_uop, bytes) + 3,
	       "core_uop_bytes()");

/* What only loads need. */
struct core_load {
	uint64_t ticket;
	/* Number in the store queue, + 1, of the store that has the load's
	 * data; 0: none */
	uint64_t forwarder;
	/* Number in the store queue, + 1, of a store that cannot be forwarded,
	 * or whose address looks the same. */
	uint64_t store;
	/* Stores below this number are older; 0: it never waits for their
	 * addresses. */
	uint64_t before;
	bool held;           /* it waits for them: order.h */
	bool asked;          /* of a memo: its counter */
	/* Memory renaming gave it the register of another store than the one that
	 * has its data. */
	bool mistaken;
};

/* Times that only observers ask for. */
struct core_times {
	uint32_t issued, started;
};

/* A slot of the reorder buffer. */
struct core_entry {
	uint32_t flow;
	uint16_t first;      /* the first of its uops */
	uint8_t uops;
	bool last;           /* the last slot of its instruction */
	uint8_t loads;       /* load queue entries to free */
	uint8_t stores;
	uint8_t registers[CORE_FILES]; /* that it holds until it retires */
};

struct core_store {
	uint64_t address, linear;
	uint32_t size;
	uint64_t instruction; /* its address */
	bool masked;         /* is not forwarded */
	bool past;           /* goes past the caches */
	bool modifies;       /* the instruction also loads from the address */
	bool accessed;       /* needs nothing of a cache */
	/* sequence numbers; NO_SEQUENCE: not issued yet */
	uint64_t address_uop, data_uop;
	/* Of memory renaming (renaming.c): how the operand names its memory, 0:
	 * it cannot be renamed; and the register that is stored. */
	uint64_t form;
	int64_t displacement;
	struct core_value data;
	bool general;        /* there is one */
	uint64_t number;     /* the instruction's, when `retired` */
	bool retired;
};

/* Of a retired instruction on caches, when stores before number `stores` have been
 * committed. */
enum { CORE_EFFECTS = 64 };
struct core_effect {
	uint64_t stores, address;
	bool drains;         /* else flushes */
};

/* A mispredicted branch in flight, and a copy of the names behind the branch. */
struct core_divert {
	uint64_t number;
	uint64_t executed_at; /* cycle; UINT64_MAX: not known yet */
	struct core_names names;
};

struct x86_core {
	struct x86_core_figures figure;
	struct core_ports *ports;
	struct core_traces *traces; /* NULL: there is no trace cache */
	struct x86_occupancy *occupancy; /* NULL: not counted */
	struct core_memo *memo;   /* NULL: nothing is remembered (memo/memo.h) */
	bool tapes;          /* what comes from outside is noted: memo/memo.h */
	struct core_group *group; /* of threads; NULL: the core has one */
	unsigned thread;     /* of the group */
	bool busy;           /* a thread executes: it has its share */
	bool less;           /* the next division of X86_LESS_HALF is shorter */
	uint8_t denied;      /* stages that others used (bits) */
	uint8_t held;        /* enum x86_core_part: of the last cycle */
	uint64_t cycled;     /* the last simulated cycle */
	struct x86_core_memory memory;
	void (*retired)(void *owner, const struct x86_core_retired *what);
	void *owner;
	struct x86_profile *profile; /* NULL: none */

	uint64_t now;
	bool progress;       /* something happened in this cycle */

	/* Instructions: retired <= renamed <= decoded <= predecoded <= pushed;
	 * all count from 0. */
	uint64_t flow_retired, flow_renamed, flow_decoded, flow_predecoded,
		flow_pushed;
	bool last;           /* nothing more will be pushed */

	/* Predecoder. */
	uint64_t predecode_block; /* address of the present block */
	uint64_t predecode_free;  /* cycle in which the predecoder continues */
	/* enum x86_core_fetch, of instruction fetch_for */
	uint8_t fetch_waits;
	uint64_t fetch_for;
	/* Fetch began anew with instruction refill_for, and nothing has been
	 * renamed since. */
	bool refill;
	uint64_t refill_for;
	uint8_t refill_part;      /* enum x86_core_part: the reason */

	/* Decoders. */
	uint64_t decode_free;
	/* the sequencer delivers instruction flow_decoded */
	bool microcode;
	unsigned queue_used; /* slots in the IDQ */
	enum core_source source;
	bool to_cache;       /* when all that is predecoded is decoded */

	/* Uop cache: the line that delivers, and those that are collected. */
	uint64_t line_clock, line_first, line_end;
	struct core_line fill[FILL_LINES];
	unsigned fill_lines, fill_uops, fill_branches;
	uint64_t fill_window, fill_end;
	bool fills;          /* a branch has been seen */
	bool fill_failed;    /* nothing of this window is kept */
	bool fill_closed;    /* the last line takes no more */

	/* Loop buffer: the watched or held iteration. */
	uint64_t loop_target;
	unsigned body_count, body_slots, body_taken;
	unsigned body_before; /* instructions of the iteration before */
	int body_stack;
	/* can be held; equals the previous iteration */
	bool body_good, body_equal;
	bool body_long;      /* has too many instructions or slots */
	unsigned loop_at;    /* next instruction of the body */
	unsigned loop_turn, loop_turns; /* iterations between group ends */

	/* Renamer. */
	struct core_names names;
	struct x86_uop sync_uop, merge_uop[4]; /* the renamer's own */
	unsigned load_turn;  /* number of the next load port */
	uint64_t rename_free;
	/* rename nothing until the reorder buffer is empty */
	bool serialize;
	uint8_t stall;       /* enum x86_core_stall: of the last cycle */
	unsigned waiting;    /* uops in the scheduler */
	unsigned loads;      /* in the load queue */
	/* One queue for loads and stores, or limits of registers: registers of
	 * uops in flight. */
	bool limited;
	/* Ports, one thread and none of these limits, nor any of a scheduler's
	 * queues. */
	bool simple;
	unsigned registers[CORE_FILES];

	/* Scheduler. */
	uint64_t uop_head, uop_tail; /* sequence numbers */
	uint64_t ready[CORE_PORTS][CORE_UOPS / 64];
	uint8_t ready_words[CORE_PORTS]; /* bit w: ready[port][w] is not 0 */
	uint32_t ready_ports; /* ports with ready uops */
	struct core_ports own_ports;
	bool by_age;         /* pools, or a limit of uops in a cycle */
	uint16_t wheel[CORE_WHEEL];
	uint64_t wheel_used[CORE_WHEEL / 64];

	/* Reorder buffer and store queue. */
	uint64_t entry_head, entry_tail;
	uint64_t store_head, store_tail;
	struct core_effect effect[CORE_EFFECTS];
	uint64_t effect_head, effect_tail;
	bool flushing;       /* a flush has been renamed, and no fence since */
	uint64_t commit_free;
	uint16_t blocked[256];
	unsigned blocked_count;
	uint64_t slots_retired;
	/* The oldest store's ticket; 0: none. */
	uint64_t store_ticket;
	uint64_t tickets;    /* given out; not reset */
	uint64_t locked;     /* x86_core_locked() */
	bool store_owned;    /* the memory lets it commit */
	bool store_refused;
	/* Loads that the memory had no room for. */
	uint16_t refused[256];
	unsigned refused_count;
	/* Addresses of stores below this number are known, and perhaps of others;
	 * loads that wait for more. */
	uint64_t addressed;
	uint16_t held_loads[256];
	unsigned held_count;
	uint16_t begins[256]; /* that have waited, in this cycle */
	unsigned begin_count;
	bool memory_room;    /* try again */
	bool answered;       /* what the core waits for has come */
	uint64_t memory_due; /* when the memory has something to do */
	uint64_t fetch_ticket; /* of the predecoder; 0: none */
	uint64_t fetch_line; /* that it has */
	/* stores in the queue, by bits 3 to 11 of the address */
	uint8_t store_bytes[512];

	/* An instruction in flight may have `lost` or ORDER_VIOLATED. */
	bool lost;
	unsigned diverting;
	uint64_t resolved;   /* number of the resolved branch */
	struct x86_core_counts counts;

	struct core_line line[CACHE_LINES];
	uint64_t body[LOOP_BODY];
	uint8_t order[CORE_COUNTERS]; /* of loads that met unknown addresses */
	bool order_learned;           /* since the core began */
	struct core_divert divert[X86_CORE_DIVERTING]; /* oldest first */
	struct core_flow flow[CORE_FLOWS];
	struct core_uop uop[CORE_UOPS];
	struct core_load load[CORE_UOPS];
	struct core_times times[CORE_UOPS];
	struct core_entry entry[CORE_ENTRIES];
	struct core_store store[CORE_STORES];
};

static inline struct core_flow *core_flow(struct x86_core *core,
					  uint64_t number)
{
	return &core->flow[number % CORE_FLOWS];
}

/* Whether a slot at the head of the reorder buffer is its instruction's first. */
static inline bool core_begins(const struct x86_core *core,
			       const struct core_entry *entry)
{
	const struct core_entry *before =
		&core->entry[(core->entry_head - 1) % CORE_ENTRIES];

	return !core->entry_head || before->last || before->flow != entry->flow;
}

static inline struct core_uop *core_uop(struct x86_core *core,
					uint64_t sequence)
{
	return &core->uop[sequence % CORE_UOPS];
}

static inline struct core_store *core_store(struct x86_core *core,
					    uint64_t number)
{
	return &core->store[number % CORE_STORES];
}

/* The later of two times in flight. */
static inline uint32_t core_later(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0 ? a : b;
}

static inline bool core_past(const struct x86_core *core, uint32_t time)
{
	return (int32_t)(time - (uint32_t)core->now) <= 0;
}

/* The ready uops of the ports. */
static inline void core_set_ready(struct x86_core *core, unsigned index)
{
	unsigned port = core->uop[index].port;

	core->ready[port][index / 64] |= UINT64_C(1) << index % 64;
	core->ready_words[port] |= (uint8_t)(1u << index / 64);
	core->ready_ports |= 1u << port;
}

/* A uop has started or is dropped. */
static inline void core_not_ready(struct x86_core *core, unsigned index)
{
	unsigned port = core->uop[index].port;
	uint64_t *word = &core->ready[port][index / 64];

	*word &= ~(UINT64_C(1) << index % 64);
	core->ready_words[port] &= (uint8_t)~((unsigned)!*word << index / 64);
	/* Threads of a core ask for their turn once more. */
	if (!core->ready_words[port] && !core->group)
		core->ready_ports &= ~(1u << port);
}

/* The stages, called once a cycle, last one first. Each sets core->progress
 * when it has done something. */
void core_retire(struct x86_core *core);
void core_commit(struct x86_core *core);
void core_dispatch(struct x86_core *core);
void core_rename(struct x86_core *core);
void core_rename_reset(struct x86_core *core);
void core_front(struct x86_core *core);
void core_predecode(struct x86_core *core);

/* x86_core_squash(), x86_core_clear() and x86_core_line_lost() of a core that does
 * not play (memo/memo.h); lines by their numbers. */
void core_squash(struct x86_core *core);
void core_clear(struct x86_core *core);
void core_line_lost(struct x86_core *core, uint64_t first, uint64_t last);

/* All instructions in flight are fetched anew, because of `part`. The oldest one
 * has not begun to retire. */
void core_machine_clear(struct x86_core *core, enum x86_core_part part);

/* Branches. Keeps a copy of the renamer's state: the renamed instruction
 * `number` is a mispredicted branch. */
void core_divert_renamed(struct x86_core *core, uint64_t number);
/* Whether a mispredicted branch has been executed; sets core->resolved. */
bool core_resolve(struct x86_core *core);
/* Whether an instruction has been executed, except its stores. *time becomes
 * the cycle of that, or UINT64_MAX when the cycle is not known. */
bool core_executed(struct x86_core *core, uint64_t number, uint64_t *time);
/* Lets fetch begin anew in `cycle`, because of `part`. */
void core_fetch_anew(struct x86_core *core, uint64_t cycle,
		     enum x86_core_part part);
/* Fetch has come to a branch behind which it does not continue at once; all
 * younger instructions are still to be fetched. */
void core_fetch_wait(struct x86_core *core, const struct core_flow *branch);

/* core_group_room() and core_group_use(), also of a core with one thread. */
static inline unsigned core_room(struct x86_core *core, enum core_stage stage,
				 unsigned width)
{
	return core->group ? core_group_room(core, stage, width) : width;
}

static inline void core_use(struct x86_core *core, enum core_stage stage,
			    unsigned slots)
{
	if (core->group && slots)
		core_group_use(core, stage, slots);
}

/* Accounts for `cycles` equal cycles, in each of which `retired` slots
 * retired. */
void core_account(struct x86_core *core, unsigned retired, uint64_t cycles);
/* occupancy.c: counts cycles at whose end the queues are as they are now. */
void core_occupancy_count(const struct x86_core *core, uint64_t cycles);

/* With a profile: a slot retires; slots are lost because of `part`, or pass
 * outside the program. */
void core_charge_retired(struct x86_core *core, const struct core_entry *entry);
void core_charge_lost(struct x86_core *core, enum x86_core_part part,
		      uint64_t slots);
void core_charge_outside(struct x86_core *core, enum x86_core_part part,
			 uint64_t slots);

/* Scheduler: takes uop `index`, whose pending sources have been counted. */
void core_schedule(struct x86_core *core, unsigned index);
/* Lets core_wheel_turn() see uop `index` in cycle ready_at. */
void core_into_wheel(struct x86_core *core, unsigned index);
/* Tells the consumers of a uop that its value_at is final. */
void core_wake_consumers(struct x86_core *core, unsigned index);
static inline void core_wake(struct x86_core *core, unsigned index)
{
	if (core->uop[index].consumers != CORE_NONE)
		core_wake_consumers(core, index);
}
/* Appends edge `edge` of uop `index` to the consumers of uop `producer`. */
static inline void core_wait_for(struct x86_core *core, unsigned index,
				 unsigned edge, struct core_uop *producer)
{
	core->uop[index].next[edge] = producer->consumers;
	producer->consumers = (uint16_t)(index * CORE_EDGES + edge);
}
/* Makes the uops of the wheel's present cycle ready, and puts loads that have
 * waited into core->begins. Called once a cycle. */
void core_wheel_turn(struct x86_core *core);
/* The next cycle with something in the wheel; UINT64_MAX: none. */
uint64_t core_wheel_next(const struct x86_core *core);

/* Takes dropped uops off a list of them, which keeps its order. */
static inline void core_list_drop(uint16_t *list, unsigned *count,
				  const bool *dropped)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < *count; i++)
		if (!dropped[list[i]])
			list[kept++] = list[i];
	*count = kept;
}

#endif
