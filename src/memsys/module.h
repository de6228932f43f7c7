/* A module of the memory hierarchy from inside: what the files of src/memsys
 * share. Processors see memsys.h only.
 *
 *   processors                    module_access()
 *        |                             ^ done
 *   +----v-----------------------------|----+
 *   | ports -> tags -> MSHRs, write buffer  |  access.c, coherence.h,
 *   |          directory of those above     |  passing.c
 *   +----|-----------------------------^----+
 *        | requests, write-backs,      | replies, probes     message.c
 *   =====v======= network =============|=====
 *   +----|-----------------------------|----+
 *   | the next module, in the end a main    |  controller.c
 *   | memory: channel, atomic unit          |
 *   +---------------------------------------+
 *
 * Modules know each other only by messages: a module changes nothing but its
 * own state, handles messages in the order of their arrival, and what it sends
 * about tracked blocks to one side leaves in the order in which it was
 * decided. Messages are always accepted; their number is bounded by the MSHRs
 * and write buffers of those who send them. */
#ifndef M2S_MEMSYS_MODULE_H
#define M2S_MEMSYS_MODULE_H

#include <stdalign.h>

#include "base/config.h"
#include "memsys/cache/cache.h"
#include "memsys/directory.h"
#include "memsys/dram/dram.h"
#include "memsys/memsys.h"
#include "memsys/shadow.h"
#include "network/network.h"
#include "sim/watchdog.h"

enum {
	MEMSYS_HEADER = 8, /* bytes of every message beside its data */
};

enum module_kind { MODULE_CACHE, MODULE_MAIN_MEMORY };

enum write_policy { WRITE_BACK, WRITE_THROUGH };

/* Variables of [ General ], and of a [ Module ] and its [ CacheGeometry ]; see
 * config.def, which makes them. */
struct memsys_config {
#define MEMORY_GENERAL CONFIG_MEMBER
#include "memsys/config.def"
};

struct module_config {
#define MEMORY_MODULE CONFIG_MEMBER
#define MEMORY_MAIN CONFIG_MEMBER
#define MEMORY_MAIN_AGAIN(...)
#define MEMORY_GEOMETRY CONFIG_MEMBER
#include "memsys/config.def"
};

enum range_kind { RANGE_BOUNDS, RANGE_INTERLEAVED };

/* The addresses that a module serves. */
struct address_range {
	enum range_kind kind;
	uint64_t low, high;              /* inclusive */
	uint64_t divide, modulo, equal; /* address / divide % modulo == equal */
};

/* --- Messages and transactions ---------------------------------------- */

enum message_type {
	MESSAGE_REQUEST,     /* down: an access of the module above */
	MESSAGE_REPLY,       /* up: the same object on its way back */
	MESSAGE_WRITE_BACK,  /* down: a modified block; no reply */
	MESSAGE_PROBE,       /* up: give up (a store) or share (a load) */
	MESSAGE_PROBE_REPLY, /* down: the same object on its way back */
	MESSAGE_PEER,        /* sideways: an owner's block for who asked */
};

/* Whom the reply of a request concerns. */
enum request_origin {
	ORIGIN_PROCESSOR,   /* done(owner, tag) */
	ORIGIN_TRANSACTION, /* a miss of the module above */
	ORIGIN_PARENT,      /* an access that the module above passes on */
	ORIGIN_COMBINE,     /* an entry of its write buffer */
};

/* An access on its way, from a processor or from the module above; and every
 * other message between modules. What every one of them uses comes first: a
 * cache line. */
struct access {
	alignas(64) struct access *next; /* in the one list it is in */
	uint64_t address;
	union {
		struct {
			module_done *done;
			void *owner;
			uint64_t tag;
		};
		struct transaction *transaction; /* of `from`; of a probe's
						    sender */
		struct access *parent;
		struct combine *combine;
	};
	struct module *from;     /* above; NULL: a processor */
	struct module *to;       /* while travelling */
	uint32_t size;
	union {
		struct {
			enum message_type type : 4;
			enum memsys_access_kind kind : 4;
			enum request_origin origin : 4;
			/* Reply: to whoever is tracked. */
			enum cache_state granted : 4;
			/* Of a MEMSYS_ATOMIC: that kind, or the one after it
			 * that the processor has asked for. They travel
			 * alike. */
			enum memsys_access_kind operation : 4;
			bool waited : 1;  /* for a transaction on its block */
			bool dirty : 1;   /* probe reply: has modified data */
			bool through : 1; /* request: a store that takes effect
					     below */
			bool keep : 1;    /* write-back: the sender keeps its
					     clean copy */
			bool peer : 1;    /* reply: the data come from the
					     owner, a peer */
			bool present : 1; /* probe reply: the block was there */
			/* log2 of the bytes per bit of `written` */
			unsigned grain : 5;
		};
		uint32_t bits; /* all of these */
	};

