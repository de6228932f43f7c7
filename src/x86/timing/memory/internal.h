/* Accesses that wait. Internal to x86/timing/memory. */
#ifndef M2S_X86_TIMING_MEMORY_INTERNAL_H
#define M2S_X86_TIMING_MEMORY_INTERNAL_H

#include "base/clock-rate.h"
#include "sim/event.h"
#include "x86/timing/memory/frames.h"
#include "x86/timing/memory/memory.h"
#include "x86/timing/memory/pages.h"

enum {
	ENTRIES = 128,       /* accesses that wait */
	PARTS = 2,           /* lines of an access */
	COMBINES = 64,       /* write-combining buffers, at most */
	HINT_HISTORY = 64,   /* at most */
	ENTRY_BYTES = 8,     /* of a page table */
	LARGE_SHIFT = 21,    /* of large pages */
};

enum stage { STAGE_FREE, STAGE_WALK, STAGE_WALKS, STAGE_LINES };

/* An access that waits: first for its pages, then for its lines. */
struct entry {
	struct x86_caches *memory;
	enum stage stage;
	enum memsys_access_kind kind;
	bool code, forwarded, past, silent; /* silent: nobody waits */
	bool second;         /* enters at the second level */
	uint64_t ticket, instruction;
	uint64_t address[PARTS];
	uint64_t physical[PARTS];
	unsigned size[PARTS];
	unsigned parts, translated, sent, pending;
};

/* A write-combining buffer: a line, and which chunks of it are there. */
struct combine {
	enum { COMBINE_FREE, COMBINE_OPEN, COMBINE_SENT } state;
	uint64_t line, bytes;
	uint64_t opened;     /* order of opening */
};

struct x86_caches {
	struct x86_core *core;
	struct module *data, *code;
	struct module *second; /* the one cache below `data`, or NULL */
	struct event_queue *events;
	uint32_t source;
	struct clock_rate rate;
	/* Of the last cycle that was asked for; at first of cycle 0. */
	struct {
		uint64_t cycle;
		picoseconds start;
	} asked;
	uint64_t line;
	unsigned hit;        /* cycles of a hit beyond the core's own */
	unsigned page_shift, walk_cycles, walkers, walking;
	struct entry *locking; /* asks for a locked operation's line; or NULL */
	uint64_t locked_until; /* cycle: the last one keeps its line */
	/* In a window: the cycle behind its end, and accesses to pages without a
	 * frame, which wait for it. */
	uint64_t limit;
	bool apart;
	struct entry *touching[ENTRIES];
	unsigned touching_count;
	bool refused;        /* the core waits for room */
	bool stalled;        /* an entry does */
	/* An entry goes on to its lines: memory.c. */
	void (*translated)(struct entry *entry);
	struct x86_pages pages;
	bool shares;         /* the TLBs of another thread */
	struct x86_page_table *table; /* NULL: addresses are physical */
	unsigned fault_cycles;
	picoseconds fault_free; /* the operating system has done its faults */
	bool tagged;
	struct x86_caches_counts counts;
	/* Lines that the operating system has written to, and that are still to
	 * be asked for. */
	struct {
		uint64_t *line;
		size_t first, count, capacity;
		bool busy; /* an event or an answer goes on */
	} install;
	unsigned hints;      /* figures.def, as the next one */
	bool hint_stores;
	/* The lines that prefetch instructions have asked for last, + 1. */
	struct {
		uint64_t line[HINT_HISTORY];
		unsigned size, count;
	} history;
	struct combine combine[COMBINES];
	unsigned combines;
	uint64_t opened;
	struct entry entry[ENTRIES];
};

/* Part `part` of an access, for its TLB. */
static inline struct x86_pages_question
entry_question(const struct entry *entry, unsigned part)
{
	return (struct x86_pages_question){
		.address = entry->address[part],
		.shift = entry->memory->page_shift,
		.code = entry->code,
		.store = entry->kind == MEMSYS_STORE,
	};
}

/* past.c: a store past the caches to a part of one line. False: no buffer is free
 * yet. All lines leave. No cache keeps the line of the program's address. */
bool x86_caches_combine(struct x86_caches *memory, uint64_t physical,
			unsigned size);
void x86_caches_drain(struct x86_caches *memory);
void x86_caches_flush(struct x86_caches *memory, uint64_t address);

/* hints.c: a prefetch instruction, whose physical address may be known. Whether its
 * line is to be asked for, as *entry says. */
bool x86_caches_hint(struct x86_caches *memory,
		     struct x86_core_request *request, bool known,
		     uint64_t physical, struct entry *entry);
/* It has been asked for. */
void x86_caches_hinted(struct x86_caches *memory,
		       const struct x86_core_request *request);
/* warm.c: x86_caches_warm() of a load that enters at the second level. */
void x86_caches_warm_second(struct x86_caches *memory, uint64_t instruction,
			    uint64_t address);

/* translation.c: the frame of the page of an address (x86_frames_find()), which
 * without address spaces is the page itself; and the physical address of its
 * entry in the page table. */
enum x86_frame_answer x86_caches_frame(const struct x86_caches *memory,
				       uint64_t address, bool store,
				       uint64_t *frame, bool *writable,
				       bool *large);
/* The TLBs get to know a page, as a large one if it lies in one. */
void x86_caches_learn(struct x86_caches *memory,
		      const struct x86_pages_question *question, uint64_t frame,
		      bool writable, bool large);
uint64_t x86_caches_table_entry(const struct x86_caches *memory,
				uint64_t address);
/* Pages get their frames for which accesses have waited. */
void x86_caches_touch(struct x86_caches *memory);
/* Translates what is left of an entry, then calls
 * memory->translated. */
void entry_translate(struct entry *entry);
#endif
