/* The core's state, for its stages. Internal to x86/timing/core.
 *
 * Times kept with uops and instructions are the lower 32 bits of cycles: only
 * those of what is in flight are compared, and these are near one another. */
#ifndef M2S_X86_TIMING_CORE_STATE_H
#define M2S_X86_TIMING_CORE_STATE_H

#include "x86/timing/core/core.h"

enum {
	CORE_FLOWS = 1024,   /* instructions between input and retirement */
	CORE_UOPS = 512,     /* in the reorder buffer */
	CORE_ENTRIES = 256,  /* slots of the reorder buffer */
	CORE_STORES = 128,
	CORE_WHEEL = 256,    /* cycles that the timing wheel looks ahead */
	CORE_PORTS = 16,
	CORE_EDGES = 8,      /* an uop waits for its sources and, a load, for
	                      * a store's data and address */
	EDGE_DATA = X86_UOP_SOURCES,
	EDGE_ADDRESS,
	CORE_NONE = 0xffff,
	MOVE_GROUPS = 16,
	CORE_UNITS = 18,
	UNIT_DIVIDER = 1,    /* 0: none; from 2 on those of instructions that
	                      * have a least time between two of them */
};

#define NO_SEQUENCE UINT64_MAX

struct core_access {
	uint64_t address;    /* in memory */
	uint64_t linear;     /* as the program says it */
	uint32_t size;       /* 0: did not happen */
};

/* An instruction in flight. */
struct core_flow {
	const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t address, next;
	struct core_access load[2], store[2];
	uint64_t store_number[2]; /* of the store queue, + 1; 0: none yet */
	uint64_t first_uop;  /* sequence number */
	uint32_t predecoded_at, decoded_at, issued_at;
	uint16_t delivered;  /* slots that the decoders have delivered */
	uint16_t slots;      /* to be issued, fused pair considered */
	uint16_t slots_fused;
	uint8_t next_slot, next_uop; /* to be issued */
	uint8_t uops;        /* issued that need a port */
	uint8_t branch_ports; /* a fused pair: ports of its second */
	bool fuses;          /* the next one is fused with it */
	bool fused;          /* it is fused with the one before */
	bool entered;        /* its first slot has been renamed */
	bool stack_done, merge_done; /* sync uop, merge uop issued */
	uint8_t fetch;       /* enum x86_core_fetch */
	bool diverts;
};

/* An instruction in flight that diverts, and what places held behind it. */
struct core_divert {
	uint64_t number;
	char names[2560];
};

enum core_uop_state {
	UOP_WAITING, /* for sources */
	UOP_READY,   /* in its port's mask or in the wheel */
	UOP_STARTED, /* dispatched; a load that waits for a store */
	UOP_KNOWN,   /* `value_at` stands */
};

struct core_uop {
	const struct x86_uop *what;
	uint32_t ready_at;   /* not to be dispatched before */
	uint32_t value_at;   /* results count from here; before that: not
	                      * before */
	uint32_t issued_at, started_at;
	uint32_t flow;       /* index */
	uint16_t latency[CORE_EDGES - 1];
	uint16_t next[CORE_EDGES - 1]; /* consumer lists; index * 8 + edge */
	uint16_t consumers;  /* head of the list of those who wait for it */
	uint16_t wheel_next;
	uint16_t longest;    /* latency of its results */
	uint8_t pending;     /* sources that are not known */
	uint8_t forwards;    /* the same of a store that it reads */
	uint8_t state;       /* enum core_uop_state */
	uint8_t port;
	uint8_t unit;        /* that it needs, and keeps for so long: */
	uint8_t unit_cycles;
	bool chased;         /* base loaded, no index */
	bool missed;         /* the first-level cache did not have it */
	uint64_t store;      /* store queue number + 1; loads: of one that it
	                      * cannot be forwarded from, or whose address
	                      * looks like its own */
	bool blocked;        /* the former */
};

/* A slot of the reorder buffer. */
struct core_entry {
	uint32_t flow;
	uint16_t first;      /* its uops */
	uint8_t uops;
	bool last;           /* of its instruction */
	uint8_t loads;       /* to be freed */
	uint8_t stores;
};

struct core_store {
	uint64_t address, linear;
	uint32_t size;
	bool modifies;       /* its instruction loads from there, too */
	uint64_t address_uop, data_uop; /* sequence numbers, or NO_SEQUENCE:
	                      * not issued yet */
	uint32_t retired_at;
	bool retired;
};

/* What a place holds. */
struct core_value {
	uint64_t sequence;   /* of the uop that makes it; NO_SEQUENCE: there */
	uint16_t latency;
	bool loaded;
	uint8_t group;       /* of registers with several names; 0: none */
};

struct x86_core {
	struct x86_core_figures figure;
	struct x86_core_memory memory;
	void (*retired)(void *owner, const struct x86_core_retired *what);
	void *owner;

	uint64_t now;
	bool progress;       /* something has happened in this cycle */

	/* Instructions: retired <= renamed <= decoded <= predecoded <= pushed;
	 * all count from 0. */
	uint64_t flow_retired, flow_renamed, flow_decoded, flow_predecoded,
		flow_pushed;
	bool last;           /* nothing more will be pushed */

	/* Predecoder. */
	uint64_t predecode_block; /* address of the block it works on */
	uint64_t predecode_free;  /* cycle at which it goes on */
	uint8_t fetch_waits;      /* enum x86_core_fetch, for ... */
	uint64_t fetch_for;       /* ... this instruction */
	bool refill;              /* nothing has been renamed since fetch ... */
	uint64_t refill_for;      /* ... began anew with this instruction */
	uint8_t refill_part;      /* enum x86_core_part: why it did */