	uint32_t instruction; /* folded address; 0: not known */
	uint32_t extent;         /* from `address`: all it may touch */
	uint64_t written;        /* write-backs and the like: what they carry */
	struct module *requester; /* probe: the owner sends it the block */
	struct transaction *requester_transaction;
	uint32_t *words;         /* shadow.h; NULL in simulations */
};

struct access_list {
	struct access *first, *last;
};

enum transaction_stage {
	STAGE_FETCH, /* waits for the reply from below */
	STAGE_DATA,  /* has it; waits for the data, which a peer has sent */
	STAGE_PLACE, /* has both; waits for a line that is not locked */
	STAGE_EVICT, /* the block leaves; waits for probe replies */
	STAGE_PROBE, /* waits for probe replies */
};

/* Work on one block that cannot be done at once. While it is listed in the
 * module's table, other accesses to the block wait for it. */
struct transaction {
	struct transaction *next; /* in the table, or in the free list */
	struct transaction *next_placing;
	uint64_t block;
	enum transaction_stage stage;
	bool listed, uses_mshr;
	bool used;                /* prefetch: a demand access waits for it */
	bool peer;                /* an owner sent the data to who asked */
	bool arrived;             /* the data of a peer are here */
	bool recall;              /* copies above go before it is placed */
	uint64_t written;         /* of a line replaced while its block waited
				     for more rights: kept here */
	uint64_t passed;          /* of a line in N: written through since, so
				     newer than what may arrive */
	uint32_t *words, *kept;   /* shadow.h: fetched; kept */
	int32_t line;             /* locked by it, or -1 */
	uint32_t pending;         /* probe replies to come */
	enum cache_state granted;
	struct access *initiator; /* NULL: an eviction or a probe from below */
	struct access *probe;     /* from below, being served */
	struct access_list waiting;
	struct access_list deferred; /* probes from below for later */
	struct transaction *then;    /* eviction: who needs the line */
};

/* A block's worth of stores in the write buffer. */
struct combine {
	struct combine *next; /* in the table, or in the free list */
	struct module *module;
	uint64_t block;
	uint64_t bytes; /* one bit per 1/64 of the block */
	uint32_t generation;
	bool sent;
	uint32_t *words; /* shadow.h */
	struct access_list waiting;
};

/* --- Figures ------------------------------------------------------------ */

enum access_class {
	CLASS_ALL,
	CLASS_READ,
	CLASS_WRITE,
	CLASS_NC_WRITE,
	CLASS_ATOMIC,
	CLASS_COUNT,
};

struct class_count {
#define CLASS_COUNTER(name, field, unit, doc) uint64_t field;
#include "memsys/class.stat.def"
};

struct module_count {
	struct class_count class[CLASS_COUNT];
#define STATS_MEMBERS
#include "memsys/module.stat.def"
#define STATS_MEMBERS
#include "memsys/channel.stat.def"
};

/* --- Modules ------------------------------------------------------------ */

/* What waits for room in a network's output buffer. Other modules look at the
 * node, and only there. */
struct outbox {
	struct network_node *node;
	alignas(64) struct access_list waiting;
	bool flushing;    /* the first of them is being sent */
	picoseconds last; /* departure of the last ordered message */
};

enum { ATOMIC_UNITS = 64 };

struct module {
	struct memsys *memsys;
	struct memsys_pool *pool;
	struct event_queue *events;
	struct log *log;
	char *name;
	enum module_kind kind;
	unsigned index;      /* in the memory system */
	uint32_t source;     /* for the event queue */
	struct module_config config;
	struct address_range range;

	/* Wiring. */
	struct module **low;
	size_t low_count;
	bool low_interleaved; /* low[address / divide % modulo] */
	bool low_shifts;      /* with powers of two */
	unsigned low_divide_shift;
	uint64_t low_divide, low_modulo;
	struct network *low_network, *high_network;
	struct outbox up, down;
	uint32_t upper_count;
	int16_t *upper_number; /* by module index: its number here, or -1 */
	struct module **upper; /* by that number */
	bool shared;           /* several modules above, tracked or not */
	bool peer_transfers;   /* those above can send blocks to each other */

