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
 * Only times are modelled: an address is its own translation, and everything
 * is mapped. Caches are tagged by what is translated; see `parallel` for how
 * they are indexed. */
#ifndef M2S_MEMSYS_TLB_TLB_H
#define M2S_MEMSYS_TLB_TLB_H

#include "memsys/module.h"

/* Variables of a [ TLBGeometry ] and a [ TLB ]; see config.def, which makes
 * them. */
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

/* A page that another TLB waits for. */
struct tlb_request {
	struct tlb_request *next;
	struct tlb *upper;
	uint64_t page;
};

/* A page on its way, and who waits for it. */
struct tlb_miss {
	struct tlb_miss *next; /* in the table, or in the free list */
	struct tlb_miss *next_walk;
	struct tlb *tlb;
	uint64_t page;
	picoseconds since, walk_since;
	uint32_t level; /* of the page table, that is read next */
	struct access_list accesses;
	struct tlb_request *requests;
};

struct tlb {
	struct memsys *memsys;
	struct event_queue *events;
	struct ini_section *section; /* while the file is read, as the text */
	struct tlb_text text;
	char *name;
	uint32_t source;
	size_t index; /* in creation order */
	struct tlb_config config;

	/* Wiring. */
	struct module *entry;       /* first level: whose accesses */
	struct tlb *low;            /* or NULL: it walks */
	struct module *walk_module; /* or NULL: a walk has a fixed time */
	struct module *home;        /* in whose island it is */
	uint32_t upper_misses;      /* requests that may come at once */

	/* Derived from the configuration. */
	unsigned page_shift;
	uint64_t page_mask;
	picoseconds period;
	picoseconds hit_delay; /* of an access, beside the module's own */

	/* State. */
	struct cache *tags;
	picoseconds port_time;
	uint32_t ports_used;
	struct tlb_miss **table, *misses, *free_miss;
	uint32_t table_mask;
	struct tlb_request *requests, *free_request;
	struct tlb_request *stalled, **stalled_end; /* for a free miss */
	struct access_list translated; /* wait for the module */
	uint32_t waiting;              /* accesses that are here */
	bool pumping;
	struct tlb_miss *walk_queue, **walk_queue_end;
	uint32_t walking;
	struct tlb_count count;
};

struct tlb *tlb_create(struct memsys *memsys, const char *name);
void tlb_free(struct tlb *tlb);
/* Allocates the state, when configuration and wiring are known. */
void tlb_start(struct tlb *tlb);

/* An access of a processor to the module of a first-level TLB. False when it
 * cannot be taken now: nothing has happened. `coalesced` as module_access().
 * The TLB hands it on to module_enter(), now or later. */
bool tlb_access(struct tlb *tlb, struct access *access, bool *coalesced);

/* tlb/walk.c: finds the page, then tlb_fill(). */
void tlb_walk(struct tlb_miss *miss);
void tlb_fill(struct tlb_miss *miss);
/* Where an entry of a table of `level` (0: the root) is read for a page. */
uint64_t tlb_table_address(const struct tlb *tlb, uint64_t page,
			   uint32_t level);

void tlb_register_stats(struct tlb *tlb, struct stats *stats);
/* What is under way in TLBs, for memsys_describe(). */
void tlb_describe(const struct memsys *memsys, FILE *stream);

/* Islands: modules that must be in one because of a TLB are joined; links
 * between levels that take at least `least` divide, and the shortest of them
 * bounds the window. */
void tlb_divide(const struct memsys *memsys, picoseconds least,
		picoseconds *window,
		void (*join)(void *owner, const struct module *a,
			     const struct module *b),
		void *owner);
/* When modules have their queues. */
void tlb_place(struct memsys *memsys);

/* read/tlb.c: the sections, the entries' TLBs, and when all are read. */
struct reader;
struct entry_config;
int reader_tlbs(struct reader *reader);
int reader_entry_tlbs(struct reader *reader, struct ini_section *section,
		      const struct entry_config *config,
		      const struct memsys_entry *entry);
int reader_finish_tlbs(struct reader *reader);
void tlb_help(FILE *stream);

#endif