	/* Decoders. */
	uint64_t decode_free;
	bool microcode;      /* the sequencer delivers flow_decoded */
	unsigned queue_used; /* slots in the IDQ */

	/* Renamer. From here to sync_uop it is kept behind instructions that
	 * divert. */
	struct core_value map[X86_PLACE_COUNT];
	uint8_t high_apart;  /* bit r: AH, ... newer than its register */
	uint8_t group_names[MOVE_GROUPS + 1];
	bool group_vector[MOVE_GROUPS + 1];
	unsigned groups[2];  /* in use: general, vector */
	uint8_t eliminated[2][8]; /* in the last cycles */
	uint64_t eliminated_cycle[8]; /* which these are */
	int stack_offset;
	unsigned x87_top;
	struct x86_uop sync_uop, merge_uop[4]; /* the renamer's own */
	unsigned load_turn;
	uint64_t rename_free;
	bool serialize;      /* until the reorder buffer is empty */
	uint8_t stall;       /* enum x86_core_stall: of the last cycle */
	uint16_t port_count[CORE_PORTS]; /* uops bound and not dispatched */
	uint16_t port_before[CORE_PORTS]; /* at the cycle's start */
	unsigned waiting;    /* uops in the scheduler */
	unsigned loads;      /* in the load queue */

	/* Scheduler. */
	uint64_t uop_head, uop_tail; /* sequence numbers */
	uint64_t ready[CORE_PORTS][CORE_UOPS / 64];
	uint32_t ready_ports; /* ports with any */
	uint64_t port_free[CORE_PORTS];
	uint64_t unit_free[CORE_UNITS];
	uint64_t units_free; /* all of them */
	uint16_t wheel[CORE_WHEEL];
	uint64_t wheel_used[CORE_WHEEL / 64];

	/* Reorder buffer and store queue. */
	uint64_t entry_head, entry_tail;
	uint64_t store_head, store_tail;
	uint64_t commit_free;
	uint16_t blocked[256];
	unsigned blocked_count;
	uint64_t slots_retired;
	uint8_t store_bytes[512]; /* in the queue, by bits 3 - 11 of the
	                      * address: of how many stores */

	unsigned diverting;
	uint64_t resolved;   /* its number */
	struct x86_core_counts counts;

	struct core_divert divert[X86_CORE_DIVERTING]; /* in order of age */
	struct core_flow flow[CORE_FLOWS];
	struct core_uop uop[CORE_UOPS];
	struct core_entry entry[CORE_ENTRIES];
	struct core_store store[CORE_STORES];
};

static inline struct core_flow *core_flow(struct x86_core *core,
					  uint64_t number)
{
	return &core->flow[number % CORE_FLOWS];
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

/* The stages, called once a cycle, last one first. Each sets core->progress
 * when it has done something. */
void core_retire(struct x86_core *core);
void core_commit(struct x86_core *core);
void core_dispatch(struct x86_core *core);
void core_rename(struct x86_core *core);
void core_rename_reset(struct x86_core *core);
void core_decode(struct x86_core *core);
void core_predecode(struct x86_core *core);

/* Branches. The instruction that has been renamed diverts: keeps what places
 * hold. */
void core_divert_renamed(struct x86_core *core, uint64_t number);
/* Whether one that diverts has been executed: core->resolved. */
bool core_resolve(struct x86_core *core);
/* Whether an instruction has been executed, all but its stores. *time: when it
 * will be, if that is known; UINT64_MAX: not. */
bool core_executed(struct x86_core *core, uint64_t number, uint64_t *time);
/* Fetch begins anew in that cycle, because of `part`. */
void core_fetch_anew(struct x86_core *core, uint64_t cycle,
		     enum x86_core_part part);

/* Accounts for `cycles` cycles alike, in each of which `retired` slots have
 * retired. */
void core_account(struct x86_core *core, unsigned retired, uint64_t cycles);

/* Scheduler: takes over uop `index` whose sources have been counted. */
void core_schedule(struct x86_core *core, unsigned index);
/* The uop's value is there from value_at on: those who wait for it hear. */
void core_wake(struct x86_core *core, unsigned index);
/* Appends edge `edge` of uop `index` to the consumers of uop `producer`. */
static inline void core_wait_for(struct x86_core *core, unsigned index,
				 unsigned edge, struct core_uop *producer)
{
	core->uop[index].next[edge] = producer->consumers;
	producer->consumers = (uint16_t)(index * CORE_EDGES + edge);
}
/* The uops whose time is this cycle are ready. Called once a cycle. */
void core_wheel_turn(struct x86_core *core);
/* The next cycle at which the wheel holds something; UINT64_MAX: none. */
uint64_t core_wheel_next(const struct x86_core *core);

/* Loads and stores. A load that is renamed: finds the older store it depends
 * on. */
void core_load_renamed(struct x86_core *core, unsigned index,
		       const struct core_access *access);
/* A load goes to the cache now. */
void core_load_started(struct x86_core *core, unsigned index);
/* Which of the instruction's stores belongs to a memory operand: references are
 * numbered among stores, operands among all. */
static inline unsigned core_store_which(const struct core_flow *flow,
					unsigned memory)
{
	return memory < 2 && flow->store[memory].size ? memory : 0;
}
/* The queue's number of an instruction's store, + 1; taken at the first call.
 * The queue must have room. */
uint64_t core_store_of(struct x86_core *core, struct core_flow *flow,
		       unsigned memory);
/* Takes the youngest stores back, from number `from` on. */
void core_stores_drop(struct x86_core *core, uint64_t from);
/* Whether so many more fit. */
bool core_stores_fit(const struct x86_core *core, unsigned count);

#endif
