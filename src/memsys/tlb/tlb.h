/* Translation look-aside buffers and page walks; private to src/memsys.
 *
 *	processor --> module_access()
 *	                  |
 *	          +-------v-------+  miss   +------------+  miss   +---------+
 *	          | first-level   |-------->| next level |-------->| walkers |
 *	          | TLB           |<--------|            |<--------|         |
 *	          +-------|-------+  reply  +------------+         +----|----+
 *	                  v translated                                  v
 *	              the module                  reads of page tables, by a
 *	                                          module of the hierarchy
 *
 * Only times are modelled: an address is its own translation, and every page is
 * mapped. Caches are tagged by the translated address; the variable `parallel`
 * says how they are indexed. */
#ifndef M2S_MEMSYS_TLB_TLB_H
#define M2S_MEMSYS_TLB_TLB_H

#include "memsys/access/access.h"

/* Variables of a [ TLBGeometry ] and a [ TLB ]; config.def makes them. */
struct tlb_config {
#define MEMORY_TLB_GEOMETRY CONFIG_MEMBER
#define MEMORY_TLB CONFIG_MEMBER
#include "memsys/config.def"
};

struct tlb_text {
#define MEMORY_TLB_TEXT CONFIG_MEMBER
#include "memsys/config.def"
};

struct tlb_count {
#define STATS_MEMBERS
#include "memsys/tlb/tlb.stat.def"
};

/* A request of the TLB above: a page that it waits for. */
struct tlb_request {
	struct tlb_request *next;
	struct tlb *upper;
	uint64_t page;
};

/* A page whose translation is on its way, and the accesses and requests that
 * wait for it. */
struct tlb_miss {
	struct tlb_miss *next; /* in the table, or in the free list */
	struct tlb_miss *next_walk;
	struct tlb *tlb;
	uint64_t page;
	picoseconds since, walk_since;
	uint32_t level; /* the level of the page table that is read next */
	void (*walked)(struct tlb_miss *miss); /* at the end of its walk */
	struct access_list accesses;
	struct tlb_request *requests;
};

struct tlb {
	struct memsys *memsys;
	struct event_queue *events;
	/* Valid while the file is read; so is `text`. */
	struct ini_section *section;
	struct tlb_text text;
	char *name;
	uint32_t source;
	size_t index; /* in creation order */
	struct tlb_config config;

	/* Wiring. */
	/* First level: the module whose accesses it translates. */
	struct module *entry;
	/* The next level; NULL: this TLB walks the page table. */
	struct tlb *low;
	/* Reads the page tables; NULL: a walk takes a fixed time. */
	struct module *walk_module;
	struct module *home;        /* the module whose island it shares */
	/* Requests that may be outstanding from above. */
	uint32_t upper_misses;

	/* Derived from the configuration. */
	unsigned page_shift;
	uint64_t page_mask;
	picoseconds period;
	/* Of an access, added to the module's own delay. */
	picoseconds hit_delay;

	/* State. */
	struct cache *tags;
	picoseconds port_time;
	uint32_t ports_used;
	struct tlb_miss **table, *misses, *free_miss;
	uint32_t table_mask;
	struct tlb_request *requests, *free_request;
	/* Waiting for a free struct tlb_miss. */
	struct tlb_request *stalled, **stalled_end;
	/* Translated accesses that wait for the module. */
	struct access_list translated;
	uint32_t waiting;              /* accesses in this TLB */
	bool pumping;
	struct tlb_miss *walk_queue, **walk_queue_end;
	uint32_t walking;
	struct tlb_count count;
};

struct tlb *tlb_create(struct memsys *memsys, const char *name);
void tlb_free(struct tlb *tlb);
/* Allocates the state, when configuration and wiring are known. */
void tlb_start(struct tlb *tlb);

/* An access of a processor to the module of a first-level TLB. False when the
 * TLB cannot take it now: nothing has happened. `coalesced` is as for
 * module_access(). The TLB hands the access on to module_enter(), now or
 * later. */
bool tlb_access(struct tlb *tlb, struct access *access, bool *coalesced);

/* tlb/walk.c: walks the page table, then calls done(). */
void tlb_walk(struct tlb_miss *miss, void (*done)(struct tlb_miss *miss));
/* The address at which a walk reads the entry of a page in the table of `level`
 * (0: the root). */
uint64_t tlb_table_address(const struct tlb *tlb, uint64_t page,
			   uint32_t level);

void tlb_register_stats(struct tlb *tlb, struct stats *stats);
/* Writes what is under way in TLBs, for memsys_describe(). */
void tlb_describe(const struct memsys *memsys, FILE *stream);

/* For islands. Calls join() for modules that must be in one island because of a
 * TLB. A link between levels that takes at least `least` may cross islands; the
 * shortest such link bounds *window. */
void tlb_divide(const struct memsys *memsys, picoseconds least,
		picoseconds *window,
		void (*join)(void *owner, const struct module *a,
			     const struct module *b),
		void *owner);
/* To be called when modules have their event queues. */
void tlb_place(struct memsys *memsys);

/* read/tlb.c. reader_tlbs(): reads the sections. reader_entry_tlbs(): the TLBs
 * of one entry. reader_finish_tlbs(): to be called when all are read. */
struct reader;
struct entry_config;
int reader_tlbs(struct reader *reader);
int reader_entry_tlbs(struct reader *reader, struct ini_section *section,
		      const struct entry_config *config,
		      const struct memsys_entry *entry);
int reader_finish_tlbs(struct reader *reader);
void tlb_help(FILE *stream);

#endif
