/* The form in which a core's state is saved. Internal to x86/timing/core.
 *
 * It is a state without its position: times relative to the present, uops,
 * instructions and stores counted from the oldest one. What has no influence on
 * the future is left out, so that more states are equal. What a core keeps while
 * it plays (its instructions in flight, the store queue's addresses, the uop
 * cache, numbers of tickets, where loads spend their time) is not saved either. */
#ifndef M2S_X86_TIMING_CORE_MEMO_STATE_H
#define M2S_X86_TIMING_CORE_MEMO_STATE_H

#include "x86/timing/core/memo/memo.h"

enum {
	LONG_AGO = -4096,    /* when a value was made that nobody waits for */
	FORWARDING = 80,     /* takes fewer cycles */
	PREDECODED = 32,     /* cycles after which it is the same when */
	FLOWS_MOST = 640,
	FAR_AHEAD = 30000,
	DIVERTING_MOST = 12,
	RETIRED = 0xffff,
	COURSE_UOPS = 40,    /* where core_flow.uops lies in `course` */
	END_OF_LIST = 0xffff,
};

struct saved_names {
	uint64_t map[X86_PLACE_COUNT];
	uint64_t group_places[MOVE_GROUPS + 1];
	int64_t stack_depth; /* beyond that of the core */
	uint8_t written[CORE_GENERAL]; /* stores, from the oldest one on */
	uint32_t stack_offset, groups[2];
	uint8_t group_names[MOVE_GROUPS + 1], group_vector[MOVE_GROUPS + 1];
	uint8_t eliminated[2][8]; /* so many cycles ago */
	uint8_t high_apart, x87_top;
};

struct saved_core {
	uint64_t line_first, line_end, loop_target;
	uint64_t predecode_block, fetch_line, fill_window, fill_end;
	struct saved_names names;
	uint32_t rename_free, decode_free, predecode_free, commit_free,
		units_free;
	uint32_t port_free[CORE_PORTS], unit_free[CORE_UNITS];
	uint32_t body_count, body_slots, body_taken, body_before, body_stack;
	uint32_t loop_at, loop_turn, loop_turns;
	uint32_t load_turn, waiting, loads, queue_used;
	uint32_t registers[CORE_FILES];
	uint16_t port_count[CORE_PORTS];
	/* how many follow */
	uint16_t flows, decoded, renamed, uops, entries, stores, blocked, refused, held,
		lists, body, diverting;
	uint16_t refill_for, fetch_for;
	uint8_t fetch_waits, fetch_pending;
	uint8_t fills, fill_lines, fill_uops, fill_branches, fill_failed,
		fill_closed;
	uint8_t source, to_cache, refill, refill_part, serialize, stall,
		store_pending, store_owned, store_refused;
	uint8_t body_good, body_equal, body_long;
	uint8_t begins;      /* the oldest slot: its instruction */
};

struct saved_divert {
	uint32_t number;
	uint32_t executed;   /* 0: not known; else 1 more */
	struct saved_names names;
};

struct saved_flow {
	const struct x86_template *form;
	uint64_t address, next, course;
	uint16_t bits;
	int16_t first_uop;   /* or predecoded_at */
	int8_t division_latency, division_busy;
	uint8_t store_number[2];
};

struct saved_uop {
	const struct x86_uop *what;
	uint16_t flow;
	int16_t ready, value;
	uint16_t longest, hit_latency;
	uint8_t state, port, unit, unit_cycles, pending, forwards, flags;
	uint8_t forwarder, store, before, nothing[4];
};
enum { SAVED_CHASED = 1, SAVED_AWAITS = 2, SAVED_BLOCKED = 4, SAVED_WHEEL = 8,
       SAVED_HELD = 16, SAVED_MISTAKEN = 32 };

struct saved_entry {
	uint16_t flow, first;
	uint8_t uops, last, loads, stores;
	uint8_t registers[CORE_FILES], nothing[5];
};

struct saved_store {
	int16_t address_uop, data_uop;
	uint32_t size;
	uint32_t flags;
	uint16_t source, latency; /* `data`: 1 more; 0: ready */
	uint64_t form;
	int64_t displacement;
};

/* ---- names.c ---- */
/* `flow` is the instruction of which a part has been renamed, or NULL. */
void core_memo_save_names(const struct x86_core *core,
			  const struct core_names *names,
			  const struct core_flow *flow, struct saved_names *to);
void core_memo_load_names(const struct x86_core *core,
			  const struct saved_names *from,
			  struct core_names *names);

_Static_assert(sizeof(struct saved_core) % 8 == 0 &&
		       sizeof(struct saved_divert) % 8 == 0 &&
		       sizeof(struct saved_flow) == 40 &&
		       sizeof(struct saved_uop) == 32 &&
		       sizeof(struct saved_entry) == 16 &&
		       sizeof(struct saved_store) == 32,
	       "states have no padding");

#endif