	/* Derived from the configuration. */
	uint32_t block_size;
	unsigned block_shift;
	uint64_t block_mask;
	picoseconds period, latency, directory_latency;
	double transfer; /* picoseconds per byte */

	/* State. What is above does not change, and others look at it. */
	alignas(128) struct cache *cache;         /* NULL: main memory without directory */
	struct directory *directory; /* NULL: nobody above is tracked */
	struct dram *dram;           /* main memory with [ DRAM ], or NULL */
	struct prefetch *prefetch;   /* cache with a prefetcher, or NULL */
	struct tlb *tlb;             /* of processors' accesses, or NULL */
	picoseconds port_time, clock_edge;
	uint32_t ports_used;
	struct transaction **table;
	uint32_t table_mask, mshr_used;
	struct module_waiter *waiters; /* processors that were refused */
	struct access_list stalled;
	struct transaction *placing, **placing_end;
	struct combine **combines;
	uint32_t combine_mask, writes_pending;
	uint32_t submits_waiting;  /* for a port, then to go to the devices */
	uint32_t throughs_waiting; /* written through, not on the link yet */
	unsigned combine_shift;
	picoseconds channel_free;
	picoseconds atomic_free[ATOMIC_UNITS];
	struct module_count count;
	uint32_t *shadow; /* shadow.h; NULL in simulations */
};

struct memsys_entry {
	enum memsys_architecture architecture;
	unsigned core, thread; /* or the compute unit, 0 */
	struct module *data, *instruction;
	struct ini_section *section;
};

/* What the modules in one event queue share: objects in flight come from free
 * lists, and go to those of where they end. */
struct memsys_pool {
	const struct memsys *memsys;
	struct event_queue *events;
	uint64_t pending; /* accesses of processors */
	struct access *free_access;
	size_t access_count; /* free ones */
	bool short_of_accesses; /* since they were last balanced */
	struct transaction *free_transaction;
	struct combine *free_combine;
	void **chunks;
	size_t chunk_count, chunk_capacity;
};

struct memsys {
	struct event_queue *events;
	uint32_t dispatcher_source, first_unit_source, units;
	struct islands *islands; /* or NULL */
	struct log *log;
	struct memsys_config config;
	struct watchdog watchdog;
	bool hangs;
	const struct shadow_observer *observer; /* NULL in simulations */
	struct memsys_script *script; /* NULL: its file has no commands */
	struct tlb **tlbs;
	size_t tlb_count, tlb_capacity;
	struct module **modules;
	size_t module_count, module_capacity;
	struct network_set internal, external;
	struct memsys_entry *entries;
	size_t entry_count, entry_capacity;
	struct memsys_pool **pools;
	size_t pool_count, pool_capacity;
};

/* --- message.c ---------------------------------------------------------- */

struct access *access_take(struct memsys_pool *pool);
void access_free(struct memsys_pool *pool, struct access *access);
struct transaction *transaction_take(struct memsys_pool *pool);
void transaction_free(struct memsys_pool *pool, struct transaction *transaction);
struct combine *combine_take(struct memsys_pool *pool);
void combine_free(struct memsys_pool *pool, struct combine *combine);

/* For networks between threads; their memory is a pool. */
extern const struct network_carrier access_carrier;

void access_append(struct access_list *list, struct access *access);
struct access *access_pop(struct access_list *list);

/* Sends a message at `when` (or now, if that is past). Ordered messages leave
 * in the order of these calls. */
void module_send_down(struct module *module, struct access *access,
		      picoseconds when, bool ordered);
void module_send_up(struct module *module, struct module *to,
		    struct access *access, picoseconds when, bool ordered);
/* To another module above the same one. */
void module_send_peer(struct module *module, struct module *to,
		      struct access *access, picoseconds when);
void module_attach_networks(struct module *module);

/* The module below that serves an address. */
struct module *module_low(const struct module *module, uint64_t address);

/* --- access.c ----------------------------------------------------------- */

/* Whether an access of a processor can be tried now; and that, for one that
 * has been set up: false when no MSHR or write-buffer entry is free: nothing
 * has happened. */
bool module_may_enter(struct module *module);
bool module_enter(struct module *module, struct access *access,
		  bool *coalesced);
/* An access of a page walk: by a TLB, not through one. */
bool module_access_physical(struct module *module,
			    enum memsys_access_kind kind, uint64_t address,
			    unsigned size, module_done *done, void *owner,
			    uint64_t tag);
/* The time of the next free port slot, which is taken. */
picoseconds module_port(struct module *module);
/* Whether a port is free at the coming clock edge. */
bool module_port_free(struct module *module);
/* Counts an access, once, when it is known how it ends. */
void module_count_access(struct module *module, const struct access *access,
			 bool hit);
enum access_class access_class(enum memsys_access_kind kind);
/* Tells the processor, now or at `when`. */
void access_complete(struct module *module, struct access *access);
void access_complete_at(struct module *module, struct access *access,
			picoseconds when);
/* Something has happened to the module: processors try again. */
void module_wake_waiters(struct module *module);
static inline void module_changed(struct module *module)
{
	if (module->waiters)
		module_wake_waiters(module);
}
/* All of a list that is linked by `next`, with one event. */
void access_complete_list_at(struct module *module, struct access *first,
			     picoseconds when);
void access_log(const struct module *module, const struct access *access,
		const char *what);

/* --- coherence.c and its like (coherence.h) ----------------------------- */

struct transaction *transaction_find(const struct module *module,
				     uint64_t block);
/* Non-coherent stores may stay here, in state N or M. */
bool module_keeps_stores(const struct module *module);
/* The access takes effect below the module where it is. */
bool module_passes(const struct access *access);
/* A load, store or prefetch that got its port at `start`. False when it needs
 * an MSHR, none is free and `may_refuse`: then nothing has changed. */
bool module_resolve(struct module *module, struct access *access,
		    picoseconds start, bool may_refuse);
void module_receive_reply(struct module *module, struct access *access);
void module_receive_peer(struct module *module, struct access *access);
void module_receive_write_back(struct module *module, struct access *access);
void module_receive_probe(struct module *module, struct access *access);
void module_receive_probe_reply(struct module *module, struct access *access);
/* Sends what a line has to the module below; `keep`: the line stays, clean. */
void module_write_back(struct module *module, int32_t line, uint64_t written,
		       bool keep);

/* --- passing.c ---------------------------------------------------------- */

/* Atomics, which go through to main memory, and non-coherent stores, which go
 * through to the first cache that is tracked. */
/* From a processor that found a free port; false when the write buffer is
 * full. */
bool module_store_through(struct module *module, struct access *access,
			  bool *coalesced);
void module_pass_down(struct module *module, struct access *access,
		      picoseconds start);
void module_receive_passed(struct module *module, struct access *reply);

/* --- prefetch.c --------------------------------------------------------- */

void prefetch_start(struct module *module);
void prefetch_free(struct module *module);
/* A demand access missed, or was the first to use a prefetched block. Of a
 * module with a prefetcher. */
void prefetch_learn(struct module *module, const struct access *access);
/* Blocks that are to be fetched. */
uint32_t prefetch_waiting(const struct module *module);

/* --- controller.c ------------------------------------------------------- */

/* Answers any access at the main memory. With devices: one that they have
 * served. */
picoseconds controller_access(struct module *module,
			      const struct access *access, picoseconds start);
/* An access of a module that has devices: when they have served it, it goes
 * on to module_resolve(). */
void controller_submit(struct module *module, struct access *access,
		       picoseconds start);
/* Modified data from above; nobody waits for them. */
void controller_write_back(struct module *module, const struct access *access,
			   picoseconds start);

/* --- islands.c ---------------------------------------------------------- */

/* The pool of the modules in a queue. */
struct memsys_pool *memsys_pool(struct memsys *memsys,
				struct event_queue *events);
/* Spreads a memory system that is complete over islands. */
void memsys_split(struct memsys *memsys, struct islands *islands,
		  picoseconds most);

/* --- check.c ------------------------------------------------------------ */

/* While nothing is under way: whether copies and directories agree; -1 and what
 * contradicts what. */
int memsys_check(const struct memsys *memsys, struct error *error);

/* --- watch.c ------------------------------------------------------------ */

void memsys_watchdog_start(struct memsys *memsys);

/* --- script.c ----------------------------------------------------------- */

int memsys_script_read(struct memsys *memsys, struct ini_section *section,
		       struct error *error);
void memsys_script_free(struct memsys_script *script);
/* Its accesses that have not ended. */
void memsys_script_describe(const struct memsys_script *script, FILE *stream);

/* --- read.c, default.c, stats.c ----------------------------------------- */

int memsys_read(struct memsys *memsys, struct ini *ini,
		const struct memsys_options *options, struct error *error);
struct module *module_create(struct memsys *memsys, const char *name);
void module_free(struct module *module);
/* Allocates the state, when configuration and wiring are known. */
void module_start(struct module *module);
void module_register_stats(struct module *module, struct stats *stats);

#endif
